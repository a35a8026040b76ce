"""Rows that do not decode (F14): their table rests, with words and a number, and nothing else is the worse for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import asyncpg
import httpx
import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from app.main import create_app
from app.settings import Settings
from app.tables.queries import load
from app.web.house import TableReader
from tests.support.play import until
from tests.web.forms import Page
from tests.web.service import Caller, browser_of, guest, house_of, running_table

pytestmark = pytest.mark.anyio

ROLL = {"kind": "roll", "dice": [0, 1, 2, 3, 4]}
STATES = {
    "nothing in it": "UPDATE tables SET state = '{}' WHERE code = $1",
    "not even an object": "UPDATE tables SET state = '[\"zebra-17\"]' WHERE code = $1",
    "values of another type": "UPDATE tables SET state = jsonb_set(state, '{dice}', '\"zebra-17\"') WHERE code = $1",
    "a field from the future": "UPDATE tables SET state = state || '{\"zebra-17\": 1}' WHERE code = $1",
    "an unknown option": "UPDATE tables SET options = '{\"zebra-17\": true}' WHERE code = $1",
    "rules of the future": "UPDATE tables SET rules = 99 WHERE code = $1",
    "rules from before": "UPDATE tables SET rules = 0 WHERE code = $1",
    "an unknown game": "UPDATE tables SET game = 'zebra-17' WHERE code = $1",
    "a clock of the future": "UPDATE tables SET clock = 'zebra-17' WHERE code = $1",
    "an outcome of another shape": "UPDATE tables SET outcome = '{\"zebra-17\": 1}' WHERE code = $1",
}
EVENTS = {
    "an unknown move": 'UPDATE table_events SET data = \'{"move": {"kind": "zebra-17"}}\' WHERE type = \'move\'',
    "no data": "UPDATE table_events SET data = '{}' WHERE type = 'chance'",
    "not even an object": "UPDATE table_events SET data = '[\"zebra-17\"]' WHERE type = 'move'",
    "a seat without a name": "UPDATE table_events SET data = '{\"zebra-17\": 1}' WHERE type = 'seat'",
    "dice nobody asked for": "UPDATE table_events SET data = data || '{\"sides\": [20]}' WHERE type = 'chance'",
    "an illegal move": "UPDATE table_events SET seat = 1 WHERE type = 'move'",
}


@pytest.fixture
async def two(client: httpx.AsyncClient) -> tuple[str, str, Caller]:
    """Two running tables of Ana's with a roll each: one to break, one to stay; and Ana."""
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    body = {"game": "yacht", "options": {"first_player": "host"}}
    other: str = (await ana.do("POST", "/tables", body, 201))["code"]
    await ana.do("POST", f"/tables/{other}/start")
    assert (await ana.move(code, 2, **ROLL)).status_code == 200
    assert (await ana.move(other, 1, **ROLL)).status_code == 200
    return code, other, ana


@pytest.fixture
async def again(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """Another process on the same database, which remembers nothing."""
    app = create_app(settings)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://knobel.test") as one,
    ):
        yield one


@pytest.fixture
def logged() -> Iterator[list[EventDict]]:
    """What goes into the log."""
    with capture_logs() as found:
        yield found


async def broken(url: str, statement: str, code: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement.replace("$1", f"'{code}'"))
    finally:
        await connection.close()


def is_told(answer: httpx.Response, logged: list[EventDict]) -> None:
    """Check that an answer has words and a number that is found in the log, and none of what is stored."""
    assert answer.status_code == 503, answer.text
    name = answer.headers["x-request-id"]
    assert name in answer.text
    assert [line for line in logged if line["event"] == "table_unreadable" and line["id"] == name]
    assert "zebra-17" not in answer.text
    if answer.headers["content-type"] == "application/problem+json":
        assert (answer.json()["code"], answer.json()["id"]) == ("unreadable", name)
        assert "cannot be read" in answer.json()["detail"]
    else:
        assert "cannot be read" in Page(answer.text).text


@pytest.mark.parametrize("damage", STATES)
async def test_a_table_that_cannot_be_read_says_so_and_the_rest_goes_on(
    damage: str, two: tuple[str, str, Caller], again: httpx.AsyncClient, database_url: str, logged: list[EventDict]
) -> None:
    code, other, ana = two
    await broken(database_url, STATES[damage], code)
    ana = Caller(again, ana.token, ana.player)
    browser = browser_of(again, ana)
    for path in ("", "/stream", "/events", "/replay", "/record"):
        is_told(await ana.ask("GET", f"/tables/{code}{path}"), logged)
    is_told(await ana.move(code, 4, kind="score", category="ones"), logged)
    is_told(await ana.ask("POST", f"/tables/{code}/undo", {"version": 4}), logged)
    for path in ("", "/live", "/stream", "/replay"):
        is_told(await browser.http.get(f"/t/{code}{path}"), logged)
    is_told(await browser.http.post(f"/t/{code}/moves", data={"turn": "4", "do": "score-ones"}), logged)
    await elsewhere(again, ana, other)
    assert any(line["event"] == "table_unreadable" and "number" in line for line in logged)  # left out of the list


async def elsewhere(again: httpx.AsyncClient, ana: Caller, other: str) -> None:
    """Check that lists, pages and another table of the same people work."""
    browser = browser_of(again, ana)
    for path in ("/", "/me", "/g/yacht", f"/t/{other}", "/health/ready"):
        assert (await browser.http.get(path)).status_code == 200, path
    assert other in [table["code"] for table in (await ana.do("GET", "/me"))["tables"]]
    turn = (await ana.do("GET", f"/tables/{other}"))["you"]["turn"]
    assert (await ana.move(other, turn, kind="score", category="choice")).status_code == 200


@pytest.mark.parametrize("damage", ["an unknown option", "rules of the future", "a clock of the future"])
async def test_an_open_table_that_cannot_be_read_is_left_out_of_everybodys_start_page(
    damage: str, client: httpx.AsyncClient, database_url: str, logged: list[EventDict]
) -> None:
    ana = await guest(client, "Ana")
    bad, good = [
        (await ana.do("POST", "/tables", {"game": "yacht", "visibility": "public"}, 201))["code"] for _ in range(2)
    ]
    await broken(database_url, STATES[damage], bad)
    page = await client.get("/")
    assert page.status_code == 200
    assert f"/t/{good}" in page.text and f"/t/{bad}" not in page.text  # noqa: PT018  # one list
    assert [line for line in logged if line["event"] == "table_unreadable"]


@pytest.mark.parametrize("damage", EVENTS)
async def test_a_log_that_cannot_be_read_says_so_and_the_rest_goes_on(
    damage: str, two: tuple[str, str, Caller], again: httpx.AsyncClient, database_url: str, logged: list[EventDict]
) -> None:
    code, other, ana = two
    statement = f"{EVENTS[damage]} AND table_id = (SELECT id FROM tables WHERE code = $1)"
    await broken(database_url, statement, code)
    ana = Caller(again, ana.token, ana.player)
    for path in ("", "/live", "/stream"):
        is_told(await browser_of(again, ana).http.get(f"/t/{code}{path}"), logged)
    if damage not in {"dice nobody asked for", "an illegal move"}:  # each of these can be read, if not followed
        is_told(await ana.ask("GET", f"/tables/{code}/events"), logged)
    await elsewhere(again, ana, other)


async def test_a_state_that_no_game_can_be_in_breaks_its_own_page_only(
    two: tuple[str, str, Caller], client: httpx.AsyncClient, database_url: str, logged: list[EventDict]
) -> None:
    code, other, ana = two
    await broken(database_url, "UPDATE tables SET state = jsonb_set(state, '{sheets}', '[]') WHERE code = $1", code)
    answer = await client.get(f"/t/{code}")
    assert answer.status_code == 500
    assert [line for line in logged if line["event"] == "fault" and line["id"] == answer.headers["x-request-id"]]
    await elsewhere(client, ana, other)


async def test_a_stream_that_is_open_stays_as_it_was_and_the_others_go_on(
    two: tuple[str, str, Caller], client: httpx.AsyncClient, database_url: str, logged: list[EventDict]
) -> None:
    code, other, ana = two
    house = house_of(client)
    numbers = [(await load(house.db, one, None))[0].id for one in (code, other)]
    reader = TableReader(None, "en", "json", "http://knobel.test")
    resting, going = [house.hub.open(number, reader, None, evicted=b"") for number in numbers]
    await broken(database_url, STATES["nothing in it"], code)
    for number in numbers:
        house.changed(number)
    await elsewhere(client, ana, other)
    async with asyncio.timeout(10):
        while b'"version":4' not in (await going.take() or b""):
            pass  # one message may be from before the move
    await until(lambda: [line for line in logged if line["event"] == "publish_failed"])
    assert not resting.closed
