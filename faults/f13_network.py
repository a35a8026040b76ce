"""F13: a bad network: late, jittering, with chunks that come much later, cut for a while, and cut in the middle of a move."""

from __future__ import annotations

import asyncio
import time

from faults.invariants import holds
from faults.people import Company, Ledger, Person, drive, pick
from faults.postgres import Postgres
from faults.proxy import Link, Pair, Proxy
from faults.run import Program, Run, share
from faults.service import Service


class Weather:
    """What happens to every chunk: 200 ms ± 50 each way, and 5 % are sent a second time, 400 ms later."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.cut_moves = 0.0
        self.cuts = 0

    async def up(self, link: Link, data: bytes) -> bytes:
        """From the browser to the server."""
        await self.late()
        if b"/moves HTTP/1.1" in data and self.run.rng.random() < self.cut_moves:
            link.note = b"cut"  # the request goes through, its answer does not
        return data

    async def down(self, link: Link, data: bytes) -> bytes:
        """From the server to the browser."""
        await self.late()
        if link.note:
            self.cuts += 1
            link.cut()
            return b""
        return data

    async def late(self) -> None:
        """Take as long as the network does."""
        rng = self.run.rng
        await asyncio.sleep(max(0.0, rng.gauss(0.2, 0.05)) + (0.4 if rng.random() < 0.05 else 0.0))


class Hasty(Person):
    """Somebody who gives a move a new turn when no answer came: a client that has not understood turns."""

    async def play(self) -> None:
        """Move whenever asked; after a break, read the table anew and move again."""
        self.client.timeout = 2
        while self.table["status"] == "playing" and not self.ledger.over:
            you = self.table["you"]
            if you["turn"] is None:
                self.news.clear()
                await self.news.wait()
                continue
            entry = await self.send(you["turn"], pick(you["actions"], self.rng))
            if entry.tries > 1 and entry.outcome == "ok":
                await self.again(entry.code)

    async def again(self, code: str) -> None:
        """Do once more what was done already, as if it had been lost."""
        last = self.ledger.entries[-1]
        fresh = (await self.surely("GET", f"/tables/{code}")).json()
        self.take(fresh)
        last.version = fresh["version"]
        if fresh["you"]["turn"] not in (None, last.turn):
            entry = await self.send(fresh["you"]["turn"], pick(fresh["you"]["actions"], self.rng))
            entry.turn = last.turn  # to this person it is the same move


async def _weather(run: Run, proxy: Proxy, weather: Weather, healed: list[float], ledger: Ledger) -> None:
    """Bad all the time; then moves are cut; then nothing goes through for a while."""
    await asyncio.sleep(run.times(4, 30))
    weather.cut_moves = 0.3
    await asyncio.sleep(run.times(5, 30))
    weather.cut_moves = 0.0
    for _ in range(run.times(1, 3)):
        proxy.closed = True
        proxy.cut()
        await asyncio.sleep(run.times(3, 10))
        proxy.closed = False
        begun = time.monotonic()
        count = ledger.counts()["ok"]
        while ledger.counts()["ok"] == count and time.monotonic() - begun < 20:
            await asyncio.sleep(0.05)
        healed.append(time.monotonic() - begun)
        await asyncio.sleep(run.times(1, 5))


async def _play(run: Run, url: str, service: Service) -> None:
    weather, ledger, healed = Weather(run), Ledger(), list[float]()

    async def target() -> Pair:
        return await asyncio.open_connection("127.0.0.1", service.port)

    async with Proxy(target, weather.up, weather.down) as proxy:
        companies = [Company(ledger, number, 2, proxy.port) for number in range(run.times(4, 15))]
        if run.blunt:
            for company in companies:
                company.people = [Hasty(ledger, number, proxy.port) for number in range(2)]
        await drive(companies, _weather(run, proxy, weather, healed, ledger))
    run.figures |= {
        **ledger.counts(),
        "answers_cut_off": weather.cuts,
        "move_p50_ms": share(ledger.answered, 0.5),
        "move_p99_ms": share(ledger.answered, 0.99),
        "first_move_after_cut_max_ms": share(healed, 1.0),
        "reconnects": ledger.reconnects,
    }
    run.must(weather.cuts, "F13: no answer was cut off")
    run.must(share(healed, 1.0) <= 3000, "F13: more than 3 s until moves go through again")
    run.add(await holds(url, ledger, (service,)))


def body(run: Run) -> None:
    """People behind a bad network of our own making: the kernel's netem is not there in every container."""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder) as service:
        asyncio.run(_play(run, postgres.url, service))


PROGRAM = Program(
    "F13",
    "A bad network",
    "200 ms ± 50 each way, 5 % of the chunks 400 ms later, answers cut off, nothing for 10 s: every move ends in the log once, and play goes on within 3 s.",
    "a client sends a move again under a new turn",
    body,
)
