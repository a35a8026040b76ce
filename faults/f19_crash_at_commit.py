"""F19: a process dies exactly between the commit and its answer, or between the commit and telling the others."""

from __future__ import annotations

import asyncio
import os
import signal
import time

from faults.invariants import holds
from faults.people import STALE, Company, Ledger, Person, pick
from faults.postgres import Postgres
from faults.proxy import Link, Pair, Proxy
from faults.run import Program, Run, share
from faults.service import Service

WRITES = b'{"move":'
"""In what is sent to the database this stands only where a move is written."""
TELLS = b"\x00\x00\x00\x06tables"
"""The parameter of `pg_notify` that names the channel."""
COMMITTED = b"Z\x00\x00\x00\x05I"
"""The database's last words about a statement, when no transaction is open any more: ready for the next."""


class Assassin:
    """Sits between the service and its database, and kills the service at the moment that it was told."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.armed = b""
        self.struck = 0
        self.written = False
        self.dead = asyncio.Event()
        self.killing: asyncio.Task[None] | None = None

    async def up(self, link: Link, data: bytes) -> bytes:
        """Look at what goes to the database."""
        if WRITES in data and self.armed == WRITES:
            link.note = b"committing"
        elif WRITES in data and self.armed == TELLS:
            self.written = True
        elif TELLS in data and self.armed == TELLS and self.written:
            return await self._strike()
        return data

    async def down(self, link: Link, data: bytes) -> bytes:
        """Hold back what the database says of a commit, and strike when it is all there."""
        if not link.note:
            return data
        link.note += data
        return await self._strike() if COMMITTED in link.note else b""

    async def _strike(self) -> bytes:
        self.armed, self.written = b"", False
        self.struck += 1
        os.kill(self.service.pid, signal.SIGKILL)
        self.killing = asyncio.create_task(self._bury())  # not here: this connection ends with the process
        return b""

    async def _bury(self) -> None:
        await asyncio.to_thread(self.service.kill)
        self.dead.set()


async def _round(run: Run, company: Company, assassin: Assassin, mark: bytes, waits: list[float]) -> None:
    """Send a move, have the process die, send it again to another process; the others must learn of it."""
    for person in company.people:
        person.take((await person.surely("GET", f"/tables/{person.table['code']}")).json())
    asked = [one for one in company.people if one.table["you"]["turn"] is not None]
    if not asked:
        return
    person = asked[0]
    version, before = person.table["version"], assassin.struck
    person.client.close()
    person.client.turn = 0  # through the process that is going to die
    assassin.armed = mark
    begun = time.monotonic()
    entry = await person.send(person.table["you"]["turn"], pick(person.table["you"]["actions"], run.rng))
    run.must(entry.outcome == "ok", f"F19: the move was answered as {entry.outcome}")
    while assassin.struck == before and time.monotonic() - begun < 5:
        await asyncio.sleep(0.02)
    run.must(assassin.struck > before, "F19: the moment did not come")
    others = [one for one in company.people if one is not person]
    while any(one.shown <= version for one in others):
        if time.monotonic() - begun > STALE:
            run.wrong.append(f"F19: after {STALE} s others do not know of the move")
            break
        await asyncio.sleep(0.02)
    waits.append(time.monotonic() - begun)
    assassin.armed = b""
    if assassin.struck > before:
        await assassin.dead.wait()
        assassin.dead.clear()
        await asyncio.to_thread(assassin.service.start)


async def _game(run: Run, company: Company, assassin: Assassin, mark: bytes, rounds: int) -> list[float]:
    waits: list[float] = []
    code = await company.open()
    listening = [asyncio.create_task(person.listen(code)) for person in company.people]
    while any(person.shown < 0 for person in company.people):
        await asyncio.sleep(0.02)
    for _ in range(rounds):
        await _round(run, company, assassin, mark, waits)
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    return waits


def _through_second(person: Person, port: int) -> None:
    person.listening.ports = (port,)


async def _all(run: Run, postgres: Postgres) -> None:
    spoiled = "early" if run.blunt else ""
    socket = str(postgres.server.folder / "socket" / ".s.PGSQL.5432")

    async def target() -> Pair:
        return await asyncio.open_unix_connection(socket)

    second = Service(postgres.url, run.folder, spoiled=spoiled)
    first = Service("postgresql://", run.folder, spoiled=spoiled)
    assassin = Assassin(first)
    async with Proxy(target, assassin.up, assassin.down) as proxy:
        first.set("KNOBEL_DATABASE_URL", f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres")
        await asyncio.gather(asyncio.to_thread(first.start), asyncio.to_thread(second.start))
        try:
            ledger = Ledger()
            rounds = run.times(1, 10)
            for mark, name in ((WRITES, "commit_to_answer"), (TELLS, "commit_to_notify")):
                company = Company(ledger, len(name), 2, first.port, second.port)
                for person in company.people:  # the others look through the process that lives on
                    _through_second(person, second.port)
                waits = await _game(run, company, assassin, mark, rounds)
                company.close()
                run.figures |= {f"{name}_kills": len(waits), f"{name}_known_after_max_ms": share(waits, 1.0)}
            run.figures |= ledger.counts()
            run.add(await holds(postgres.url, ledger, (second, first)))
        finally:
            for service in (first, second):
                await asyncio.to_thread(service.__exit__)


def body(run: Run) -> None:
    """Put a proxy between a process and PostgreSQL that kills the process at the moment the commit is confirmed."""
    with Postgres(run.folder) as postgres:
        asyncio.run(_all(run, postgres))


PROGRAM = Program(
    "F19",
    "Crash at commit",
    f"A move whose answer got lost is there once when it is sent again; the others know of it within {STALE:.0f} s.",
    "the answer is sent before the commit",
    body,
)
