"""F21: two instances behind a proxy are restarted one after the other while people play."""

from __future__ import annotations

import asyncio

from faults.invariants import holds
from faults.people import Company, Ledger, drive
from faults.postgres import Postgres
from faults.proxy import Pair, Proxy
from faults.run import Program, Run, share
from faults.service import Service


class Balance:
    """Sends each connection to an instance that says it is ready, in turn."""

    def __init__(self, services: tuple[Service, ...]) -> None:
        self.services = services
        self.ready = list(services)
        self._turn = 0

    async def look(self) -> None:
        """Ask the instances again and again, as a proxy does."""
        while True:
            self.ready = [one for one in self.services if await asyncio.to_thread(one.ready)]
            await asyncio.sleep(0.2)

    async def target(self) -> Pair:
        """Connect to an instance; where one refuses, to the next."""
        for _ in range(2):
            self._turn += 1
            ready = self.ready or list(self.services)
            try:
                return await asyncio.open_connection("127.0.0.1", ready[self._turn % len(ready)].port)
            except OSError:
                continue
        raise OSError("no instance answers")


async def _restart(run: Run, services: tuple[Service, ...], stops: list[float]) -> None:
    await asyncio.sleep(3)
    for number in range(run.times(2, 10)):
        service = services[number % 2]
        if run.blunt:
            await asyncio.to_thread(service.kill)
        else:
            stops.append(await asyncio.to_thread(service.stop))
        await asyncio.to_thread(service.start)
        await asyncio.sleep(run.times(1, 4))


async def _play(run: Run, url: str, services: tuple[Service, ...]) -> None:
    ledger, stops = Ledger(), list[float]()
    balance = Balance(services)
    looking = asyncio.create_task(balance.look())
    tables = run.times(4, 30)
    async with Proxy(balance.target) as proxy:
        companies = [Company(ledger, number, 2, proxy.port, pause=1.0) for number in range(tables)]
        await drive(companies, _restart(run, services, stops))
    looking.cancel()
    run.figures |= {
        "restarts": run.times(2, 10),
        "tables": tables,
        **ledger.counts(),
        "without_service_p99_ms": share(ledger.gaps, 0.99),
        "streams_told": ledger.restarts,
        "streams_that_came_back": ledger.reconnects,
        "stopping_max_ms": share(stops, 1.0),
    }
    run.must(share(stops, 1.0) <= 5000, "F21: stopping took more than 5 s")
    run.must(share(ledger.gaps, 0.99) <= 5000, "F21: somebody was without service for more than 5 s")
    run.must(ledger.restarts, "F21: no stream was told of a restart")
    run.add(await holds(url, ledger, services))


def body(run: Run) -> None:
    """People at about a move a second, two instances, restarts in turn."""
    with (
        Postgres(run.folder) as postgres,
        Service(postgres.url, run.folder) as one,
        Service(postgres.url, run.folder) as other,
    ):
        asyncio.run(_play(run, postgres.url, (one, other)))


PROGRAM = Program(
    "F21",
    "Rolling restart",
    "No move is lost or refused; streams are told and come back; stopping takes at most 5 s and nobody is without service for more than 5 s.",
    "instances are killed in place of being asked to stop",
    body,
)
