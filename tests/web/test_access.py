"""Who may do what: every endpoint asked by everybody, against a written table; forms of other sites; fields of others."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from app.settings import Settings
from tests.web.forms import Browser
from tests.web.service import (
    API,
    UNKNOWN,
    Caller,
    app_of,
    browser_of,
    dump,
    finished_table,
    guest,
    open_table,
    routes_of,
    running_table,
)

pytestmark = pytest.mark.anyio

WHO = ("host", "other", "stranger", "nobody", "broken", "signed out")
"""host and other sit there; a stranger has a session; nobody has none; broken brings a secret nobody knows.

The signed out one was the host until a moment ago, and has nobody's rights in each table below.
"""

# endpoint: status for each of WHO. At an open table of three, of whom the last is there to be freed.
OPEN = {
    "GET /t/{code}": (200, 200, 200, 200, 200),
    "GET /t/{code}?watch=1": (200, 200, 200, 200, 200),
    "GET /t/{code}/live": (200, 200, 200, 200, 200),
    "GET /t/{code}/replay": (409, 409, 409, 409, 409),
    "GET /t/{code}/record": (409, 409, 409, 409, 409),
    "GET /t/{code}/qr.svg": (200, 200, 200, 200, 200),
    "POST /t/{code}/sit": (303, 303, 303, 303, 303),
    "POST /t/{code}/leave": (303, 303, 403, 401, 401),
    "POST /t/{code}/seats/2/free": (303, 403, 403, 401, 401),
    "POST /t/{code}/start": (303, 403, 403, 401, 401),
    "POST /t/{code}/bots": (303, 403, 403, 401, 401),
    "POST /t/{code}/back": (409, 409, 403, 401, 401),
    "POST /t/{code}/moves": (409, 409, 403, 401, 401),
    "POST /t/{code}/point": (409, 409, 403, 401, 401),
    "POST /t/{code}/undo": (409, 409, 403, 401, 401),
    "POST /t/{code}/rematch": (409, 409, 403, 401, 401),
    "GET /api/v1/tables/{code}": (200, 200, 200, 200, 200),
    "GET /api/v1/tables/{code}/events": (200, 200, 200, 200, 200),
    "GET /api/v1/tables/{code}/replay": (409, 409, 409, 409, 409),
    "GET /api/v1/tables/{code}/record": (409, 409, 409, 409, 409),
    "POST /api/v1/tables/{code}/seats": (200, 200, 201, 401, 401),
    "DELETE /api/v1/tables/{code}/seats/2": (200, 403, 403, 401, 401),
    "POST /api/v1/tables/{code}/start": (200, 403, 403, 401, 401),
    "POST /api/v1/tables/{code}/moves": (409, 409, 403, 401, 401),
    "POST /api/v1/tables/{code}/undo": (409, 409, 403, 401, 401),
    "POST /api/v1/tables/{code}/rematch": (409, 409, 403, 401, 401),
}
RUNNING = {
    "GET /t/{code}": (200, 200, 200, 200, 200),
    "POST /t/{code}/sit": (303, 303, 409, 409, 409),
    "POST /t/{code}/leave": (303, 303, 403, 401, 401),
    "POST /t/{code}/back": (303, 303, 403, 401, 401),
    "POST /t/{code}/bots": (409, 403, 403, 401, 401),
    "POST /t/{code}/absence": (409, 409, 403, 401, 401),
    "POST /t/{code}/seats/1/free": (409, 409, 403, 401, 401),
    "POST /t/{code}/start": (409, 403, 403, 401, 401),
    "POST /t/{code}/moves": (303, 409, 403, 401, 401),
    "POST /t/{code}/point": (422, 422, 403, 401, 401),
    "POST /t/{code}/undo": (409, 409, 403, 401, 401),
    "POST /t/{code}/rematch": (409, 409, 403, 401, 401),
    "POST /api/v1/tables/{code}/seats": (200, 200, 409, 401, 401),
    "DELETE /api/v1/tables/{code}/seats/1": (409, 200, 403, 401, 401),
    "POST /api/v1/tables/{code}/absence": (409, 409, 403, 401, 401),
    "POST /api/v1/tables/{code}/start": (409, 403, 403, 401, 401),
    "POST /api/v1/tables/{code}/moves": (200, 409, 403, 401, 401),
    "POST /api/v1/tables/{code}/undo": (409, 409, 403, 401, 401),
}
OVER = {
    "GET /t/{code}": (200, 200, 200, 200, 200),
    "GET /t/{code}/replay": (200, 200, 200, 200, 200),
    "GET /t/{code}/record": (200, 200, 200, 200, 200),
    "POST /t/{code}/sit": (303, 303, 409, 409, 409),
    "POST /t/{code}/leave": (409, 409, 403, 401, 401),
    "POST /t/{code}/start": (409, 403, 403, 401, 401),
    "POST /t/{code}/moves": (409, 409, 403, 401, 401),
    "POST /t/{code}/point": (409, 409, 403, 401, 401),
    "POST /t/{code}/undo": (409, 409, 403, 401, 401),
    "POST /t/{code}/rematch": (303, 303, 403, 401, 401),
    "POST /api/v1/tables/{code}/rematch": (201, 201, 403, 401, 401),
    "DELETE /api/v1/tables/{code}/seats/0": (409, 403, 403, 401, 401),
}


async def _matrix(service: httpx.AsyncClient, stage: str, table: dict[str, tuple[int, ...]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for endpoint in table:
        found[endpoint] = []
        for place in range(len(WHO)):
            code, people = await _at(service, stage)
            callers = [*people[:2], await guest(service, "Dana"), Caller(service), Caller(service, "x" * 43), people[0]]
            if WHO[place] == "signed out":
                await browser_of(service, people[0]).post("/me/sign-out")
            found[endpoint].append(await _status(service, callers[place], endpoint.format(code=code)))
    return found


def _written(table: dict[str, tuple[int, ...]]) -> dict[str, list[int]]:
    return {endpoint: [*statuses, statuses[WHO.index("nobody")]] for endpoint, statuses in table.items()}


async def _at(service: httpx.AsyncClient, stage: str) -> tuple[str, list[Caller]]:
    if stage == "open":
        return await open_table(service, "Ana", "Bo", "Cleo")
    if stage == "running":
        return await running_table(service, "Ana", "Bo")
    return await finished_table(service, "Ana", "Bo")


async def _status(service: httpx.AsyncClient, caller: Caller, endpoint: str) -> int:
    method, path = endpoint.split(" ")
    code = path.split("/tables/" if "/api/" in path else "/t/")[1].split("/")[0].split("?")[0]
    you = (await caller.do("GET", f"/tables/{code}"))["you"]
    turn = (you and you["turn"]) or 0
    if path.startswith("/api/"):
        body: Any = {"turn": turn, "move": {"kind": "roll", "dice": [0, 1, 2, 3, 4]}} if "/moves" in path else None
        body = {"version": 0} if path.endswith("/undo") else body
        body = {"seat": 1, "choice": "end"} if path.endswith("/absence") else body
        return (await caller.http.request(method, path, json=body)).status_code
    http = browser_of(service, caller).http if caller.token else Browser(service).http
    fields = {"do": "roll", "turn": str(turn), "version": "0", "name": "Dana"}
    fields |= {"level": "easy", "seat": "1", "choice": "end"}
    return (await http.request(method, path, data=fields if method == "POST" else None)).status_code


@pytest.mark.parametrize(("stage", "table"), [("open", OPEN), ("running", RUNNING)], ids=["open", "running"])
async def test_everybody_gets_the_written_answer_at_every_endpoint(
    client: httpx.AsyncClient, stage: str, table: dict[str, tuple[int, ...]]
) -> None:
    assert await _matrix(client, stage, table) == _written(table)


async def test_everybody_gets_the_written_answer_after_the_end(client: httpx.AsyncClient) -> None:
    code, people = await finished_table(client, "Ana", "Bo")
    callers = [*people, await guest(client, "Dana"), Caller(client), Caller(client, "x" * 43)]
    for endpoint, statuses in OVER.items():
        found = [await _status(client, caller, endpoint.format(code=code)) for caller in callers]
        if endpoint == "POST /api/v1/tables/{code}/rematch":
            found = [201 if status == 200 else status for status in found]  # it is there already
        assert found == list(statuses), endpoint


UNSAFE = [
    *(("POST", f"/me{rest}") for rest in ("", "/sign-out", "/sign-out-others")),
    ("POST", "/g/yacht/tables"),
    *(
        ("POST", f"/t/{{code}}/{rest}")
        for rest in (
            "sit",
            "leave",
            "back",
            "bots",
            "absence",
            "seats/1/free",
            "start",
            "moves",
            "point",
            "undo",
            "rematch",
        )
    ),
    ("POST", f"{API}/guests"),
    ("POST", f"{API}/tables"),
    ("DELETE", f"{API}/tables/{{code}}/seats/1"),
    *(("POST", f"{API}/tables/{{code}}/{rest}") for rest in ("seats", "absence", "start", "moves", "undo", "rematch")),
]
FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "nonsense"},
    {"Sec-Fetch-Site": ""},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://knobel.test"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://knobel.test.evil.example"},
    {"Origin": "http://evil.example/knobel.test"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://["},
    {"Origin": "http://knobel.test:8080"},
    {"Origin": "https://evil.example", "HX-Request": "true"},
]


async def test_form_of_another_site_is_refused_everywhere_and_changes_nothing(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    code, (ana, _) = await open_table(client, "Ana", "Bo")
    http = browser_of(client, ana).http
    del http.headers["Sec-Fetch-Site"]
    before = await dump(str(settings.database_url))
    for method, path in UNSAFE:
        for headers in FOREIGN:
            answer = await http.request(method, path.format(code=code), headers=headers, data={"name": "Eve"})
            assert answer.status_code == 403, f"{method} {path} {headers}: {answer.status_code}"
            assert "sid" not in answer.cookies
    assert await dump(str(settings.database_url)) == before


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://knobel.test"},
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
    ],
    ids=str,
)
async def test_own_form_and_program_are_served(client: httpx.AsyncClient, headers: dict[str, str]) -> None:
    _, (ana,) = await open_table(client, "Ana")
    http = browser_of(client, ana).http
    del http.headers["Sec-Fetch-Site"]
    answer = await http.post("/me", data={"name": "Anna"}, headers=headers)
    assert answer.status_code == 303


def _listed(endpoint: str) -> tuple[str, str]:
    """Return an endpoint of a matrix as the routes have it."""
    method, path = endpoint.split(" ")
    return method, re.sub(r"/seats/\d", "/seats/{seat}", path.partition("?")[0]).replace("/g/yacht", "/g/{slug}")


async def test_every_unsafe_route_of_the_service_is_in_the_matrix(client: httpx.AsyncClient) -> None:
    routes = {(method, path) for method, path in routes_of(client) if method not in {"GET", "HEAD"}}
    assert routes == {_listed(f"{method} {path}") for method, path in UNSAFE}


STREAMS = {("GET", "/t/{code}/stream"), ("GET", f"{API}/tables/{{code}}/stream")}
"""Endless, so asked on a real server: test_streams.py, and test_hidden_dice.py for what they show to whom."""


async def test_every_route_of_a_table_is_in_the_matrix(client: httpx.AsyncClient) -> None:
    routes = {(method, path) for method, path in routes_of(client) if "{code}" in path and method != "HEAD"}
    assert routes - STREAMS == {_listed(endpoint) for endpoint in (*OPEN, *RUNNING, *OVER)}


FIELDS = (
    "id", "seat", "player", "player_id", "is_host", "is_admin", "host", "host_id", "version", "state", "status", "players",
    "undo_seat", "token", "code", "visibility", "table_id",
)  # fmt: skip


async def test_fields_that_a_form_does_not_have_change_nothing(client: httpx.AsyncClient, settings: Settings) -> None:
    """Each form posted by the other seat, with every field that might give it more than it has."""
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    over, (cleo, _) = await finished_table(client, "Cleo", "Dana")
    extra = {name: ana.player or "" if "player" in name else "0" for name in FIELDS}
    http = browser_of(client, bo).http
    before = await dump(str(settings.database_url))
    for rest in ("seats/0/free", "start", "bots", "absence", "moves", "undo", "rematch", "point"):
        answer = await http.post(f"/t/{code}/{rest}", data={"do": "roll", "turn": "2", "target": "x", **extra})
        assert answer.status_code in {403, 409, 422}, rest
    for table in (code, over):
        answer = await http.post(f"/t/{table}/sit", data=extra)
        assert answer.status_code == (303 if table == code else 409)
    assert (await http.post("/g/yacht/tables", data=extra)).status_code == 422
    assert await dump(str(settings.database_url)) == before
    assert (await http.post("/me", data={"name": "Bob", **extra})).status_code == 303
    after = await dump(str(settings.database_url))
    assert [name for name in after if after[name] != before[name]] == ["players", "seats"]
    changed = {row for name in ("players", "seats") for row in set(after[name]) - set(before[name])}
    assert len(changed) == 2
    assert all(bo.player is not None and bo.player in row and "Bob" in row for row in changed)
    assert (await cleo.do("GET", "/me"))["player"]["name"] == "Cleo"


async def test_field_posted_twice_where_one_is_asked_is_422(client: httpx.AsyncClient, settings: Settings) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    turn = str((await ana.do("GET", f"/tables/{code}"))["you"]["turn"])
    http, other = browser_of(client, ana).http, browser_of(client, bo).http
    before = await dump(str(settings.database_url))
    for path, fields in (
        (f"/t/{code}/moves", {"do": "roll", "turn": [turn, turn]}),
        (f"/t/{code}/undo", {"version": [turn, turn]}),
        (f"/t/{code}/point", {"target": ["category:ones", "category:twos"]}),
        ("/me", {"name": ["Anna", "Eve"]}),
        ("/me", {"name": "Anna", "next": ["/", "//evil.example"]}),
        ("/g/yacht/tables", {"variant": ["classic", "exercism"]}),
    ):
        assert (await http.post(path, data=fields)).status_code == 422, path
    assert (await other.post(f"/t/{code}/sit", data={"name": ["Bob", "Eve"]})).status_code == 422
    assert await dump(str(settings.database_url)) == before


async def test_parameter_given_twice_is_422(client: httpx.AsyncClient) -> None:
    code, _ = await finished_table(client, "Ana")
    for path in (
        f"/t/{code}/replay?step=1&step=2",
        f"/t/{code}?watch=1&watch=",
        f"{API}/tables/{code}/replay?step=1&step=2",
        f"{API}/tables/{code}/events?after=1&%61fter=0",
        "/join?code=a&code=b",
        "/me?lang=de&lang=en",
    ):
        assert (await client.get(path)).status_code == 422, path
    assert (await client.get(f"/t/{code}/replay?step=1&play=1")).status_code == 200


async def test_every_body_of_the_api_forbids_what_it_does_not_name(client: httpx.AsyncClient) -> None:
    described = app_of(client).openapi()
    bodies = {
        found["$ref"].rpartition("/")[2]
        for calls in described["paths"].values()
        for call in calls.values()
        for content in call.get("requestBody", {}).get("content", {}).values()
        for found in (content["schema"], *content["schema"].get("anyOf", []))
        if "$ref" in found
    }
    assert bodies == {"GuestBody", "TableBody", "SeatBody", "AbsenceBody", "MoveBody", "UndoBody"}
    for name in bodies:
        assert described["components"]["schemas"][name]["additionalProperties"] is False, name


EXTRA = (
    "id",
    "seat",
    "is_admin",
    "rating",
    "version",
    "state",
    "user_id",
    "host",
    "host_id",
    "player_id",
    "status",
    "undo_seat",
)


async def test_fields_that_are_not_asked_for_change_nothing(client: httpx.AsyncClient, settings: Settings) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    before = await dump(str(settings.database_url))
    for extra in EXTRA:
        for path, body in (
            ("/guests", {"name": "Eve"}),
            ("/tables", {"game": "yacht"}),
            (f"/tables/{code}/seats", {}),
            (f"/tables/{code}/moves", {"turn": turn, "move": {"kind": "roll", "dice": [0, 1, 2, 3, 4]}}),
            (f"/tables/{code}/moves", {"turn": turn, "move": {"kind": "roll", "dice": [0, 1, 2, 3, 4], extra: 1}}),
            (f"/tables/{code}/undo", {"version": 1} if extra != "version" else {"version": "1"}),
        ):
            sent = body if extra in str(body) else {**body, extra: 1}
            answer = await bo.ask("POST", path, sent)
            assert answer.status_code in {409, 422}, f"{path} {extra}: {answer.status_code}"
    for extra in EXTRA:
        answer = await browser_of(client, bo).http.post(
            f"/t/{code}/moves", data={"do": "roll", "turn": str(turn), extra: "0", "seat": "0"}
        )
        assert answer.status_code == 409, "the seat is that of the session, whatever the form says"
    assert await dump(str(settings.database_url)) == before


async def test_public_id_of_a_player_opens_nothing(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    thief = Caller(client, ana.player)
    assert (await thief.ask("GET", "/me")).status_code == 401
    assert (await thief.do("GET", f"/tables/{code}"))["you"] is None


async def test_nothing_a_stranger_gets_carries_a_secret(client: httpx.AsyncClient) -> None:
    code, people = await finished_table(client, "Ana", "Bo")
    for path in (
        f"/t/{code}",
        f"/t/{code}/live",
        f"/t/{code}/replay",
        f"/t/{code}/record",
        f"{API}/tables/{code}",
        f"{API}/tables/{code}/events",
    ):
        text = (await client.get(path)).text
        assert not [person for person in people if (person.token or "") in text], path


async def test_commands_at_unknown_tables_tell_nothing(client: httpx.AsyncClient) -> None:
    ana = await guest(client, "Ana")
    for rest in ("start", "rematch"):
        assert (await ana.ask("POST", f"/tables/{UNKNOWN}/{rest}")).status_code == 404
