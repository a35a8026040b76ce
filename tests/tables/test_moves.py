"""Moves on a real database."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from app.db.engine import Database
from app.games.yacht.scoring import CATEGORIES
from app.tables import moves, players, queries, seats
from app.tables.errors import (
    Finished,
    NotFound,
    NotStarted,
    NotYourSeat,
    NotYourTurn,
    RefusedMove,
    StaleTurn,
    Unauthenticated,
)
from tests.support.dice import ScriptedDice
from tests.support.play import another, check_logs, play_to_end, present, send, someone, started
from tests.tables.sealed import register, started_sealed
from tests.tables.turns import CHOICE, ONES, ROLL, act, refused, turn_of

pytestmark = pytest.mark.anyio


async def test_a_whole_game_ends_with_a_log_without_gaps(database: Database) -> None:
    code, people = await started(database)
    table = await play_to_end(database, code, people)
    assert table.status == "finished"
    rows = await queries.log_rows(database, table, 0)
    assert [row.n for row in rows] == list(range(1, table.version + 1))
    assert await check_logs(database) == table.version


async def test_a_move_at_a_table_that_is_not_there_is_not_found(database: Database) -> None:
    ana = await someone(database, "Ana")
    with pytest.raises(NotFound):
        await send(database, "K7QMX2PA3D", ana, 0, ROLL)


async def test_who_is_not_known_or_does_not_sit_there_is_refused_before_turn_and_move_are_looked_at(
    database: Database,
) -> None:
    code, _ = await started(database)
    ghost = await someone(database, "Ghost")
    await database.pool.execute("UPDATE sessions SET expires_at = now() WHERE player_id = $1", ghost.guest.id)
    for person, kind in (
        (None, Unauthenticated),
        (ghost, Unauthenticated),
        (await someone(database, "Cy"), NotYourSeat),
    ):
        for turn, raw in ((2, ROLL), (0, ROLL), (2, {"kind": "nonsense"}), (-1, None)):
            assert type(await refused(database, code, person, turn, raw)) is kind


async def test_before_the_start_a_move_is_refused_as_not_started(database: Database) -> None:
    ana = await someone(database, "Ana")
    made = await seats.create(database, ana.guest, "yacht", {})
    for turn in (0, 1):
        refusal = await refused(database, made.code, ana, turn, ROLL)
        assert type(refusal) is NotStarted
        assert (refusal.status, refusal.code) == (409, "not_your_turn")


async def test_the_seat_that_is_not_asked_is_told_so_under_any_turn(database: Database) -> None:
    code, (_, bo) = await started(database)
    for turn in (-1, 0, 2, 3):
        refusal = await refused(database, code, bo, turn, ROLL)
        assert type(refusal) is NotYourTurn
        assert (refusal.status, refusal.code) == (409, "not_your_turn")


async def test_another_turn_than_the_present_one_is_stale_even_if_the_move_is_nonsense(database: Database) -> None:
    code, (ana, _) = await started(database)
    for turn, raw in ((1, ROLL), (3, ROLL), (-1, ROLL), (2**31 - 1, ROLL), (0, {"kind": "nonsense"}), (0, None)):
        refusal = await refused(database, code, ana, turn, raw)
        assert type(refusal) is StaleTurn
        assert (refusal.status, refusal.code) == (409, "stale_turn")


@pytest.mark.parametrize(
    "raw",
    [
        CHOICE,
        {"kind": "roll", "dice": [0]},
        {"kind": "roll", "dice": [0, 1, 2, 3, 3]},
        {"kind": "roll", "dice": [0, 1, 2, 3, 5]},
        {"kind": "roll", "dice": "01234"},
        {"kind": "roll", "dice": [0, 1, 2, 3, True]},
        {"kind": "roll", "dice": [0, 1, 2, 3, 4], "more": 1},
        {"kind": "roll"},
        {"kind": "fly"},
        {"kind": ["roll"]},
        {},
        None,
        [],
        "roll",
        float("nan"),
        {"kind": "\ud800"},
    ],
    ids=repr,
)
async def test_a_move_that_no_action_describes_is_illegal_and_changes_nothing(database: Database, raw: object) -> None:
    code, (ana, _) = await started(database)
    refusal = await refused(database, code, ana, 2, raw)
    assert type(refusal) is RefusedMove
    assert (refusal.status, refusal.code) == (422, "illegal_move")


async def test_after_the_end_every_new_move_is_refused_as_finished(database: Database) -> None:
    code, people = await started(database, ("Ana",))
    table = await play_to_end(database, code, people)
    for turn in (0, table.version):
        refusal = await refused(database, code, people[0], turn, ROLL)
        assert type(refusal) is Finished
        assert (refusal.status, refusal.code) == (409, "finished")


async def test_a_move_is_told_as_it_is_stored(database: Database) -> None:
    code, (ana, _) = await started(database)
    rolled = await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)
    assert [event.n for event in rolled.events] == [3, 4]
    assert rolled.table == await present(database, code)
    scored = await act(database, code, ana, CHOICE)
    assert scored.table == await present(database, code)
    assert scored.me == ana.guest.id
    assert await check_logs(database) == 5


async def test_the_same_move_under_the_same_turn_is_done_once_and_draws_no_dice_again(database: Database) -> None:
    code, (ana, _) = await started(database)
    first = await send(database, code, ana, 2, ROLL, ScriptedDice(1, 2, 3, 4, 6))
    again = await send(database, code, ana, 2, ROLL, ScriptedDice())
    assert again.events == ()
    assert again.table == first.table
    assert await check_logs(database) == first.table.version == 4


async def test_the_dice_of_a_repeated_move_may_come_in_another_order(database: Database) -> None:
    code, (ana, _) = await started(database)
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)
    await send(database, code, ana, 4, {"kind": "roll", "dice": [3, 1]}, ScriptedDice(5, 5))
    again = await send(database, code, ana, 4, {"kind": "roll", "dice": [1, 3]}, ScriptedDice())
    assert again.events == ()
    assert type(await refused(database, code, ana, 4, {"kind": "roll", "dice": [1]})) is StaleTurn


async def test_another_move_under_a_used_turn_is_stale(database: Database) -> None:
    code, (ana, _) = await started(database)
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)
    await send(database, code, ana, 4, {"kind": "roll", "dice": [0]}, ScriptedDice(2))
    for raw in (CHOICE, {"kind": "roll", "dice": [1]}, ROLL, {"kind": "nonsense"}, None):
        assert type(await refused(database, code, ana, 4, raw)) is StaleTurn


async def test_a_move_is_recognised_after_the_turn_has_passed_on_and_after_others_have_played(
    database: Database,
) -> None:
    code, (ana, bo) = await started(database)
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 6)
    await act(database, code, ana, CHOICE)
    for more in ((), (2, 2, 2, 2, 2)):
        if more:
            await act(database, code, bo, ROLL, *more)
        now = await present(database, code)
        for turn, raw in ((2, ROLL), (4, CHOICE)):
            again = await send(database, code, ana, turn, raw, ScriptedDice())
            assert again.events == ()
            assert again.table == now
        assert type(await refused(database, code, ana, 4, ONES)) is NotYourTurn
        # a turn is a seat's own: nobody repeats the move of another
        assert type(await refused(database, code, bo, 4, CHOICE)) in (NotYourTurn, StaleTurn)
    await check_logs(database)


async def test_the_last_move_is_recognised_after_the_end(database: Database) -> None:
    code, people = await started(database, ("Ana",))
    table = await play_to_end(database, code, people)
    last = [row for row in await queries.log_rows(database, table, 0) if row.type == "move"][-1]
    asked = await database.pool.fetchval("SELECT max(asked) FROM table_events WHERE table_id = $1", table.id)
    again = await send(database, code, people[0], asked, last.data["move"], ScriptedDice())
    assert again.events == ()
    assert again.table == table


async def test_twenty_equal_moves_at_once_by_two_workers_are_one_move(database: Database) -> None:
    code, (ana, _) = await started(database)
    turn = 2
    async with another(database) as second:
        for raw in (ROLL, {"kind": "roll", "dice": [0, 4]}, CHOICE):
            made = await asyncio.gather(
                *(send((database, second)[n % 2], code, ana, turn, raw) for n in range(20)),
            )
            done = [one for one in made if one.events]
            assert len(done) == 1
            assert {one.table.version for one in made} == {done[0].table.version}
            assert {one.table.state for one in made} == {done[0].table.state}
            turn = done[0].table.version
    assert await check_logs(database) == turn == 7


async def test_of_twenty_different_moves_at_once_one_is_made_and_the_others_see_it(database: Database) -> None:
    code, (ana, bo) = await started(database)
    rerolls = itertools.chain.from_iterable(itertools.combinations(range(5), size) for size in (1, 2))
    wanted: list[Any] = [{"kind": "score", "category": category} for category in CATEGORIES[:10]]
    wanted += [{"kind": "roll", "dice": list(dice)} for dice in itertools.islice(rerolls, 10)]
    async with another(database) as second:
        for person in (ana, bo):
            before = (await act(database, code, person, ROLL, 1, 2, 3, 4, 6)).table
            turn = turn_of(before, person)
            answers = await asyncio.gather(
                *(send((database, second)[n % 2], code, person, turn, raw) for n, raw in enumerate(wanted)),
                return_exceptions=True,
            )
            done = [answer for answer in answers if isinstance(answer, moves.Made)]
            late = [answer for answer in answers if isinstance(answer, StaleTurn | NotYourTurn)]
            assert (len(done), len(late)) == (1, 19)
            assert all(answer.snapshot is not None and answer.snapshot.version > before.version for answer in late)
            moved = [
                row for row in await queries.log_rows(database, done[0].table, before.version) if row.type == "move"
            ]
            assert len(moved) == 1
            if done[0].table.seated(0 if person is ana else 1).asked_at is not None:
                await act(database, code, person, CHOICE)
    await check_logs(database)


async def test_a_turn_is_renewed_by_ones_own_move_and_given_with_the_turn(database: Database) -> None:
    code, (ana, bo) = await started(database)
    asked = [[seated.asked_at for seated in (await present(database, code)).seats]]
    for person, raw, faces in ((ana, ROLL, (1,) * 5), (ana, CHOICE, ()), (bo, ROLL, (2,) * 5), (bo, CHOICE, ())):
        made = await act(database, code, person, raw, *faces)
        asked.append([seated.asked_at for seated in made.table.seats])
    assert asked == [[2, None], [4, None], [None, 5], [None, 7], [8, None]]


async def test_who_chooses_at_the_same_time_keeps_the_turn_while_others_act(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    code, (ana, bo, cy) = await started_sealed(database)
    table = await present(database, code)
    turn = turn_of(table, ana)
    assert [seated.asked_at for seated in table.seats] == [turn] * 3
    await send(database, code, ana, turn, {"kind": "bid", "chips": [1]})
    assert [seated.asked_at for seated in (await present(database, code)).seats] == [None, turn, turn]
    async with another(database) as second:
        await asyncio.gather(
            send(database, code, bo, turn, {"kind": "bid", "chips": [1, 2]}),
            send(second, code, cy, turn, {"kind": "bid", "chips": [3]}),
        )
    after = await present(database, code)
    assert after.version == turn + 6  # three bids, three dice
    # all are asked when the last die of the new round has been dealt, whoever was the last to bid
    assert {seated.asked_at for seated in after.seats} == {after.version}
    await check_logs(database)


async def test_a_session_that_ran_out_cannot_move_although_its_seat_is_there(database: Database) -> None:
    code, (ana, _) = await started(database)
    await database.pool.execute("UPDATE sessions SET expires_at = now() WHERE player_id = $1", ana.guest.id)
    assert await players.find_guest(database, ana.token) is None
    assert type(await refused(database, code, ana, 2, ROLL)) is Unauthenticated
