"""Who may do what: every endpoint asked by everybody, against a written table; forms of other sites; fields of others."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.settings import Settings
from tests.web.forms import Browser
from tests.web.service import API, UNKNOWN, Caller, browser_of, dump, finished_table, guest, open_table, running_table

pytestmark = pytest.mark.anyio

WHO = ("host", "other", "stranger", "nobody", "broken")
"""host and other sit there; a stranger has a session; nobody has none; broken brings a secret nobody knows."""

# endpoint: status for each of WHO. At an open table of three, of whom the last is there to be freed.
OPEN = {
    "GET /t/{code}": (200, 200, 200, 200, 200),
    "GET /t/{code}?watch=1": (200, 200, 200, 200, 200),
    "GET /t/{code}/live": (200, 200, 200, 200, 200),
    "GET /t/{code}/replay": (409, 409, 409, 409, 409),
    "GET /t/{code}/record": (409, 409, 409, 409, 409),
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
            callers = [*people[:2], await guest(service, "Dana"), Caller(service), Caller(service, "x" * 43)]
            found[endpoint].append(await _status(service, callers[place], endpoint.format(code=code)))
    return found


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
    assert await _matrix(client, stage, table) == {endpoint: list(statuses) for endpoint, statuses in table.items()}


async def test_everybody_gets_the_written_answer_after_the_end(client: httpx.AsyncClient) -> None:
    code, people = await finished_table(client, "Ana", "Bo")
    callers = [*people, await guest(client, "Dana"), Caller(client), Caller(client, "x" * 43)]
    for endpoint, statuses in OVER.items():
        found = [await _status(client, caller, endpoint.format(code=code)) for caller in callers]
        if endpoint == "POST /api/v1/tables/{code}/rematch":
            found = [201 if status == 200 else status for status in found]  # it is there already
        assert found == list(statuses), endpoint


UNSAFE = [
    ("POST", "/me"),
    ("POST", "/g/yacht/tables"),
    *(
        ("POST", f"/t/{{code}}/{rest}")
        for rest in ("sit", "leave", "back", "bots", "absence", "seats/1/free", "start", "moves", "point", "undo", "rematch")
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


async def test_every_unsafe_route_of_the_service_is_in_the_matrix(client: httpx.AsyncClient) -> None:
    from tests.web.service import app_of

    described = app_of(client).openapi()["paths"]
    api = {(method.upper(), path) for path, calls in described.items() for method in calls if method.upper() != "GET"}
    listed = {(method, path.replace("seats/1", "seats/{seat}")) for method, path in UNSAFE if path.startswith(API)}
    assert {(method, path) for method, path in api if method != "HEAD"} == listed


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
