"""The database is killed under a running service: words, nothing lost, and no restart needed."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.db.embedded import EmbeddedPostgres
from app.db.migrate import upgrade
from tests.support.server import Server, in_thread

PATIENCE = 20.0


@pytest.fixture
def own_postgres(tmp_path: Path) -> Iterator[EmbeddedPostgres]:
    with EmbeddedPostgres(tmp_path / "pg") as database:
        in_thread(lambda: upgrade(database.url))
        yield database


def postmaster(database: EmbeddedPostgres) -> int:
    return int((database.folder / "data" / "postmaster.pid").read_text().split("\n")[0])


def until(client: httpx.Client, path: str, status: int) -> httpx.Response:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        answer = client.get(path)
        if answer.status_code == status:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"{path} never answered {status}")


def dice(page: httpx.Response) -> list[str]:
    return re.findall(r'aria-label="Die \d shows (\d)', page.text)


def test_pages_say_so_and_go_on_without_a_restart(own_postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    with Server(own_postgres.url, tmp_path) as server, httpx.Client(base_url=server.url, timeout=10) as client:
        path = client.post("/g/yacht/tables", data={"first_player": "host"}).headers["location"]
        client.post(f"{path}/start")
        turn = re.search(r'data-token="(\d+)"', client.get(path).text)
        assert turn is not None
        assert client.post(f"{path}/moves", data={"turn": turn[1], "do": "roll"}).status_code == 303
        before = dice(client.get(path))
        assert len(before) == 5
        os.kill(postmaster(own_postgres), signal.SIGKILL)
        away = until(client, path, 503)
        assert "Saving is not possible right now" in away.text
        assert away.headers["Retry-After"]
        assert client.get("/health/live").status_code == 200
        assert client.get("/health/ready").status_code == 503
        refused = client.post(f"{path}/moves", data={"turn": turn[1], "do": "roll"})
        assert refused.status_code == 503
        own_postgres.ensure()
        assert dice(until(client, path, 200)) == before
        assert client.get("/health/ready").status_code == 200
        log = server.log.read_text()
        assert "database_away" in log
        assert path.removeprefix("/t/") not in log
