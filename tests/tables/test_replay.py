"""Finished games, step by step, and their records."""

from __future__ import annotations

import orjson
import pytest

from app.core import codec, engine
from app.db.engine import Database
from app.records.record import read, verify, view_at
from app.tables import moves, queries, replay
from app.tables.errors import Invalid, NotFinished
from tests.support.play import play_to_end, present, send, started
from tests.tables.sealed import register, started_sealed

pytestmark = pytest.mark.anyio


async def test_every_step_of_a_replay_is_the_fold_of_the_record_up_to_there(database: Database) -> None:
    code, people = await started(database, first_player="random")
    table = await play_to_end(database, code, people)
    events = await replay.record_events(database, table)
    last = await replay.replay(database, table, None)
    for step in range(len(events) + 1):
        shown = await replay.replay(database, table, step)
        state = engine.fold(table.game, table.options, 2, events[:step])
        assert shown.state == state
        assert shown.view == table.game.view(state, None)
        assert (shown.step, shown.steps) == (step, len(events))
        assert shown.event == (events[step - 1] if step else None)
        assert (shown.outcome is None) == (step < len(events))
        assert shown.lines == last.lines
    assert last.state == table.state
    assert last.outcome == table.outcome
    assert last.step == last.steps
    assert {n for n, _ in last.lines} <= set(range(1, len(events) + 1))


@pytest.mark.parametrize("step", [-1, 10**6, 2**63])
async def test_a_step_that_is_not_there_is_invalid(database: Database, step: int) -> None:
    code, people = await started(database, ("Ana",))
    table = await play_to_end(database, code, people)
    steps = (await replay.replay(database, table, None)).steps
    for wanted in (step, steps + 1):
        with pytest.raises(Invalid):
            await replay.replay(database, table, wanted)


async def test_a_running_game_has_no_replay_and_no_record(database: Database) -> None:
    code, _ = await started(database)
    table = await present(database, code)
    for step in (None, 0, 1, -1):
        with pytest.raises(NotFinished) as caught:
            await replay.replay(database, table, step)
        assert caught.value.snapshot == table
    with pytest.raises(NotFinished):
        await replay.record(database, table)


async def test_a_record_holds_offline_and_leads_to_the_same_states(database: Database) -> None:
    code, people = await started(database, ("Ana", "Bo", "Cy"), first_player="random", variant="exercism")
    table = await play_to_end(database, code, people)
    content = orjson.dumps(await replay.record(database, table))
    record = read(content)
    assert verify(record) == table.outcome
    assert record.names == ("Ana", "Bo", "Cy")
    assert record.options == table.options
    for step in (0, 1, 7, len(record.events)):
        shown = await replay.replay(database, table, step)
        assert view_at(record, step) == (shown.event, shown.view)
    assert orjson.loads(content)["outcome"] == codec.data(table.outcome)


async def test_a_record_says_what_the_contract_says(database: Database) -> None:
    code, people = await started(database)
    table = await play_to_end(database, code, people)
    record = await replay.record(database, table)
    assert set(record) == {
        "format", "game", "rules", "options", "players", "seats", "started", "finished", "events", "outcome"
    }  # fmt: skip
    assert (record["format"], record["game"], record["players"]) == ("knobel-record/1", "yacht", 2)
    assert record["seats"] == [{"name": "Ana", "bot": None}, {"name": "Bo", "bot": None}]
    assert record["started"] < record["finished"]
    assert {event["type"] for event in record["events"]} == {"move", "chance"}


async def test_undone_moves_are_in_no_step_and_numbers_have_no_gap(database: Database) -> None:
    code, people = await started(database, ("Ana",))
    ana = people[0]
    await send(database, code, ana, 1, {"kind": "roll", "dice": [0, 1, 2, 3, 4]})
    for category in ("ones", "twos", "yacht"):
        turn = (await present(database, code)).seats[0].asked_at or 0
        made = await send(database, code, ana, turn, {"kind": "score", "category": category})
        await moves.undo(database, code, ana.session, made.table.version)
    table = await play_to_end(database, code, people)
    events = await replay.record_events(database, table)
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    assert len(events) == table.version - 1 - 3 - 3  # one seat, three scores, three undos
    assert verify(read(orjson.dumps(await replay.record(database, table)))) == table.outcome
    assert any(row.undone for row in await queries.log_rows(database, table, 0))


async def test_the_record_of_a_hidden_game_is_complete_and_says_who_saw_what(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    code, people = await started_sealed(database)
    table = await play_to_end(database, code, people)
    record = await replay.record(database, table)
    assert all(event.get("move", event.get("faces")) is not None for event in record["events"])
    assert all(len(event["seen_by"]) == 1 for event in record["events"])
    assert verify(read(orjson.dumps(record))) == table.outcome
    for step in (0, 4, len(record["events"])):
        assert (await replay.replay(database, table, step)).step == step
