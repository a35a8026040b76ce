"""The log in words: the same lines for the same log, whenever and to whomever it is told."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.core import codec
from app.core.board import Line
from app.core.text import say
from app.db.engine import Database
from app.tables import chronicle, moves, seats
from app.tables.chronicle import UNDONE, Chronicle
from app.tables.dice import SystemDice
from app.tables.snapshot import Snapshot
from tests.support.dice import ScriptedDice
from tests.support.games import random_move
from tests.support.play import Someone, play_to_end, present, send, someone, started
from tests.tables.sealed import register, started_sealed

pytestmark = pytest.mark.anyio

ROLL = {"kind": "roll", "dice": [0, 1, 2, 3, 4]}


async def told(database: Database, table: Snapshot, viewer: int | None) -> tuple[tuple[int, Line], ...]:
    """Tell the whole log at once, by somebody who remembers nothing."""
    return await Chronicle(database).lines(table, viewer)


async def random_step(database: Database, code: str, people: list[Someone], chance: random.Random) -> moves.Made:
    """Make a random move or, sometimes, an undo."""
    table = await present(database, code)
    if table.undo_seat is not None and chance.random() < 0.4:
        return await moves.undo(database, code, people[table.undo_seat].session, table.version)
    seat = chance.choice([seated.seat for seated in table.seats if seated.asked_at is not None])
    raw = codec.data(random_move(table.game, table.state, seat, chance))
    return await send(database, code, people[seat], table.seated(seat).asked_at or 0, raw)


async def test_the_log_of_a_table_is_told_from_the_first_seat_on(database: Database) -> None:
    ana, bo = await someone(database, "Ana"), await someone(database, "Bo")
    code = (await seats.create(database, ana.guest, "yacht", {"first_player": "random"})).code
    await seats.sit(database, code, bo.guest)
    await seats.leave(database, code, bo.guest, 1)
    await seats.sit(database, code, bo.guest)
    await seats.start(database, ScriptedDice(2), code, ana.guest)
    await send(database, code, bo, 5, ROLL, ScriptedDice(1, 2, 3, 4, 6))
    await send(database, code, bo, 7, {"kind": "score", "category": "yacht"})
    lines = await told(database, await present(database, code), None)
    assert [(n, line.seat, line.text.key, line.number) for n, line in lines] == [
        (1, None, "{name} sits down", None),
        (2, None, "{name} sits down", None),
        (3, None, "{name} leaves", None),
        (4, None, "{name} sits down", None),
        (5, 1, "begins", None),
        (7, 1, "rolls {dice}", None),
        (8, 1, "strikes {row}", 0),
    ]


@pytest.mark.parametrize("seed", range(3))
async def test_lines_told_move_by_move_equal_those_told_at_once_also_over_undos(database: Database, seed: int) -> None:
    chance = random.Random(seed)
    code, people = await started(database, first_player="random")
    slow, handed = Chronicle(database), Chronicle(database)
    await handed.lines(await present(database, code), None)
    undos = 0
    while (before := await present(database, code)).status == "playing":
        made = await random_step(database, code, people, chance)
        undos += not made.events
        handed.extend(made.table, None, before.version, made.events)
        if chance.random() < 0.5 or made.table.over:
            whole = await told(database, made.table, None)
            assert await slow.lines(made.table, None) == whole
            assert await handed.lines(made.table, None) == whole
            assert await handed.lines(made.table, 1) == whole
    assert undos


async def test_what_was_undone_is_not_told_but_that_it_was_undone_is(database: Database) -> None:
    code, (ana, _) = await started(database)
    keeper = Chronicle(database)
    await send(database, code, ana, 2, ROLL, ScriptedDice(1, 2, 3, 4, 6))
    await send(database, code, ana, 4, {"kind": "score", "category": "ones"})
    assert [n for n, _ in await keeper.lines(await present(database, code), None)] == [1, 2, 4, 5]
    await moves.undo(database, code, ana.session, 5)
    lines = await keeper.lines(await present(database, code), None)
    assert [n for n, _ in lines] == [1, 2, 4, 6]
    assert lines[-1] == (6, Line(0, UNDONE))
    await send(database, code, ana, 6, {"kind": "score", "category": "choice"})
    lines = await keeper.lines(await present(database, code), None)
    assert lines == await told(database, await present(database, code), None)
    assert lines[-1] == (7, Line(0, say("scores {row}", row=say("choice")), 16))


async def test_an_older_table_is_told_as_it_was(database: Database) -> None:
    code, (ana, _) = await started(database)
    first = await present(database, code)
    await send(database, code, ana, 2, ROLL)
    keeper = Chronicle(database)
    newer = await keeper.lines(await present(database, code), None)
    assert await keeper.lines(first, None) == newer[:2]
    assert await keeper.lines(await present(database, code), None) == newer


def secrets(lines: tuple[tuple[int, Line], ...]) -> list[tuple[int | None, str, int | None]]:
    return [(line.seat, line.text.key, line.number) for _, line in lines if "{name}" not in line.text.key]


async def test_each_reader_is_told_only_what_their_seat_may_see_until_the_end(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    ana, bo = await someone(database, "Ana"), await someone(database, "Bo")
    code = (await seats.create(database, ana.guest, "sealed", {"quick": True})).code
    await seats.sit(database, code, bo.guest)
    await seats.start(database, ScriptedDice(3, 6), code, ana.guest)
    keeper = Chronicle(database)
    for viewer in (0, 1, None):
        await keeper.lines(await present(database, code), viewer)
    made = await send(database, code, ana, 4, {"kind": "bid", "chips": [2, 3]})
    for viewer in (0, 1, None):
        keeper.extend(made.table, viewer, 4, made.events)
    seen = {viewer: secrets(await keeper.lines(made.table, viewer)) for viewer in (0, 1, None)}
    assert seen[0] == [(None, "deals", 3), (None, "deals in secret", 0), (0, "bids", 5)]
    assert seen[1] == [(None, "deals in secret", 0), (None, "deals", 6), (0, "bids in secret", None)]
    assert seen[None] == [(None, "deals in secret", 0), (None, "deals in secret", 0), (0, "bids in secret", None)]
    for viewer in (0, 1, None):
        assert seen[viewer] == secrets(await told(database, made.table, viewer))
    last = await send(database, code, bo, 4, {"kind": "boast"})
    assert last.table.over
    for viewer in (0, 1, None):
        keeper.extend(last.table, viewer, 5, last.events)
        everything = secrets(await keeper.lines(last.table, viewer))
        assert everything == [(None, "deals", 3), (None, "deals", 6), (0, "bids", 5), (1, "bids", 7)]


async def test_lines_of_a_hidden_game_are_equal_told_at_once_and_move_by_move_for_every_reader(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    code, people = await started_sealed(database)
    keeper, chance = Chronicle(database), random.Random(3)
    while (table := await present(database, code)).status == "playing":
        for viewer in (0, 1, 2, None):
            assert await keeper.lines(table, viewer) == await told(database, table, viewer)
        await random_step(database, code, people, chance)
    whole = await told(database, table, None)
    for viewer in (0, 1, 2, None):
        assert await keeper.lines(table, viewer) == whole


async def test_only_so_many_stories_are_remembered_and_the_oldest_are_told_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chronicle, "_MOST_TABLES", 3)
    ana = await someone(database, "Ana")
    codes = [(await seats.create(database, ana.guest, "yacht", {})).code for _ in range(6)]
    keeper = Chronicle(database)
    first: dict[str, Any] = {}
    for code in codes:
        table = await present(database, code)
        first[code] = await keeper.lines(table, None)
        assert len(keeper._stories) <= 3
    for code in reversed(codes):
        assert await keeper.lines(await present(database, code), None) == first[code]
        assert len(keeper._stories) <= 3


async def test_a_finished_game_is_told_to_its_last_line(database: Database) -> None:
    code, people = await started(database, ("Ana",))
    keeper = Chronicle(database)
    await keeper.lines(await present(database, code), 0)
    table = await play_to_end(database, code, people)
    lines = await keeper.lines(table, 0)
    assert lines == await told(database, table, None)
    assert lines[-1][0] == table.version
    assert sum(line.text.key.startswith(("scores", "strikes")) for _, line in lines) == 12
    ana = people[0]
    again = await seats.rematch(database, code, ana.guest)
    await seats.start(database, SystemDice(), again.code, ana.guest)
    assert [n for n, _ in await keeper.lines(await present(database, again.code), 0)] == [1]
