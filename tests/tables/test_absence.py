"""People who are away: when others may decide, what comes of it, and that every seat is taken back."""

from __future__ import annotations

import asyncio

import pytest

from app.db.engine import Database
from app.tables import absence, moves, seats
from app.tables.dice import SystemDice
from app.tables.errors import Finished, NotAway, NotYourTurn, PlayedByBot, Refusal, TimeOver
from app.tables.snapshot import Snapshot
from tests.support.play import Someone, check_logs, present, send, someone, started
from tests.tables.turns import ROLL, act, turn_of

pytestmark = pytest.mark.anyio


async def clocked(database: Database, clock: str, *names: str) -> tuple[str, list[Someone]]:
    """Return a running Yacht table with a clock and its people, host first."""
    people = [await someone(database, name) for name in names]
    made = await seats.create(database, people[0].guest, "yacht", {"first_player": "host"}, clock=clock)
    for person in people[1:]:
        await seats.sit(database, made.code, person.guest)
    await seats.start(database, SystemDice(), made.code, people[0].guest)
    return made.code, people


async def is_there(database: Database, code: str, *people: Someone) -> None:
    """Have people present for an hour, and nobody else."""
    table = await present(database, code)
    await database.pool.execute("DELETE FROM presence WHERE table_id = $1", table.id)
    for person in people:
        await database.pool.execute(
            "INSERT INTO presence VALUES ($1, $2, 'test', now() + interval '1 hour')", table.id, person.guest.id
        )


async def pass_time(database: Database, code: str, seconds: float) -> None:
    """Let everything that was written about a table have happened so much earlier."""
    await database.pool.execute(
        "UPDATE seats SET asked_since = asked_since - $2, deadline = deadline - $2, seen_at = seen_at - $2"
        " WHERE table_id = (SELECT id FROM tables WHERE code = $1)".replace("$2", f"interval '{seconds} seconds'"),
        code,
    )


async def missing(database: Database, names: tuple[str, ...] = ("Ana", "Bo", "Cleo")) -> tuple[str, list[Someone]]:
    """Return a table whose first person is asked and has been away for more than a minute; the others are there."""
    code, people = await started(database, names)
    await is_there(database, code, *people[1:])
    await pass_time(database, code, 61)
    return code, people


async def refused(database: Database, code: str, person: Someone, seat: int, choice: absence.Choice) -> Refusal:
    before = await present(database, code)
    with pytest.raises(Refusal) as caught:
        await absence.decide(database, code, person.session, seat, choice)
    assert await present(database, code) == before
    return caught.value


async def test_others_may_decide_after_a_minute_away_on_ones_own_turn_and_not_before(database: Database) -> None:
    code, (_, bo) = await started(database)
    await is_there(database, code, bo)
    await pass_time(database, code, 58)
    assert isinstance(await refused(database, code, bo, 0, "stand_in"), NotAway)
    await pass_time(database, code, 3)
    made = await absence.decide(database, code, bo.session, 0, "stand_in")
    assert made.table.seated(0).bot == "normal"
    assert made.table.seated(0).player_id is not None
    await check_logs(database)


async def test_a_minute_counts_from_the_turn_and_from_when_somebody_was_last_seen(database: Database) -> None:
    code, (ana, bo) = await started(database)
    await is_there(database, code, bo)
    await pass_time(database, code, 100)
    await database.pool.execute("UPDATE seats SET seen_at = now() - interval '30 seconds' WHERE seat = 0")
    assert isinstance(await refused(database, code, bo, 0, "end"), NotAway)  # B32: away for 30 s only
    await is_there(database, code, ana, bo)
    await pass_time(database, code, 100)
    assert isinstance(await refused(database, code, bo, 0, "end"), NotAway)  # B33: here, and thinking
    await is_there(database, code, ana)
    assert isinstance(await refused(database, code, ana, 1, "end"), NotAway)  # not Bo's turn


async def test_nobody_decides_about_the_own_seat_a_free_one_or_from_outside(database: Database) -> None:
    code, (ana, bo, _) = await missing(database)
    assert isinstance(await refused(database, code, ana, 0, "end"), NotAway)
    assert isinstance(await refused(database, code, bo, 7, "end"), NotAway)
    stranger = await someone(database, "Zoe")
    assert (await refused(database, code, stranger, 0, "stand_in")).status == 403


async def test_a_stand_in_is_taken_back_with_one_click_and_the_bots_turn_is_over(database: Database) -> None:
    code, (ana, bo, _) = await missing(database)
    table = (await absence.decide(database, code, bo.session, 0, "stand_in")).table
    turn = table.seated(0).asked_at or 0
    with pytest.raises(PlayedByBot):
        await send(database, code, ana, turn, ROLL)
    back = await absence.come_back(database, code, ana.session)
    assert (back.table.seated(0).bot, back.table.seated(0).asked_at) == (None, back.table.version)
    assert await moves.move_bot(database, SystemDice(), table.id, 0, turn, ROLL) is None  # it thought too long
    assert not (await absence.come_back(database, code, ana.session)).changed
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 5)
    await check_logs(database)


async def test_the_game_ends_when_all_who_are_there_want_it(database: Database) -> None:
    code, (ana, bo, cleo) = await missing(database)
    made = await absence.decide(database, code, bo.session, 0, "end")
    assert (made.table.status, made.table.seated(1).vote) == ("playing", "end")
    await absence.decide(database, code, bo.session, 0, "wait")
    made = await absence.decide(database, code, cleo.session, 0, "end")
    assert made.table.status == "playing"
    made = await absence.decide(database, code, bo.session, 0, "end")
    assert (made.table.status, made.table.outcome) == ("abandoned", None)
    with pytest.raises(Finished):
        await send(database, code, ana, 1, ROLL)
    await check_logs(database)


async def test_who_is_away_too_does_not_count_in_the_vote(database: Database) -> None:
    code, (_, bo, _) = await missing(database)
    await is_there(database, code, bo)  # B42
    assert (await absence.decide(database, code, bo.session, 0, "end")).table.status == "abandoned"


async def test_who_goes_without_a_word_does_not_keep_the_others_from_ending(database: Database) -> None:
    code, (_, bo, _) = await missing(database)
    assert (await absence.decide(database, code, bo.session, 0, "end")).table.status == "playing"
    table = await present(database, code)
    assert await absence.conclude(database, table) is None  # Cleo is there and has not said so
    await is_there(database, code)
    assert await absence.conclude(database, await present(database, code)) is None  # nobody is there to want it
    await is_there(database, code, bo)
    again = await absence.decide(database, code, bo.session, 0, "end")  # the same button once more
    assert again.table.status == "abandoned"
    await check_logs(database)


async def test_the_server_ends_the_game_when_the_last_who_did_not_want_that_has_gone(database: Database) -> None:
    code, (_, bo, _) = await missing(database)
    await absence.decide(database, code, bo.session, 0, "end")
    await is_there(database, code, bo)
    ended = await absence.conclude(database, await present(database, code))
    assert ended is not None
    assert ended.status == "abandoned"
    assert (await present(database, code)).status == "abandoned"
    await check_logs(database)


async def test_whose_seat_a_bot_plays_does_not_decide_about_others(database: Database) -> None:
    code, (_, bo, _) = await missing(database)
    await absence.step_out(database, code, bo.session)
    await is_there(database, code, bo)
    assert isinstance(await refused(database, code, bo, 0, "end"), PlayedByBot)
    assert isinstance(await refused(database, code, bo, 0, "stand_in"), PlayedByBot)


async def test_all_who_are_late_and_there_are_asked_but_for_the_one_it_is_about(database: Database) -> None:
    people = [await someone(database, name) for name in ("Ana", "Bo", "Cleo")]
    made = await seats.create(database, people[0].guest, "vault", {}, clock="days-1")
    for person in people[1:]:
        await seats.sit(database, made.code, person.guest)
    await seats.start(database, SystemDice(), made.code, people[0].guest)
    await is_there(database, made.code, *people)
    await pass_time(database, made.code, 86_401)
    for seat in range(3):
        assert await absence.flag(database, await present(database, made.code), seat) is not None
    first = await absence.decide(database, made.code, people[0].session, 1, "end")
    assert first.table.status == "playing"  # Cleo is late, but she is there and would go on
    assert (await absence.decide(database, made.code, people[2].session, 1, "end")).table.status == "abandoned"


async def test_a_wish_to_end_is_forgotten_with_the_next_move(database: Database) -> None:
    code, (ana, bo, _) = await missing(database)
    await absence.decide(database, code, bo.session, 0, "end")
    made = await act(database, code, ana, ROLL, 1, 2, 3, 4, 5)
    assert made.table.seated(1).vote is None


async def test_two_who_want_to_end_at_once_end_it_once(database: Database) -> None:
    for _ in range(5):
        code, (_, bo, cleo) = await missing(database)
        both = await asyncio.gather(
            *(absence.decide(database, code, who.session, 0, "end") for who in (bo, cleo)), return_exceptions=True
        )
        assert (await present(database, code)).status == "abandoned", both
    await check_logs(database)


async def test_leaving_a_running_game_has_a_bot_stand_in_at_once(database: Database) -> None:
    code, (ana, _) = await started(database)
    made = await absence.step_out(database, code, ana.session)
    assert made.table.seated(0).bot == "normal"
    assert not (await absence.step_out(database, code, ana.session)).changed
    assert (await absence.come_back(database, code, ana.session)).table.seated(0).bot is None


async def test_the_only_person_who_leaves_ends_the_game(database: Database) -> None:
    host = await someone(database, "Ana")
    made = await seats.create(database, host.guest, "yacht", {"first_player": "host"})
    await seats.start(database, SystemDice(), made.code, host.guest, fill="easy")
    assert (await absence.step_out(database, made.code, host.session)).table.status == "abandoned"
    await check_logs(database)


# clocks


async def test_a_clock_gives_each_move_its_time_and_takes_what_is_more_out_of_the_reserve(database: Database) -> None:
    code, (ana, _) = await clocked(database, "live-20", "Ana", "Bo")
    table = await present(database, code)
    first, second = table.seats
    assert first.deadline == pytest.approx((first.asked_since or 0) + 140, abs=0.01)
    assert second.deadline is None
    await pass_time(database, code, 51)
    made = await act(database, code, ana, ROLL, 1, 2, 3, 4, 5)
    assert made.table.seated(0).reserve == pytest.approx(90, abs=1)  # 51 s less 20, less a second of credit
    assert made.table.seated(0).deadline == pytest.approx(made.table.at + 20 + 90, abs=1)
    await pass_time(database, code, 20)
    made = await act(database, code, ana, {"kind": "score", "category": "choice"})
    assert made.table.seated(0).reserve == pytest.approx(90, abs=1)
    assert made.table.seated(1).reserve == 120
    await check_logs(database)


@pytest.mark.parametrize("clock", ["live-45", "days-3"])
async def test_after_the_deadline_the_move_is_refused_and_the_flag_asks_anew(database: Database, clock: str) -> None:
    code, (ana, bo) = await clocked(database, clock, "Ana", "Bo")
    await is_there(database, code, ana, bo)
    table = await present(database, code)
    assert await absence.flag(database, table, 0) is None
    await pass_time(database, code, 3 * 86_400 + 1)
    turn = turn_of(table, ana)
    with pytest.raises(TimeOver):
        await send(database, code, ana, turn, ROLL)
    late = await present(database, code)
    flagged = await absence.flag(database, late, 0)
    assert flagged is not None
    assert await absence.flag(database, late, 0) is None  # once
    seated = (await present(database, code)).seated(0)
    assert (seated.flagged_at, seated.asked_at, seated.deadline) == (flagged.version, flagged.version, None)
    assert isinstance(await refused(database, code, ana, 1, "stand_in"), NotAway)
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 5)  # nobody has decided yet
    assert isinstance(await refused(database, code, bo, 0, "stand_in"), NotAway)
    await check_logs(database)


async def test_either_the_flag_or_the_move_is_in_the_log(database: Database) -> None:  # B36
    for _ in range(12):
        code, (ana, _) = await clocked(database, "days-1", "Ana", "Bo")
        table = await present(database, code)
        turn = turn_of(table, ana)
        await pass_time(database, code, 86_400 - 0.03)

        async def flag(code: str = code) -> Snapshot | None:
            for _ in range(40):
                if (done := await absence.flag(database, await present(database, code), 0)) is not None:
                    return done
            return None

        flagged, moved = await asyncio.gather(flag(), send(database, code, ana, turn, ROLL), return_exceptions=True)
        kinds = await database.pool.fetch(
            "SELECT type FROM table_events WHERE table_id = $1 AND type IN ('flag', 'move')", table.id
        )
        assert len(kinds) == 1, (flagged, moved)
    await check_logs(database)


async def test_a_live_clock_does_not_run_out_on_somebody_for_whom_nobody_waits(database: Database) -> None:
    code, (ana, _) = await clocked(database, "live-20", "Ana", "Bo")
    await is_there(database, code, ana)
    await pass_time(database, code, 1000)
    assert await absence.flag(database, await present(database, code), 0) is None
    await act(database, code, ana, ROLL, 1, 2, 3, 4, 5)


async def test_a_bot_has_no_deadline_and_its_person_a_fresh_one(database: Database) -> None:
    code, (ana, bo) = await clocked(database, "days-1", "Ana", "Bo")
    made = await absence.step_out(database, code, ana.session)
    assert made.table.seated(0).deadline is None
    back = (await absence.come_back(database, code, ana.session)).table
    assert back.seated(0).deadline == pytest.approx(back.at + 86_400, abs=1)
    with pytest.raises(NotYourTurn):
        await send(database, code, bo, back.version, ROLL)
