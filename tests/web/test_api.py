"""Every call of the contract's table, where it succeeds."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from app.web import api_models
from tests.web.forms import Browser
from tests.web.service import API, Caller, finished_table, guest, open_table, play_on, running_table

pytestmark = pytest.mark.anyio

TABLE_FIELDS = [
    "code",
    "url",
    "game",
    "rules",
    "options",
    "visibility",
    "clock",
    "status",
    "version",
    "host",
    "seats",
    "you",
    "state",
    "outcome",
]


def fits(model: type[BaseModel], data: Any) -> None:
    """Hold an answer to its declared model; strictly, and with every field there."""
    checked = model.model_validate(data, strict=True)
    assert checked.model_dump(exclude_unset=True) == data
    assert set(data) >= {name for name, each in model.model_fields.items() if each.is_required()}


def is_table(data: Any) -> None:
    fits(api_models.TableModel, data)
    assert list(data) == TABLE_FIELDS


async def test_games_are_listed_with_their_options(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{API}/games")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    for game in answer.json():
        fits(api_models.GameModel, game)
    yacht = next(game for game in answer.json() if game["id"] == "yacht")
    assert yacht["kind"] == "ranked"
    assert yacht["hidden"] is False
    assert yacht["options"] == [
        {"id": "variant", "default": "classic", "choices": ["classic", "exercism"]},
        {"id": "first_player", "default": "random", "choices": ["random", "host"]},
    ]


async def test_guest_gets_a_name_and_a_token_that_proves_them(client: httpx.AsyncClient) -> None:
    made = await Caller(client).do("POST", "/guests", {"name": "  Ana ", "language": "de"}, 201)
    fits(api_models.GuestMade, made)
    assert made["player"]["name"] == "Ana"
    mine = await Caller(client, made["token"]).do("GET", "/me")
    assert mine == {"player": made["player"], "tables": []}


@pytest.mark.parametrize("body", [None, {}, {"name": None}, {"language": "en"}])
async def test_guest_without_a_name_gets_a_friendly_one(client: httpx.AsyncClient, body: Any) -> None:
    made = await Caller(client).do("POST", "/guests", body, 201)
    assert made["player"]["name"].isalpha()
    assert made["player"]["id"]


async def test_creator_sits_on_seat_0_and_is_the_host(client: httpx.AsyncClient) -> None:
    ana = await guest(client, "Ana")
    answer = await ana.ask("POST", "/tables", {"game": "yacht", "options": {}, "visibility": "unlisted"})
    assert answer.status_code == 201
    table = answer.json()
    is_table(table)
    assert table["url"] == f"http://knobel.test/t/{table['code']}"
    assert (table["status"], table["visibility"], table["game"], table["rules"]) == ("open", "unlisted", "yacht", 1)
    assert table["options"] == {"variant": "classic", "first_player": "random"}
    assert table["host"] == ana.player
    assert table["seats"][0]["player"] == {"id": ana.player, "name": "Ana"}
    assert all(seat["player"] is None for seat in table["seats"][1:])
    assert table["you"] == {"seat": 0, "turn": None, "can_undo": False, "actions": []}
    assert table["state"] is None
    assert table["outcome"] is None


async def test_options_and_visibility_are_kept_as_asked(client: httpx.AsyncClient) -> None:
    ana = await guest(client)
    body = {"game": "yacht", "options": {"variant": "exercism"}, "visibility": "public"}
    table = await ana.do("POST", "/tables", body, 201)
    assert table["options"] == {"variant": "exercism", "first_player": "random"}
    assert table["visibility"] == "public"


@pytest.mark.parametrize("form", [str, str.lower, lambda code: f" {code[:4]}-{code[4:8]}-{code[8:]} ", "- ".join])
async def test_code_is_accepted_in_any_case_with_dashes_and_spaces(client: httpx.AsyncClient, form: Any) -> None:
    code, _ = await open_table(client, "Ana")
    table = await Caller(client).do("GET", f"/tables/{form(code)}")
    assert table["code"] == code
    assert len(code) == 10
    assert set(code) <= set("ABCDEFGHJKMNPQRSTVWXYZ23456789")


async def test_spectator_sees_a_table_without_a_token(client: httpx.AsyncClient) -> None:
    code, _ = await running_table(client, "Ana", "Bo")
    table = await Caller(client).do("GET", f"/tables/{code}")
    is_table(table)
    assert table["you"] is None
    assert table["state"]["seat"] == 0


async def test_sitting_down_answers_201_once_and_200_after(client: httpx.AsyncClient) -> None:
    code, _ = await open_table(client, "Ana")
    bo = await guest(client, "Bo")
    first = await bo.ask("POST", f"/tables/{code}/seats", {})
    again = await bo.ask("POST", f"/tables/{code}/seats")
    assert (first.status_code, again.status_code) == (201, 200)
    is_table(first.json())
    assert first.json()["seats"][1]["player"]["name"] == "Bo"
    assert again.json()["version"] == first.json()["version"]
    assert sum(seat["player"] is not None for seat in again.json()["seats"]) == 2


async def test_leaving_frees_the_seat_and_the_next_takes_it(client: httpx.AsyncClient) -> None:
    code, (ana, bo, cleo) = await open_table(client, "Ana", "Bo", "Cleo")
    left = await bo.do("DELETE", f"/tables/{code}/seats/1")
    is_table(left)
    assert left["you"] is None
    assert left["seats"][1]["player"] is None
    freed = await ana.do("DELETE", f"/tables/{code}/seats/2")
    assert freed["you"]["seat"] == 0
    assert freed["seats"][2]["player"] is None
    back = await cleo.do("POST", f"/tables/{code}/seats", {}, 201)
    assert back["you"]["seat"] == 1


async def test_host_passes_on_to_who_sat_down_first(client: httpx.AsyncClient) -> None:
    code, (ana, bo, cleo) = await open_table(client, "Ana", "Bo", "Cleo")
    left = await ana.do("DELETE", f"/tables/{code}/seats/0")
    assert left["host"] == bo.player
    started = await bo.do("POST", f"/tables/{code}/start")
    assert [seat["player"]["id"] for seat in started["seats"]] == [bo.player, cleo.player]


async def test_start_asks_the_first_player(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await open_table(client, "Ana", "Bo")
    table = await ana.do("POST", f"/tables/{code}/start")
    is_table(table)
    assert table["status"] == "playing"
    assert table["you"]["turn"] == table["version"]
    assert table["you"]["actions"] == [{"kind": "roll", "dice": [0, 1, 2, 3, 4]}]
    assert [seat["to_act"] for seat in table["seats"]] == [True, False]


async def test_move_answers_the_table_after_it(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    before = await ana.do("GET", f"/tables/{code}")
    answer = await ana.move(code, before["you"]["turn"], kind="roll", dice=[0, 1, 2, 3, 4])
    assert answer.status_code == 200
    table = answer.json()
    is_table(table)
    assert len(table["state"]["dice"]) == 5
    assert table["version"] == before["version"] + 2
    kinds = [action["kind"] for action in table["you"]["actions"]]
    assert set(kinds) == {"roll", "score"}
    assert (await bo.do("GET", f"/tables/{code}"))["state"] == table["state"]


async def test_me_lists_my_tables_with_my_turn_first(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    other = (await bo.do("POST", "/tables", {"game": "yacht"}, 201))["code"]
    await play_on(code, [ana], 1)
    mine = await bo.do("GET", "/me")
    fits(api_models.Me, mine)
    assert [(table["code"], table["your_turn"]) for table in mine["tables"]] == [(code, True), (other, False)]


async def test_browser_session_calls_the_api_too(client: httpx.AsyncClient) -> None:
    browser = Browser(client)
    await browser.get("/")
    page = await browser.submit(browser.page.form("/g/yacht/tables"))
    code = page.url.rsplit("/", 1)[1]
    answer = await browser.http.get(f"{API}/tables/{code}")
    assert answer.json()["you"]["seat"] == 0
    assert (await browser.http.get(f"{API}/me")).json()["tables"][0]["code"] == code


async def test_bearer_token_wins_over_the_cookie(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await open_table(client, "Ana", "Bo")
    ana.http.cookies.set("sid", bo.token or "")
    assert (await ana.do("GET", f"/tables/{code}"))["you"]["seat"] == 0


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_scheme_is_read_in_any_case_in_answers_and_in_refusals(client: httpx.AsyncClient, scheme: str) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    ana.http.headers["Authorization"] = f"{scheme} {ana.token}"
    assert (await ana.do("GET", f"/tables/{code}"))["you"]["seat"] == 0
    refused = await ana.move(code, 0, kind="roll", dice=[0, 1, 2, 3, 4])
    assert refused.json()["table"]["you"]["seat"] == 0


async def test_other_authorization_leaves_the_cookie_alone(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    ana.http.headers["Authorization"] = "Basic YTpi"
    ana.http.cookies.set("sid", ana.token or "")
    assert (await ana.do("GET", f"/tables/{code}"))["you"]["seat"] == 0
    refused = await ana.move(code, 0, kind="roll", dice=[0, 1, 2, 3, 4])
    assert refused.json()["table"]["you"]["seat"] == 0


async def test_rematch_is_one_table_for_everybody(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await finished_table(client, "Ana", "Bo")
    first = await bo.ask("POST", f"/tables/{code}/rematch")
    second = await ana.ask("POST", f"/tables/{code}/rematch")
    assert (first.status_code, second.status_code) == (201, 200)
    is_table(first.json())
    assert first.json()["code"] == second.json()["code"] != code
    assert first.json()["host"] == bo.player
    assert first.json()["options"] == {"variant": "classic", "first_player": "host"}
    assert first.json()["status"] == "open"
