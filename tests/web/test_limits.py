"""Rate limits: every bucket ends in 429 with words and `Retry-After`, per session and per address, and hides guesses."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from limits import parse

from app.main import create_app
from app.settings import Settings
from app.web.limits import LIMITS, MOST_STREAMS, MOST_STREAMS_EACH, Crowded, Limits
from tests.support.server import Server
from tests.web.forms import Page
from tests.web.service import API, UNKNOWN, Caller, browser_of, guest, open_table

pytestmark = pytest.mark.anyio

NEW = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
async def app(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FastAPI]:
    """The service with its limits on, each counted for a day, so that no slow machine outlasts one."""
    for kind, pair in LIMITS.items():
        long = tuple(None if one is None else parse(f"{one.amount}/day") for one in pair)
        monkeypatch.setitem(LIMITS, kind, long)
    app = create_app(settings.model_copy(update={"rate_limits": "on"}))
    async with app.router.lifespan_context(app):
        yield app


@asynccontextmanager
async def calling(app: FastAPI, address: str) -> AsyncIterator[httpx.AsyncClient]:
    """Give a client that calls from an address."""
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False, client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://knobel.test", headers=NEW) as one:
        yield one


def is_limit(answer: httpx.Response) -> None:
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    if answer.headers["content-type"] == "application/problem+json":
        assert answer.json()["code"] == "too_many_requests"
        assert "Wait a moment" in answer.json()["detail"]
    else:
        assert "Wait a moment" in Page(answer.text).text


async def until_limit(http: httpx.AsyncClient, most: int, method: str, path: str, **options: object) -> int:
    """Ask until refused by a limit; return how often it was not."""
    for number in range(most + 1):
        answer = await http.request(method, path, **options)  # type: ignore[arg-type]  # httpx's options
        if answer.status_code == 429:
            is_limit(answer)
            return number
    raise AssertionError(f"{method} {path}: no 429 among {most + 1}")


@pytest.mark.parametrize(
    ("method", "path", "options", "limit"),
    [
        ("POST", "/t/{code}/moves", {"data": {"turn": "0"}}, 100),
        ("POST", "/t/{code}/undo", {"data": {"version": "0"}}, 100),
        ("POST", "/t/{code}/start", {}, 60),
        ("POST", "/t/{code}/leave", {}, 60),
        ("POST", "/t/{code}/sit", {"data": {"name": ""}}, 60),
        ("POST", "/t/{code}/seats/5/free", {}, 60),
        ("POST", "/t/{code}/point", {"data": {"target": "x"}}, 60),
        ("POST", "/t/{code}/rematch", {}, 60),
        ("POST", "/me", {"data": {"name": ""}}, 60),
        ("POST", "/me/sign-out-others", {}, 60),
        ("POST", "/g/yacht/tables", {"data": {"variant": "none"}}, 60),
        ("GET", "/join?code=x", {}, 60),
        ("GET", f"/t/{UNKNOWN}", {}, 60),
        ("GET", "/t/no-such-code/live", {}, 60),
        ("POST", f"/t/{UNKNOWN}/moves", {"data": {"turn": "0"}}, 60),
        ("POST", f"{API}/guests", {"json": {}}, 119),
        ("POST", f"{API}/tables/{{code}}/moves", {"json": {"turn": 0, "move": {}}}, 100),
        ("GET", f"{API}/tables/{UNKNOWN}", {}, 60),
        ("GET", f"{API}/tables/{UNKNOWN}/stream", {}, 60),
    ],
)
async def test_each_bucket_is_429_in_words_with_retry_after(
    app: FastAPI, method: str, path: str, options: dict[str, object], limit: int
) -> None:
    async with calling(app, "192.0.2.1") as http:
        code, _ = await open_table(http, "Ana")
        assert await until_limit(http, limit, method, path.format(code=code), **options) == limit


async def test_session_has_a_share_of_its_own_behind_one_address(app: FastAPI) -> None:
    async with calling(app, "192.0.2.1") as http:
        code, (ana, bo) = await open_table(http, "Ana", "Bo")
        await until_limit(browser_of(http, ana).http, 60, "POST", "/me", data={"name": ""}, headers=NEW)
        assert (await browser_of(http, bo).http.post("/me", data={"name": "Bea"}, headers=NEW)).status_code == 303
        assert (await ana.ask("GET", f"/tables/{code}")).status_code == 200


async def test_made_up_sessions_give_no_fresh_allowance(app: FastAPI) -> None:
    async with calling(app, "192.0.2.1") as http:
        for number in range(301):  # of the bucket that counts for an hour, so that no slow machine outlasts it
            cookie = {"Cookie": f"sid=made-up-secret-number-{number:06}"}
            answer = await http.post("/g/yacht/tables", headers=cookie, data={"variant": "none"})
            if answer.status_code == 429:
                is_limit(answer)
                assert number == 300
                return
    raise AssertionError("no 429")


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("2001:db8::1", "2001:db8:0:0:5::9", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
async def test_addresses_of_one_household_share_a_limit(app: FastAPI, first: str, second: str, shared: bool) -> None:  # noqa: FBT001  # a parameter
    async with calling(app, first) as http:
        await until_limit(http, 60, "GET", "/join?code=x")
    async with calling(app, second) as http:
        assert (await http.get("/join?code=x")).status_code == (429 if shared else 404)


async def test_guesser_over_the_limit_learns_nothing_and_players_go_on(app: FastAPI) -> None:
    async with calling(app, "192.0.2.1") as http:
        code, (ana,) = await open_table(http, "Ana")
        await until_limit(http, 60, "GET", f"/t/{UNKNOWN}")
        stranger = await guest(http, "Dana")
        answers = []
        for found in (code, UNKNOWN):
            for method, rest in (
                ("GET", ""),
                ("GET", "/live"),
                ("GET", "/stream"),
                ("POST", "/start"),
                ("POST", "/sit"),
            ):
                answers.append(await http.request(method, f"/t/{found}{rest}"))
            for method, rest in (("GET", ""), ("GET", "/events"), ("POST", "/seats"), ("POST", "/start")):
                answers.append(await stranger.ask(method, f"/tables/{found}{rest}", {} if method == "POST" else None))
        for answer in answers[: len(answers) // 2]:
            is_limit(answer)
        for hit, miss in zip(answers[:9], answers[9:], strict=True):
            assert hit.status_code == miss.status_code
            assert re.sub(r'value="[A-Z][a-z]+"', "", hit.text).replace(code, UNKNOWN) == re.sub(
                r'value="[A-Z][a-z]+"', "", miss.text
            ), hit.request.url
        assert (await ana.do("GET", f"/tables/{code}"))["you"]["seat"] == 0
        assert (await browser_of(http, ana).get(f"/t/{code}")).status == 200
    async with calling(app, "192.0.2.2") as http:
        assert (await http.get(f"/t/{code}")).status_code == 200


def test_streams_are_counted_per_address_and_in_all() -> None:
    limits = Limits(on=True)
    for _ in range(MOST_STREAMS_EACH):
        limits.enter("192.0.2.1")
    with pytest.raises(Crowded):
        limits.enter("192.0.2.1")
    limits.leave("192.0.2.1")
    limits.enter("192.0.2.1")
    for number in range(MOST_STREAMS - MOST_STREAMS_EACH):
        limits.enter(f"192.0.2.{number}.x")
    with pytest.raises(Crowded):
        limits.enter("198.51.100.1")


async def test_stream_too_many_is_503_with_retry_after(app: FastAPI) -> None:
    house = app.state.house
    async with calling(app, "192.0.2.1") as http:
        code, _ = await open_table(http, "Ana")
        for _ in range(MOST_STREAMS_EACH):
            house.limits.enter("192.0.2.1")
        for path in (f"/t/{code}/stream", f"{API}/tables/{code}/stream"):
            answer = await http.get(path)
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) >= 1
            assert "Too many live tables" in answer.text
        assert house.hub.count == 0


def test_forwarded_address_counts_from_a_trusted_proxy_alone(database_url: str, tmp_path: Path) -> None:
    for trusted, expected in (("127.0.0.1", 404), ("192.0.2.9", 429)):
        server = Server(database_url, tmp_path, KNOBEL_RATE_LIMITS="on", FORWARDED_ALLOW_IPS=trusted)
        with server, httpx.Client(base_url=server.url) as http:
            for number in range(70):
                answer = http.get("/join?code=x", headers={"X-Forwarded-For": f"198.51.100.{number}"})
            assert answer.status_code == expected, trusted


async def test_limits_that_are_off_refuse_nothing(client: httpx.AsyncClient) -> None:
    for _ in range(130):
        assert (await Caller(client).ask("GET", f"/tables/{UNKNOWN}")).status_code == 404
