"""Undo on a real database."""

from __future__ import annotations

import asyncio
import random

import pytest

from app.core import codec
from app.db.engine import Database
from app.tables import moves, queries, replay, seats
from app.tables.errors import (
    Finished,
    NotFound,
    NothingToUndo,
    NotYourSeat,
    NotYourTurn,
    Refusal,
    StaleTurn,
    Unauthenticated,
)
from tests.support.dice import ScriptedDice
from tests.support.games import random_move
from tests.support.play import Someone, another, check_logs, play_to_end, present, send, someone, started
from tests.tables.sealed import register, started_sealed
from tests.tables.turns import CHOICE, ONES, ROLL, act, refused, turn_of

pytestmark = pytest.mark.anyio


async def test_a_score_is_taken_back_after_the_turn_has_passed_on(database: Database) -> None:
    code, (ana, bo) = await started(database)
    before = (await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)).table
    scored = (await act(database, code, ana, ONES)).table
    assert (scored.undo_seat, scored.undo_from) == (0, 4)
    back = await moves.undo(database, code, ana.session, scored.version)
    assert back.table == await present(database, code)
    assert back.events == ()
    assert back.table.version == 6
    assert back.table.state == before.state
    assert [seated.asked_at for seated in back.table.seats] == [6, None]
    assert (back.table.undo_seat, back.table.undo_from) == (None, None)
    assert type(await refused(database, code, bo, 5, ROLL)) is NotYourTurn
    await check_logs(database)


async def test_what_was_undone_stands_in_the_log_as_undone_and_not_in_the_record(database: Database) -> None:
    code, people = await started(database, ("Ana",))
    await act(database, code, people[0], ROLL, 1, 2, 3, 4, 6)
    await act(database, code, people[0], ONES)
    back = await moves.undo(database, code, people[0].session, 4)
    rows = await queries.log_rows(database, back.table, 1)
    assert [(row.n, row.type, row.seat, row.undone) for row in rows] == [
        (2, "move", 0, False),
        (3, "chance", None, False),
        (4, "move", 0, True),
        (5, "undo", 0, False),
    ]
    await act(database, code, people[0], CHOICE)
    table = await play_to_end(database, code, people)
    record = await replay.record(database, table)
    assert [event["n"] for event in record["events"]] == list(range(1, len(record["events"]) + 1))
    assert [event["move"] for event in record["events"][:3] if event["type"] == "move"] == [ROLL, CHOICE]
    ones = [event for event in record["events"] if event.get("move") == ONES]
    assert len(ones) == 1
    await check_logs(database)


async def test_an_undone_move_sent_again_under_its_old_turn_is_stale_and_under_the_new_one_made(
    database: Database,
) -> None:
    code, (ana, _) = await started(database)
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)
    await act(database, code, ana, ONES)
    await moves.undo(database, code, ana.session, 5)
    assert type(await refused(database, code, ana, 4, ONES)) is StaleTurn
    made = await send(database, code, ana, 6, ONES, ScriptedDice())
    assert len(made.events) == 1
    assert await check_logs(database) == 7


async def test_a_throw_cannot_be_taken_back_and_ends_what_can(database: Database) -> None:
    code, (ana, bo) = await started(database)
    rolled = (await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)).table
    await refused_undo(database, code, ana, rolled.version, NothingToUndo)
    await act(database, code, ana, ONES)
    rolled = (await act(database, code, bo, ROLL, 1, 2, 3, 4, 6)).table
    await refused_undo(database, code, ana, rolled.version, NothingToUndo)
    await refused_undo(database, code, bo, rolled.version, NothingToUndo)


async def refused_undo(
    database: Database, code: str, person: Someone | None, version: int, kind: type[Refusal]
) -> None:
    before = await present(database, code)
    with pytest.raises(kind) as caught:
        await moves.undo(database, code, None if person is None else person.session, version)
    assert type(caught.value) is kind
    assert caught.value.snapshot == before
    assert await present(database, code) == before


async def test_undo_is_refused_to_everybody_else_and_at_another_version(database: Database) -> None:
    code, (ana, bo) = await started(database)
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)
    await act(database, code, ana, ONES)
    await refused_undo(database, code, None, 5, Unauthenticated)
    await refused_undo(database, code, await someone(database, "Cy"), 5, NotYourSeat)
    await refused_undo(database, code, bo, 5, NothingToUndo)
    for version in (-1, 0, 4, 6):
        await refused_undo(database, code, ana, version, NothingToUndo)
    with pytest.raises(NotFound):
        await moves.undo(database, "K7QMX2PA3D", ana.session, 5)
    assert (await moves.undo(database, code, ana.session, 5)).table.version == 6


async def test_undo_is_refused_before_the_start_after_the_end_and_twice(database: Database) -> None:
    ana = await someone(database, "Ana")
    opened = await seats.create(database, ana.guest, "yacht", {})
    await refused_undo(database, opened.code, ana, 1, NothingToUndo)
    code, people = await started(database, ("Ana",))
    await act(database, code, people[0], ROLL, 1, 2, 3, 4, 6)
    await act(database, code, people[0], ONES)
    await moves.undo(database, code, people[0].session, 4)
    await refused_undo(database, code, people[0], 4, NothingToUndo)
    await refused_undo(database, code, people[0], 5, NothingToUndo)
    table = await play_to_end(database, code, people)
    await refused_undo(database, code, people[0], table.version, Finished)


async def test_undo_twice_at_once_is_one_undo(database: Database) -> None:
    code, (ana, _) = await started(database)
    async with another(database) as second:
        for _ in range(5):
            if (await present(database, code)).version == 2:
                await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)
            scored = (await act(database, code, ana, ONES)).table
            answers = await asyncio.gather(
                *(moves.undo(one, code, ana.session, scored.version) for one in (database, second) * 4),
                return_exceptions=True,
            )
            done = [answer for answer in answers if isinstance(answer, moves.Made)]
            late = [answer for answer in answers if isinstance(answer, NothingToUndo)]
            assert (len(done), len(late)) == (1, 7)
            assert all(answer.snapshot is not None and answer.snapshot.version == scored.version + 1 for answer in late)
    await check_logs(database)


async def test_undo_and_the_next_ones_throw_at_once_never_both_happen(database: Database) -> None:
    code, (ana, bo) = await started(database)
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)
    async with another(database) as second:
        for _ in range(10):
            scored = (await act(database, code, ana, ONES)).table
            answers = await asyncio.gather(
                moves.undo(database, code, ana.session, scored.version),
                send(second, code, bo, scored.version, ROLL),
                return_exceptions=True,
            )
            done = [isinstance(answer, moves.Made) for answer in answers]
            assert sorted(done) == [False, True], answers
            assert isinstance(answers[done.index(False)], NothingToUndo | NotYourTurn)
            if done[1]:
                break
    await check_logs(database)


async def test_undo_takes_back_several_of_ones_own_moves_up_to_the_move_of_another(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    code, (ana, bo, _) = await started_sealed(database)
    start = await present(database, code)
    one = {"kind": "bid", "chips": [1]}
    first = await act(database, code, ana, one)
    assert (first.table.undo_seat, first.table.undo_from) == (0, start.version)
    second = await act(database, code, bo, one)
    await refused_undo(database, code, ana, second.table.version, NothingToUndo)
    back = await moves.undo(database, code, bo.session, second.table.version)
    assert back.table.state == first.table.state
    # what was mine before the other's move is not mine to take back again
    await refused_undo(database, code, ana, back.table.version, NothingToUndo)
    await check_logs(database)


async def test_an_undo_leaves_the_turn_of_those_who_choose_at_the_same_time(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    code, (ana, bo, _) = await started_sealed(database)
    turn = turn_of(await present(database, code), bo)
    bid = await act(database, code, ana, {"kind": "bid", "chips": [1]})
    await moves.undo(database, code, ana.session, bid.table.version)
    # Bo had his page open all the time; his question is the same
    made = await send(database, code, bo, turn, {"kind": "bid", "chips": [2]})
    assert len(made.events) == 1


async def test_random_games_with_undos_and_repeats_leave_logs_that_fold_to_the_state(database: Database) -> None:
    chance = random.Random(7)
    for game in range(3):
        code, people = await started(database, ("Ana", "Bo", "Cy")[: game + 1], first_player="random")
        while (table := await present(database, code)).status == "playing":
            undoer = None if table.undo_seat is None else people[table.undo_seat]
            if undoer is not None and chance.random() < 0.4:
                await moves.undo(database, code, undoer.session, table.version)
                continue
            seat = next(seated.seat for seated in table.seats if seated.asked_at is not None)
            raw = codec.data(random_move(table.game, table.state, seat, chance))
            turn = table.seated(seat).asked_at or 0
            made = await send(database, code, people[seat], turn, raw)
            if chance.random() < 0.2:
                assert (await send(database, code, people[seat], turn, raw, ScriptedDice())).table.version == (
                    made.table.version
                )
        rows = await queries.log_rows(database, table, 0)
        undone = [row for row in rows if row.undone]
        assert undone
        assert all(row.type == "move" for row in undone)
    await check_logs(database)
