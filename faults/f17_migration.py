"""F17: migrations on a filled database: down and up, four at once, killed half-way."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import asyncpg

from app import ROOT
from app.db.migrate import downgrade, revisions, upgrade
from faults.invariants import holds
from faults.people import Company, Ledger, drive
from faults.postgres import Postgres, in_thread, value
from faults.run import Program, Run
from faults.service import Service

UPGRADE = """
import os, sys, time
from app.db.migrate import upgrade
while not os.path.exists(sys.argv[2]):
    time.sleep(0.001)
upgrade(sys.argv[1])
"""
_SCHEMA = """
SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
    SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
) AS lines
"""
_COLUMNS = """
SELECT table_name, array_agg(column_name::text ORDER BY column_name) AS columns FROM information_schema.columns
WHERE table_schema = 'public' AND table_name IN ('players', 'sessions', 'tables', 'seats', 'table_events')
GROUP BY table_name
"""
_WATCH = """
CREATE SCHEMA faults; CREATE TABLE faults.worked (pid int);
CREATE FUNCTION faults.note() RETURNS event_trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO faults.worked VALUES (pg_backend_pid()); END $$;
CREATE EVENT TRIGGER worked ON ddl_command_end WHEN TAG IN ('ALTER TABLE', 'CREATE TABLE', 'CREATE INDEX')
    EXECUTE FUNCTION faults.note();
"""
_NO_LOCK = """
CREATE FUNCTION public.pg_advisory_lock(bigint) RETURNS void LANGUAGE sql AS 'SELECT';
CREATE FUNCTION public.pg_advisory_unlock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true';
ALTER ROLE postgres SET search_path = public, pg_catalog;
"""


async def _copies(url: str, statuses: dict[str, int]) -> int:
    """Fill the database with copies of the tables that were played. Returns how many events there are then."""
    connection = await asyncpg.connect(url)
    await connection.execute("SET session_replication_role = replica")
    for status, copies in statuses.items():
        model = await connection.fetchval(
            "SELECT id FROM tables WHERE status = $1 ORDER BY version DESC LIMIT 1", status
        )
        for name, skipped in (
            ("tables", {"id", "code", "rematch_id"}),
            ("seats", {"id", "table_id"}),
            ("table_events", {"table_id"}),
        ):
            columns = await connection.fetch(
                "SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND table_schema = 'public'",
                name,
            )
            kept = ", ".join(f'"{row[0]}"' for row in columns if row[0] not in skipped)
            if name == "tables":
                await connection.execute(
                    f"INSERT INTO tables (code, {kept}) SELECT 'COPY' || $3::text || lpad(n::text, 5, '0'), {kept} "
                    "FROM tables, generate_series(1, $2::int) AS n WHERE tables.id = $1",
                    model, copies, status[0].upper(),
                )  # fmt: skip
            else:
                await connection.execute(
                    f"INSERT INTO {name} (table_id, {kept}) SELECT t.id, {', '.join('m.' + one for one in kept.split(', '))} "
                    f"FROM {name} m, tables t WHERE m.table_id = $1 AND t.code LIKE 'COPY' || $2::text || '%'",
                    model, status[0].upper(),
                )  # fmt: skip
    events: int = await connection.fetchval("SELECT count(*) FROM table_events")
    await connection.close()
    return events


async def _schema(url: str) -> Any:
    """Return a hash of the schema, in words that do not depend on settings of the role."""
    connection = await asyncpg.connect(url, server_settings={"search_path": "public"})
    found = await connection.fetchval(_SCHEMA)
    await connection.close()
    return found


async def _columns(url: str) -> dict[str, list[str]]:
    connection = await asyncpg.connect(url)
    found = {row["table_name"]: row["columns"] for row in await connection.fetch(_COLUMNS)}
    await connection.close()
    return found


async def _data(url: str, columns: dict[str, list[str]]) -> list[Any]:
    """Return a hash of these columns of every row."""
    connection = await asyncpg.connect(url)
    hashes = []
    for name, wanted in sorted(columns.items()):
        listed = ", ".join(f'"{column}"' for column in wanted)
        statement = f"SELECT count(*), md5(string_agg(h, '' ORDER BY h)) FROM (SELECT md5(ROW({listed})::text) AS h FROM {name}) x"
        hashes.append((name, *(await connection.fetchrow(statement))))
    await connection.close()
    return hashes


def _upgrader(url: str, start: Path) -> subprocess.Popen[bytes]:
    """Start a process that upgrades as soon as the file `start` is there."""
    command = [sys.executable, "-c", UPGRADE, url, str(start)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def _killed_halfway(run: Run, url: str) -> bool:
    """Start an upgrade and kill it while it works. Returns whether it was caught at work."""
    process = _upgrader(url, run.folder)
    question = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'tables'::regclass"
    while process.poll() is None:
        if in_thread(lambda: asyncio.run(value(url, question))):
            process.kill()
            process.wait()
            return True
        time.sleep(0.005)
    return False


async def _fill(run: Run, url: str, service: Service) -> None:
    """Play one game to its end and another one half."""
    ledger = Ledger()
    companies = [Company(ledger, number, 2, service.port) for number in range(2)]
    await companies[0].game_of(await companies[0].open())
    await drive([companies[1]], asyncio.sleep(3))
    companies[0].close()
    statuses = {"finished": run.times(30, 1000), "playing": run.times(5, 100)}
    run.figures |= {**statuses, "events": await _copies(url, statuses)}


def _down_and_up(run: Run, url: str, before: Any) -> None:
    """Four upgraders at once after a step down, then one that is killed at its work and one that ends it."""

    def state() -> Any:
        return in_thread(lambda: asyncio.run(_schema(url)))

    older = revisions()[1]
    begun = time.monotonic()
    in_thread(lambda: downgrade(url, older))
    run.figures["down_seconds"] = round(time.monotonic() - begun, 2)
    start = run.folder / "start"
    processes = [_upgrader(url, start) for _ in range(4)]
    time.sleep(run.times(4, 6))
    start.touch()
    codes = [process.wait(120) for process in processes]
    worked = in_thread(lambda: asyncio.run(value(url, "SELECT count(DISTINCT pid) FROM faults.worked")))
    run.figures |= {
        "upgraders": 4,
        "upgraders_that_failed": sum(code != 0 for code in codes),
        "upgraders_that_did_the_work": worked - 1,
    }
    run.must(codes == [0] * 4, f"F17: of four upgraders at once some failed: {codes}")
    run.must(worked == 2, f"F17: {worked - 1} upgraders did the work")  # and the step down
    in_thread(lambda: upgrade(url))
    run.must(state() == before, "F17: the schema after down and up is another one")
    caught = 0
    for _ in range(run.times(1, 5)):
        in_thread(lambda: downgrade(url, older))
        caught += _killed_halfway(run, url)
        begun = time.monotonic()
        in_thread(lambda: upgrade(url))
        run.figures["up_seconds"] = round(time.monotonic() - begun, 2)
        run.must(state() == before, "F17: the schema after an upgrade that was killed is another one")
    run.figures["killed_at_work"] = caught


async def _live(run: Run, url: str, service: Service) -> None:
    """Upgraders come while people play: nothing is left to do, and nobody waits long."""
    ledger = Ledger()

    async def upgraders() -> None:
        for _ in range(run.times(1, 4)):
            processes = [_upgrader(url, run.folder) for _ in range(2)]
            for process in processes:
                run.must(await asyncio.to_thread(process.wait, 60) == 0, "F17: an upgrader under load failed")

    await drive([Company(ledger, 50 + number, 2, service.port) for number in range(3)], upgraders())
    longest = max(ledger.answered, default=0.0)
    run.figures |= {"live_moves": ledger.counts()["ok"], "longest_request_ms": round(longest * 1000)}
    run.must(longest <= 2, f"F17: a request took {longest:.1f} s")
    run.add(await holds(url, ledger, (service,)))


def body(run: Run) -> None:
    """Fill a database, step down and up in every way, and compare schema and rows; then go on playing."""
    with Postgres(run.folder) as postgres:
        url = postgres.url
        with Service(url, run.folder) as service:
            asyncio.run(_fill(run, url, service))
        before = in_thread(lambda: asyncio.run(_schema(url)))
        everything = in_thread(lambda: asyncio.run(_columns(url)))
        in_thread(lambda: downgrade(url, revisions()[1]))
        kept = in_thread(lambda: asyncio.run(_columns(url)))
        in_thread(lambda: upgrade(url))
        run.must(in_thread(lambda: asyncio.run(_columns(url))) == everything, "F17: columns differ after down and up")
        rows = in_thread(lambda: asyncio.run(_data(url, kept)))
        postgres.execute(_WATCH, *([_NO_LOCK] if run.blunt else []))
        _down_and_up(run, url, before)
        run.must(in_thread(lambda: asyncio.run(_data(url, kept))) == rows, "F17: rows differ after down and up")
        if run.blunt:
            return
        with Service(url, run.folder) as service:
            asyncio.run(_live(run, url, service))


PROGRAM = Program(
    "F17",
    "Migrations on a filled database",
    "Down and up gives the same schema and rows; of four upgraders at once one works and all succeed; one killed half-way leaves nothing half done.",
    "the advisory lock does nothing",
    body,
)
