"""The service as a process of its own, to be killed and started again."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx

from app import ROOT

PATIENCE = 30.0
Done = TypeVar("Done")


def with_database(url: str, name: str) -> str:
    """Return the address of another database on the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def in_thread(work: Callable[[], Done]) -> Done:
    """Do `work` in a thread of its own, where it may run an event loop whatever loop this thread is in."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def execute(url: str, statement: str) -> str:
    """Run a statement outside of any transaction; returns what the server says was done, such as "UPDATE 1"."""

    async def run() -> str:
        connection = await asyncpg.connect(url)
        try:
            return str(await connection.execute(statement))
        finally:
            await connection.close()

    return in_thread(lambda: asyncio.run(run()))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`python -m app` on a port of its own; a context manager that ends what it started."""

    def __init__(self, database_url: str, folder: Path, workers: int = 1, **environment: str) -> None:
        self.database_url = database_url
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"server-{self.port}.log"
        self._environment = {
            **os.environ,
            "KNOBEL_DATABASE_URL": database_url,
            "KNOBEL_DATA_DIR": str(folder),
            "KNOBEL_PORT": str(self.port),
            "KNOBEL_RATE_LIMITS": "off",
            "KNOBEL_WORKERS": str(workers),
            **environment,
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the service and wait until it can serve."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app"], cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self._process.poll() is None, self.log.read_text()
            try:
                if httpx.get(f"{self.url}/health/ready", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError(f"not ready after {PATIENCE} s: {self.log.read_text()}")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """`kill -9`, and wait until it is gone."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ask to stop; return the seconds it took, rounded up."""
        begun = time.monotonic()
        self._end(signal.SIGTERM)
        return int(time.monotonic() - begun) + 1

    def _end(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(PATIENCE)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop()
