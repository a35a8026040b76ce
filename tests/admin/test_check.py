"""`check` finds each kind of damage, at the table that has it, and nothing at the others."""

from __future__ import annotations

import asyncpg
import pytest

from app.db.engine import Database, connect
from app.tables.check import check
from app.tables.codes import code_mark
from tests.support.play import Someone, opened, play_to_end, present, send, started

pytestmark = pytest.mark.anyio

ROLL = {"kind": "roll", "dice": [0, 1, 2, 3, 4]}
DAMAGE = {
    "UPDATE table_events SET seq = 99 WHERE table_id = $1 AND seq = 4": "event 4 is missing",
    "DELETE FROM table_events WHERE table_id = $1 AND seq = 3": "event 3 is missing",
    "DELETE FROM table_events WHERE table_id = $1 AND seq = 4": "the version is 4, but there are 3 events",
    "UPDATE tables SET version = 5 WHERE id = $1": "the version is 5, but there are 4 events",
    "UPDATE tables SET state = jsonb_set(state, '{rolls_used}', '2') WHERE id = $1": "state",
    "UPDATE tables SET state = '{}' WHERE id = $1": "required",
    "UPDATE tables SET options = '[]' WHERE id = $1": "",
    "UPDATE tables SET game = 'chess' WHERE id = $1": "no rules 1 of such a game",
    "UPDATE tables SET rules = 99 WHERE id = $1": "no rules 99",
    "UPDATE tables SET status = 'finished' WHERE id = $1": "outcome",
    "UPDATE seats SET asked_at = NULL WHERE table_id = $1": "other seats are asked",
    "UPDATE seats SET asked_at = 4 WHERE table_id = $1": "other seats are asked",
    "UPDATE table_events SET data = '[1]' WHERE table_id = $1 AND seq = 3": "event 3: not the shape of a move",
    "UPDATE table_events SET data = '{}' WHERE table_id = $1 AND seq = 1": "event 1: not the shape of a seat",
    'UPDATE table_events SET data = \'{"move": {"kind": "fly"}}\' WHERE table_id = $1 AND seq = 3': "event 3: ",
    "UPDATE table_events SET data = data || '{\"faces\": [9, 9, 9, 9, 9]}' WHERE table_id = $1 AND seq = 4": "event 4: ",
    "UPDATE table_events SET undone = true WHERE table_id = $1 AND seq = 3": "event 4: a roll",
    "UPDATE table_events SET seat = 1 WHERE table_id = $1 AND seq = 3": "event 3: illegal move",
    "UPDATE tables SET players = NULL WHERE id = $1": "there is a game before the start",
}


async def faults(url: str) -> dict[int, str | None]:
    connection = await connect(url)
    try:
        return {number: fault async for number, _, fault in check(connection)}
    finally:
        await connection.close()


async def rolled(database: Database) -> tuple[str, list[Someone]]:
    code, people = await started(database)
    await send(database, code, people[0], 2, ROLL)
    return code, people


async def test_whole_tables_of_each_kind_have_no_fault(database: Database) -> None:
    await opened(database, "Ana")
    await rolled(database)
    code, people = await started(database)
    await play_to_end(database, code, people)
    found = await faults(database.url)
    assert list(found.values()) == [None] * 3


@pytest.mark.parametrize(("damage", "reason"), DAMAGE.items())
async def test_damage_is_found_where_it_is(database: Database, damage: str, reason: str) -> None:
    (broken, _), (whole, _) = await rolled(database), await rolled(database)
    numbers = [(await present(database, code)).id for code in (broken, whole)]
    await database.pool.execute(damage, numbers[0])
    found = await faults(database.url)
    assert found.pop(numbers[1]) is None
    assert reason in str(found[numbers[0]])
    assert found[numbers[0]] is not None


async def test_the_command_prints_one_line_for_each_broken_table_and_fails(
    database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import asyncio

    from app.admin.__main__ import main

    (first, _), _, (last, _) = [await rolled(database) for _ in range(3)]
    numbers = [(await present(database, code)).id for code in (first, last)]
    await database.pool.execute("UPDATE tables SET version = 9 WHERE id = ANY($1)", numbers)
    monkeypatch.setenv("KNOBEL_DATABASE_URL", database.url)
    assert await asyncio.to_thread(main, ["check"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out == [
        f"table {number} ({code_mark(code)}): the version is 9, but there are 4 events"
        for number, code in zip(numbers, (first, last), strict=True)
    ]


async def test_moves_made_meanwhile_are_no_faults(database: Database) -> None:
    people = [await started(database, ("Ana",)) for _ in range(3)]
    connection: asyncpg.Connection[asyncpg.Record] = await connect(database.url)
    try:
        found = []
        async for _, _, fault in check(connection):
            found.append(fault)
            for code, (ana,) in people:
                await play_to_end(database, code, [ana])
        assert found == [None] * 3
    finally:
        await connection.close()
