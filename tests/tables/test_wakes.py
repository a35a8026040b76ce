"""When the server must look at a table again: no deadline, arrival or absence is lost, whoever writes meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core import codec
from app.db.engine import Database
from app.tables import absence, clocks, moves, seats, wakes
from app.tables.dice import SystemDice
from app.tables.queries import load_by_id
from app.tables.snapshot import Snapshot
from app.tables.writes import note, with_seats, write
from tests.support.play import Someone, check_logs, present, someone
from tests.tables.test_absence import is_there, pass_time

pytestmark = pytest.mark.anyio


async def all_asked(database: Database, clock: str, *names: str) -> tuple[str, list[Someone]]:
    """Return a running table at which everybody is asked at once."""
    people = [await someone(database, name) for name in names]
    made = await seats.create(database, people[0].guest, "vault", {}, clock=clock)
    for person in people[1:]:
        await seats.sit(database, made.code, person.guest)
    await seats.start(database, SystemDice(), made.code, people[0].guest)
    await is_there(database, made.code, *people)
    return made.code, people


async def wakes_in(database: Database, code: str) -> float | None:
    """Return in how many seconds a table is looked at; None: never by itself."""
    found: float | None = await database.pool.fetchval(
        "SELECT extract(epoch FROM wake_at - now())::float8 FROM tables WHERE code = $1", code
    )
    return found


async def test_a_deadline_that_is_over_is_not_forgotten_when_another_seat_is_flagged(database: Database) -> None:
    code, _ = await all_asked(database, "days-1", "Ana", "Bo", "Cleo")
    await pass_time(database, code, 86_401)
    for seat in range(3):
        flagged = await absence.flag(database, await present(database, code), seat)
        assert flagged is not None
        wake = await wakes_in(database, code)
        assert (wake is None) == (seat == 2), "who is late as well must be flagged too"
        assert wake is None or wake <= 0
    await check_logs(database)


async def test_a_move_of_somebody_else_between_deadline_and_flag_does_not_lose_the_flag(database: Database) -> None:
    code, (_, bo) = await all_asked(database, "days-1", "Ana", "Bo")
    await pass_time(database, code, 86_401)
    await database.pool.execute("UPDATE seats SET deadline = now() + interval '1 hour' WHERE seat = 1")
    table = await present(database, code)
    move = table.actions(1)[-1].move
    await moves.move(
        database, SystemDice(), code, bo.session, table.seated(1).asked_at or 0, lambda _: codec.data(move)
    )
    wake = await wakes_in(database, code)
    assert wake is not None
    assert wake <= 0


async def test_what_sets_a_wake_between_reading_and_writing_is_kept(database: Database) -> None:
    code, _ = await all_asked(database, "none", "Ana", "Bo")
    table = await present(database, code)  # both are there: nothing to do by itself
    assert clocks.next_wake(table) is None
    # meanwhile somebody closes their page, and with that the minute begins
    await database.pool.execute("UPDATE tables SET wake_at = now() + interval '60 seconds' WHERE code = $1", code)
    after = _noted(table)
    assert await write(database.pool, table, after, [note(after.version, "vote", 0, vote="wait")])
    wake = await wakes_in(database, code)
    assert wake is not None
    assert 50 < wake <= 60
    # and the next write, which has seen that time, may set it anew
    table = await present(database, code)
    assert await write(database.pool, table, _noted(table), [note(table.version + 1, "vote", 0, vote="wait")])
    assert await wakes_in(database, code) is None


def _noted(table: Snapshot) -> Snapshot:
    return replace(table, version=table.version + 1, seats=with_seats(table, {}))


async def test_a_clock_that_starts_again_has_the_table_looked_at(database: Database) -> None:
    code, _ = await all_asked(database, "live-20", "Ana", "Bo")
    table = await present(database, code)
    await database.pool.execute("UPDATE tables SET wake_at = NULL WHERE code = $1", code)
    await wakes.start_clock(database, table, 0)
    wake = await wakes_in(database, code)
    assert wake is not None
    assert wake <= 0
    assert (await load_by_id(database, table.id)).seated(0).deadline is not None
