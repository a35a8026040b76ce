"""Tables before and after a game: make, sit, leave, start, rematch, one at a time and all at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from app.db.engine import Database
from app.tables import codes, queries, seats
from app.tables.dice import SystemDice
from app.tables.errors import (
    AlreadyStarted,
    Invalid,
    NotEnoughPlayers,
    NotFound,
    NotHost,
    NotYourSeat,
    Refusal,
    TableFull,
)
from tests.support.dice import ScriptedDice
from tests.support.play import Someone, another, check_logs, names, opened, present, someone, started
from tests.tables.sealed import register

pytestmark = pytest.mark.anyio

NOWHERE = "K7QMX2PA3D"


def ids(people: Sequence[Someone]) -> list[str]:
    return [person.guest.id for person in people]


async def test_a_new_table_has_its_host_on_seat_0_and_is_unlisted(database: Database) -> None:
    ana = await someone(database, "Ana")
    made = await seats.create(database, ana.guest, "yacht", {"variant": "exercism"})
    table = await present(database, made.code)
    assert codes.clean_code(made.code) == made.code
    assert (table.id, table.status, table.version, table.visibility) == (made.table_id, "open", 1, "unlisted")
    assert table.host_id == ana.guest.id
    assert [(seated.seat, seated.player_id, seated.name) for seated in table.seats] == [(0, ana.guest.id, "Ana")]
    assert (table.options.variant, table.options.first_player) == ("exercism", "random")  # type: ignore[attr-defined]  # Yacht's options
    assert await check_logs(database) == 1


@pytest.mark.parametrize("slug", ["chess", "", "YACHT", "yacht ", "../yacht"])
async def test_a_table_for_an_unknown_game_is_refused_and_not_made(database: Database, slug: str) -> None:
    ana = await someone(database, "Ana")
    with pytest.raises(NotFound):
        await seats.create(database, ana.guest, slug, {})
    assert await database.pool.fetchval("SELECT count(*) FROM tables") == 0


@pytest.mark.parametrize(
    "options",
    [
        {"variant": "other"},
        {"variant": None},
        {"variant": True},
        {"colour": "red"},
        {"first_player": ["host"]},
        {"variant": "\ud800"},
        {"variant": float("inf")},
    ],
    ids=repr,
)
async def test_a_table_with_unknown_options_is_refused_and_not_made(
    database: Database, options: dict[str, object]
) -> None:
    ana = await someone(database, "Ana")
    with pytest.raises(Invalid):
        await seats.create(database, ana.guest, "yacht", options)
    assert await database.pool.fetchval("SELECT count(*) FROM tables") == 0


async def test_people_sit_in_order_and_who_sits_there_already_keeps_the_seat(database: Database) -> None:
    code, people = await opened(database, "Ana", "Bo", "Cy")
    before = await present(database, code)
    assert [(seated.seat, seated.player_id) for seated in before.seats] == list(enumerate(ids(people)))
    for person in people:
        again = await seats.sit(database, code, person.guest)
        assert (again.changed, again.code, again.table_id) == (False, code, before.id)
    assert await present(database, code) == before
    await check_logs(database)


async def test_a_seat_that_was_left_is_the_next_to_be_taken(database: Database) -> None:
    code, (_, bo, *_) = await opened(database, "Ana", "Bo", "Cy")
    await seats.leave(database, code, bo.guest, 1)
    dee = await someone(database, "Dee")
    await seats.sit(database, code, dee.guest)
    assert names(await present(database, code)) == ["Ana", "Dee", "Cy"]
    rows = await queries.log_rows(database, await present(database, code), 3)
    assert [(row.n, row.type, row.seat, row.data["name"], row.data["sits"]) for row in rows] == [
        (4, "seat", 1, "Bo", False),
        (5, "seat", 1, "Dee", True),
    ]


async def test_every_command_at_a_table_that_is_not_there_is_not_found(database: Database) -> None:
    ana = await someone(database, "Ana")
    for command in (
        seats.sit(database, NOWHERE, ana.guest),
        seats.leave(database, NOWHERE, ana.guest, 0),
        seats.start(database, SystemDice(), NOWHERE, ana.guest),
        seats.rematch(database, NOWHERE, ana.guest),
    ):
        with pytest.raises(NotFound):
            await command


async def test_after_the_start_nobody_sits_down_leaves_or_starts_again(database: Database) -> None:
    code, (ana, bo) = await started(database)
    before = await present(database, code)
    cy = await someone(database, "Cy")
    for command in (
        seats.sit(database, code, cy.guest),
        seats.leave(database, code, bo.guest, 1),
        seats.leave(database, code, ana.guest, 1),
        seats.start(database, SystemDice(), code, ana.guest),
    ):
        with pytest.raises(AlreadyStarted):
            await command
    assert (await seats.sit(database, code, bo.guest)).changed is False
    assert await present(database, code) == before


async def test_only_ones_own_seat_is_left_but_the_host_may_free_any(database: Database) -> None:
    code, (ana, bo, cy) = await opened(database, "Ana", "Bo", "Cy")
    before = await present(database, code)
    stranger = await someone(database, "Dee")
    refusals: list[tuple[Someone, int, type[Refusal]]] = [
        (bo, 0, NotYourSeat),
        (bo, 2, NotYourSeat),
        (stranger, 1, NotYourSeat),
        (ana, 3, NotFound),
        (ana, -1, NotFound),
        (ana, 2**31 - 1, NotFound),
    ]
    for person, seat, kind in refusals:
        with pytest.raises(kind):
            await seats.leave(database, code, person.guest, seat)
    assert await present(database, code) == before
    await seats.leave(database, code, ana.guest, 2)
    assert names(await present(database, code)) == ["Ana", "Bo"]
    assert (await seats.sit(database, code, cy.guest)).changed is True
    await check_logs(database)


async def test_the_host_passes_on_to_who_has_sat_longest(database: Database) -> None:
    code, (ana, bo, cy) = await opened(database, "Ana", "Bo", "Cy")
    await seats.leave(database, code, bo.guest, 1)
    await seats.sit(database, code, bo.guest)  # sits on a lower seat than Cy, but for a shorter time
    assert names(await present(database, code)) == ["Ana", "Bo", "Cy"]
    await seats.leave(database, code, ana.guest, 0)
    assert (await present(database, code)).host_id == cy.guest.id
    with pytest.raises(NotHost):
        await seats.start(database, SystemDice(), code, bo.guest)
    await seats.leave(database, code, cy.guest, 2)
    assert (await present(database, code)).host_id == bo.guest.id
    await seats.start(database, SystemDice(), code, bo.guest)
    assert (await present(database, code)).status == "playing"
    await check_logs(database)


async def test_the_host_does_not_change_when_another_leaves(database: Database) -> None:
    code, (ana, bo) = await opened(database, "Ana", "Bo")
    await seats.leave(database, code, bo.guest, 1)
    assert (await present(database, code)).host_id == ana.guest.id


async def test_who_sits_down_at_an_empty_table_is_its_host(database: Database) -> None:
    code, (ana,) = await opened(database, "Ana")
    await seats.leave(database, code, ana.guest, 0)
    empty = await present(database, code)
    assert (empty.host_id, empty.seats, empty.status) == (None, (), "open")
    with pytest.raises(NotHost):
        await seats.start(database, SystemDice(), code, ana.guest)
    bo, cy = await someone(database, "Bo"), await someone(database, "Cy")
    await asyncio.gather(*(seats.sit(database, code, person.guest) for person in (bo, cy)))
    table = await present(database, code)
    assert table.host_id == table.seats[0].player_id
    await check_logs(database)


async def test_bots_go_with_the_last_person_and_block_no_table_for_who_comes_later(database: Database) -> None:
    code, (ana,) = await opened(database, "Ana")
    for _ in range(9):
        await seats.add_bot(database, code, ana.guest, "easy")
    bo = await someone(database, "Bo")
    with pytest.raises(TableFull):
        await seats.sit(database, code, bo.guest)
    await seats.leave(database, code, ana.guest, 0)
    assert (await present(database, code)).seats == ()
    await seats.sit(database, code, bo.guest)
    assert (await present(database, code)).host_id == bo.guest.id
    await check_logs(database)


async def test_bots_stay_while_a_person_does(database: Database) -> None:
    code, (ana, bo) = await opened(database, "Ana", "Bo")
    await seats.add_bot(database, code, ana.guest, "hard")
    await seats.leave(database, code, ana.guest, 0)
    table = await present(database, code)
    assert (table.host_id, [seated.bot for seated in table.seats]) == (bo.guest.id, [None, "hard"])


async def test_names_are_unique_at_a_table_however_they_are_written(database: Database) -> None:
    written = ["Ana", "ana", "Ａｎａ", "  Ana  ", "ANA", "A\u0301na", "Ána"]  # full width on purpose
    code, _ = await opened(database, *written)
    assert names(await present(database, code)) == ["Ana", "ana 2", "Ａｎａ 3", "Ana 4", "ANA 5", "Ána", "Ána 2"]


async def test_ten_people_at_once_take_ten_seats_and_one_more_finds_the_table_full(database: Database) -> None:
    ana = await someone(database, "Ana")
    made = await seats.create(database, ana.guest, "yacht", {})
    others = [await someone(database, "Bo") for _ in range(9)]
    async with another(database) as second:
        changes = await asyncio.gather(
            *(seats.sit((database, second)[n % 2], made.code, one.guest) for n, one in enumerate(others))
        )
    assert all(change.changed for change in changes)
    table = await present(database, made.code)
    assert [seated.seat for seated in table.seats] == list(range(10))
    assert {seated.player_id for seated in table.seats} == {ana.guest.id, *ids(others)}
    assert len(set(names(table))) == 10
    eleventh = await someone(database, "Cy")
    with pytest.raises(TableFull):
        await seats.sit(database, made.code, eleventh.guest)
    assert (await seats.sit(database, made.code, others[0].guest)).changed is False
    await seats.leave(database, made.code, others[0].guest, table.seat_of(others[0].guest.id) or 0)
    assert (await seats.sit(database, made.code, eleventh.guest)).changed is True
    await check_logs(database)


async def test_of_twenty_people_at_once_exactly_as_many_sit_as_there_are_seats(database: Database) -> None:
    ana = await someone(database, "Ana")
    made = await seats.create(database, ana.guest, "yacht", {})
    others = [await someone(database, "Bo") for _ in range(20)]
    async with another(database) as second:
        answers = await asyncio.gather(
            *(seats.sit((database, second)[n % 2], made.code, one.guest) for n, one in enumerate(others)),
            return_exceptions=True,
        )
    assert sum(isinstance(answer, seats.Change) for answer in answers) == 9
    assert sum(isinstance(answer, TableFull) for answer in answers) == 11
    await check_logs(database)


async def test_one_person_sitting_down_many_times_at_once_has_one_seat(database: Database) -> None:
    code, _ = await opened(database, "Ana")
    bo = await someone(database, "Bo")
    async with another(database) as second:
        changes = await asyncio.gather(*(seats.sit(one, code, bo.guest) for one in (database, second) * 5))
    assert [change.changed for change in changes].count(True) == 1
    assert names(await present(database, code)) == ["Ana", "Bo"]
    await check_logs(database)


async def test_only_the_host_starts(database: Database) -> None:
    code, (_, bo) = await opened(database, "Ana", "Bo")
    for person in (bo, await someone(database, "Cy")):
        with pytest.raises(NotHost):
            await seats.start(database, ScriptedDice(), code, person.guest)
    assert (await present(database, code)).status == "open"


async def test_start_needs_the_minimum_of_the_game(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    ana, bo = await someone(database, "Ana"), await someone(database, "Bo")
    made = await seats.create(database, ana.guest, "sealed", {})
    with pytest.raises(NotEnoughPlayers):
        await seats.start(database, ScriptedDice(), made.code, ana.guest)
    assert (await present(database, made.code)).state is None
    await seats.sit(database, made.code, bo.guest)
    await seats.start(database, ScriptedDice(3, 6), made.code, ana.guest)
    table = await present(database, made.code)
    assert (table.status, table.players, table.state.dice) == ("playing", 2, (3, 6))
    await check_logs(database)


async def test_gaps_between_seats_are_closed_at_the_start(database: Database) -> None:
    code, people = await opened(database, "Ana", "Bo", "Cy", "Dee")
    await seats.leave(database, code, people[1].guest, 1)
    await seats.leave(database, code, people[0].guest, 0)
    await seats.start(database, ScriptedDice(), code, people[2].guest)
    table = await present(database, code)
    assert [(seated.seat, seated.name) for seated in table.seats] == [(0, "Cy"), (1, "Dee")]
    assert table.players == 2
    assert [seated.asked_at for seated in table.seats] == [table.version, None]
    assert table.started_at is not None
    await check_logs(database)


async def test_the_draw_of_the_first_player_is_in_the_log_and_asks_the_drawn_seat(database: Database) -> None:
    people = [await someone(database, name) for name in ("Ana", "Bo", "Cy")]
    made = await seats.create(database, people[0].guest, "yacht", {"first_player": "random"})
    for person in people[1:]:
        await seats.sit(database, made.code, person.guest)
    await seats.start(database, ScriptedDice(2), made.code, people[0].guest)
    table = await present(database, made.code)
    assert table.version == 4
    assert [seated.asked_at for seated in table.seats] == [None, 4, None]
    await check_logs(database)


async def test_start_many_times_at_once_begins_one_game(database: Database) -> None:
    people = [await someone(database, name) for name in ("Ana", "Bo")]
    made = await seats.create(database, people[0].guest, "yacht", {"first_player": "random"})
    await seats.sit(database, made.code, people[1].guest)
    async with another(database) as second:
        answers = await asyncio.gather(
            *(seats.start(one, SystemDice(), made.code, people[0].guest) for one in (database, second) * 4),
            return_exceptions=True,
        )
    assert sum(isinstance(answer, seats.Change) for answer in answers) == 1
    assert sum(isinstance(answer, AlreadyStarted) for answer in answers) == 7
    assert await check_logs(database) == 3


async def test_start_and_sit_at_once_leave_nobody_half_seated(database: Database) -> None:
    async with another(database) as second:
        for _ in range(10):
            code, (ana, _) = await opened(database, "Ana", "Bo")
            cy = await someone(database, "Cy")
            answers = await asyncio.gather(
                seats.start(database, SystemDice(), code, ana.guest),
                seats.sit(second, code, cy.guest),
                return_exceptions=True,
            )
            table = await present(database, code)
            assert isinstance(answers[0], seats.Change)
            assert isinstance(answers[1], seats.Change | AlreadyStarted)
            assert table.players == len(table.seats) == (3 if isinstance(answers[1], seats.Change) else 2)
    await check_logs(database)
