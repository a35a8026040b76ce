"""Moves and undo: each one transaction, made in two round trips.

The table is read without a lock, the move is judged, and one statement writes everything on condition that the table
still has the version that was read (ADR 002). If it has not, the move is judged again on what is there now. A commit
is awaited before anybody is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from app.core import codec, engine
from app.core.events import Event, Moved
from app.core.game import IllegalMove, Seat
from app.tables.errors import (
    Finished,
    NothingToUndo,
    NotStarted,
    NotYourSeat,
    NotYourTurn,
    RefusedMove,
    StaleTurn,
    Unauthenticated,
    Unavailable,
)
from app.tables.queries import kept_events, load
from app.tables.snapshot import Seated, Snapshot

if TYPE_CHECKING:
    from app.db.engine import Database

_TRIES = 50

_WRITE = """
WITH moved AS (
    UPDATE tables SET version = $3, state = $4::jsonb, status = $5::text, outcome = $6::jsonb, undo_seat = $7,
           undo_from = $8, moved_at = now(), finished_at = CASE WHEN $5::text = 'finished' THEN now() END
    WHERE id = $1 AND version = $2 AND status = 'playing' RETURNING id
), logged AS (
    INSERT INTO table_events (table_id, seq, type, seat, data, asked)
    SELECT moved.id, e.* FROM moved, unnest($9::int[], $10::text[], $11::int[], $12::jsonb[], $13::int[]) AS e
), asked AS (
    UPDATE seats SET asked_at = a.asked_at FROM moved, unnest($14::int[], $15::int[]) AS a(seat, asked_at)
    WHERE seats.table_id = moved.id AND seats.seat = a.seat
), taken_back AS (
    UPDATE table_events SET undone = true FROM moved
    WHERE table_events.table_id = moved.id AND seq > $16 AND seq <= $2
)
SELECT count(*) FROM moved
"""

_ACCEPTED = """
SELECT data->>'move' AS move FROM table_events
WHERE table_id = $1 AND seat = $2 AND asked = $3 AND type = 'move' AND NOT undone
"""


def caller(table: Snapshot, me: str | None) -> Seat:
    """Return the seat of a player at a table. Raises Unauthenticated or NotYourSeat."""
    if me is None:
        raise Unauthenticated(snapshot=table)
    seat = table.seat_of(me)
    if seat is None:
        raise NotYourSeat(snapshot=table)
    return seat


@dataclass(frozen=True, slots=True)
class Made:
    """A command that was carried out for player `me`: the table after it, and the events that came of it.

    No events: the same move was accepted under the same turn before, and nothing was done now.
    """

    table: Snapshot
    me: str | None
    events: tuple[Event, ...] = ()


async def move(
    db: Database, dice: engine.Dice, code: str, session: bytes | None, turn: int, read: Callable[[Snapshot], object]
) -> Made:
    """Make a move for the caller's seat under the turn token `turn`; `read` gives the move as plain JSON data.
    Raises NotFound, Unauthenticated, NotYourSeat, NotStarted, Finished, NotYourTurn, StaleTurn,
       RefusedMove, each with the present table.
    """
    for _ in range(_TRIES):
        table, me = await load(db, code, session)
        seat = caller(table, me)
        if table.status == "playing" and table.seated(seat).asked_at == turn:
            after, events = _judge(table, seat, read(table), dice)
            if await _write(db, table, after, _rows(events, turn)):
                return Made(after, me, tuple(events))
            continue
        if await _was_accepted(db, table, seat, turn, read(table)):
            return Made(table, me)
        raise _late(table, seat)
    raise Unavailable(snapshot=table)


def _judge(table: Snapshot, seat: Seat, raw: object, dice: engine.Dice) -> tuple[Snapshot, list[Event]]:
    try:
        wanted = codec.load_move(table.game, raw)
        state, events = engine.play(table.game, table.state, seat, wanted, dice, table.version)
    except IllegalMove as refusal:
        raise RefusedMove(refusal.reason, table) from refusal
    outcome = table.game.outcome(state)
    after = _advance(table, state, seat, events[-1].n)
    undo_seat, undo_from = _undo_after(table, seat, events, state)
    if outcome is not None:
        return replace(after, status="finished", outcome=outcome, undo_seat=None, undo_from=None), events
    return replace(after, undo_seat=undo_seat, undo_from=undo_from), events


def _advance(table: Snapshot, state: Any, mover: Seat, version: int) -> Snapshot:
    """Return the table with a new state: who is newly due, or has just moved, is asked at this version."""
    due = table.game.to_act(state)

    def asked(seated: Seated) -> int | None:
        if seated.seat not in due:
            return None
        return version if seated.seat == mover or seated.asked_at is None else seated.asked_at

    seats = tuple(replace(seated, asked_at=asked(seated)) for seated in table.seats)
    return replace(table, state=state, version=version, seats=seats)


def _undo_after(table: Snapshot, seat: Seat, events: Sequence[Event], state: Any) -> tuple[Seat | None, int | None]:
    made = events[0]
    if len(events) > 1 or not isinstance(made, Moved) or table.game.final(table.state, seat, made.move, state):
        return None, None
    return seat, table.undo_from if table.undo_seat == seat else table.version


def _rows(events: Sequence[Event], turn: int) -> list[tuple[int, str, int | None, str, int | None]]:
    rows: list[tuple[int, str, int | None, str, int | None]] = []
    for event in events:
        shown = codec.event_data(event)
        seat = shown.pop("seat", None)
        kind = shown.pop("type")
        rows.append((shown.pop("n"), kind, seat, orjson.dumps(shown).decode(), turn if kind == "move" else None))
    return rows


async def _write(
    db: Database,
    before: Snapshot,
    after: Snapshot,
    rows: Sequence[tuple[int, str, int | None, str, int | None]],
    back_to: int | None = None,
) -> bool:
    """Write a new version in one statement; False if somebody else was faster, and then nothing is written."""
    asked = [seated for seated, old in zip(after.seats, before.seats, strict=True) if seated.asked_at != old.asked_at]
    columns = [list(column) for column in zip(*rows, strict=True)]
    written = await db.pool.fetchval(
        _WRITE,
        before.id,
        before.version,
        after.version,
        codec.dump(before.game.state_type, after.state),
        after.status,
        None if after.outcome is None else codec.dump(type(after.outcome), after.outcome),
        after.undo_seat,
        after.undo_from,
        *columns,
        [seated.seat for seated in asked],
        [seated.asked_at for seated in asked],
        back_to,
    )
    return bool(written)


async def _was_accepted(db: Database, table: Snapshot, seat: Seat, turn: int, raw: object) -> bool:
    """Whether this very move was accepted under this very turn: a retry after a lost answer, or a double click."""
    stored = await db.pool.fetchval(_ACCEPTED, table.id, seat, turn)
    if stored is None:
        return False
    try:
        made = codec.load_move(table.game, orjson.loads(stored))
        sent = codec.load_move(table.game, raw)
    except IllegalMove:
        return False
    return bool(codec.same_move(made, sent))


def _late(table: Snapshot, seat: Seat) -> Exception:
    if table.status == "open":
        return NotStarted(snapshot=table)
    if table.status != "playing":
        return Finished(snapshot=table)
    if table.seated(seat).asked_at is None:
        return NotYourTurn(snapshot=table)
    return StaleTurn(snapshot=table)


async def undo(db: Database, code: str, session: bytes | None, version: int) -> Made:
    """Take back the caller's moves since the last chance event, reveal or move of another seat.

    Raises NotFound, Unauthenticated, NotYourSeat, Finished, or NothingToUndo, also when
    the table is not at `version`.
    """
    table, me = await load(db, code, session)
    seat = caller(table, me)
    if table.status in ("finished", "abandoned"):
        raise Finished(snapshot=table)
    if table.version != version or table.undo_seat != seat or table.undo_from is None or table.players is None:
        raise NothingToUndo(snapshot=table)
    events = await kept_events(db, table, table.undo_from)
    state = engine.fold(table.game, table.options, table.players, events)
    after = replace(_advance(table, state, seat, version + 1), undo_seat=None, undo_from=None)
    row = (version + 1, "undo", seat, orjson.dumps({"back_to": table.undo_from}).decode(), None)
    if not await _write(db, table, after, [row], back_to=table.undo_from):
        now, _ = await load(db, code, session)
        raise NothingToUndo(snapshot=now)
    return Made(after, me)
