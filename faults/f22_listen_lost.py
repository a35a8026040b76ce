"""F22: the connection that hears of other processes' commits is ended, or its backend hangs."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import asyncpg

from faults.invariants import holds
from faults.people import STALE, Company, Ledger, pick
from faults.postgres import Postgres
from faults.run import Program, Run, share
from faults.service import Service

_LISTENERS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'knobel listen'"


async def _spoil(run: Run, connection: asyncpg.Connection[asyncpg.Record], how: str) -> list[int]:
    """End every listening connection, or have its backend hang. Returns the backends that hang."""
    pids = [row["pid"] for row in await connection.fetch(_LISTENERS)]
    run.must(pids, "F22: nobody listens")
    for pid in pids:
        if how == "ended":
            await connection.execute("SELECT pg_terminate_backend($1)", pid)
        else:
            os.kill(pid, signal.SIGSTOP)
    return [] if how == "ended" else pids


async def _round(run: Run, company: Company, connection: asyncpg.Connection[asyncpg.Record], how: str) -> float:
    """Make a move through one process, and wait until it is seen through the other. Returns the seconds."""
    code = company.people[0].table["code"]
    for person in company.people:
        person.take((await person.surely("GET", f"/tables/{code}")).json())
    person = next(one for one in company.people if one.table["you"]["turn"] is not None)
    hanging = await _spoil(run, connection, how)
    begun = time.monotonic()
    entry = await person.send(person.table["you"]["turn"], pick(person.table["you"]["actions"], run.rng))
    run.must(entry.outcome == "ok", f"F22: the move was answered as {entry.outcome}")
    try:
        while any(one.shown < entry.version for one in company.people):
            if time.monotonic() - begun > STALE:
                run.wrong.append(f"F22: {how}: after {STALE} s a page is stale")
                break
            await asyncio.sleep(0.02)
        return time.monotonic() - begun
    finally:
        for pid in hanging:
            os.kill(pid, signal.SIGCONT)


async def _all(run: Run, url: str, services: tuple[Service, ...]) -> None:
    connection = await asyncpg.connect(url)
    ledger = Ledger()
    company = Company(ledger, 1, 2, services[0].port)
    for person in company.people:
        person.listening.ports = (services[1].port,)
    code = await company.open()
    listening = [asyncio.create_task(person.listen(code)) for person in company.people]
    while any(person.shown < 0 for person in company.people):
        await asyncio.sleep(0.02)
    for how, rounds in (("ended", run.times(3, 20)), ("hanging", run.times(1, 5))):
        waits = [await _round(run, company, connection, how) for _ in range(rounds)]
        run.figures |= {f"{how}": rounds, f"{how}_p50_ms": share(waits, 0.5), f"{how}_max_ms": share(waits, 1.0)}
        await asyncio.sleep(1)
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    company.close()
    await connection.close()
    run.figures["stale_after_10_s"] = sum("stale" in wrong for wrong in run.wrong)
    run.add(await holds(url, ledger, services))


def body(run: Run) -> None:
    """Two processes: people move through the one and look through the other, whose LISTEN is lost again and again."""
    spoiled = "deaf" if run.blunt else ""
    with (
        Postgres(run.folder) as postgres,
        Service(postgres.url, run.folder) as one,
        Service(postgres.url, run.folder, spoiled=spoiled) as other,
    ):
        asyncio.run(_all(run, postgres.url, (one, other)))


PROGRAM = Program(
    "F22",
    "LISTEN is lost",
    f"Every open page shows a move made through another process within {STALE:.0f} s, also when its LISTEN was ended or hangs.",
    "the process listens once and looks at nothing else",
    body,
)
