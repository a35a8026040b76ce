"""F3: the database is gone for a while, first stopped, then hanging."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter

import orjson

from faults.http import Client, Lost, Stream
from faults.invariants import holds
from faults.people import API, Company, Ledger
from faults.postgres import Postgres
from faults.run import Program, Run, share
from faults.service import Service

STOPPED, HANGING = 3.0, 6.5
"""Seconds within which a request ends while the database is stopped, and while it takes connections and does not answer."""


class Watch:
    """Asks again and again, as a page that tries to go on would, and notes how long each answer took."""

    def __init__(self, port: int, token: str, code: str) -> None:
        self.clients = [Client(port, token=token, timeout=30) for _ in range(10)]
        self.path = f"{API}/tables/{code}"
        self.took: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.wordless = 0
        self.over = False

    async def ask(self, client: Client, number: int) -> None:
        """Ask until it is over."""
        while not self.over:
            begun = time.monotonic()
            try:
                if number % 2:
                    answer = await client.post(f"{self.path}/moves", {"turn": 1, "move": {"kind": "roll", "dice": [0]}})
                else:
                    answer = await client.get(self.path)
                self.statuses[answer.status] += 1
                self.wordless += answer.status == 503 and not (
                    answer.retry_after and b"nothing that was answered" in answer.body
                )
            except Lost:
                self.statuses[0] += 1
            self.took.append(time.monotonic() - begun)
            await asyncio.sleep(0.3)


async def _away(run: Run, service: Service, company: Company, name: str, seconds: float, limit: float) -> None:
    """Watch while the database is away."""
    watch = Watch(service.port, company.people[0].client.token, company.people[0].table["code"])
    asking = [asyncio.create_task(watch.ask(client, number)) for number, client in enumerate(watch.clients)]
    health = Client(service.port, timeout=30)
    await asyncio.sleep(2)
    live, ready = (await health.get("/health/live")).status, (await health.get("/health/ready")).status
    memory = service.memory()
    lost = service.log.read_bytes().count(b"feed_lost")
    await asyncio.sleep(seconds - 2)
    tries = (service.log.read_bytes().count(b"feed_lost") - lost) / (seconds - 2)
    growth = service.memory() - memory
    watch.over = True
    await asyncio.gather(*asking)
    for client in (*watch.clients, health):
        client.close()
    run.figures |= {
        f"{name}_seconds": seconds,
        f"{name}_answers": {str(status): count for status, count in sorted(watch.statuses.items())},
        f"{name}_longest_ms": share(watch.took, 1.0),
        f"{name}_growth_kib": growth // 1024,
        f"{name}_tries_to_listen_per_second": round(tries, 2),
    }
    run.must(watch.statuses[503], f"F3: {name}: nobody was told that the database is away")
    run.must(not watch.statuses[0] and not watch.statuses[500], f"F3: {name}: answers {dict(watch.statuses)}")
    run.must(not watch.wordless, f"F3: {name}: {watch.wordless} times 503 without words or Retry-After")
    run.must(max(watch.took) <= limit, f"F3: {name}: a request took {max(watch.took):.1f} s")
    run.must((live, ready) == (200, 503), f"F3: {name}: live {live}, ready {ready}")
    run.must(growth < 20 << 20, f"F3: {name}: {growth >> 20} MiB more memory")
    run.must(tries <= 1.1, f"F3: {name}: {tries:.1f} tries a second to listen")


async def _normal(run: Run, service: Service, company: Company, name: str) -> None:
    """Wait until moves are accepted again."""
    begun = time.monotonic()
    person = company.people[0]
    while (await person.client.get(f"{API}/tables/{person.table['code']}")).status != 200:
        if time.monotonic() - begun > 20:
            break
        await asyncio.sleep(0.05)
    took = time.monotonic() - begun
    run.figures[f"{name}_normal_again_ms"] = round(took * 1000)
    run.must(took <= 10, f"F3: {name}: {took:.0f} s until normal again")
    while not await asyncio.to_thread(service.ready):
        await asyncio.sleep(0.05)


async def _all(run: Run, postgres: Postgres, service: Service) -> None:
    ledger = Ledger()
    company = Company(ledger, 1, 2, service.port)
    code = await company.open()
    stream = await Stream.open(Client(service.port), f"{API}/tables/{code}/stream")
    beats = 0

    async def listen() -> None:
        nonlocal beats
        while True:
            message = await stream.next(patience=10)
            beats += message.get(b"event") == b"beat"

    listening = asyncio.create_task(listen())
    seconds = run.times(6, 60)
    await asyncio.to_thread(postgres.stop)
    await _away(run, service, company, "stopped", seconds, STOPPED)
    await asyncio.to_thread(postgres.server.start)
    await _normal(run, service, company, "stopped")
    postgres.signal(signal.SIGSTOP)
    try:
        await _away(run, service, company, "hanging", run.times(12, 20), HANGING)
    finally:
        postgres.signal(signal.SIGCONT)
    await _normal(run, service, company, "hanging")
    run.figures["beats_of_an_open_stream"] = beats
    run.must(not listening.done(), "F3: the stream ended")
    run.must(beats > seconds, "F3: the stream was silent")
    listening.cancel()
    stream.close()
    person = next(one for one in company.people if orjson.dumps(one.table["you"]["turn"]) != b"null")
    await person.send(person.table["you"]["turn"], {"kind": "roll", "dice": [0, 1, 2, 3, 4]})
    run.must(ledger.counts()["ok"] == 1, "F3: no move afterwards")
    company.close()
    run.add(await holds(postgres.url, ledger, (service,)))


def body(run: Run) -> None:
    """Stop the database for a minute (five would show the same), then have it hang; ask all the time."""
    spoiled = "patient" if run.blunt else ""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder, spoiled=spoiled) as service:
        asyncio.run(_all(run, postgres, service))


PROGRAM = Program(
    "F3",
    "The database is gone",
    f"Requests end within {STOPPED:.0f} s (within {HANGING} s while it hangs) with 503, words and Retry-After; streams stay; live, but not ready.",
    "no limits of time for the database",
    body,
)
