"""F4: all connections are taken, and clients hang up half-way."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

import asyncpg
import orjson

from faults.http import Client, Lost, Stream
from faults.invariants import holds
from faults.people import API, Company, Ledger
from faults.postgres import Postgres
from faults.run import Program, Run, share
from faults.service import Service

WORDS = b"Saving is not possible right now"


async def _parallel(run: Run, port: int, company: Company) -> None:
    """50 requests at once on a pool of 8."""
    code = company.people[0].table["code"]
    clients = [Client(port, token=company.people[0].client.token) for _ in range(50)]
    waits: list[float] = []
    statuses: Counter[int] = Counter()

    async def one(client: Client) -> None:
        for _ in range(run.times(2, 10)):
            begun = time.monotonic()
            try:
                statuses[(await client.get(f"{API}/tables/{code}")).status] += 1
            except Lost:
                statuses[0] += 1
            waits.append(time.monotonic() - begun)

    await asyncio.gather(*map(one, clients))
    for client in clients:
        client.close()
    run.figures |= {"parallel_requests": statuses.total(), "parallel_p99_ms": share(waits, 0.99)}
    run.must(set(statuses) <= {200, 503}, f"F4: 50 at once were answered with {dict(statuses)}")


async def _take_all(url: str) -> list[asyncpg.Connection[asyncpg.Record]]:
    """Take every connection, the service's own too. Returns ours."""
    ours = [await asyncpg.connect(url)]
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        ended = await ours[0].fetch(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'knobel%'"
        )
        try:
            while True:
                ours.append(await asyncpg.connect(url))
        except asyncpg.TooManyConnectionsError:
            if not ended:
                return ours
    return ours


async def _taken(run: Run, url: str, port: int, company: Company) -> None:
    """Foreign sessions take every connection the server has; then they let go."""
    foreign = await _take_all(url)
    client = Client(port, token=company.people[0].client.token)
    path = f"{API}/tables/{company.people[0].table['code']}"
    statuses: Counter[int] = Counter()
    waits: list[float] = []
    for _ in range(run.times(4, 20)):
        begun = time.monotonic()
        answer = await client.get(path)
        waits.append(time.monotonic() - begun)
        statuses[answer.status] += 1
        if answer.status == 503:
            run.must(answer.retry_after and WORDS in answer.body, "F4: 503 without words or without Retry-After")
        await asyncio.sleep(0.1)
    run.must(statuses[503], "F4: the database was never full")
    run.must(set(statuses) <= {200, 503}, f"F4: without connections answered with {dict(statuses)}")
    for connection in foreign:
        connection.terminate()
    begun = time.monotonic()
    while (await client.get(path)).status != 200:
        if time.monotonic() - begun > 10:
            break
        await asyncio.sleep(0.05)
    normal = time.monotonic() - begun
    client.close()
    run.figures |= {
        "foreign_sessions": len(foreign),
        "answers_while_full": {str(status): count for status, count in statuses.items()},
        "longest_while_full_ms": share(waits, 1.0),
        "normal_again_ms": round(normal * 1000),
    }
    run.must(normal <= 2, f"F4: {normal:.1f} s until normal again")


async def _hang_up(run: Run, url: str, port: int, company: Company) -> None:
    """Send requests and leave before their answer, or in the middle of sending."""
    count = run.times(100, 1000)
    person = company.people[0]
    code = person.table["code"]
    body = orjson.dumps({"turn": 1, "move": {"kind": "roll", "dice": [0, 1, 2, 3, 4]}})
    client = Client(port, token=person.client.token)
    extra = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    whole = client.head("POST", f"{API}/tables/{code}/moves", extra) + body
    for number in range(count):
        reader, writer = await client.connect()
        del reader
        writer.write(whole if number % 2 else whole[: run.rng.randrange(1, len(whole))])
        if number % 3:
            await asyncio.sleep(run.rng.random() * 0.004)
        writer.transport.abort()
    left = await _idle_in_transaction(url)
    run.figures |= {"hang_ups": count, "idle_in_transaction": left}
    run.must(not left, f"F4: {left} transactions were left open")


async def _idle_in_transaction(url: str) -> int:
    await asyncio.sleep(1)
    connection = await asyncpg.connect(url)
    count: int = await connection.fetchval("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'")
    await connection.close()
    return count


async def _all(run: Run, url: str, service: Service) -> None:
    ledger = Ledger()
    company = Company(ledger, 1, 2, service.port)
    code = await company.open()
    streams = [await Stream.open(Client(service.port), f"{API}/tables/{code}/stream") for _ in range(12)]
    await asyncio.sleep(0.5)
    await _parallel(run, service.port, company)
    await _taken(run, url, service.port, company)
    for stream in streams:
        stream.close()
    await _hang_up(run, url, service.port, company)
    company.close()
    run.add(await holds(url, ledger, (service,)))


def body(run: Run) -> None:
    """50 requests at once, then a server without a free connection, then clients that hang up; 12 streams are open."""
    spoiled = "held" if run.blunt else ""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder, spoiled=spoiled) as service:
        asyncio.run(_all(run, postgres.url, service))


PROGRAM = Program(
    "F4",
    "Connections exhausted",
    "Who cannot be served is told so in words; normal within 2 s when connections are free again; nothing stays checked out.",
    "every open stream holds a connection",
    body,
)
