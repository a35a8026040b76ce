"""`python -m app` from outside: what stops the start, with which words, and how all of it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from app import ROOT
from tests.support.server import Server, free_port, with_database


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Try to serve, to the end."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("KNOBEL_")}
    env |= {"KNOBEL_DATA_DIR": str(folder), "KNOBEL_PORT": str(free_port())}
    env |= {f"KNOBEL_{name}": value for name, value in environment.items()}
    return subprocess.run(
        [sys.executable, "-m", "app"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=40, check=False
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence with which the start was refused."""
    assert done.returncode == 1, done
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "eighty"), ("WORKERS", "0"), ("LOG_LEVEL", "loud"), ("DATABASE_URL", "mysql://db")]
)
def test_a_bad_setting_stops_the_start_with_a_sentence_that_names_it(name: str, value: str, tmp_path: Path) -> None:
    said = refused(run(tmp_path, **{name: value}))
    assert said.startswith(f"KNOBEL_{name} ")
    assert list(tmp_path.iterdir()) == []  # no database was made for nothing


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_that_is_taken_stops_the_start_with_a_sentence(host: str, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = refused(run(tmp_path, PORT=str(port), HOST=host))
    assert said.startswith("KNOBEL_HOST, KNOBEL_PORT: ")
    assert str(port) in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid", "a..b", "x" * 300])
def test_a_host_that_is_not_ours_stops_the_start_with_a_sentence(host: str, tmp_path: Path) -> None:
    said = refused(run(tmp_path, HOST=host))
    assert said.startswith("KNOBEL_HOST, KNOBEL_PORT: ")


def test_a_database_that_does_not_answer_stops_the_start_with_a_sentence(tmp_path: Path, postgres: str) -> None:
    for url in (
        f"postgresql://me:hunter2@127.0.0.1:{free_port()}/knobel",
        f"postgresql://postgres@/knobel?host={tmp_path}",
        with_database(postgres, "not_there"),
    ):
        said = refused(run(tmp_path, DATABASE_URL=url))
        assert said.startswith("KNOBEL_DATABASE_URL")
        assert "hunter2" not in said


def test_an_address_of_a_database_that_is_none_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    for url in ("postgresql://[", "postgresql://me@db:port/knobel"):
        assert refused(run(tmp_path, DATABASE_URL=url)).startswith("KNOBEL_DATABASE_URL")


def test_a_data_folder_that_cannot_be_used_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    said = refused(run(file))
    assert str(file) in said


def test_the_address_is_printed_when_it_can_be_opened(server: Server) -> None:
    assert f"Knobel is open: {server.url}\n" in server.log.read_text()
    assert httpx.get(server.url).status_code == 200


def test_told_to_stop_the_service_ends_at_once_and_is_content(server: Server) -> None:
    assert server.stop() <= 3
    with pytest.raises(httpx.TransportError):
        httpx.get(server.url, timeout=2)
    assert "Traceback" not in server.log.read_text()


def children(pid: int) -> set[int]:
    """Return all processes that come from this one."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child} | children(child)
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pids: set[int], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while left := [pid for pid in pids if lives(pid)]:
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.05)


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")


@needs_proc
def test_two_workers_serve_and_nothing_is_left_of_them_after_kill_9_of_their_parent(
    database_url: str, tmp_path: Path
) -> None:
    with Server(database_url, tmp_path, workers=2) as server:
        family = children(server.pid)
        assert len(family) >= 2
        for _ in range(10):
            assert httpx.get(f"{server.url}/health/ready").status_code == 200
        server.kill()
        gone(family, 10)
        with pytest.raises(httpx.TransportError):
            httpx.get(server.url, timeout=2)
        server.start()  # the port is free again
        assert httpx.get(f"{server.url}/health/ready").status_code == 200


@needs_proc
def test_two_workers_end_when_told_to(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path, workers=2) as server:
        family = children(server.pid)
        assert server.stop() <= 5
        gone(family, 1)
    assert "Traceback" not in server.log.read_text()


@needs_proc
def test_a_worker_that_was_killed_is_replaced(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path, workers=2) as server:
        workers = {pid for pid in children(server.pid) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}
        assert len(workers) == 2
        victim = min(workers)
        os.kill(victim, signal.SIGKILL)
        gone({victim}, 5)
        deadline = time.monotonic() + 20
        while True:
            now = {pid for pid in children(server.pid) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}
            if len(now) == 2 and victim not in now:
                break
            assert time.monotonic() < deadline
            time.sleep(0.1)
        for _ in range(10):
            assert httpx.get(f"{server.url}/health/ready").status_code == 200
