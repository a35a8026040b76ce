"""The service as people run it: a process of its own on a free port, killed and started again at will."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import ClassVar, Self

from app import ROOT
from faults.postgres import descendants

PATIENCE = 60.0
TOKEN = "faults-" + "0" * 16
"""Opens `/metrics` of a service under test."""


def free_port() -> int:
    """Return a port that is free just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Service:
    """`python -m app` in a process group of its own. `spoiled`: one of the names in `faults.spoiled`, for blunt runs."""

    started: ClassVar[list[Service]] = []
    """All that was made in this process, so that none is left behind by a program that breaks off."""

    def __init__(self, url: str, folder: Path, *, workers: int = 1, spoiled: str = "", **environment: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"service-{self.port}.log"
        self._command = [sys.executable, "-m", "faults.spoiled" if spoiled else "app"]
        self._environment = {
            **os.environ,
            "KNOBEL_DATABASE_URL": url,
            "KNOBEL_DATA_DIR": str(folder),
            "KNOBEL_PORT": str(self.port),
            "KNOBEL_WORKERS": str(workers),
            "KNOBEL_RATE_LIMITS": "off",
            "KNOBEL_LOG_LEVEL": "warning",
            "KNOBEL_METRICS_TOKEN": TOKEN,
            "FAULTS_SPOILED": spoiled,
            **environment,
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.started.append(self)

    def set(self, name: str, value: str) -> None:
        """Change the environment of the next start."""
        self._environment[name] = value

    def launch(self) -> None:
        """Start the service and do not wait."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )

    def start(self) -> None:
        """Start the service and wait until it can serve."""
        self.launch()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self.process is not None
            assert self.process.poll() is None, self.log.read_text()
            if self.ready():
                return
            time.sleep(0.05)
        raise AssertionError(f"not ready after {PATIENCE} s: {self.log.read_text()}")

    def ready(self) -> bool:
        """Whether the service says that it can serve."""
        try:
            with urllib.request.urlopen(f"{self.url}/health/ready", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    @property
    def pid(self) -> int:
        """The process id of the service, which is the supervisor where there are several workers."""
        assert self.process is not None
        return self.process.pid

    def workers(self) -> list[int]:
        """Return the process ids of the workers, where there are several: of those that live just now."""
        found = []
        for task in Path(f"/proc/{self.pid}/task").glob("*/children"):
            for pid in map(int, task.read_text().split()):
                with contextlib.suppress(OSError):
                    if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        found.append(pid)
        return found

    def kill(self) -> None:
        """`kill -9` the service and what it started, and wait until it is gone."""
        assert self.process is not None
        for pid in (self.pid, *descendants(self.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(PATIENCE)

    def stop(self) -> float:
        """Ask to stop; return the seconds it took."""
        assert self.process is not None
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        return time.monotonic() - begun

    def metrics(self) -> dict[str, float]:
        """Return what the service tells Prometheus."""
        request = urllib.request.Request(f"{self.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(request, timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        parts = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in parts}

    def memory(self) -> int:
        """Return the resident bytes of its processes."""
        total = 0
        for pid in (self.pid, *descendants(self.pid)):
            with contextlib.suppress(OSError):
                total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return total

    def cpu(self) -> float:
        """Return the seconds of CPU its processes have used."""
        ticks = 0
        for pid in (self.pid, *descendants(self.pid)):
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    @classmethod
    def end_all(cls) -> None:
        """Kill whatever still runs of what was started here."""
        for service in cls.started:
            if service.process is not None and service.process.poll() is None:
                service.kill()
        cls.started.clear()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.kill()
