"""A whole game by two programs, from the first guest to the verified record."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from app import ROOT
from app.records import record as records
from app.settings import Settings
from app.web import api_models
from tests.web.service import API, CATEGORIES, Caller, dump, finished_table, open_table, running_table

pytestmark = pytest.mark.anyio


async def _play_by_chance(code: str, people: list[Caller], chance: random.Random, seen: list[Any]) -> Any:
    """Play as programs do: only from `you.actions`. Every table that was answered goes to `seen`."""
    while True:
        tables = [await person.do("GET", f"/tables/{code}") for person in people]
        seen += tables
        if tables[0]["status"] != "playing":
            return tables[0]
        asked = [n for n, table in enumerate(tables) if table["you"]["turn"] is not None]
        assert asked == [n for n, seat in enumerate(tables[0]["seats"]) if seat["to_act"]]
        place = chance.choice(asked)
        move = _a_move(chance.choice(tables[place]["you"]["actions"]), chance)
        answer = await people[place].move(code, tables[place]["you"]["turn"], **move)
        assert answer.status_code == 200, answer.text


def _a_move(action: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """An action with its pick made."""
    move = dict(action)
    for name, value in action.items():
        if isinstance(value, dict):
            pick = value["pick"]
            move[name] = chance.sample(pick["from"], chance.randint(pick["min"], pick["max"]))
    return move


@pytest.fixture
async def played(client: httpx.AsyncClient) -> tuple[str, list[Caller], list[Any]]:
    """(code, people, every table they were answered on the way)"""
    code, people = await running_table(client, "Ana", "Bo", first_player="random")
    seen: list[Any] = []
    await _play_by_chance(code, people, random.Random(7), seen)
    return code, people, seen


async def test_whole_game_is_played_from_the_actions_alone(played: tuple[str, list[Caller], list[Any]]) -> None:
    code, (ana, _), seen = played
    for table in seen:
        api_models.TableModel.model_validate(table, strict=True)
        you = table["you"]
        assert (you["turn"] is None) == (you["actions"] == [])
        if table["state"] is not None:
            assert {"round", "seat", "rolls_used", "dice", "sheets", "totals"} <= set(table["state"])
            assert all(list(sheet) == list(CATEGORIES) for sheet in table["state"]["sheets"])
    table = await ana.do("GET", f"/tables/{code}")
    assert table["status"] == "finished"
    outcome = table["outcome"]
    assert outcome["kind"] == "ranked"
    assert outcome["scores"] == table["state"]["totals"]
    best = max(outcome["scores"])
    assert outcome["winners"] == [seat for seat, score in enumerate(outcome["scores"]) if score == best]


async def test_log_has_no_gaps_from_wherever_it_is_read(
    played: tuple[str, list[Caller], list[Any]], client: httpx.AsyncClient
) -> None:
    code, (ana, _), _ = played
    whole = await Caller(client).do("GET", f"/tables/{code}/events?after=0")
    assert whole == await ana.do("GET", f"/tables/{code}/events")
    assert [event["n"] for event in whole["events"]] == list(range(1, whole["version"] + 1))
    for after in (0, 1, 7, whole["version"] - 1, whole["version"], whole["version"] + 5):
        part = await ana.do("GET", f"/tables/{code}/events?after={after}")
        api_models.Events.model_validate(part, strict=True)
        assert part == {"events": whole["events"][after:], "version": whole["version"]}


async def test_events_have_the_shapes_of_the_contract(played: tuple[str, list[Caller], list[Any]]) -> None:
    code, (ana, bo), _ = played
    events = (await ana.do("GET", f"/tables/{code}/events"))["events"]
    shapes = {event["type"]: list(event) for event in events}
    assert shapes == {
        "seat": ["n", "type", "seat", "player", "bot"],
        "move": ["n", "type", "seat", "move"],
        "chance": ["n", "type", "reason", "sides", "faces", "seen_by"],
    }
    assert events[0] == {"n": 1, "type": "seat", "seat": 0, "player": {"id": ana.player, "name": "Ana"}, "bot": None}
    assert events[1] == {"n": 2, "type": "seat", "seat": 1, "player": {"id": bo.player, "name": "Bo"}, "bot": None}
    assert (events[2]["reason"], events[2]["sides"]) == ("first", [2])
    for event in events:
        if event["type"] == "chance":
            assert all(1 <= face <= most for face, most in zip(event["faces"], event["sides"], strict=True))
            assert event["seen_by"] is None


async def test_replay_shows_every_step_and_ends_where_the_game_did(
    played: tuple[str, list[Caller], list[Any]], client: httpx.AsyncClient
) -> None:
    code, (ana, _), _ = played
    table = await ana.do("GET", f"/tables/{code}")
    last = await Caller(client).do("GET", f"/tables/{code}/replay")
    record = await Caller(client).do("GET", f"/tables/{code}/record")
    steps = last["steps"]
    assert (last["step"], last["state"], last["outcome"]) == (steps, table["state"], table["outcome"])
    assert steps == len(record["events"])
    for step in (0, 1, 2, steps // 2, steps - 1, steps):
        shown = await Caller(client).do("GET", f"/tables/{code}/replay?step={step}")
        api_models.ReplayModel.model_validate(shown, strict=True)
        assert shown["step"] == step
        assert shown["event"] == (record["events"][step - 1] if step else None)
        assert (shown["outcome"] is None) == (step < steps)


async def test_replay_goes_through_the_states_that_were_played(
    played: tuple[str, list[Caller], list[Any]], client: httpx.AsyncClient
) -> None:
    code, _, seen = played
    offset = (await Caller(client).do("GET", f"/tables/{code}/events"))["version"]
    offset -= (await Caller(client).do("GET", f"/tables/{code}/replay"))["steps"]
    live = {table["version"] - offset: table["state"] for table in seen if table["state"] is not None}
    assert len(live) > 40
    for step in list(live)[::5]:
        assert (await Caller(client).do("GET", f"/tables/{code}/replay?step={step}"))["state"] == live[step]


async def test_record_is_verified_offline(
    played: tuple[str, list[Caller], list[Any]], client: httpx.AsyncClient, tmp_path: Path
) -> None:
    code, _, _ = played
    answer = await client.get(f"{API}/tables/{code}/record")
    record = answer.json()
    api_models.RecordModel.model_validate(record, strict=True)
    assert list(record) == (
        ["format", "game", "rules", "options", "players", "seats", "started", "finished", "events", "outcome"]
    )
    assert record["seats"] == [{"name": "Ana", "bot": None}, {"name": "Bo", "bot": None}]
    assert [event["n"] for event in record["events"]] == list(range(1, len(record["events"]) + 1))
    assert {event["type"] for event in record["events"]} == {"move", "chance"}
    assert list(records.verify(records.read(answer.content)).scores) == record["outcome"]["scores"]
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(answer.content)
    record["outcome"]["scores"][0] += 1
    bad.write_bytes(orjson.dumps(record))
    assert [_verified(path) for path in (good, bad)] == [0, 1]


def _verified(path: Path) -> int:
    run = [sys.executable, "-m", "app.records", "verify", str(path)]
    return subprocess.run(run, cwd=ROOT, capture_output=True, check=False).returncode


async def test_nothing_is_taken_back_while_a_bot_stands_in(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    rolled = (await ana.move(code, turn, kind="roll", dice=[0, 1, 2, 3, 4])).json()
    await ana.move(code, rolled["you"]["turn"], kind="score", category="choice")
    left = await ana.do("DELETE", f"/tables/{code}/seats/0")
    assert (left["you"]["can_undo"], left["you"]["turn"], left["you"]["actions"]) == (False, None, [])
    assert (await ana.ask("POST", f"/tables/{code}/undo", {"version": left["version"]})).status_code == 409
    back = await ana.do("POST", f"/tables/{code}/seats", {})
    assert back["you"]["can_undo"] is True
    assert (await ana.ask("POST", f"/tables/{code}/undo", {"version": back["version"]})).status_code == 200


async def test_score_is_taken_back_until_the_next_throw(client: httpx.AsyncClient, settings: Settings) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    rolled = (await ana.move(code, turn, kind="roll", dice=[0, 1, 2, 3, 4])).json()
    scored = (await ana.move(code, rolled["you"]["turn"], kind="score", category="choice")).json()
    assert scored["you"]["can_undo"] is True
    assert (await bo.do("GET", f"/tables/{code}"))["you"]["can_undo"] is False
    assert (await bo.ask("POST", f"/tables/{code}/undo", {"version": scored["version"]})).status_code == 409
    back = await ana.do("POST", f"/tables/{code}/undo", {"version": scored["version"]})
    assert back["version"] == scored["version"] + 1
    assert back["state"] == rolled["state"]
    assert back["you"]["turn"] is not None
    assert back["you"]["can_undo"] is False
    events = (await ana.do("GET", f"/tables/{code}/events?after={rolled['version']}"))["events"]
    assert [(event["n"], event["type"]) for event in events] == [
        (scored["version"], "undo"),
        (back["version"], "undo"),
    ]
    await ana.move(code, back["you"]["turn"], kind="score", category="ones")
    bo_turn = (await bo.do("GET", f"/tables/{code}"))["you"]["turn"]
    thrown = (await bo.move(code, bo_turn, kind="roll", dice=[0, 1, 2, 3, 4])).json()
    late = await ana.ask("POST", f"/tables/{code}/undo", {"version": thrown["version"]})
    assert late.json()["code"] == "nothing_to_undo"


async def test_undone_move_is_not_in_the_record(client: httpx.AsyncClient) -> None:
    code, (ana,) = await running_table(client, "Ana")
    for _ in range(12):
        table = await ana.do("GET", f"/tables/{code}")
        table = (await ana.move(code, table["you"]["turn"], kind="roll", dice=[0, 1, 2, 3, 4])).json()
        rows = [action for action in table["you"]["actions"] if action["kind"] == "score"]
        table = (await ana.move(code, table["you"]["turn"], **rows[-1])).json()
        if len(rows) > 1:
            table = await ana.do("POST", f"/tables/{code}/undo", {"version": table["version"]})
            table = (await ana.move(code, table["you"]["turn"], **rows[0])).json()
    record = await ana.do("GET", f"/tables/{code}/record")
    assert len(record["events"]) == 36
    assert [event["n"] for event in record["events"]] == list(range(1, 37))
    records.verify(records.read(orjson.dumps(record)))


async def test_same_move_again_answers_200_and_does_nothing(client: httpx.AsyncClient, settings: Settings) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    turn = (await ana.do("GET", f"/tables/{code}"))["you"]["turn"]
    once = await ana.move(code, turn, kind="roll", dice=[0, 1, 2, 3, 4])
    before = await dump(str(settings.database_url))
    again = await ana.move(code, turn, kind="roll", dice=[4, 3, 2, 1, 0])
    assert again.status_code == 200
    assert {**again.json(), "seats": None} == {**once.json(), "seats": None}  # who is there may have changed
    other = await ana.move(code, turn, kind="roll", dice=[0])
    assert (other.status_code, other.json()["code"]) == (409, "stale_turn")
    assert await dump(str(settings.database_url)) == before


async def test_turn_stays_the_same_while_others_act_before_it(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    table = await ana.do("GET", f"/tables/{code}")
    assert (await bo.do("GET", f"/tables/{code}"))["you"]["turn"] is None
    rolled = (await ana.move(code, table["you"]["turn"], kind="roll", dice=[0, 1, 2, 3, 4])).json()
    scored = (await ana.move(code, rolled["you"]["turn"], kind="score", category="ones")).json()
    assert scored["you"]["turn"] is None
    assert (await bo.do("GET", f"/tables/{code}"))["you"]["turn"] == scored["version"]


async def test_get_never_changes_anything(client: httpx.AsyncClient, settings: Settings) -> None:
    waiting, (ana,) = await open_table(client, "Ana")
    playing, (bo, _) = await running_table(client, "Bo", "Cleo")
    over, (dana,) = await finished_table(client, "Dana")
    before = await dump(str(settings.database_url))
    for code in (waiting, playing, over):
        for rest in ("", "/events?after=0", "/replay", "/replay?step=1", "/record"):
            for caller in (ana, bo, dana, Caller(client)):
                for method in ("GET", "GET", "HEAD", "HEAD"):
                    answer = await caller.ask(method, f"/tables/{code}{rest}")
                    assert answer.status_code < 500
    for path in ("/games", "/me", "/docs", "/openapi.json", "/guests", "/tables", f"/tables/{waiting}/start"):
        for caller in (ana, Caller(client)):
            for method in ("GET", "HEAD"):
                await caller.ask(method, path)
    assert await dump(str(settings.database_url)) == before


async def test_rematch_keeps_people_and_options(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await finished_table(client, "Ana", "Bo")
    new = await ana.do("POST", f"/tables/{code}/rematch", None, 201)
    assert {seat["player"]["id"] for seat in new["seats"] if seat["player"]} == {ana.player, bo.player}
    started = await ana.do("POST", f"/tables/{new['code']}/start")
    assert started["status"] == "playing"
    assert started["options"] == (await ana.do("GET", f"/tables/{code}"))["options"]
