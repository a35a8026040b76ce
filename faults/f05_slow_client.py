"""F5: pages that do not read what they are sent."""

from __future__ import annotations

import asyncio
import socket
import time

from faults.http import Client, Lost, Stream
from faults.invariants import holds
from faults.people import API, Company, Ledger, drive
from faults.postgres import Postgres
from faults.run import Program, Run, share
from faults.service import Service


def _slow(port: int, path: str) -> socket.socket:
    """Open a stream with a small buffer, and read nothing of it."""
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.connect(("127.0.0.1", port))
    slow.sendall(Client(port).head("GET", path, "Accept: text/event-stream\r\n"))
    return slow


async def _dropped(service: Service, expected: int, patience: float) -> float:
    """Wait until no more than so many streams are open. Returns the seconds."""
    begun = time.monotonic()
    while (await asyncio.to_thread(service.metrics)).get("knobel_streams", 0) > expected:
        if time.monotonic() - begun > patience:
            break
        await asyncio.sleep(0.2)
    return time.monotonic() - begun


async def _disturb(run: Run, service: Service, code: str, ledger: Ledger, slows: int) -> None:
    await asyncio.sleep(3)
    calm = list(ledger.arrived)
    before = service.memory()
    ledger.arrived.clear()
    sockets = [_slow(service.port, f"/t/{code}/stream") for _ in range(slows)]
    await asyncio.sleep(1)
    opened = (await asyncio.to_thread(service.metrics)).get("knobel_streams", 0)
    run.must(opened >= slows, f"F5: only {opened:.0f} streams are open")
    took = await _dropped(service, int(opened) - slows, 40)
    growth = (service.memory() - before) / slows
    version = 0
    try:
        stream = await Stream.open(Client(service.port), f"{API}/tables/{code}/stream")
        version = int((await stream.next())[b"id"]) if (await stream.next()) else 0
        stream.close()
    except (Lost, KeyError):
        version = max(version, 1)
    for one in sockets:
        one.close()
    run.figures |= {
        "slow_pages": slows,
        "dropped_after_seconds": round(took, 1),
        "growth_per_slow_page_kib": round(growth / 1024),
        "delivery_p99_before_ms": share(calm, 0.99),
        "delivery_p99_meanwhile_ms": share(ledger.arrived, 0.99),
    }
    run.must(took <= 30, f"F5: pages that do not read are held for {took:.0f} s and more")
    run.must(growth <= 1 << 20, f"F5: {growth / 1024:.0f} KiB for each page that does not read")
    run.must(share(ledger.arrived, 0.99) <= max(250, 3 * share(calm, 0.99)), "F5: others had to wait")


async def _play(run: Run, url: str, service: Service) -> None:
    ledger = Ledger()
    company = Company(ledger, 1, 6, service.port, pause=0.1)
    code = await company.open()
    playing = asyncio.create_task(company.game_of(code))
    other = Company(ledger, 2, 2, service.port, pause=0.2)
    slows = run.times(20, 100)
    await drive([other], _disturb(run, service, code, ledger, slows))
    ledger.over = True
    company.wake()
    await playing
    company.close()
    run.figures |= ledger.counts()
    run.add(await holds(url, ledger, (service,)))


def body(run: Run) -> None:
    """Many pages with small buffers that never read, at a table with a dozen moves a second; others play on."""
    spoiled = "endless" if run.blunt else ""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder, spoiled=spoiled) as service:
        asyncio.run(_play(run, postgres.url, service))


PROGRAM = Program(
    "F5",
    "Pages that do not read",
    "They are dropped within 30 s, cost at most 1 MiB each, and nobody else waits for them.",
    "the server waits for such a page for ever and queues everything up for it",
    body,
)
