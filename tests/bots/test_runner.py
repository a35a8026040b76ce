"""The loop that lets bots move and flags fall, and the process it thinks in."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from app.bots import thinker
from app.bots.runner import Runner, question
from app.bots.thinker import Failure, Thinker
from app.core import codec
from app.core.bot import any_move
from app.db.engine import Database
from app.tables import absence, clocks, seats, wakes
from app.tables.dice import SystemDice
from app.tables.moves import Made
from tests.support.play import Someone, another, check_logs, present, send, someone, until
from tests.tables.test_absence import clocked, is_there, pass_time

pytestmark = pytest.mark.anyio


async def against_bots(database: Database, *levels: str, game: str = "yacht") -> tuple[str, Someone]:
    """Return a running table of one person, who is there and first, and bots."""
    host = await someone(database, "Ana")
    options = {"first_player": "host"} if game == "yacht" else {}
    made = await seats.create(database, host.guest, game, options)
    for level in levels:
        await seats.add_bot(database, made.code, host.guest, level)
    await seats.start(database, SystemDice(), made.code, host.guest)
    await is_there(database, made.code, host)
    return made.code, host


class Told:
    """What a runner told: tables it changed, and tables that only look different."""

    def __init__(self) -> None:
        self.made: list[Made] = []
        self.changed: list[int] = []
        self.some = asyncio.Event()

    async def hear(self, made: Made) -> None:
        self.made.append(made)
        self.some.set()

    def see(self, table_id: int) -> None:
        self.changed.append(table_id)
        self.some.set()


@asynccontextmanager
async def running(database: Database, mind: Thinker | None = None) -> AsyncIterator[Told]:
    """Run a runner that looks again whenever it has changed something, as the service has it."""
    told = Told()

    async def hear(made: Made) -> None:
        await told.hear(made)
        wake = clocks.next_wake(made.table)
        if wake is not None:
            runner.look(wake - made.table.at)

    runner = Runner(database, SystemDice(), hear, told.see, mind)
    task = asyncio.create_task(runner.run())
    try:
        yield told
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await runner.close()


async def play_for(database: Database, code: str, person: Someone) -> None:
    """Make one move for a person, any that is legal."""
    table = await present(database, code)
    seat = table.seat_of(person.guest.id) or 0
    move = any_move(table.actions(seat), random.Random(table.version))
    await send(database, code, person, table.seated(seat).asked_at or 0, codec.data(move))


async def to_the_bot(database: Database, code: str, person: Someone) -> float:
    """Play until the bot of seat 1 is asked; when that was, by the database's clock."""
    while (table := await present(database, code)).seated(1).asked_at is None:
        await play_for(database, code, person)
    return table.seated(1).asked_since or 0.0


async def test_a_bot_moves_between_0_6_and_2_seconds_after_it_is_due_and_its_turn_ends(database: Database) -> None:
    code, ana = await against_bots(database, "hard")
    asked = await to_the_bot(database, code, ana)
    async with running(database) as told:
        await until(lambda: _is_asked(database, code, 0), 20)
    took = [made.table.at - asked for made in told.made[:1]]  # `at` is when its table was read, just before the commit
    assert all(each >= 0.6 for each in took), took
    gaps = [after.table.at - before.table.at for before, after in zip(told.made, told.made[1:], strict=False)]
    assert all(gap >= 0.6 for gap in gaps), gaps
    assert len(told.made) >= 2  # it rolls, and it scores
    await check_logs(database)


async def _is_asked(database: Database, code: str, seat: int) -> bool:
    return (await present(database, code)).seated(seat).asked_at is not None


async def test_nobody_there_no_bot_moves_and_whoever_comes_finds_it_awake(database: Database) -> None:
    code, ana = await against_bots(database, "easy")
    await to_the_bot(database, code, ana)
    table = await present(database, code)
    await is_there(database, code)
    await pass_time(database, code, 5)
    async with running(database) as told:
        await until(lambda: _wakes_late(database, table.id), 20)
        assert not told.made
        await is_there(database, code, ana)
        await database.pool.execute("UPDATE tables SET wake_at = now()")  # as presence does when somebody comes
        await until(lambda: _has_made(told), 20)


async def test_with_days_for_a_move_bots_play_on_for_who_has_closed_the_page(database: Database) -> None:
    code, (ana, bo) = await clocked(database, "days-1", "Ana", "Bo")
    await absence.step_out(database, code, ana.session)
    await is_there(database, code)
    async with running(database):
        await until(lambda: _is_asked(database, code, 1), 20)
    # with nobody left who plays, the bots stand still
    await absence.step_out(database, code, bo.session)
    table = await present(database, code)
    async with running(database) as told:
        await until(lambda: _wakes_late(database, table.id), 20)
    assert not told.made
    await check_logs(database)


async def _wakes_late(database: Database, table_id: int) -> bool:
    return bool(
        await database.pool.fetchval("SELECT wake_at > now() + interval '20 s' FROM tables WHERE id = $1", table_id)
    )


async def _has_made(told: Told) -> bool:
    return bool(told.made)


class Broken(Thinker):
    """Answers as it was told to, instead of thinking."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        super().__init__()
        self._answer = answer

    async def ask(self, question: dict[str, Any]) -> Any:  # it does not listen
        return self._answer()


def _fails() -> Any:
    raise Failure("broke its leg")


@pytest.mark.parametrize(
    "answer",
    [_fails, lambda: {"kind": "fly"}, lambda: None, lambda: {"kind": "score", "category": "ones"}],
    ids=["fails", "nonsense", "nothing", "not now"],
)
async def test_a_broken_bot_is_replaced_by_a_legal_move_and_the_log_says_so(
    database: Database, answer: Callable[[], Any]
) -> None:
    code, ana = await against_bots(database, "normal")
    await to_the_bot(database, code, ana)
    async with running(database, Broken(answer)) as told:
        await until(lambda: _has_made(told), 20)
    kinds = [row["type"] for row in await database.pool.fetch("SELECT type FROM table_events ORDER BY table_id, seq")]
    at = kinds.index("fault")
    assert kinds[at + 1] == "move"
    await check_logs(database)


async def test_a_worker_that_died_with_a_table_in_hand_delays_it_by_its_lease(database: Database) -> None:
    code, ana = await against_bots(database, "easy")
    await to_the_bot(database, code, ana)
    await pass_time(database, code, 2)
    await database.pool.execute("UPDATE tables SET wake_at = now()")
    assert len(await wakes.claim(database, 5)) == 1  # and dies
    assert await wakes.claim(database, 5) == []
    await database.pool.execute("UPDATE tables SET wake_at = wake_at - interval '5 seconds'")
    async with running(database) as told:
        await until(lambda: _has_made(told), 20)


async def test_of_two_workers_each_takes_other_tables_and_each_move_is_made_once(database: Database) -> None:
    codes = []
    for _ in range(4):
        code, ana = await against_bots(database, "easy")
        await to_the_bot(database, code, ana)
        codes.append(code)
    await database.pool.execute("UPDATE tables SET wake_at = now()")
    async with another(database) as second:
        taken = await asyncio.gather(wakes.claim(database, 2), wakes.claim(second, 2))
        ids = [claimed.table_id for claims in taken for claimed in claims]
        assert len(ids) == len(set(ids)) == 4
        await database.pool.execute("UPDATE tables SET wake_at = now()")
        async with running(database), running(second):
            for code in codes:
                await until(lambda code=code: _is_asked(database, code, 0), 20)  # type: ignore[misc]  # the loop's variable is bound now
    await check_logs(database)


async def test_the_deadline_is_noticed_without_anybody_doing_anything(database: Database) -> None:
    code, people = await clocked(database, "days-2", "Ana", "Bo")
    await is_there(database, code, *people)
    await pass_time(database, code, 2 * 86_400 - 0.4)
    async with running(database) as told:
        await until(lambda: _has_made(told), 20)
    seated = told.made[0].table.seated(0)
    assert seated.flagged_at == seated.asked_at == told.made[0].table.version


async def test_an_absence_is_shown_when_its_minute_is_over(database: Database) -> None:
    code, (_, bo) = await clocked(database, "none", "Ana", "Bo")
    await is_there(database, code, bo)
    await pass_time(database, code, 59.5)
    async with running(database) as told:
        await asyncio.wait_for(told.some.wait(), 10)
    assert told.changed == [(await present(database, code)).id]
    await absence.decide(database, code, bo.session, 0, "stand_in")


async def test_a_live_clock_stands_still_alone_and_starts_afresh_when_somebody_comes(database: Database) -> None:
    code, (ana, bo) = await clocked(database, "live-20", "Ana", "Bo")
    await is_there(database, code, ana)
    await pass_time(database, code, 200)
    async with running(database):
        await until(lambda: _deadline_is(database, code, there=False), 20)
        await is_there(database, code, ana, bo)
        await database.pool.execute("UPDATE tables SET wake_at = now()")
        await until(lambda: _deadline_is(database, code, there=True), 20)
    table = await present(database, code)
    assert table.seated(0).deadline == pytest.approx(table.at + 140, abs=5)
    assert table.seated(0).flagged_at is None


async def _deadline_is(database: Database, code: str, *, there: bool) -> bool:
    return ((await present(database, code)).seated(0).deadline is not None) == there


async def test_downtime_is_charged_to_nobody_and_the_log_says_so(database: Database) -> None:
    code, _ = await clocked(database, "days-1", "Ana", "Bo")
    before = await present(database, code)
    assert await wakes.beat(database) is None
    assert await wakes.beat(database) is None
    await database.pool.execute("UPDATE heartbeats SET at = at - interval '1 hour'")
    async with another(database) as second:  # both come up at once; one gives it back
        gaps = await asyncio.gather(wakes.beat(database), wakes.beat(second))
    assert sorted(gap is None for gap in gaps) == [False, True]
    after = await present(database, code)
    assert after.seated(0).deadline == pytest.approx((before.seated(0).deadline or 0) + 3600, abs=2)
    assert after.version == before.version + 1
    assert await database.pool.fetchval("SELECT type FROM table_events ORDER BY seq DESC LIMIT 1") == "clock"
    await check_logs(database)


# the process that thinks


async def test_the_process_answers_with_a_move_as_the_bot_chooses_it(database: Database) -> None:
    code, _ = await against_bots(database, "hard")
    table = await present(database, code)
    mind = Thinker()
    asked = {**question(table, 0), "level": "hard", "seed": 7}
    try:
        assert await mind.ask(asked) == {"kind": "roll", "dice": [0, 1, 2, 3, 4]}
    finally:
        await mind.close()


async def test_a_process_that_dies_or_hangs_is_a_failure_and_the_next_question_finds_a_sound_one(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _ = await against_bots(database, "easy")
    asked = {**question(await present(database, code), 0), "level": "easy"}
    mind = Thinker()
    try:
        assert await mind.ask(asked)
        process = mind._process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)
        monkeypatch.setattr(thinker, "WALL", 0.3)
        with pytest.raises(Failure, match="in time"):
            await mind.ask(asked)
        monkeypatch.undo()
        assert await mind.ask(asked)
        assert mind._process is not None
        mind._process.kill()
        await mind._process.wait()
        assert await mind.ask(asked)
        with pytest.raises(Failure, match="KeyError"):
            await mind.ask({})
    finally:
        await mind.close()


def test_a_decision_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def think(_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(thinker, "_decide", think)
    monkeypatch.setattr(thinker, "CPU", 0.2)
    before = signal.signal(signal.SIGPROF, thinker._too_long)
    try:
        assert "longer" in thinker.answer({})["failed"]
    finally:
        signal.signal(signal.SIGPROF, before)
