"""`make peers` (`python -m bench.peers [--tables 1,10] [--seconds 4]`): Knobel beside boardgame.io, in one run.

Every server has core 0 to itself while it is measured, the driver and PostgreSQL share the last core. Trust the ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import shutil
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import uvloop

from app.db.migrate import upgrade
from bench.figures import at, say
from bench.peers.drive import Tally, drive, idle
from bench.peers.tables import BoardgameTable, KnobelTable, Table
from bench.service import Process, Service, database, database_cpu

HERE = Path(__file__).parent
PACES = (0.0, 0.5)
"""Seconds between the moves of a table: none, and as people play."""

IDLE_TABLES = 500

_HEAD = (
    "                                         CPU ms a move                 answer, ms     other client    bytes  driver\n"
    "tables pace  server               moves/s  server PostgreSQL   both     p50     p99     p50     p99  a move     CPU"
)


@dataclass(frozen=True)
class Rival:
    """A server that runs, and how its tables are made. `database`: seconds of CPU of its PostgreSQL, if it has one."""

    name: str
    process: Process
    make: Callable[[], Table]
    database: Callable[[], float]


def _line(rival: Rival, tables: int, pause: float, tally: Tally) -> str:
    server, stored = (used / tally.moves * 1000 for used in tally.cpu)
    pace = f"{pause} s" if pause else "none"
    answers, sights = tally.answered, tally.streamed
    return (
        f"{tables:6d} {pace:5} {rival.name:20} {tally.moves / tally.took:7.0f} {server:7.2f} {stored:10.2f} "
        f"{server + stored:6.2f} {at(answers, 0.5):7.1f} {at(answers, 0.99):7.1f} {at(sights, 0.5):7.1f} "
        f"{at(sights, 0.99):7.1f} {statistics.median(tally.sizes):7.0f} {tally.own / tally.moves * 1000:7.2f}"
    )


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


def _knobel(stack: ExitStack, folder: Path) -> Iterator[Rival]:
    """Start a PostgreSQL with two databases, and a service for each: commits waited for, and not."""
    server = stack.enter_context(database(folder)).start()
    for commit in ("on", "off"):
        name = f"commit_{commit}"
        statements = (f"CREATE DATABASE {name}", f"ALTER DATABASE {name} SET synchronous_commit = {commit}")
        asyncio.run(_execute(server, *statements))
        url = urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
        upgrade(url)
        service = stack.enter_context(Service(url, folder, module="bench.peers.knobel"))
        yield Rival(f"Knobel, commit {commit}", service, _maker(KnobelTable, service), lambda: database_cpu(folder))


def _boardgame(stack: ExitStack, folder: Path) -> Iterator[Rival]:
    """Start boardgame.io twice: matches in memory, and in files."""
    node = shutil.which("node")
    if node is None or not (HERE / "node_modules/boardgame.io").exists():
        say("boardgame.io is left out: it needs Node and `npm install --no-package-lock` in bench/peers.")
        return
    for name, store in (("memory", []), ("files", [folder / "matches"])):
        command: list[str | Path] = [node, HERE / "boardgame.cjs", "{port}", *store]
        process = stack.enter_context(Process(command, "/games", {"NODE_ENV": "production"}, 0))
        yield Rival(f"boardgame.io, {name}", process, _maker(BoardgameTable, process), lambda: 0.0)


def _maker(kind: Callable[[int], Table], process: Process) -> Callable[[], Table]:
    return lambda: kind(process.port)


async def _play(rivals: list[Rival], counts: list[int], seconds: float) -> None:
    for rival in rivals:  # warm up, not counted
        await drive(rival.make, 20, 2.0, 0, [])
    say(_HEAD)
    for pause in PACES:
        for tables in counts:
            for rival in rivals:
                clocks = [rival.process.cpu, rival.database]
                say(_line(rival, tables, pause, await drive(rival.make, tables, seconds, pause, clocks)))


async def _idle(rivals: list[Rival]) -> None:
    for rival in rivals:
        held = await idle(rival.make, IDLE_TABLES, rival.process.memory)
        say(f"{rival.name}: {held / 1024:.0f} KiB for each of {2 * IDLE_TABLES} idle clients, two to a table")


def _with_rivals(use: Callable[[list[Rival]], None]) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        use([*_knobel(stack, folder), *_boardgame(stack, folder)])


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--tables", default="1,10,50,200", help="how many at once, one measurement each")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--no-idle", action="store_true", help="leave out the memory of idle clients")
    wanted = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is stopped as well
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(20000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[-1:])  # and with it what is started from here: PostgreSQL
    say(f"{len(cores)} cores, load {os.getloadavg()[0]:.1f}: servers on core 0, driver and PostgreSQL on {cores[-1]}")
    counts = [int(count) for count in wanted.tables.split(",")]
    _with_rivals(lambda rivals: uvloop.run(_play(rivals, counts, wanted.seconds)))
    if not wanted.no_idle:
        _with_rivals(lambda rivals: uvloop.run(_idle([rivals[0], *rivals[2:3]])))


if __name__ == "__main__":
    main()
