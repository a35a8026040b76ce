"""The service under test from within and without: its parts, callers of its API, and what its database holds."""

from __future__ import annotations

from typing import Any

import asyncpg
import httpx
from fastapi import FastAPI
from httpx import ASGITransport
from starlette.routing import Route

from app.web.house import House
from tests.support.dice import ScriptedDice
from tests.web.forms import Browser, Page

API = "/api/v1"
CATEGORIES = [
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "choice",
    "full_house",
    "four_of_a_kind",
    "little_straight",
    "big_straight",
    "yacht",
]
UNKNOWN = "AAAAAAAAAA"
"""A code that could be one, of no table."""


def app_of(client: httpx.AsyncClient) -> FastAPI:
    """Return the application behind a client."""
    transport = client._transport
    assert isinstance(transport, ASGITransport)
    assert isinstance(transport.app, FastAPI)
    return transport.app


def routes_of(client: httpx.AsyncClient) -> set[tuple[str, str]]:
    """Return (method, path) of every route of the service behind a client."""
    found: set[tuple[str, str]] = set()
    waiting: list[Any] = list(app_of(client).router.routes)
    while waiting:
        route = waiting.pop()
        if isinstance(route, Route):
            found |= {(method, route.path) for method in route.methods or ()}
        else:
            waiting += route.original_router.routes  # FastAPI keeps a router that was included as a whole
    return found


def filled(path: str, code: str) -> str:
    """Return the path of a route with its fields filled in."""
    for name, value in (("code", code), ("slug", "yacht"), ("seat", "1"), ("path:path", "nothing.css")):
        path = path.replace(f"{{{name}}}", value)
    return path


def house_of(client: httpx.AsyncClient) -> House:
    """Return the parts of the service behind a client."""
    house: House = app_of(client).state.house
    return house


def script_dice(client: httpx.AsyncClient, *faces: int) -> None:
    """Let the dice fall as told from now on; the service gets its dice from outside by design."""
    house_of(client).dice = ScriptedDice(*faces)  # type: ignore[assignment]  # typed as the system's dice there


async def dump(database_url: str, *but: str) -> dict[str, list[str]]:
    """Return every row of every table, except who is present, when the server looks again, and the tables in `but`."""
    connection = await asyncpg.connect(database_url)
    try:
        names = await connection.fetch(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND NOT tablename = ANY($1)",
            ["presence", "heartbeats", *but],
        )
        return {
            name: [
                row[0]
                for row in await connection.fetch(
                    f"SELECT (to_jsonb(t) - '{{wake_at,seen_at}}'::text[])::text FROM \"{name}\" t ORDER BY 1"
                )
            ]
            for (name,) in names
        }
    finally:
        await connection.close()


class Caller:
    """A program that calls the API, with the token of a guest or without one."""

    def __init__(self, service: httpx.AsyncClient, token: str | None = None, player: str | None = None) -> None:
        self.http = httpx.AsyncClient(transport=service._transport, base_url=service.base_url)
        self.player = player
        self.token = token
        if token is not None:
            self.http.headers["Authorization"] = f"Bearer {token}"

    async def ask(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        """Make a call below /api/v1."""
        if body is not None:
            options["json"] = body
        return await self.http.request(method, f"{API}{path}", **options)

    async def do(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """Make a call that must succeed with this status; its JSON."""
        answer = await self.ask(method, path, body)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    async def move(self, code: str, turn: int | None, **move: Any) -> httpx.Response:
        """Send a move."""
        return await self.ask("POST", f"/tables/{code}/moves", {"turn": turn, "move": move})


async def guest(service: httpx.AsyncClient, name: str | None = None) -> Caller:
    """Make a guest by the API."""
    made = await Caller(service).do("POST", "/guests", {} if name is None else {"name": name}, 201)
    return Caller(service, made["token"], made["player"]["id"])


async def open_table(service: httpx.AsyncClient, *names: str, **options: str) -> tuple[str, list[Caller]]:
    """Return the code of a table that waits, and its people, host first."""
    people = [await guest(service, name) for name in names]
    body = {"game": "yacht", "options": {"first_player": "host", **options}}
    code: str = (await people[0].do("POST", "/tables", body, 201))["code"]
    for person in people[1:]:
        await person.do("POST", f"/tables/{code}/seats", {}, 201)
    return code, people


async def running_table(service: httpx.AsyncClient, *names: str, **options: str) -> tuple[str, list[Caller]]:
    """Return the code of a table that plays, and its people, host first."""
    code, people = await open_table(service, *names, **options)
    await people[0].do("POST", f"/tables/{code}/start")
    return code, people


async def play_on(code: str, people: list[Caller], rounds: int = 12) -> Any:
    """Play for so many rounds by rolling once and writing into the first free row; the table as last answered."""
    table: Any = None
    for _ in range(rounds):
        for person in people:
            table = await person.do("GET", f"/tables/{code}")
            turn = table["you"]["turn"]
            table = (await person.move(code, turn, kind="roll", dice=[0, 1, 2, 3, 4])).json()
            row = next(action for action in table["you"]["actions"] if action["kind"] == "score")
            answer = await person.move(code, table["you"]["turn"], **row)
            assert answer.status_code == 200, answer.text
            table = answer.json()
    return table


async def finished_table(service: httpx.AsyncClient, *names: str) -> tuple[str, list[Caller]]:
    """Return the code of a table that is over, and its people."""
    code, people = await running_table(service, *names)
    table = await play_on(code, people)
    assert table["status"] == "finished"
    return code, people


def browser_of(service: httpx.AsyncClient, caller: Caller, language: str = "en") -> Browser:
    """Return a browser that has the session of a caller of the API."""
    browser = Browser(service, language)
    assert caller.token is not None
    browser.http.cookies.set("sid", caller.token)
    return browser


async def page_of(service: httpx.AsyncClient, path: str, language: str = "en", **headers: str) -> Page:
    """Return a page as a stranger gets it."""
    browser = Browser(service, language)
    browser.http.headers.update(headers)
    return await browser.get(path)
