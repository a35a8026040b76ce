"""A database that takes connections and does not answer: who waits behind the others is told so."""

from __future__ import annotations

import asyncio
import time

import pytest

from app.db import engine
from app.db.engine import Database, is_away

pytestmark = pytest.mark.anyio


async def test_nobody_waits_for_ever_for_a_connection(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PATIENCE", 0.2)
    size = database.pool.get_max_size()
    taken = [await database.pool.acquire() for _ in range(size)]
    begun = time.monotonic()
    answers = await asyncio.gather(
        *(database.pool.fetchval("SELECT 1") for _ in range(5 * size)), return_exceptions=True
    )
    assert time.monotonic() - begun < 2
    assert all(isinstance(answer, TimeoutError) and is_away(answer) for answer in answers)
    for connection in taken:
        await database.pool.release(connection)
    assert await database.pool.fetchval("SELECT 1") == 1
