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
from app.tables.clocks import answered, is_over, newly_asked
from app.tables.errors import (
    Finished,
    NothingToUndo,
    NotStarted,
    NotYourSeat,
    NotYourTurn,
    PlayedByBot,
    RefusedMove,
    StaleTurn,
    TimeOver,
    Unauthenticated,
    Unavailable,
)
from app.tables.queries import kept_events, load, load_by_id, load_on
from app.tables.snapshot import Seated, Snapshot
from app.tables.writes import Row, event_rows, note, write

if TYPE_CHECKING:
    from app.db.engine import Database, Executor

TRIES = 50
"""How often a command is judged anew because others were faster."""

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
    """A command that was carried out for player `me`: the table after it, and the events of the game that came of it.

    Not `changed`: it was so already, such as when the same move was accepted under the same turn before.
    """

    table: Snapshot
    me: str | None
    events: tuple[Event, ...] = ()
    changed: bool = True


async def move(
    db: Database, dice: engine.Dice, code: str, session: bytes | None, turn: int, read: Callable[[Snapshot], object]
) -> Made:
    """Make a move for the caller's seat under the turn token `turn`; `read` gives the move as plain JSON data.

    Raises NotFound, Unauthenticated, NotYourSeat, NotStarted, Finished, NotYourTurn, StaleTurn, TimeOver, RefusedMove,
    each with the present table.
    """
    async with db.pool.acquire() as on:  # one for both statements: to get one costs as much as to send one
        for _ in range(TRIES):
            table, me = await load_on(on, code, session)
            seat = caller(table, me)
            seated = table.seated(seat)
            if table.status == "playing" and seated.asked_at == turn and seated.bot is None:
                if is_over(table, seated):
                    raise TimeOver(snapshot=table)
                after, events = _judge(table, seat, read(table), dice)
                if await write(on, table, after, event_rows(events, turn)):
                    return Made(after, me, tuple(events))
                continue
            if await _was_accepted(on, table, seat, turn, read(table)):
                return Made(table, me, changed=False)
            raise _late(table, seat)
    raise Unavailable(snapshot=table)


async def move_bot(
    db: Database, dice: engine.Dice, table_id: int, seat: Seat, turn: int, raw: object, *, failed: bool = False
) -> Made | None:
    """Make the move of the bot in a seat; None if that is no longer asked under this turn.

    `failed`: it is a random move in place of one that the bot did not make, and the log says so. Raises RefusedMove.
    """
    for _ in range(TRIES):
        table = await load_by_id(db, table_id)
        seated = table.seated(seat)
        if table.status != "playing" or seated.bot is None or seated.asked_at != turn:
            return None
        rows: list[Row] = [note(table.version + 1, "fault", seat)] if failed else []
        after, events = _judge(replace(table, version=table.version + len(rows)), seat, raw, dice)
        if await write(db.pool, table, after, [*rows, *event_rows(events, turn)]):
            return Made(after, None, tuple(events))
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

    def asked(seated: Seated) -> Seated:
        if seated.seat == mover:
            seated = answered(table.clock, seated, table.at)
        if seated.vote is not None:
            seated = replace(seated, vote=None)
        if seated.seat not in due:
            return seated if seated.asked_at is None else replace(seated, asked_at=None, deadline=None)
        if seated.seat == mover or seated.asked_at is None:
            return newly_asked(table.clock, seated, version, table.at)
        return seated

    return replace(table, state=state, version=version, seats=tuple(map(asked, table.seats)))


def _undo_after(table: Snapshot, seat: Seat, events: Sequence[Event], state: Any) -> tuple[Seat | None, int | None]:
    made = events[0]
    if (
        table.seated(seat).bot is not None
        or len(events) > 1
        or not isinstance(made, Moved)
        or table.game.final(table.state, seat, made.move, state)
    ):
        return None, None
    return seat, table.undo_from if table.undo_seat == seat else table.version


async def _was_accepted(on: Executor, table: Snapshot, seat: Seat, turn: int, raw: object) -> bool:
    """Whether this very move was accepted under this very turn: a retry after a lost answer, or a double click."""
    stored = await on.fetchval(_ACCEPTED, table.id, seat, turn)
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
    if table.seated(seat).bot is not None:
        return PlayedByBot(snapshot=table)
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
    if table.seated(seat).bot is not None:
        raise PlayedByBot(snapshot=table)
    if table.version != version or table.undo_seat != seat or table.undo_from is None or table.players is None:
        raise NothingToUndo(snapshot=table)
    events = await kept_events(db, table, table.undo_from)
    state = engine.fold(table.game, table.options, table.players, events)
    after = replace(_advance(table, state, seat, version + 1), undo_seat=None, undo_from=None)
    row = note(version + 1, "undo", seat, back_to=table.undo_from)
    if not await write(db.pool, table, after, [row], back_to=table.undo_from):
        now, _ = await load(db, code, session)
        raise NothingToUndo(snapshot=now)
    return Made(after, me)
