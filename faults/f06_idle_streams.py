"""F6: a thousand idle streams on one process."""

from __future__ import annotations

import asyncio
import resource
import time

from faults.http import Client, Lost, Stream
from faults.invariants import holds
from faults.people import API, Company, Ledger, pick
from faults.postgres import Postgres
from faults.run import Program, Run
from faults.service import Service

STREAMS = 1000


async def _versions(stream: Stream, above: int) -> None:
    """Read until a version above one comes."""
    while int((await stream.next(patience=20)).get(b"id", b"-1")) <= above:
        pass


async def _all(run: Run, url: str, service: Service) -> None:
    ledger = Ledger()
    company = Company(ledger, 1, 2, service.port)
    code = await company.open()
    await asyncio.sleep(1)
    memory, begun = service.memory(), time.monotonic()
    client = Client(service.port, timeout=30)
    streams = [await Stream.open(client, f"{API}/tables/{code}/stream") for _ in range(STREAMS)]
    for stream in streams:
        await stream.next(patience=20)
    connecting = time.monotonic() - begun
    held = (service.memory() - memory) / STREAMS
    share = await _idle(run, service, streams)
    await _spread(run, company, streams)
    for stream in streams:
        stream.close()
    company.close()
    run.figures |= {
        "streams": STREAMS,
        "connecting_seconds": round(connecting, 1),
        "kib_each": round(held / 1024),
        "idle_cpu_percent_of_a_core": round(share * 100, 1),
    }
    run.must(connecting <= 10, f"F6: connecting took {connecting:.0f} s")
    run.must(held <= 100 * 1024, f"F6: {held / 1024:.0f} KiB for each stream")
    run.must(share <= 0.1, f"F6: {share * 100:.0f} % of a core for idle streams")
    run.add(await holds(url, ledger, (service,)))


async def _idle(run: Run, service: Service, streams: list[Stream]) -> float:
    """Read signs of life for a while. Returns which share of a core they cost."""
    reading = [asyncio.create_task(_versions(stream, 10**9)) for stream in streams]
    cpu, begun = service.cpu(), time.monotonic()
    await asyncio.sleep(run.times(5, 15))
    share = (service.cpu() - cpu) / (time.monotonic() - begun)
    for task in reading:
        task.cancel()
    await asyncio.gather(*reading, return_exceptions=True)
    return share


async def _spread(run: Run, company: Company, streams: list[Stream]) -> None:
    """Make a move, and wait until every stream has it."""
    person = next(one for one in company.people if one.table["you"]["turn"] is not None)
    waiting = [asyncio.create_task(_versions(stream, person.table["version"])) for stream in streams]
    await asyncio.sleep(0)
    begun = time.monotonic()
    await person.send(person.table["you"]["turn"], pick(person.table["you"]["actions"], run.rng))
    answered = time.monotonic() - begun
    try:
        await asyncio.gather(*waiting)
    except Lost as problem:
        run.wrong.append(f"F6: a stream was lost: {problem}")
    spread = time.monotonic() - begun
    run.figures |= {"move_answered_ms": round(answered * 1000), "move_reaches_all_ms": round(spread * 1000)}
    run.must(spread <= 1, f"F6: a move took {spread:.1f} s to reach all")


async def _beyond(run: Run, service: Service) -> None:
    """With limits on, the stream beyond those of one address is refused in words."""
    client = Client(service.port, timeout=30)
    made = (await client.post(f"{API}/guests", {"name": "Ana"})).json()
    client.token = made["token"]
    code = (await client.post(f"{API}/tables", {"game": "yacht"})).json()["code"]
    opened = []
    try:
        for _ in range(101):
            opened.append(await Stream.open(client, f"{API}/tables/{code}/stream"))  # noqa: PERF401  # those opened before a refusal count
        run.wrong.append("F6: one address may open more than 100 streams")
    except Lost as refused:
        run.figures |= {"streams_of_one_address": len(opened), "one_more": str(refused).strip()}
        run.must("503" in str(refused), f"F6: the stream beyond the limit: {refused}")
    for stream in opened:
        stream.close()
    client.close()


def body(run: Run) -> None:
    """A thousand streams at one table, from one driver; then the limit of one address."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(20_000, hard), hard))
    with Postgres(run.folder) as postgres:
        with Service(postgres.url, run.folder) as service:
            asyncio.run(_all(run, postgres.url, service))
        with Service(postgres.url, run.folder, KNOBEL_RATE_LIMITS="on") as service:
            asyncio.run(_beyond(run, service))


PROGRAM = Program(
    "F6",
    "A thousand idle streams",
    "At most 100 KiB each, 10 % of a core for signs of life, a move reaches all within a second; beyond the limit 503.",
    "",
    body,
)
