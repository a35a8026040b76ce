"""Every refusal of the API: its status, its code, its shape, and that nothing has changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias

import httpx
import pytest

from app.main import create_app
from app.settings import Settings
from app.web import api_models
from tests.web.service import (
    API,
    UNKNOWN,
    Caller,
    dump,
    finished_table,
    guest,
    open_table,
    running_table,
)

pytestmark = pytest.mark.anyio

FIRST_ROLL = {"kind": "roll", "dice": [0, 1, 2, 3, 4]}
Refused: TypeAlias = Callable[[httpx.AsyncClient], Awaitable[tuple[httpx.Response, str | None]]]


def is_problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Hold an answer to RFC 9457 and to the contract's words."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    api_models.Problem.model_validate(body, strict=True)
    assert (body["status"], body["code"]) == (status, code)
    assert body["title"]
    assert body["detail"]
    assert "{" not in body["detail"]
    return body


async def _nobody_creates(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    return await Caller(service).ask("POST", "/tables", {"game": "yacht"}), None


async def _wrong_token(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    return await Caller(service, "x" * 43).ask("GET", "/me"), None


async def _nobody_sits(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await open_table(service, "Ana")
    return await Caller(service).ask("POST", f"/tables/{code}/seats", {}), code


async def _nobody_moves(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await running_table(service, "Ana")
    return await Caller(service).move(code, 0, **FIRST_ROLL), code


async def _stranger_moves(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await running_table(service, "Ana")
    return await (await guest(service)).move(code, 0, **FIRST_ROLL), code


async def _stranger_undoes(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await running_table(service, "Ana")
    return await (await guest(service)).ask("POST", f"/tables/{code}/undo", {"version": 1}), code


async def _guest_frees_another(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (_, bo) = await open_table(service, "Ana", "Bo")
    return await bo.ask("DELETE", f"/tables/{code}/seats/0"), code


async def _stranger_rematches(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await finished_table(service, "Ana")
    return await (await guest(service)).ask("POST", f"/tables/{code}/rematch"), code


async def _other_starts(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (_, bo) = await open_table(service, "Ana", "Bo")
    return await bo.ask("POST", f"/tables/{code}/start"), code


async def _unknown_table(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    return await Caller(service).ask("GET", f"/tables/{UNKNOWN}"), None


async def _impossible_code(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    return await Caller(service).ask("GET", "/tables/O0I1"), None


async def _unknown_address(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    return await Caller(service).ask("GET", "/nothing/here"), None


async def _unknown_game(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    return await (await guest(service)).ask("POST", "/tables", {"game": "nope"}), None


async def _free_seat_is_freed(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await open_table(service, "Ana")
    return await ana.ask("DELETE", f"/tables/{code}/seats/3"), code


async def _stale(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await running_table(service, "Ana")
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    await ana.move(code, turn, **FIRST_ROLL)
    return await ana.move(code, turn, kind="score", category="choice"), code


async def _not_my_turn(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (_, bo) = await running_table(service, "Ana", "Bo")
    return await bo.move(code, 2, **FIRST_ROLL), code


async def _not_started(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await open_table(service, "Ana")
    return await ana.move(code, 1, **FIRST_ROLL), code


async def _full(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    games = (await service.get(f"{API}/games")).json()
    code, _ = await open_table(service, *(f"P{n}" for n in range(games[0]["max_players"])))
    return await (await guest(service)).ask("POST", f"/tables/{code}/seats", {}), code


async def _sits_down_late(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await running_table(service, "Ana")
    return await (await guest(service)).ask("POST", f"/tables/{code}/seats", {}), code


async def _starts_twice(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await running_table(service, "Ana")
    return await ana.ask("POST", f"/tables/{code}/start"), code


async def _frees_a_seat_late(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana, _) = await running_table(service, "Ana", "Bo")
    return await ana.ask("DELETE", f"/tables/{code}/seats/1"), code


async def _early_replay(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await running_table(service, "Ana")
    return await Caller(service).ask("GET", f"/tables/{code}/replay"), code


async def _early_record(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await running_table(service, "Ana")
    return await Caller(service).ask("GET", f"/tables/{code}/record"), code


async def _early_rematch(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await running_table(service, "Ana")
    return await ana.ask("POST", f"/tables/{code}/rematch"), code


async def _moves_after_the_end(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await finished_table(service, "Ana")
    return await ana.move(code, 3, kind="score", category="choice"), code


async def _undoes_after_the_end(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await finished_table(service, "Ana")
    version = (await ana.do("GET", f"/tables/{code}"))["version"]
    return await ana.ask("POST", f"/tables/{code}/undo", {"version": version}), code


async def _undoes_a_roll(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await running_table(service, "Ana")
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    version = (await ana.move(code, turn, **FIRST_ROLL)).json()["version"]
    return await ana.ask("POST", f"/tables/{code}/undo", {"version": version}), code


async def _undoes_another_version(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await running_table(service, "Ana")
    for move in (FIRST_ROLL, {"kind": "score", "category": "choice"}):
        turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
        version = (await ana.move(code, turn, **move)).json()["version"]
    return await ana.ask("POST", f"/tables/{code}/undo", {"version": version - 1}), code


async def _illegal(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, (ana,) = await running_table(service, "Ana")
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    return await ana.move(code, turn, kind="score", category="choice"), code


async def _no_such_step(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await finished_table(service, "Ana")
    return await Caller(service).ask("GET", f"/tables/{code}/replay?step=100000"), code


async def _events_after_minus_one(service: httpx.AsyncClient) -> tuple[httpx.Response, str | None]:
    code, _ = await open_table(service, "Ana")
    return await Caller(service).ask("GET", f"/tables/{code}/events?after=-1"), code


REFUSALS: list[tuple[int, str, Refused]] = [
    (401, "unauthenticated", _nobody_creates),
    (401, "unauthenticated", _wrong_token),
    (401, "unauthenticated", _nobody_sits),
    (401, "unauthenticated", _nobody_moves),
    (403, "not_your_seat", _stranger_moves),
    (403, "not_your_seat", _stranger_undoes),
    (403, "not_your_seat", _guest_frees_another),
    (403, "not_your_seat", _stranger_rematches),
    (403, "not_host", _other_starts),
    (404, "not_found", _unknown_table),
    (404, "not_found", _impossible_code),
    (404, "not_found", _unknown_address),
    (404, "not_found", _unknown_game),
    (404, "not_found", _free_seat_is_freed),
    (409, "stale_turn", _stale),
    (409, "not_your_turn", _not_my_turn),
    (409, "not_your_turn", _not_started),
    (409, "table_full", _full),
    (409, "already_started", _sits_down_late),
    (409, "already_started", _starts_twice),
    (409, "already_started", _frees_a_seat_late),
    (409, "not_finished", _early_replay),
    (409, "not_finished", _early_record),
    (409, "not_finished", _early_rematch),
    (409, "finished", _moves_after_the_end),
    (409, "finished", _undoes_after_the_end),
    (409, "nothing_to_undo", _undoes_a_roll),
    (409, "nothing_to_undo", _undoes_another_version),
    (422, "illegal_move", _illegal),
    (422, "invalid", _no_such_step),
    (422, "invalid", _events_after_minus_one),
]


@pytest.mark.parametrize(("status", "code", "refused"), REFUSALS, ids=[each[2].__name__[1:] for each in REFUSALS])
async def test_refusal_says_what_is_wrong_and_how_the_table_stands(
    client: httpx.AsyncClient, status: int, code: str, refused: Refused
) -> None:
    answer, table = await refused(client)
    body = is_problem(answer, status, code)
    if table is None or status == 404:
        return
    # the table as it is now, as its caller sees it
    asker = Caller(client)
    asker.http.headers.update({k: v for k, v in answer.request.headers.items() if k == "authorization"})
    now = await asker.do("GET", f"/tables/{table}")
    for seat in (*body["table"]["seats"], *now["seats"]):
        del seat["present"]  # who has just asked is there
    assert body["table"] == now


@pytest.mark.parametrize("refused", [each[2] for each in REFUSALS], ids=[each[2].__name__[1:] for each in REFUSALS])
async def test_refusal_changes_nothing(client: httpx.AsyncClient, settings: Settings, refused: Refused) -> None:
    answer, _ = await refused(client)
    before = await dump(str(settings.database_url))
    again = await client.send(answer.request)
    assert again.status_code == answer.status_code
    assert await dump(str(settings.database_url)) == before


async def test_too_few_players_are_refused(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await open_table(client, "Ana", "Bo")
    await bo.do("DELETE", f"/tables/{code}/seats/1")
    await ana.do("DELETE", f"/tables/{code}/seats/0")
    # an empty table has no host: nobody can start it, and whoever sits down next is the host
    is_problem(await ana.ask("POST", f"/tables/{code}/start"), 403, "not_host")
    assert (await bo.do("POST", f"/tables/{code}/seats", {}, 201))["host"] == bo.player


@pytest.fixture
async def limited(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """The service as it is by default: with limits."""
    app = create_app(settings.model_copy(update={"rate_limits": "on"}))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://knobel.test") as one,
    ):
        yield one


async def _until_429(send: Callable[[], Awaitable[httpx.Response]], most: int) -> httpx.Response:
    for _ in range(most):
        answer = await send()
        if answer.status_code == 429:
            return answer
    raise AssertionError(f"{most} requests at once and no 429")


async def test_too_many_moves_at_once_are_429_with_the_table_and_when_to_come_again(limited: httpx.AsyncClient) -> None:
    code, (ana,) = await running_table(limited, "Ana")
    answer = await _until_429(lambda: ana.move(code, 0, **FIRST_ROLL), 200)
    body = is_problem(answer, 429, "too_many_requests")
    assert int(answer.headers["retry-after"]) >= 1
    assert body["table"]["you"]["seat"] == 0


async def test_moves_of_one_do_not_use_up_those_of_another(limited: httpx.AsyncClient) -> None:
    code, (ana, bo) = await running_table(limited, "Ana", "Bo")
    await _until_429(lambda: bo.move(code, 0, **FIRST_ROLL), 200)
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    assert (await ana.move(code, turn, **FIRST_ROLL)).status_code == 200


async def test_guessing_codes_is_slowed_down_and_who_sits_somewhere_goes_on(limited: httpx.AsyncClient) -> None:
    code, (ana,) = await open_table(limited, "Ana")
    answer = await _until_429(lambda: Caller(limited).ask("GET", f"/tables/{UNKNOWN}"), 200)
    is_problem(answer, 429, "too_many_requests")
    await ana.do("GET", f"/tables/{code}")


@pytest.mark.parametrize("path", ["/guests", "/tables"])
async def test_making_guests_and_tables_is_limited(limited: httpx.AsyncClient, path: str) -> None:
    ana = await guest(limited)
    body = {"game": "yacht"} if path == "/tables" else {}
    is_problem(await _until_429(lambda: ana.ask("POST", path, body), 400), 429, "too_many_requests")
