"""Writes a new version of a running table: one statement, on condition that it still is the version that was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from app.core import codec
from app.core.events import Event
from app.core.game import Seat
from app.tables.clocks import next_wake
from app.tables.snapshot import Seated, Snapshot

if TYPE_CHECKING:
    from app.db.engine import Executor

_WRITE = """
WITH moved AS (
    UPDATE tables SET version = $3, state = $4::jsonb, status = $5::text, outcome = $6::jsonb, undo_seat = $7,
           undo_from = $8, moved_at = now(), finished_at = CASE WHEN $5::text = 'finished' THEN now() END,
           wake_at = CASE WHEN wake_at IS NOT DISTINCT FROM $24::timestamptz THEN to_timestamp($9::float8)
                          ELSE least(wake_at, to_timestamp($9::float8)) END
    WHERE id = $1 AND version = $2 AND status = 'playing' RETURNING id
), logged AS (
    INSERT INTO table_events (table_id, seq, type, seat, data, asked)
    SELECT moved.id, e.* FROM moved, unnest($10::int[], $11::text[], $12::int[], $13::jsonb[], $14::int[]) AS e
), seated AS (
    UPDATE seats SET asked_at = a.asked_at, asked_since = to_timestamp(a.since), reserve = a.reserve,
           deadline = to_timestamp(a.deadline), flagged_at = a.flagged_at, bot = a.bot, vote = a.vote
    FROM moved, unnest($15::int[], $16::int[], $17::float8[], $18::float8[], $19::float8[], $20::int[], $21::text[],
           $22::text[]) AS a(seat, asked_at, since, reserve, deadline, flagged_at, bot, vote)
    WHERE seats.table_id = moved.id AND seats.seat = a.seat
), taken_back AS (
    UPDATE table_events SET undone = true FROM moved
    WHERE table_events.table_id = moved.id AND seq > $23 AND seq <= $2 AND type = 'move'
)
SELECT count(*) FROM moved
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the log to be written. `asked`: the turn under which a move was made."""

    n: int
    type: str
    seat: Seat | None
    data: str
    asked: int | None = None


def note(n: int, kind: str, seat: Seat | None, **data: Any) -> Row:
    """Return a line that is no move and no chance."""
    return Row(n, kind, seat, orjson.dumps(data).decode())


def event_rows(events: Sequence[Event], turn: int) -> list[Row]:
    """Return the lines of a move made under `turn` and of the chance that followed it."""
    rows = []
    for event in events:
        shown: dict[str, Any] = codec.event_data(event)
        n, kind, seat = shown.pop("n"), shown.pop("type"), shown.pop("seat", None)
        rows.append(Row(n, kind, seat, orjson.dumps(shown).decode(), turn if kind == "move" else None))
    return rows


async def write(
    on: Executor, before: Snapshot, after: Snapshot, rows: Sequence[Row], back_to: int | None = None
) -> bool:
    """Write `after` with its lines of the log; False if somebody else was faster, and then nothing is written.

    `back_to`: moves behind this event are undone. When the server must look again is worked out here; an earlier time
    that was set since the table was read, since somebody came or went, is kept.
    """
    seats = [seated for seated, old in zip(after.seats, before.seats, strict=True) if seated != old]
    written = await on.fetchval(
        _WRITE,
        before.id,
        before.version,
        after.version,
        codec.dump(before.game.state_type, after.state),
        after.status,
        None if after.outcome is None else codec.dump(type(after.outcome), after.outcome),
        after.undo_seat,
        after.undo_from,
        next_wake(after),
        [row.n for row in rows],
        [row.type for row in rows],
        [row.seat for row in rows],
        [row.data for row in rows],
        [row.asked for row in rows],
        *_columns(seats),
        back_to,
        before.wake,
    )
    return bool(written)


def _columns(seats: Sequence[Seated]) -> list[list[Any]]:
    return [
        [seated.seat for seated in seats],
        [seated.asked_at for seated in seats],
        [seated.asked_since for seated in seats],
        [seated.reserve for seated in seats],
        [seated.deadline for seated in seats],
        [seated.flagged_at for seated in seats],
        [seated.bot for seated in seats],
        [seated.vote for seated in seats],
    ]


def with_seats(table: Snapshot, changed: Mapping[Seat, Seated]) -> tuple[Seated, ...]:
    """Return the seats of a table with some of them replaced."""
    return tuple(changed.get(seated.seat, seated) for seated in table.seats)
