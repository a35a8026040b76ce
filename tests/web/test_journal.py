"""The log and the request ids: a line for each request, a number for each fault, and nothing that opens a table."""

from __future__ import annotations

import io
import json
import logging
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import asyncpg
import httpx
import pytest
import structlog
from starlette.routing import Route

from app import logs
from app.core import codec
from app.core.game import Outcome
from app.db.engine import Database
from app.db.models import Player
from app.main import create_app
from app.settings import Settings
from app.tables.codes import code_mark
from tests.support.server import free_port
from tests.web.service import API, UNKNOWN, browser_of, finished_table

pytestmark = pytest.mark.anyio

Lines: TypeAlias = Callable[[], list[dict[str, Any]]]
ID = re.compile(r"[0-9a-f]{12}")


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What goes into the log of a process at level `info`."""
    text = io.StringIO()
    monkeypatch.setattr(sys, "stderr", text)
    root = logging.getLogger()
    before = root.handlers[:], root.level
    logs.configure("info")
    monkeypatch.setattr(logging.getLogger("httpx"), "disabled", True)  # the caller's own log
    yield text
    structlog.reset_defaults()
    root.handlers[:], root.level = before


@pytest.fixture
def lines(written: io.StringIO) -> Lines:
    return lambda: [json.loads(line) for line in written.getvalue().splitlines()]


async def test_each_request_has_an_id_that_is_in_its_answer_and_in_its_one_line(
    lines: Lines, client: httpx.AsyncClient
) -> None:
    answers = [await client.get("/"), await client.head("/me"), await client.get(f"/t/{UNKNOWN}")]
    answers.append(await client.post("/me", headers={"Origin": "http://elsewhere.test"}))
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert len(set(ids)) == 4
    assert all(ID.fullmatch(one) for one in ids)
    found = [line for line in lines() if line["event"] == "request"]
    assert [line["request"] for line in found] == ids
    assert [(line["method"], line["route"], line["status"]) for line in found] == [
        ("GET", "/", 200),
        ("HEAD", "/me", 200),
        ("GET", "/t/{code}", 404),
        ("POST", "none", 403),
    ]
    assert all(line["ms"] >= 0 and line["timestamp"].endswith("Z") for line in found)


async def test_what_monitors_and_browsers_ask_for_all_the_time_is_logged_only_when_it_fails(
    lines: Lines, client: httpx.AsyncClient
) -> None:
    style = re.search(r'/static/[^"]+\.css', (await client.get("/")).text)
    assert style is not None
    for path in ("/health/live", "/health/ready", style[0], "/static/nothing", "/metrics"):
        await client.get(path)
    assert [(line["route"], line["status"]) for line in lines()] == [
        ("/", 200),
        ("/static/{path}", 404),
        ("/metrics", 404),
    ]


async def test_a_whole_game_leaves_no_code_token_or_cookie_in_the_log(
    written: io.StringIO, lines: Lines, client: httpx.AsyncClient
) -> None:
    code, people = await finished_table(client, "Anastasia", "Bo")
    browser = browser_of(client, people[0])
    await browser.get(f"/t/{code}")
    before = len([line for line in lines() if line.get("table") == code_mark(code)])
    await browser.get(f"/t/{code[:4].lower()}-{code[4:]}/replay?step=3")
    assert len([line for line in lines() if line.get("table") == code_mark(code)]) == before + 1
    await client.get(f"/join?code={code}")
    text = written.getvalue()
    assert code.lower() not in text.lower()
    assert not any(str(person.token) in text or str(person.player) in text for person in people)
    assert "Anastasia" not in text
    marked = [line for line in lines() if line.get("table") == code_mark(code)]
    assert len(marked) > 48  # at least all moves: whoever has the code finds what happened at the table


def test_whatever_is_logged_stays_one_line_and_cannot_steer_a_terminal(written: io.StringIO, lines: Lines) -> None:
    evil = "a\r\nb\x1b[31m\x7f\x00\u202e\u2028\x85"
    structlog.get_logger().warning("ours", value=evil)
    logging.getLogger("a.library").error("theirs %s", evil)
    text = written.getvalue()
    assert len(text.splitlines()) == 2
    assert all(" " <= letter <= "~" for letter in text.replace("\n", ""))
    ours, theirs = lines()
    assert ours["value"] == evil
    assert theirs["event"] == f"theirs {evil}"
    assert (theirs["logger"], theirs["level"]) == ("a.library", "error")


async def test_faults_are_logged_without_the_values_they_are_about(lines: Lines, database: Database) -> None:
    log = structlog.get_logger()
    with pytest.raises(codec.Malformed) as malformed:
        codec.load(Outcome, '{"kind": "zebra-17"}')
    log.error("fault", exc_info=malformed.value)
    for attempt in ("INSERT INTO players (id, name) VALUES ('zebra-17', NULL)", "SELECT $1::int"):
        with pytest.raises((asyncpg.PostgresError, asyncpg.DataError)) as quoting:
            await database.pool.execute(attempt, *(["zebra-17"] if "$" in attempt else []))
        assert "zebra-17" in str(quoting.value)
        log.error("fault", exc_info=quoting.value, problem=str(quoting.value))
    for _ in range(2):
        try:
            async with database.session.begin() as session:
                session.add(Player(id="zebra-17", name="zebra-17"))
        except Exception as twice:
            log.exception("fault", problem=repr(twice))
    assert len(lines()) == 4
    for line in lines():
        assert "test_journal.py" in line["exception"]
        assert "zebra-17" not in json.dumps(line), line


@pytest.fixture
async def faulty(written: io.StringIO, settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A service with an address that breaks, and one that breaks the page that says so."""
    app = create_app(settings)

    async def broken(_: object) -> None:
        raise RuntimeError("broken on purpose")

    async def wholly(_: object) -> None:
        app.state.house.renderer = None
        raise RuntimeError("broken on purpose")

    app.router.routes += [Route("/broken", broken), Route(f"{API}/broken", broken), Route("/wholly", wholly)]
    async with app.router.lifespan_context(app), served(app) as one:
        yield one


@pytest.fixture
async def lonely(written: io.StringIO, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A service whose database is away."""
    url = f"postgresql://postgres@127.0.0.1:{free_port()}/nothing"
    app = create_app(Settings(database_url=url, data_dir=tmp_path, public_url="http://knobel.test"))
    async with app.router.lifespan_context(app), served(app) as one:
        yield one


def served(app: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app)  # raises what the service lets out: nothing
    return httpx.AsyncClient(transport=transport, base_url="http://knobel.test")


async def test_a_fault_of_ours_has_a_number_that_is_found_in_the_log(lines: Lines, faulty: httpx.AsyncClient) -> None:
    for path in ("/broken", f"{API}/broken", "/wholly"):
        answer = await faulty.get(path)
        assert answer.status_code == 500
        name = answer.headers["x-request-id"]
        assert name in answer.text
        line = next(line for line in lines() if line["event"] == "fault" and line["id"] == name)
        assert "RuntimeError: broken on purpose" in line["exception"]
        assert "test_journal.py" in line["exception"]
    assert "Traceback" not in answer.text
    assert (await faulty.get(f"{API}/broken")).json()["id"] in json.dumps(lines())


async def test_without_its_database_too_every_answer_has_a_number_that_is_found_in_the_log(
    lines: Lines, lonely: httpx.AsyncClient
) -> None:
    for path in (f"/t/{UNKNOWN}", f"{API}/tables/{UNKNOWN}"):
        answer = await lonely.get(path)
        assert answer.status_code == 503
        name = answer.headers["x-request-id"]
        assert name in answer.text
        away = [line for line in lines() if line["event"] == "database_away" and line["id"] == name]
        assert [line["route"].removeprefix(API) for line in away] == [route(path)]


def route(path: str) -> str:
    return path.removeprefix(API).replace(UNKNOWN, "{code}")
