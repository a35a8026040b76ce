"""F18: a backup under load, the cluster destroyed, everything back from the file."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import asyncpg

from app import ROOT
from app.admin import backup as backups
from faults.http import Client
from faults.invariants import holds, sound
from faults.people import API, Company, Ledger, drive
from faults.postgres import Postgres, in_thread
from faults.run import Program, Run
from faults.service import Service


def _admin(url: str, *words: str) -> tuple[int, str]:
    """Run `python -m app.admin`. Returns its exit code and what it said."""
    environment = os.environ | {"KNOBEL_DATABASE_URL": url}
    command = [sys.executable, "-m", "app.admin", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def _torn(url: str, file: Path) -> None:
    """Back up one table after the other, each as it is by then."""
    spoil: Any = backups
    transaction, copy = asyncpg.Connection.transaction, spoil._copy

    async def later(*parts: Any) -> Any:
        await asyncio.sleep(0.5)
        return await copy(*parts)

    asyncpg.Connection.transaction = lambda self, **_: transaction(self)
    spoil._copy = later
    try:
        in_thread(lambda: backups.backup(url, file))
    finally:
        asyncpg.Connection.transaction, spoil._copy = transaction, copy


def _hashes(file: Path) -> dict[str, Any]:
    """Return the number of rows and a hash of the sorted rows of each table: a restore may lay them out anew."""
    found = {}
    with ZipFile(file) as archive:
        for table in json.loads(archive.read("manifest.json"))["tables"]:
            rows = sorted(archive.read(f"{table['name']}.copy").splitlines())
            found[table["name"]] = (table["rows"], hashlib.sha256(b"\n".join(rows)).hexdigest())
    del found["heartbeats"]
    return found


async def _save_under_load(run: Run, url: str, service: Service, file: Path) -> tuple[Ledger, int]:
    """Play, and make the backup meanwhile. Returns what was played and how many moves came before the backup began."""
    ledger, before = Ledger(), 0

    async def work() -> None:
        nonlocal before
        await asyncio.sleep(run.times(3, 10))
        before = sum(entry.outcome == "ok" for entry in ledger.entries)
        begun = time.monotonic()
        if run.blunt:
            await asyncio.to_thread(_torn, url, file)
        else:
            code, said = await asyncio.to_thread(_admin, url, "backup", str(file))
            run.must(code == 0, f"F18: backup: {said}")
        run.figures["backup_seconds"] = round(time.monotonic() - begun, 2)
        await asyncio.sleep(1)

    companies = [Company(ledger, number, 2, service.port) for number in range(run.times(3, 10))]
    await drive(companies, work())
    run.add(await holds(url, ledger, (service,)))
    return ledger, before


async def _look(run: Run, url: str, ledger: Ledger, before: int) -> None:
    """Check what is there after the restore."""
    connection = await asyncpg.connect(url)
    try:
        run.add(await sound(connection))
        query = "SELECT count(*) FROM table_events e JOIN tables t ON t.id = table_id WHERE code = $1 AND asked = $2 AND seat = $3"
        early = [entry for entry in ledger.entries if entry.outcome == "ok"][:before]
        missing = 0
        for entry in early:
            missing += await connection.fetchval(query, entry.code, entry.turn, entry.seat) != 1
        run.figures |= {"moves_before_backup": len(early), "of_these_missing": missing}
        run.must(not missing, "F18: moves from before the backup are missing")
    finally:
        await connection.close()


async def _go_on(run: Run, service: Service, url: str, ledger: Ledger) -> None:
    """Check that people are still known, and that they can play."""
    tokens = {entry.token for entry in ledger.entries}
    client, known = Client(service.port), 0
    for token in tokens:
        client.token = token
        known += (await client.get(f"{API}/me")).status == 200
    client.close()
    run.figures |= {"sessions": len(tokens), "sessions_still_valid": known}
    run.must(known == len(tokens), "F18: sessions do not work after the restore")
    fresh = Ledger()
    await drive([Company(fresh, 900, 2, service.port)], asyncio.sleep(2))
    run.must(fresh.counts()["ok"] > 5, "F18: nobody can play after the restore")
    run.add(await holds(url, fresh, (service,)))


def body(run: Run) -> None:
    """The steps of docs/hosting.md: backup, a new empty database, restore, check, start."""
    file, again = run.folder / "knobel.backup", run.folder / "again.backup"
    with Postgres(run.folder / "old") as postgres, Service(postgres.url, run.folder) as service:
        ledger, before = asyncio.run(_save_under_load(run, postgres.url, service, file))
    shutil.rmtree(run.folder / "old")
    begun = time.monotonic()
    with Postgres(run.folder / "new", migrated=False) as postgres:
        code, said = _admin(postgres.url, "restore", str(file))
        run.must(code == 0, f"F18: restore: {said}")
        if code:
            return
        code, said = _admin(postgres.url, "check")
        run.must(code == 0, f"F18: check: {said}")
        _admin(postgres.url, "backup", str(again))
        run.must(_hashes(file) == _hashes(again), "F18: what was restored is not what was saved")
        asyncio.run(_look(run, postgres.url, ledger, before))
        with Service(postgres.url, run.folder) as service:
            run.figures["restore_to_serving_seconds"] = round(time.monotonic() - begun, 1)
            run.figures["rows"] = sum(rows for rows, _ in _hashes(file).values())
            asyncio.run(_go_on(run, service, postgres.url, ledger))


PROGRAM = Program(
    "F18",
    "Backup and restore drill under load",
    "A backup made while people play restores to exactly what it saved; every table is sound, sessions work, the game goes on.",
    "the backup reads one table after the other instead of one moment",
    body,
)
