"""Ready means: requests can be served. Each thing that is missing is named, and soon."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import httpx
import pytest

from app.db.migrate import revisions

pytestmark = pytest.mark.anyio


@pytest.fixture
async def host(database_url: str) -> AsyncIterator[asyncpg.Connection[Any]]:
    """A connection of the host's, who leaves the revision as it was."""
    connection = await asyncpg.connect(database_url)
    before = await connection.fetchval("SELECT version_num FROM alembic_version")
    yield connection
    await connection.execute("UPDATE alembic_version SET version_num = $1", before)
    await connection.close()


async def ready(client: httpx.AsyncClient) -> tuple[int, str]:
    answer = await client.get("/health/ready")
    assert ("retry-after" in answer.headers) == (answer.status_code == 503)
    return answer.status_code, answer.json()["status"]


async def test_a_database_that_lacks_a_migration_is_not_served(
    client: httpx.AsyncClient, host: asyncpg.Connection[Any]
) -> None:
    assert await ready(client) == (200, "ready")
    await host.execute("UPDATE alembic_version SET version_num = $1", revisions()[1])
    assert await ready(client) == (503, "not migrated")
    await host.execute("UPDATE alembic_version SET version_num = $1", "9999")  # a newer version has just started
    assert await ready(client) == (200, "ready")


async def test_a_database_that_was_never_migrated_is_not_served(
    client: httpx.AsyncClient, host: asyncpg.Connection[Any]
) -> None:
    await host.execute("ALTER TABLE alembic_version RENAME TO elsewhere")
    try:
        assert await ready(client) == (503, "not migrated")
    finally:
        await host.execute("ALTER TABLE elsewhere RENAME TO alembic_version")


async def test_a_database_that_hangs_is_away_after_a_second_and_back_at_once(
    client: httpx.AsyncClient, host: asyncpg.Connection[Any]
) -> None:
    async with host.transaction():
        await host.execute("LOCK TABLE alembic_version IN ACCESS EXCLUSIVE MODE")
        begun = time.monotonic()
        found = await asyncio.gather(*(ready(client) for _ in range(10)))
        assert set(found) == {(503, "database away")}
        assert 0.9 < time.monotonic() - begun < 3
    assert await ready(client) == (200, "ready")
