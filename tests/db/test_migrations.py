"""The schema: up, down and up again, also with data in it; by several processes at once; and no drift."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from app import ROOT
from app.db import migrate
from app.db.engine import Database, sqlalchemy_url
from app.db.migrate import config, downgrade, upgrade
from app.db.models import Base
from tests.support.play import check_logs, play_to_end, started
from tests.support.server import with_database

EMPTY = "empty_for_migrations"
LOCK = 0x6B6E6F62656C
"""The advisory lock around each run, as in `migrations/env.py`."""


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


def fetch(url: str, query: str) -> list[Any]:
    async def ask() -> list[Any]:
        connection = await asyncpg.connect(url)
        try:
            return [row[0] for row in await connection.fetch(query)]
        finally:
            await connection.close()

    return asyncio.run(ask())


@pytest.fixture
def empty(postgres: str) -> Iterator[str]:
    """A database no migration has seen."""
    asyncio.run(_execute(postgres, f"DROP DATABASE IF EXISTS {EMPTY}", f"CREATE DATABASE {EMPTY} TEMPLATE template0"))
    yield with_database(postgres, EMPTY)
    asyncio.run(_execute(postgres, f"DROP DATABASE {EMPTY} WITH (FORCE)"))


def schema(url: str) -> dict[str, Any]:
    """Return everything the database has, as data that can be compared."""

    async def ask() -> dict[str, Any]:
        engine = create_async_engine(sqlalchemy_url(url))
        try:
            async with engine.connect() as connection:
                return await connection.run_sync(_described)
        finally:
            await engine.dispose()

    return asyncio.run(ask())


def _described(connection: Any) -> dict[str, Any]:
    found = inspect(connection)
    return {
        name: (
            [{**column, "type": str(column["type"])} for column in found.get_columns(name)],
            found.get_pk_constraint(name),
            sorted(found.get_foreign_keys(name), key=str),
            sorted(found.get_unique_constraints(name), key=str),
            sorted(found.get_check_constraints(name), key=str),
            sorted(found.get_indexes(name), key=str),
        )
        for name in sorted(found.get_table_names())
    }


def revisions() -> list[str]:
    """Return all revisions, newest first."""
    return [script.revision for script in ScriptDirectory.from_config(config("postgresql://")).walk_revisions()]


def test_there_is_one_line_of_revisions() -> None:
    scripts = ScriptDirectory.from_config(config("postgresql://"))
    assert len(scripts.get_heads()) == len(scripts.get_bases()) == 1
    assert all(not script.is_merge_point for script in scripts.walk_revisions())


def test_up_down_and_up_again_leave_the_same_schema(empty: str) -> None:
    upgrade(empty)
    once = schema(empty)
    assert set(once) == {*Base.metadata.tables, "alembic_version"}
    downgrade(empty, "base")
    assert set(schema(empty)) == {"alembic_version"}
    leftovers = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname !~ '^alembic'"
    assert fetch(empty, leftovers) == []
    upgrade(empty)
    assert schema(empty) == once
    assert fetch(empty, "SELECT version_num FROM alembic_version") == [revisions()[0]]


def test_every_single_step_goes_down_and_up_again(empty: str) -> None:
    for revision in reversed(revisions()):
        upgrade(empty, revision)
        there = schema(empty)
        downgrade(empty, "-1")
        upgrade(empty, revision)
        assert schema(empty) == there


def test_models_and_migrations_say_the_same(database_url: str) -> None:
    command.check(config(database_url))  # raises where a new revision would have something to do


def test_a_difference_between_models_and_migrations_would_be_found(database_url: str) -> None:
    asyncio.run(_execute(database_url, "ALTER TABLE players ADD COLUMN more text"))
    with pytest.raises(Exception, match="New upgrade operations detected"):
        command.check(config(database_url))


def test_what_is_worth_nothing_after_a_crash_is_unlogged_and_seats_can_change_places(database_url: str) -> None:
    # what autogenerate does not compare
    unlogged = "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r' ORDER BY 1"
    assert fetch(database_url, unlogged) == ["points", "presence"]
    deferred = "SELECT conname FROM pg_constraint WHERE condeferrable AND condeferred"
    assert fetch(database_url, deferred) == ["uq_seats_table_id_seat"]
    checks = fetch(
        database_url,
        "SELECT conname FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY 1",
    )
    declared = [str(check.name) for table in Base.metadata.tables.values() for check in table.constraints]
    assert checks == sorted(name for name in declared if name.startswith("ck_"))


def test_up_again_on_a_filled_database_changes_nothing(database_url: str) -> None:
    async def fill() -> int:
        database = Database(database_url)
        await database.connect()
        try:
            await started(database)
            code, people = await started(database, ("Ana",))
            await play_to_end(database, code, people)
            return await check_logs(database)
        finally:
            await database.close()

    async def look() -> int:
        database = Database(database_url)
        await database.connect()
        try:
            return await check_logs(database)
        finally:
            await database.close()

    events = asyncio.run(fill())
    assert events > 20
    upgrade(database_url)
    assert asyncio.run(look()) == events
    # one step down and up: what a host does who goes back to the last version and on again
    for revision in revisions()[:-1][:1]:
        downgrade(database_url, "-1")
        upgrade(database_url, revision)
        assert asyncio.run(look()) == events
    downgrade(database_url, "base")
    upgrade(database_url)
    assert fetch(database_url, "SELECT count(*) FROM tables") == [0]


def test_four_processes_at_once_do_the_work_once(empty: str) -> None:
    program = "import sys; from app.db.migrate import upgrade; sys.stdin.read(); upgrade(sys.argv[1])"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, empty],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for _ in range(4)
    ]
    for one in running:
        assert one.stdin is not None
        one.stdin.close()
        one.stdin = None
    said = [one.communicate(timeout=60)[0].decode() for one in running]
    assert [one.returncode for one in running] == [0] * 4, said
    assert fetch(empty, "SELECT version_num FROM alembic_version") == [revisions()[0]]
    assert fetch(empty, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [0]
    command.check(config(empty))


async def hold(url: str, statement: str, ready: threading.Event, enough: threading.Event) -> None:
    """Keep the locks of a statement until it is enough."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute(statement)
            ready.set()
            await asyncio.to_thread(enough.wait, 30)
    finally:
        await connection.close()


@contextmanager
def held(url: str, statement: str) -> Iterator[threading.Event]:
    """Keep the locks of a statement until the event is set, or the block ends."""
    ready, enough = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(hold(url, statement, ready, enough)))
        try:
            assert ready.wait(10)
            yield enough
        finally:
            enough.set()


def test_a_migration_asks_for_a_lock_for_two_seconds_only_and_then_again(
    empty: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    upgrade(empty, revisions()[-1])
    names = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
    before = fetch(empty, names)
    # a step of the migrations after the first needs this table
    with held(empty, "LOCK TABLE tables IN ACCESS EXCLUSIVE MODE") as enough:
        monkeypatch.setattr(migrate, "TRIES", 1)
        begun = time.monotonic()
        with pytest.raises(DBAPIError, match="lock timeout"):
            upgrade(empty)
        assert 1.9 < time.monotonic() - begun < 5
        assert fetch(empty, names) == before
        assert fetch(empty, "SELECT version_num FROM alembic_version") == [revisions()[-1]]
        assert fetch(empty, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [0]
        monkeypatch.setattr(migrate, "TRIES", 9)
        threading.Timer(2.5, enough.set).start()
        upgrade(empty)
        assert enough.is_set()
    assert "The migration waits" in capsys.readouterr().err
    command.check(config(empty))


def test_who_comes_second_waits_for_the_first_longer_than_for_a_table(empty: str) -> None:
    with held(empty, f"SELECT pg_advisory_lock({LOCK})") as enough:
        threading.Timer(2.5, enough.set).start()
        upgrade(empty)
        assert enough.is_set()
    command.check(config(empty))


def test_a_migration_that_fails_leaves_nothing_behind_and_no_lock(empty: str) -> None:
    asyncio.run(_execute(empty, "CREATE TABLE table_events (in_the_way int)"))
    with pytest.raises(Exception, match="table_events"):
        upgrade(empty)
    assert set(schema(empty)) <= {"alembic_version", "table_events"}
    assert fetch(empty, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [0]
    asyncio.run(_execute(empty, "DROP TABLE table_events"))
    upgrade(empty)
    command.check(config(empty))


def test_the_project_may_lie_in_a_folder_with_a_percent_sign(
    empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "100% mine"
    shutil.copytree(ROOT / "migrations", root / "migrations", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(migrate, "ROOT", root)
    upgrade(empty)
    assert fetch(empty, "SELECT version_num FROM alembic_version") == [revisions()[0]]
