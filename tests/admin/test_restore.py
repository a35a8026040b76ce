"""The restore drill (F18): games by the API, a backup under traffic, an empty database, and everything as it was."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest

from app import ROOT
from app.admin.__main__ import main
from app.admin.backup import BadBackup, backup, restore
from app.db.embedded import EmbeddedPostgres
from app.db.engine import Database, connect
from app.db.migrate import downgrade
from app.main import create_app
from app.settings import Settings
from tests.support.play import check_logs, until
from tests.support.server import execute, in_thread, with_database
from tests.web.service import Caller, dump, finished_table, guest, open_table, running_table

pytestmark = pytest.mark.anyio

EMPTY = f"restored_{os.getpid()}"
UNKEPT = ("points",)


@pytest.fixture
def empty(postgres: str) -> Iterator[str]:
    """A database no migration has seen."""
    execute(postgres, f"DROP DATABASE IF EXISTS {EMPTY} WITH (FORCE)")
    execute(postgres, f"CREATE DATABASE {EMPTY} TEMPLATE template0")
    yield with_database(postgres, EMPTY)
    execute(postgres, f"DROP DATABASE {EMPTY} WITH (FORCE)")


class Admin(Protocol):
    """Runs a command of `python -m app.admin`: the exit code, and what it says."""

    async def __call__(self, url: str, *words: str | Path, data_dir: Path | None = None) -> tuple[int, str]: ...


@pytest.fixture
def admin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Admin:
    async def run(url: str, *words: str | Path, data_dir: Path | None = None) -> tuple[int, str]:
        monkeypatch.setenv("KNOBEL_DATABASE_URL", url)
        monkeypatch.setenv("KNOBEL_DATA_DIR", str(data_dir or "/nowhere"))
        capsys.readouterr()
        code = await asyncio.to_thread(main, [str(word) for word in words])
        return code, "".join(capsys.readouterr())

    return run


async def moving(code: str, people: list[Caller], stop: asyncio.Event) -> int:
    """Play on at a table until told to stop; how many moves were answered."""
    made = 0
    while not stop.is_set():
        for person in people:
            table = await person.do("GET", f"/tables/{code}")
            if table["status"] != "playing":
                return made
            if (turn := table["you"]["turn"]) is not None:
                moves = [one for one in table["you"]["actions"] if one["kind"] == "score"]
                wanted = moves[0] if moves else {"kind": "roll", "dice": [0, 1, 2, 3, 4]}
                assert (await person.move(code, turn, **wanted)).status_code == 200
                made += 1
    return made


async def replays(client: httpx.AsyncClient, code: str) -> list[Any]:
    """Return a finished game at each of its steps, and its record."""
    caller = Caller(client)
    steps = (await caller.do("GET", f"/tables/{code}/replay"))["steps"]
    shown = [await caller.do("GET", f"/tables/{code}/replay?step={step}") for step in range(0, steps + 1, 7)]
    return [*shown, await caller.do("GET", f"/tables/{code}/record")]


async def test_everything_is_there_again_and_sessions_still_hold(
    admin: Admin, client: httpx.AsyncClient, database_url: str, empty: str, tmp_path: Path
) -> None:
    finished, people = await finished_table(client, "Ana", "Bo")
    waiting, _ = await open_table(client, "Cy\n\t\\N")
    told = await replays(client, finished)
    running, players = await running_table(client, "Di", "Ed")
    stop, file = asyncio.Event(), tmp_path / "knobel.zip"
    traffic = asyncio.create_task(moving(running, players, stop))
    code, said = await admin(database_url, "backup", file)
    stop.set()
    assert await traffic > 0
    assert (code, file.stat().st_mode & 0o777) == (0, 0o600), said
    assert os.listdir(tmp_path) == [file.name]  # noqa: PTH208  # a short look
    assert (await admin(empty, "restore", file))[0] == 0
    assert await admin(empty, "check") == (0, "")
    async with service(empty, tmp_path) as again:
        database = Database(empty)
        await database.connect()
        assert await check_logs(database) > 60
        await database.close()
        assert await replays(again, finished) == told
        for person in (*people, *players):
            caller = Caller(again, person.token)
            assert (await caller.do("GET", "/me"))["player"]["id"] == person.player
            assert len((await caller.do("GET", "/me"))["tables"]) == 1
        assert (await Caller(again).do("GET", f"/tables/{waiting}"))["status"] == "open"
        # what was answered before the backup began is there, and the game goes on
        first = Caller(again, players[0].token), Caller(again, players[1].token)
        await moving(running, list(first), asyncio.Event())
        assert (await first[0].do("GET", f"/tables/{running}"))["status"] == "finished"
        # the numbers of new rows begin behind the old ones
        await first[0].do("POST", f"/tables/{running}/rematch", None, 201)
        await (await guest(again)).do("POST", "/tables", {"game": "yacht"}, 201)


@asynccontextmanager
async def service(url: str, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A service in this process on some database."""
    app = create_app(Settings(database_url=url, data_dir=folder, rate_limits="off"))
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://knobel.test") as one,
    ):
        yield one


async def test_a_backup_at_rest_restores_to_the_same_rows(
    admin: Admin, client: httpx.AsyncClient, database_url: str, empty: str, tmp_path: Path
) -> None:
    await running_table(client, "Ana", "Bo")
    file = tmp_path / "knobel.zip"
    before = await dump(database_url, *UNKEPT)
    assert (await admin(database_url, "backup", file))[0] == 0
    assert (await admin(empty, "restore", file))[0] == 0
    assert await dump(empty, *UNKEPT) == before
    manifest = json.loads(zipfile.ZipFile(file).read("manifest.json"))
    assert {kept["name"]: kept["rows"] for kept in manifest["tables"] if kept["name"] != "heartbeats"} == {
        name: len(rows) for name, rows in before.items() if name != "alembic_version"
    }
    code, said = await admin(empty, "restore", file)  # twice
    assert (code, "not empty" in said) == (2, True)
    assert await dump(empty, *UNKEPT) == before


async def test_a_backup_is_of_one_moment_whatever_is_written_while_it_runs(
    client: httpx.AsyncClient, database: Database, tmp_path: Path
) -> None:
    await running_table(client, "Ana", "Bo")
    before = await dump(database.url)
    holder = await connect(database.url)
    try:
        async with holder.transaction():
            await holder.execute("LOCK TABLE seats IN ACCESS EXCLUSIVE MODE")  # it is copied before the events
            saving = asyncio.create_task(asyncio.to_thread(backup, database.url, tmp_path / "knobel.zip"))
            await until(lambda: database.pool.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"))
            await database.pool.execute(
                "INSERT INTO table_events (table_id, seq, type, data) SELECT id, 99, 'undo', '{}' FROM tables"
            )
        rows = await saving
    finally:
        await holder.close()
    assert rows["table_events"] == len(before["table_events"])


async def test_rows_that_come_in_while_a_restore_waits_are_not_mixed_with_its_own(
    database: Database, tmp_path: Path
) -> None:
    insert = "INSERT INTO players (id, name) VALUES ($1, 'Ana')"
    await database.pool.execute(insert, "saved")
    file = tmp_path / "knobel.zip"
    await asyncio.to_thread(backup, database.url, file)
    await database.pool.execute("DELETE FROM players")
    await database.pool.execute("INSERT INTO heartbeats (id, at) VALUES (1, now()) ON CONFLICT DO NOTHING")
    holder = await connect(database.url)
    try:
        async with holder.transaction():
            await holder.execute(insert, "in between")
            restoring = asyncio.create_task(asyncio.to_thread(restore, database.url, file))
            await until(lambda: database.pool.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"))
        with pytest.raises(BadBackup, match="not empty"):
            await restoring
    finally:
        await holder.close()
    assert [row["id"] for row in await database.pool.fetch("SELECT id FROM players")] == ["in between"]


async def test_a_backup_of_an_earlier_version_is_restored_and_migrated(
    admin: Admin, client: httpx.AsyncClient, database_url: str, empty: str, tmp_path: Path
) -> None:
    file = tmp_path / "knobel.zip"
    await running_table(client, "Ana")
    assert (await admin(database_url, "backup", file))[0] == 0
    assert (await admin(empty, "restore", file))[0] == 0
    in_thread(lambda: downgrade(empty, "-1"))
    assert (await admin(empty, "backup", file))[0] == 0
    in_thread(lambda: execute(empty, "DELETE FROM table_events; DELETE FROM tables; DELETE FROM players"))
    assert (await admin(empty, "restore", file))[0] == 0
    assert await admin(empty, "check") == (0, "")
    async with service(empty, tmp_path) as again:
        assert (await again.get("/health/ready")).status_code == 200


async def test_a_damaged_file_is_refused_in_words_and_changes_nothing(
    admin: Admin, client: httpx.AsyncClient, database_url: str, empty: str, tmp_path: Path
) -> None:
    await running_table(client, "Ana", "Bo")
    file, bad = tmp_path / "knobel.zip", tmp_path / "bad.zip"
    assert (await admin(database_url, "backup", file))[0] == 0
    for damage in (truncated, altered, without_a_table, of_another_format, of_a_newer_version, emptied):
        damage(file, bad)
        code, said = await admin(empty, "restore", bad)
        assert code == 2, damage
        assert len(said.strip().splitlines()) == 1, said
    assert await dump(empty) == {}
    code, said = await admin(empty, "restore", tmp_path / "none.zip")
    assert (code, "none.zip" in said) == (2, True)


def truncated(file: Path, bad: Path) -> None:
    bad.write_bytes(file.read_bytes()[:-200])


def emptied(_: Path, bad: Path) -> None:
    bad.write_bytes(b"")


def rewritten(file: Path, bad: Path, change: Any) -> None:
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(bad, "w") as new:
        for name in old.namelist():
            if (data := change(name, old.read(name))) is not None:
                new.writestr(name, data)


def altered(file: Path, bad: Path) -> None:
    rewritten(file, bad, lambda name, data: data.replace(b"Ana", b"Eve") if name == "seats.copy" else data)


def without_a_table(file: Path, bad: Path) -> None:
    rewritten(file, bad, lambda name, data: None if name == "sessions.copy" else data)


def of_another_format(file: Path, bad: Path) -> None:
    rewritten(file, bad, lambda name, data: data.replace(b"knobel-backup/1", b"knobel-backup/9"))


def of_a_newer_version(file: Path, bad: Path) -> None:
    revision = json.loads(zipfile.ZipFile(file).read("manifest.json"))["revision"].encode()
    rewritten(file, bad, lambda name, data: data.replace(b'"%b"' % revision, b'"9999"'))


async def test_the_database_that_comes_along_is_saved_and_restored_running_or_not(
    admin: Admin, client: httpx.AsyncClient, database_url: str, tmp_path: Path
) -> None:
    await running_table(client, "Ana", "Bo")
    file, home = tmp_path / "a.zip", tmp_path / "var"
    assert (await admin(database_url, "backup", file))[0] == 0
    code, said = await admin("", "backup", tmp_path / "b.zip", data_dir=home)
    assert (code, str(home) in said) == (2, True)
    assert not home.exists()  # nothing is made by asking
    assert (await admin("", "restore", file, data_dir=home))[0] == 0
    assert (await admin("", "check", data_dir=home))[0] == 0  # it was stopped
    assert (await admin("", "backup", tmp_path / "b.zip", data_dir=home))[0] == 0
    with EmbeddedPostgres(home / "postgres") as running:
        assert (await admin("", "backup", tmp_path / "c.zip", data_dir=home))[0] == 0
        assert (await dump(running.url, *UNKEPT)) == await dump(database_url, *UNKEPT)  # and it still runs
    members = [contents(tmp_path / f"{name}.zip") for name in "abc"]
    assert members[0] == members[1] == members[2]
    shutil.rmtree(home)


def contents(file: Path) -> dict[str, str]:
    tables = json.loads(zipfile.ZipFile(file).read("manifest.json"))["tables"]
    return {kept["name"]: kept["sha256"] for kept in tables}


async def test_revoked_sessions_are_strangers_from_then_on(
    admin: Admin, client: httpx.AsyncClient, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, bo, cy = [await guest(client) for _ in range(3)]
    assert await admin(database_url, "sessions", "revoke", "--player", str(ana.player)) == (0, "1 sessions ended\n")
    assert (await ana.ask("GET", "/me")).status_code == 401
    assert (await bo.ask("GET", "/me")).status_code == 200
    assert await admin(database_url, "sessions", "revoke", "--player", "nobody") == (0, "0 sessions ended\n")
    assert await admin(database_url, "sessions", "revoke", "--all") == (0, "2 sessions ended\n")
    assert {(await one.ask("GET", "/me")).status_code for one in (bo, cy)} == {401}


async def test_a_command_without_its_database_says_so_in_one_line(admin: Admin, postgres: str, tmp_path: Path) -> None:
    for url in (with_database(postgres, "not_there"), f"postgresql://postgres@/x?host={tmp_path}"):
        for words in (("check",), ("backup", tmp_path / "x.zip"), ("sessions", "revoke", "--all")):
            code, said = await admin(url, *words)
            assert code == 2
            assert len(said.strip().splitlines()) == 1, said
    assert os.listdir(tmp_path) == []  # noqa: PTH208  # a short look


def test_sessions_of_nobody_in_particular_are_not_revoked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["sessions", "revoke"])
    assert "--player" in capsys.readouterr().err


def test_the_program_saves_and_restores_through_pipes(database_url: str, empty: str) -> None:
    def run(url: str, command: str, given: bytes = b"") -> bytes:
        program = [sys.executable, "-m", "app.admin", command, "-"]
        environment = os.environ | {"KNOBEL_DATABASE_URL": url}
        done = subprocess.run(program, cwd=ROOT, env=environment, input=given, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    execute(database_url, "INSERT INTO players (id, name) VALUES ('one', 'Ana')")
    assert b"1 players" in run(empty, "restore", run(database_url, "backup"))
