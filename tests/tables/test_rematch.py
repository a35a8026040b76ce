"""Rematches and lists of tables, on a real database."""

from __future__ import annotations

import asyncio

import pytest

from app.db.engine import Database
from app.tables import moves, players, queries, seats
from app.tables.dice import SystemDice
from app.tables.errors import (
    NotFinished,
    NotYourSeat,
)
from app.tables.snapshot import Snapshot
from tests.support.play import Someone, another, check_logs, names, opened, play_to_end, present, someone, started

pytestmark = pytest.mark.anyio


async def finished(database: Database, *people: str) -> tuple[str, list[Someone], Snapshot]:
    code, seated = await started(database, people, variant="exercism")
    return code, seated, await play_to_end(database, code, seated)


async def test_a_rematch_is_refused_before_the_end_and_to_who_did_not_play(database: Database) -> None:
    code, (ana, _) = await started(database)
    cy = await someone(database, "Cy")
    with pytest.raises(NotFinished):
        await seats.rematch(database, code, ana.guest)
    with pytest.raises(NotYourSeat):
        await seats.rematch(database, code, cy.guest)
    waiting, (dee,) = await opened(database, "Dee")
    with pytest.raises(NotFinished):
        await seats.rematch(database, waiting, dee.guest)
    assert await database.pool.fetchval("SELECT count(*) FROM tables") == 2


async def test_everybody_who_asks_for_a_rematch_at_once_comes_to_the_same_table(database: Database) -> None:
    code, people, old = await finished(database, "Ana", "Bo", "Cy")
    async with another(database) as second:
        changes = await asyncio.gather(
            *(seats.rematch((database, second)[n % 2], code, one.guest) for n, one in enumerate(people * 3))
        )
    assert len({change.code for change in changes}) == 1
    assert [change.changed for change in changes].count(True) == 1
    new = await present(database, changes[0].code)
    first = people[[change.changed for change in changes].index(True) % 3]
    assert new.host_id == first.guest.id
    assert (new.status, new.options, new.slug, new.visibility) == ("open", old.options, old.slug, old.visibility)
    assert [(seated.seat, seated.name) for seated in new.seats] == [(0, "Bo"), (1, "Cy"), (2, "Ana")]
    assert (await present(database, code)).rematch == new.code
    assert (await seats.sit(database, new.code, people[0].guest)).changed is False
    await seats.start(database, SystemDice(), new.code, first.guest)
    await check_logs(database)


async def test_the_rematch_is_found_again_after_it_has_begun_and_has_a_rematch_of_its_own(database: Database) -> None:
    code, (ana,), _ = await finished(database, "Ana")
    second = await seats.rematch(database, code, ana.guest)
    await seats.start(database, SystemDice(), second.code, ana.guest)
    assert await seats.rematch(database, code, ana.guest) == seats.Change(second.table_id, second.code, changed=False)
    await play_to_end(database, second.code, [ana])
    third = await seats.rematch(database, second.code, ana.guest)
    assert third.changed is True
    assert third.code not in (code, second.code)
    assert (await seats.rematch(database, code, ana.guest)).code == second.code


async def test_who_took_another_name_after_the_end_has_it_at_the_rematch(database: Database) -> None:
    code, (ana, bo), _ = await finished(database, "Ana", "Bo")
    await players.rename(database, ana.guest.id, "Zoe")
    assert names(await present(database, code)) == ["Ana", "Bo"]
    made = await seats.rematch(database, code, bo.guest)
    assert names(await present(database, made.code)) == ["Bo", "Zoe"]


async def test_a_table_by_link_is_in_the_list_of_nobody_who_does_not_sit_there(database: Database) -> None:
    code, (ana, bo) = await opened(database, "Ana", "Bo")
    stranger = await someone(database, "Cy")
    assert await queries.tables_of(database, stranger.guest.id) == []
    assert [table.code for table in await queries.tables_of(database, bo.guest.id)] == [code]
    await seats.leave(database, code, bo.guest, 1)
    assert await queries.tables_of(database, bo.guest.id) == []
    assert [table.code for table in await queries.tables_of(database, ana.guest.id)] == [code]


async def test_my_tables_are_listed_with_my_turn_first_and_finished_ones_last(database: Database) -> None:
    over, (ana,), _ = await finished(database, "Ana")
    bo = await someone(database, "Bo")
    waiting = (await seats.create(database, ana.guest, "yacht", {"first_player": "host"})).code
    mine = (await seats.create(database, ana.guest, "yacht", {"first_player": "host"})).code
    await seats.start(database, SystemDice(), mine, ana.guest)
    his = (await seats.create(database, bo.guest, "yacht", {"first_player": "host"})).code
    await seats.sit(database, his, ana.guest)
    await seats.start(database, SystemDice(), his, bo.guest)
    await moves.move(database, SystemDice(), his, bo.session, 2, lambda _: {"kind": "roll", "dice": [0, 1, 2, 3, 4]})
    assert [table.code for table in await queries.tables_of(database, ana.guest.id)] == [mine, his, waiting, over]
