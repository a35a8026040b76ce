"""The log in words: lines made from the log by folding it, kept per process so that a move adds only its own.

A line is made from what its reader may see: the visible event, between the reader's views before and after it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.core import engine
from app.core.board import Line
from app.core.events import Event, visible
from app.core.game import Viewer
from app.core.text import say
from app.tables.queries import LogRow, log_rows
from app.tables.snapshot import Snapshot

if TYPE_CHECKING:
    from app.db.engine import Database

_MOST_TABLES = 500

UNDONE = say("takes the last move back")


@dataclass(slots=True)
class _Story:
    """A log told to one reader up to `version`; `state` is None before the start."""

    version: int
    state: Any
    lines: tuple[tuple[int, Line], ...]


class Chronicle:
    """Tells logs. One per process; it remembers, but everything in it can be made again from the database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._stories: OrderedDict[tuple[int, Viewer, bool], _Story] = OrderedDict()

    async def lines(self, table: Snapshot, viewer: Viewer) -> tuple[tuple[int, Line], ...]:
        """Return (number of the event, line) for the whole log up to the table's version, as `viewer` may see it."""
        key = self._key(table, viewer)
        story = self._stories.get(key)
        if story is None or story.version > table.version:
            story = _Story(0, None, ())
        if story.version < table.version:
            story = await self._continue(table, viewer, story)
        self._keep(key, story)
        return story.lines

    def extend(self, table: Snapshot, viewer: Viewer, before: int, events: Sequence[Event]) -> None:
        """Tell the events of a move that has just been committed, if the log was told up to `before`."""
        key = self._key(table, viewer)
        story = self._stories.get(key)
        if story is not None and story.version == before and not table.over:
            self._keep(key, _tell(table, viewer, story, events))

    def _key(self, table: Snapshot, viewer: Viewer) -> tuple[int, Viewer, bool]:
        # in an open game, and after the end of any, all readers see the same
        return table.id, viewer if table.game.info.hidden and not table.over else None, table.over

    def _keep(self, key: tuple[int, Viewer, bool], story: _Story) -> None:
        self._stories[key] = story
        self._stories.move_to_end(key)
        while len(self._stories) > _MOST_TABLES:
            self._stories.popitem(last=False)

    async def _continue(self, table: Snapshot, viewer: Viewer, story: _Story) -> _Story:
        rows = await log_rows(self._db, table, story.version)
        if story.version and any(row.type == "undo" for row in rows):
            # what was told is no longer what happened
            rows = await log_rows(self._db, table, 0)
            story = _Story(0, None, ())
        for row in rows:
            story = _tell_row(table, viewer, story, row)
        return _Story(table.version, story.state, story.lines)


def _tell_row(table: Snapshot, viewer: Viewer, story: _Story, row: LogRow) -> _Story:
    if row.undone:
        return story
    if row.event is not None:
        return _tell(table, viewer, story, [row.event])
    if row.type == "undo":
        line = Line(row.seat, UNDONE)
    elif row.data["sits"]:
        line = Line(None, say("{name} sits down", name=row.data["name"]))
    else:
        line = Line(None, say("{name} leaves", name=row.data["name"]))
    return _Story(row.n, story.state, (*story.lines, (row.n, line)))


def _tell(table: Snapshot, viewer: Viewer, story: _Story, events: Iterable[Event]) -> _Story:
    state = story.state
    if state is None:
        state = table.game.setup(table.options, table.players or 0)
    lines = list(story.lines)
    version = story.version
    for event in events:
        before = table.game.view(state, viewer)
        state = engine.advance(table.game, state, event)
        line = table.board.line(visible(event, viewer, over=table.over), before, table.game.view(state, viewer))
        version = event.n
        if line is not None:
            lines.append((version, line))
    return _Story(version, state, tuple(lines))
