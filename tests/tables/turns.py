"""Moves by people at a Yacht table, and what comes of them."""

from __future__ import annotations

import pytest

from app.db.engine import Database
from app.tables import moves
from app.tables.errors import (
    Refusal,
)
from app.tables.snapshot import Snapshot
from tests.support.dice import ScriptedDice
from tests.support.play import Someone, present, send

ROLL = {"kind": "roll", "dice": [0, 1, 2, 3, 4]}
CHOICE = {"kind": "score", "category": "choice"}
ONES = {"kind": "score", "category": "ones"}


def turn_of(table: Snapshot, person: Someone) -> int:
    seat = table.seat_of(person.guest.id)
    assert seat is not None
    turn = table.seated(seat).asked_at
    assert turn is not None
    return turn


async def act(database: Database, code: str, person: Someone, raw: object, *faces: int) -> moves.Made:
    """Make a move under the present turn; dice fall as told, and nothing else may fall."""
    turn = turn_of(await present(database, code), person)
    return await send(database, code, person, turn, raw, ScriptedDice(*faces))


async def refused(database: Database, code: str, person: Someone | None, turn: int, raw: object) -> Refusal:
    """Send a move that is refused; nothing may change, no dice may fall, and the refusal shows the present table."""
    before = await present(database, code)
    with pytest.raises(Refusal) as caught:
        await moves.move(
            database, ScriptedDice(), code, None if person is None else person.session, turn, lambda _: raw
        )
    assert await present(database, code) == before
    assert caught.value.snapshot == before
    return caught.value
