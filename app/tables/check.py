"""The proof of the log: every table folded anew and compared with what is stored of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from app.core import codec, engine
from app.tables.codes import code_mark
from app.tables.queries import LogRow, log_row, read
from app.tables.snapshot import Snapshot

if TYPE_CHECKING:
    import asyncpg

_IDS = "SELECT id, code, version FROM tables ORDER BY id"
_ROWS = "SELECT seq, type, seat, data::text AS data, undone FROM table_events WHERE table_id = $1 ORDER BY seq"


async def check(connection: asyncpg.Connection[Any]) -> AsyncIterator[tuple[int, str, str | None]]:
    """Yield for each table its id, what logs call it, and what is wrong with it (None: nothing).

    Everything is read as it was at one moment, so moves that are made meanwhile do not look like faults.
    """
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        async for row in connection.cursor(_IDS):
            yield row["id"], code_mark(row["code"]), await _fault(connection, row["id"], row["version"])


async def _fault(connection: asyncpg.Connection[Any], table_id: int, version: int) -> str | None:
    rows = await connection.fetch(_ROWS, table_id)
    for n, row in enumerate(rows, start=1):
        if row["seq"] != n:
            return f"event {n} is missing"
    if version != len(rows):
        return f"the version is {version}, but there are {len(rows)} events"
    try:
        table = await read(connection, table_id)
        return _difference(table, [log_row(table, row) for row in rows])
    except (codec.Malformed, engine.BrokenLog) as problem:
        return str(problem)
    except Exception as problem:  # noqa: BLE001  # whatever nonsense does to the rules of a game, it is this table's
        return f"the rules cannot follow the log ({type(problem).__name__})"


def _difference(table: Snapshot, rows: Sequence[LogRow]) -> str | None:
    events = [row.event for row in rows if row.event is not None and not row.undone]
    if table.players is None:
        return "there is a game before the start" if events or table.state is not None else None
    state = engine.fold(table.game, table.options, table.players, events)
    if codec.data(state) != codec.data(table.state):
        return "the stored state is not what the log leads to"
    if table.status == "abandoned":
        return None
    outcome = table.game.outcome(state)
    if outcome != table.outcome or (table.status == "finished") != (outcome is not None):
        return "the stored outcome is not what the log leads to"
    asked = {seated.seat for seated in table.seats if seated.asked_at is not None}
    return None if asked == table.game.to_act(state) else "other seats are asked than should be"
