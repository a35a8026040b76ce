"""Pointing at something for the others: beside the game, gone after a few seconds, in no log (ADR 005)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.core.text import say
from app.tables.errors import Finished, NotStarted, RefusedMove
from app.tables.moves import caller
from app.tables.queries import load

if TYPE_CHECKING:
    from app.db.engine import Database

LIFETIME = 8
"""Seconds for which others see it."""

_POINT = """
INSERT INTO points (table_id, seat, target, until) VALUES ($1, $2, $3, now() + make_interval(secs => $4))
ON CONFLICT (table_id, seat) DO UPDATE SET target = excluded.target, until = excluded.until
"""


async def point(db: Database, code: str, session: bytes | None, target: str) -> int:
    """Let the caller's seat point at a target of its own page, in place of what it pointed at; the table's id.

    Raises NotFound, Unauthenticated, NotYourSeat, NotStarted, Finished, RefusedMove.
    """
    table, me = await load(db, code, session)
    seat = caller(table, me)
    if table.status != "playing":
        raise NotStarted(snapshot=table) if table.status == "open" else Finished(snapshot=table)
    frame = table.board.frame(table.view(seat), seat, table.actions(seat), fresh=False)
    if all(one.value != target for one in frame.targets):
        raise RefusedMove(say("There is nothing like that to point at now."), table)
    await db.pool.execute(_POINT, table.id, seat, target, LIFETIME)
    return table.id
