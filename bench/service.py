"""What is measured: servers as processes of their own, with a database, on cores of their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from app import ROOT
from app.db.embedded import EmbeddedPostgres, find_binaries

_TICKS = os.sysconf("SC_CLK_TCK")


class Process:
    """A server in a process of its own, with the children it starts."""

    def __init__(
        self, command: Sequence[str | Path], ready: str, environment: Mapping[str, str], core: int | None
    ) -> None:
        self.port = free_port()
        self._core = core
        self._command = command
        self._environment = environment
        self._ready = ready

    def __enter__(self) -> Self:
        """Start, bound to its core if it has one, and wait until it answers at the address that says so."""
        pin = ["taskset", "-c", str(self._core)] if self._core is not None and shutil.which("taskset") else []
        words = [str(word).replace("{port}", str(self.port)) for word in self._command]
        environment = {**os.environ, **self._environment, "KNOBEL_PORT": str(self.port)}
        self._process = subprocess.Popen([*pin, *words], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        for _ in range(200):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{self._ready}", timeout=1):
                    return self
            except OSError:
                time.sleep(0.1)
        self._process.kill()
        raise RuntimeError(f"{words[0]} does not start")

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)

    def cpu(self) -> float:
        """Return the seconds of CPU all its processes have used."""
        return sum(cpu_of(pid) for pid in family(self._process.pid))

    def memory(self) -> int:
        """Return the bytes its processes hold for themselves (PSS)."""
        total = 0
        for pid in family(self._process.pid):
            found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
            total += int(found[1]) * 1024 if found else 0
        return total


class Service(Process):
    """`python -m app` with `workers` on core 0; the driver and PostgreSQL have the rest.

    `module`: what is run in place of `app`.
    """

    def __init__(self, url: str, folder: Path, workers: int = 1, module: str = "app") -> None:
        environment = {
            "KNOBEL_DATABASE_URL": url,
            "KNOBEL_DATA_DIR": str(folder),
            "KNOBEL_WORKERS": str(workers),
            "KNOBEL_RATE_LIMITS": "off",
            "KNOBEL_LOG_LEVEL": "error",
        }
        super().__init__([sys.executable, "-m", module], "/health/ready", environment, 0 if workers == 1 else None)


def free_port() -> int:
    """Return a port nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def family(pid: int) -> list[int]:
    """Return a process and its children."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    return [pid, *(int(child) for file in children for child in file.read_text().split())]


def cpu_of(pid: int) -> float:
    """Return the seconds of CPU a process has used, without its children; 0 if it has gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def database_cpu(folder: Path) -> float:
    """Return the seconds of CPU the PostgreSQL in this folder has used, with those of its processes that have ended."""
    postmaster = int((folder / "postgres/data/postmaster.pid").read_text().split()[0])
    fields = Path(f"/proc/{postmaster}/stat").read_text().rsplit(") ", 1)[1].split()
    ended = (int(fields[13]) + int(fields[14])) / _TICKS
    return ended + sum(cpu_of(pid) for pid in family(postmaster))


def pgbench(url: str, folder: Path, clients: int, seconds: int) -> float:
    """Return the transactions per second of the same statement that a move runs, by pgbench: the limit."""
    program = find_binaries() / "pgbench"
    if not program.exists():
        program = Path(shutil.which("pgbench") or "pgbench")
    script = folder / "move.sql"
    script.write_text(_SCRIPT, encoding="utf-8")
    out = subprocess.run(
        [program, "-n", "-M", "prepared", "-c", str(clients), "-j", "1", "-T", str(seconds), "-f", script, url],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r"tps = ([\d.]+)", out)
    return float(found[1]) if found else 0.0


# the two round trips of a move on the bench's own tables: read the row, write everything in one statement
_SCRIPT = r"""
\set id random(1, 50)
SELECT t.id, t.version, t.state::text, (SELECT jsonb_agg(jsonb_build_array(s.seat, s.player_id, s.name, s.asked_at,
  EXISTS (SELECT FROM presence p WHERE p.table_id = s.table_id AND p.player_id = s.player_id AND p.until > now()))
  ORDER BY s.seat) FROM seats s WHERE s.table_id = t.id)::text FROM tables t WHERE t.id = :id;
WITH moved AS (
  UPDATE tables SET version = version + 2, state = state, undo_seat = NULL, moved_at = now() WHERE id = :id
  RETURNING id, version
), logged AS (
  INSERT INTO table_events (table_id, seq, type, seat, data, asked)
  SELECT moved.id, moved.version + e.n, e.type, 0, '{"move": {"kind": "roll", "dice": [0, 1, 2, 3, 4]}}'::jsonb, 1
  FROM moved, (VALUES (-1, 'move'), (0, 'chance')) AS e(n, type)
), asked AS (
  UPDATE seats SET asked_at = moved.version FROM moved WHERE seats.table_id = moved.id AND seat = 0
)
SELECT count(*) FROM moved;
"""


def database(folder: Path) -> EmbeddedPostgres:
    """Return a PostgreSQL of the bench's own."""
    return EmbeddedPostgres(folder / "postgres")
