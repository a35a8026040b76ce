"""Bodies that are not of the wanted shape: refused in words, never a fault, and nothing changed."""

from __future__ import annotations

import httpx
import pytest

from app.settings import Settings
from tests.web.service import API, dump, running_table
from tests.web.test_api_errors import is_problem

pytestmark = pytest.mark.anyio

JSON = "application/json"
DEEP = b"[" * 20_000 + b"]" * 20_000

BODIES = {
    "no JSON": b"hello",
    "nothing": b"",
    "null": b"null",
    "a list": b"[]",
    "a number": b"1",
    "half an object": b'{"turn": 1',
    "twice an object": b"{}{}",
    "not UTF-8": b'{"turn": "\xff"}',
    "deep nesting": b'{"turn":' + DEEP + b"}",
    "an endless number": b'{"turn": ' + b"9" * 5_000 + b"}",
    "extra field": b'{"turn": 1, "move": {"kind": "roll"}, "seat": 0}',
    "NUL in a key": b'{"a\\u0000": 1}',
    "lone surrogate in a key": b'{"\\ud800": 1}',
    "lone surrogate in a value": b'{"turn": "\\udfff"}',
}
TURNS = (
    '"1"',
    "true",
    "1.0",
    "1.5",
    "NaN",
    "Infinity",
    "-1",
    "2147483648",
    "9" * 400,
    "null",
    "[1]",
    "{}",
    '"\\u0000"',
)
MOVES = (
    "null",
    "[]",
    "1",
    "{}",
    '{"kind": 1}',
    '{"kind": null}',
    '{"kind": ["roll"]}',
    '{"kind": {"kind": "roll"}}',
    '{"kind": "Roll"}',
    '{"kind": "fold"}',
    '{"kind": "\\ud800"}',
    '{"kind": "roll"}',
    '{"kind": "roll", "dice": null}',
    '{"kind": "roll", "dice": "01234"}',
    '{"kind": "roll", "dice": ["0", "1", "2", "3", "4"]}',
    '{"kind": "roll", "dice": [0, true, 2, 3, 4]}',
    '{"kind": "roll", "dice": [0, 1.0, 2, 3, 4]}',
    '{"kind": "roll", "dice": [0, 1, 2, 3, NaN]}',
    '{"kind": "roll", "dice": [0, 1, 2, 3, 3]}',
    '{"kind": "roll", "dice": [0, 1, 2, 3, 5]}',
    '{"kind": "roll", "dice": [0, 1, 2, 3, -1]}',
    '{"kind": "roll", "dice": []}',
    '{"kind": "roll", "dice": [' + "9" * 4_000 + "]}",
    '{"kind": "roll", "dice": [0, 1, 2, 3, 4], "faces": [6, 6, 6, 6, 6]}',
    '{"kind": "roll", "dice": [0, 1, 2, 3, 4], "seat": 1}',
    '{"kind": "score", "category": null}',
    '{"kind": "score", "category": "\\ud800"}',
    '{"kind": "score", "category": "a\\u0000b"}',
    '{"kind": "score", "category": "ones", "points": 50}',
    '{"kind": "roll", "dice": ' + "[" * 3_000 + "]" * 3_000 + "}",
)
OPTIONS = (
    '{"variant": "nope"}',
    '{"variant": "classic", "colour": "red"}',
    '{"variant": 1}',
    '{"variant": true}',
    '{"variant": 1.5}',
    '{"variant": NaN}',
    '{"variant": null}',
    '{"variant": ["classic"]}',
    '{"variant": "\\ud800"}',
    '{"\\ud800": "classic"}',
    '{"variant": "\\u0000"}',
    "[]",
    "null",
    '"classic"',
)
NAMES = (
    "1",
    "true",
    "[]",
    "{}",
    '""',
    '"   "',
    '"a\\u0000b"',
    '"\\ud800"',
    '"a\\u202eb"',
    '"a\\u200bb"',
    f'"{"x" * 25}"',
)


@pytest.fixture
async def playing(client: httpx.AsyncClient) -> tuple[httpx.AsyncClient, str, int]:
    """(a client that is asked, the path of the table, its turn)"""
    code, (ana,) = await running_table(client, "Ana")
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    return ana.http, f"{API}/tables/{code}", turn


async def _send(http: httpx.AsyncClient, path: str, body: bytes, kind: str = JSON) -> httpx.Response:
    return await http.post(path, content=body, headers={"Content-Type": kind})


@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
@pytest.mark.parametrize("call", ["moves", "undo"])
async def test_body_of_another_shape_is_invalid(
    playing: tuple[httpx.AsyncClient, str, int], settings: Settings, call: str, body: bytes
) -> None:
    http, path, _ = playing
    before = await dump(str(settings.database_url))
    refusal = is_problem(await _send(http, f"{path}/{call}", body), 422, "invalid")
    assert refusal["table"]["you"]["seat"] == 0
    assert await dump(str(settings.database_url)) == before


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_move_under_another_content_type_is_invalid(
    playing: tuple[httpx.AsyncClient, str, int], kind: str
) -> None:
    http, path, turn = playing
    body = b'{"turn": %d, "move": {"kind": "roll", "dice": [0, 1, 2, 3, 4]}}' % turn
    is_problem(await _send(http, f"{path}/moves", body, kind), 422, "invalid")


async def test_turn_and_version_are_whole_numbers_and_nothing_else(
    playing: tuple[httpx.AsyncClient, str, int], settings: Settings
) -> None:
    http, path, _ = playing
    before = await dump(str(settings.database_url))
    for turn in TURNS:
        move = f'{{"turn": {turn}, "move": {{"kind": "roll", "dice": [0, 1, 2, 3, 4]}}}}'
        is_problem(await _send(http, f"{path}/moves", move.encode()), 422, "invalid")
        is_problem(await _send(http, f"{path}/undo", f'{{"version": {turn}}}'.encode()), 422, "invalid")
    assert await dump(str(settings.database_url)) == before


async def test_move_of_another_shape_is_refused_whatever_it_is(
    playing: tuple[httpx.AsyncClient, str, int], settings: Settings
) -> None:
    http, path, turn = playing
    before = await dump(str(settings.database_url))
    for move in MOVES:
        answer = await _send(http, f"{path}/moves", f'{{"turn": {turn}, "move": {move}}}'.encode())
        assert answer.status_code == 422, f"{move[:60]}: {answer.status_code}"
        assert answer.json()["code"] in {"invalid", "illegal_move"}, move[:60]
    assert await dump(str(settings.database_url)) == before


async def test_options_of_another_shape_are_invalid(
    playing: tuple[httpx.AsyncClient, str, int], settings: Settings
) -> None:
    http, _, _ = playing
    before = await dump(str(settings.database_url))
    for options in OPTIONS:
        body = f'{{"game": "yacht", "options": {options}}}'.encode()
        is_problem(await _send(http, f"{API}/tables", body), 422, "invalid")
    for game in ("1", "null", "[]", "true"):
        is_problem(await _send(http, f"{API}/tables", f'{{"game": {game}}}'.encode()), 422, "invalid")
    for extra in ('"seats": 3', '"host": "me"', '"visibility": "secret"', '"visibility": 1', '"state": {}'):
        is_problem(await _send(http, f"{API}/tables", f'{{"game": "yacht", {extra}}}'.encode()), 422, "invalid")
    assert await dump(str(settings.database_url)) == before


async def test_names_that_cannot_be_read_are_invalid(client: httpx.AsyncClient, settings: Settings) -> None:
    for name in NAMES:
        is_problem(await _send(client, f"{API}/guests", f'{{"name": {name}}}'.encode()), 422, "invalid")
    for language in ('"fr"', "1", '"DE"'):
        is_problem(await _send(client, f"{API}/guests", f'{{"language": {language}}}'.encode()), 422, "invalid")
    assert (await dump(str(settings.database_url)))["players"] == []


async def test_sitting_down_takes_no_field_but_the_level_of_a_bot(client: httpx.AsyncClient) -> None:
    code, (ana,) = await running_table(client, "Ana")
    for body in (b'{"seat": 0}', b'{"player": "x"}', b'{"bot": 1}', b"[]", b"1"):
        is_problem(await _send(ana.http, f"{API}/tables/{code}/seats", body), 422, "invalid")


async def test_numbers_in_addresses_are_checked(client: httpx.AsyncClient) -> None:
    code, (ana,) = await running_table(client, "Ana")
    for query in (
        "events?after=x",
        "events?after=2147483648",
        "events?after=1.5",
        "replay?step=x",
        f"replay?step={'9' * 5000}",
    ):
        answer = await ana.ask("GET", f"/tables/{code}/{query}")
        assert 400 <= answer.status_code < 500, query[:30]
    for seat in ("x", "-1", "1.0", "99999999999999999999", "%00"):
        answer = await ana.ask("DELETE", f"/tables/{code}/seats/{seat}")
        assert answer.status_code in {404, 422}, seat


@pytest.mark.parametrize("counted", [True, False], ids=["with Content-Length", "without"])
async def test_body_over_64_kib_is_too_large(client: httpx.AsyncClient, counted: bool) -> None:  # noqa: FBT001  # a parameter
    from collections.abc import AsyncIterator

    body = b'{"name": "' + b"x" * 70_000 + b'"}'

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 8_000):
            yield body[start : start + 8_000]

    answer = await client.post(f"{API}/guests", content=body if counted else pieces(), headers={"Content-Type": JSON})
    is_problem(answer, 413, "invalid")
