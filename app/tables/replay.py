"""Finished games, step by step, and records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from app.core import codec, engine
from app.core.board import Line
from app.core.events import Event, visible
from app.core.game import Outcome, Seat
from app.tables.errors import Invalid, NotFinished
from app.tables.queries import kept_events
from app.tables.snapshot import Snapshot

if TYPE_CHECKING:
    from app.db.engine import Database


@dataclass(frozen=True, slots=True)
class Replay:
    """A finished game after `step` of `steps` events. `lines`: (step, log line) for all steps that have one."""

    step: int
    steps: int
    event: Event | None
    state: Any
    view: Any
    outcome: Outcome | None
    lines: tuple[tuple[int, Line], ...]


async def record_events(db: Database, table: Snapshot) -> list[Event]:
    """Return the events of a finished game, renumbered 1…n without what was undone. Raises NotFinished."""
    if table.status != "finished":
        raise NotFinished(snapshot=table)
    return [replace(event, n=n) for n, event in enumerate(await kept_events(db, table), start=1)]


async def replay(db: Database, table: Snapshot, step: int | None, seat: Seat | None = None) -> Replay:
    """Return a finished game after `step` events (None: all): the fold of the log at that step.

    Everything is open after the end; with `seat` it is as that seat saw it then. Raises NotFinished; Invalid if there
    is no such step or seat.
    """
    if seat is not None and not 0 <= seat < (table.players or 0):
        raise Invalid(snapshot=table)
    events = await record_events(db, table)
    wanted = len(events) if step is None else step
    if not 0 <= wanted <= len(events):
        raise Invalid(snapshot=table)
    lines: list[tuple[int, Line]] = []
    found = None
    before: Any = None
    for n, (event, state) in enumerate(engine.steps(table.game, table.options, table.players or 0, events)):
        view = table.game.reveal(state) if seat is None else table.game.view(state, seat)
        shown = None if event is None else visible(event, seat, over=seat is None)
        if shown is not None and (line := table.board.line(shown, before, view)) is not None:
            lines.append((n, line))
        if n == wanted:
            found = (event, state, view)
        before = view
    assert found is not None  # `wanted` is one of the steps
    event, state, view = found
    return Replay(wanted, len(events), event, state, view, table.game.outcome(state), tuple(lines))


async def record(db: Database, table: Snapshot) -> dict[str, Any]:
    """Return a finished game as a record (`knobel-record/1`). Raises NotFinished."""
    events = await record_events(db, table)
    assert table.outcome is not None and table.started_at is not None and table.finished_at is not None  # noqa: PT018  # a finished table has them
    return {
        "format": "knobel-record/1",
        "game": table.slug,
        "rules": table.rules,
        "options": codec.data(table.options),
        "players": table.players,
        "seats": [
            {"name": seated.name, "bot": seated.bot if seated.player_id is None else None} for seated in table.seats
        ],
        "started": table.started_at.isoformat(),
        "finished": table.finished_at.isoformat(),
        "events": [codec.event_data(event) for event in events],
        "outcome": codec.data(table.outcome),
    }
