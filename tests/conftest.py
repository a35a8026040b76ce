"""Databases for tests: one PostgreSQL per test process, one database per test, built by the migrations."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from app.db.embedded import EmbeddedPostgres
from app.db.engine import Database
from app.db.migrate import upgrade
from app.main import create_app
from app.settings import Settings
from tests.support.server import Server, execute, in_thread, with_database

# connections that a test left are ended first: an open transaction would hold us up
EMPTY = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
DELETE FROM presence; DELETE FROM table_events; DELETE FROM seats; DELETE FROM tables; DELETE FROM sessions;
DELETE FROM players;
"""


PROCESSES = {"server", "house", "playwright", "browser"}
"""Fixtures of tests that start processes of their own and wait for them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try tests with processes of their own a second time: a busy machine may be slower than the deadlines in them.

    The summary names each such test. A fault fails twice; one that fails now and then shows as a rerun, run by run.
    """
    for item in items:
        starts = any(
            part in item.nodeid for part in ("/faults/", "/test_embedded.py", "/test_serve.py", "/test_runner.py")
        )
        if starts or PROCESSES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of this test process alone, with a migrated database `template` to copy. Its address."""
    named = os.environ.get("KNOBEL_TEST_DATABASE_URL")
    if named is not None:
        yield named
        return
    with EmbeddedPostgres(tmp_path_factory.mktemp("postgres") / "pg") as server:
        url = server.start()
        execute(url, "CREATE DATABASE template")
        in_thread(lambda: upgrade(with_database(url, "template")))
        yield url


@pytest.fixture(scope="session")
def shared_database(postgres: str) -> str:
    """One database for the tests of this process, as the migrations left it."""
    name = f"test_{os.getpid()}"
    execute(postgres, f"CREATE DATABASE {name} TEMPLATE template")
    return with_database(postgres, name)


@pytest.fixture
def database_url(shared_database: str) -> Iterator[str]:
    """A database with nothing in it. Emptying it takes a tenth of the time of making another."""
    yield shared_database
    execute(shared_database, EMPTY)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The service's own connections to the test's database."""
    database = Database(database_url)
    await database.connect()
    yield database
    await database.close()


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Settings of a service on the test's database."""
    return Settings(database_url=database_url, data_dir=tmp_path, rate_limits="off", public_url="http://knobel.test")


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A browser without script, on a service in this process."""
    app = create_app(settings)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://knobel.test") as one,
    ):
        yield one


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[Server]:
    """The service as people run it: a process of its own on a real port."""
    with Server(database_url, tmp_path) as running:
        yield running
