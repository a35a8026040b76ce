"""F1: workers are killed amid moves."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator

from faults.invariants import holds
from faults.people import Company, Ledger, drive
from faults.postgres import Postgres
from faults.run import Program, Run, share
from faults.service import Service


async def _kill(run: Run, service: Service, times: int, starting: float) -> None:
    await asyncio.sleep(run.times(1, 2))
    for _ in range(times):
        # some come while the last one has not come back yet
        await asyncio.sleep(max(1.0, starting) * run.rng.uniform(0.4, 1.4))
        while not (workers := service.workers()):  # the last one was killed a moment ago
            await asyncio.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            os.kill(run.rng.choice(workers), signal.SIGKILL)
            run.figures["kills"] = run.figures.get("kills", 0) + 1
    await asyncio.sleep(run.times(2, 3))


async def _play(run: Run, url: str, service: Service, starting: float) -> None:
    ledger = Ledger()
    tables, size = (5, 2) if run.short else (40, 4)
    companies = [Company(ledger, number, size, service.port) for number in range(tables)]
    await drive(companies, _kill(run, service, run.times(2 if run.blunt else 1, 20), starting))
    run.figures |= {
        "tables": tables,
        "clients": tables * size,
        "a_start_takes_ms": round(starting * 1000),
        **ledger.counts(),
        "without_service_p99_ms": share(ledger.gaps, 0.99),
        "reconnects": ledger.reconnects,
    }
    run.add(await holds(url, ledger, (service,)))
    run.must(service.process is not None and service.process.poll() is None, "F1: the service ended")
    run.must(ledger.counts()["ok"] > 50, "hardly any moves were made")
    longest = max(5.0, 2 * starting)  # where the machine is slow, two workers in a row take longer than that to start
    run.must(share(ledger.gaps, 0.99) <= longest * 1000, f"somebody was without service for more than {longest:.0f} s")


@contextlib.contextmanager
def _since() -> Iterator[float]:
    yield time.monotonic()


def body(run: Run) -> None:
    """Play at many tables with two workers, and kill a random one again and again."""
    with (
        Postgres(run.folder) as postgres,
        _since() as begun,
        Service(postgres.url, run.folder, workers=2, spoiled="early" if run.blunt else "") as service,
    ):
        starting = time.monotonic() - begun
        asyncio.run(_play(run, postgres.url, service, starting))


PROGRAM = Program(
    "F1",
    "A worker is killed amid moves",
    "Every answered move is in the log once, every other one not or once when it is sent again; streams come back by themselves.",
    "the answer is sent before the commit",
    body,
)
