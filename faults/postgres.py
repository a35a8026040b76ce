"""A PostgreSQL of the run's own, which can be killed as a machine's memory killer would do it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from app.db.embedded import EmbeddedPostgres
from app.db.migrate import upgrade

T = TypeVar("T")


def in_thread(work: Callable[[], T]) -> T:
    """Do `work` in a thread of its own, where it may run an event loop whatever loop this thread is in."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def descendants(pid: int) -> set[int]:
    """Return all processes that come from this one."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, task.read_text().split()):
                found |= {child} | descendants(child)
    return found


def with_database(url: str, name: str) -> str:
    """Return the address of another database on the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


class Postgres:
    """A server with a migrated database."""

    def __init__(self, folder: Path, *, migrated: bool = True) -> None:
        self.server = EmbeddedPostgres(folder / "postgres")
        self.url = self.server.start()
        if migrated:
            in_thread(lambda: upgrade(self.url))

    @property
    def pid(self) -> int:
        """The postmaster's process id."""
        return int((self.server.folder / "data" / "postmaster.pid").read_text().split("\n")[0])

    def pids(self) -> set[int]:
        """Return the process ids of the postmaster and all that it started."""
        return {self.pid} | descendants(self.pid)

    def kill(self) -> None:
        """`kill -9` the postmaster and everything that it started, stopped first so that nothing is forked meanwhile."""
        postmaster = self.pid
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in (postmaster, *descendants(postmaster)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all its processes."""
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def ensure(self) -> None:
        """Start it again if it has gone."""
        self.server.ensure()

    def stop(self) -> None:
        """Stop it in order."""
        self.server.stop()

    def execute(self, *statements: str, url: str | None = None) -> None:
        """Run statements outside of any transaction."""

        async def run() -> None:
            connection = await asyncpg.connect(url or self.url)
            try:
                for statement in statements:
                    await connection.execute(statement)
            finally:
                await connection.close()

        in_thread(lambda: asyncio.run(run()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


async def value(url: str, statement: str, *arguments: Any) -> Any:
    """Return the one value of a statement."""
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement, *arguments)
    finally:
        await connection.close()
