"""The log in words: lines made from the log by folding it, kept per process so that a move adds only its own.

A line is made from what its reader may see: the visible event, between the reader's views before and after it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from app.core import engine
from app.core.board import Line
from app.core.events import Event, visible
from app.core.game import Viewer
from app.core.text import Text, say
from app.tables.queries import LogRow, log_rows
from app.tables.snapshot import Snapshot

if TYPE_CHECKING:
    from app.db.engine import Database

_MOST_TABLES = 500

UNDONE = say("takes the last move back")


@dataclass(frozen=True, slots=True)
class Story:
    """A log told to one reader up to `version`.

    `lines`: (number of the event, line). `done`: what the last event did, if it can be taken back. `state` is what the
    log folds to (None before the start) and is for the chronicle alone.
    """

    version: int
    state: Any
    lines: tuple[tuple[int, Line], ...]
    done: Text | None = None


_UNTOLD = Story(0, None, ())


class Chronicle:
    """Tells logs. One per process; it remembers, but everything in it can be made again from the database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._stories: OrderedDict[tuple[int, Viewer, bool], Story] = OrderedDict()

    async def tell(self, table: Snapshot, viewer: Viewer) -> Story:
        """Return the whole log up to the table's version, as `viewer` may see it."""
        key = self._key(table, viewer)
        story = self._stories.get(key)
        if story is None or story.version > table.version:
            story = _UNTOLD
        if story.version < table.version:
            story = await self._continue(table, viewer, story)
        self._keep(key, story)
        return story

    def extend(self, table: Snapshot, events: Sequence[Event]) -> None:
        """Tell the events of a move that has just been committed to everybody who was told all before it."""
        viewers: list[Viewer] = [None]
        if table.game.info.hidden:
            viewers += range(table.players or 0)
        for viewer in () if table.over else viewers:
            key = self._key(table, viewer)
            story = self._stories.get(key)
            if story is not None and story.version == events[0].n - 1:
                self._keep(key, _tell(table, viewer, story, events))

    def _key(self, table: Snapshot, viewer: Viewer) -> tuple[int, Viewer, bool]:
        # in an open game, and after the end of any, all readers see the same
        return table.id, viewer if table.game.info.hidden and not table.over else None, table.over

    def _keep(self, key: tuple[int, Viewer, bool], story: Story) -> None:
        self._stories[key] = story
        self._stories.move_to_end(key)
        while len(self._stories) > _MOST_TABLES:
            self._stories.popitem(last=False)

    async def _continue(self, table: Snapshot, viewer: Viewer, story: Story) -> Story:
        rows = await log_rows(self._db, table, story.version)
        if story.version and any(row.type == "undo" for row in rows):
            # what was told is no longer what happened
            rows = await log_rows(self._db, table, 0)
            story = _UNTOLD
        for row in rows:
            story = _tell_row(table, viewer, story, row)
        return replace(story, version=table.version)


def _tell_row(table: Snapshot, viewer: Viewer, story: Story, row: LogRow) -> Story:
    if row.undone:
        return story
    if row.event is not None:
        return _tell(table, viewer, story, [row.event])
    line = _line(row, begun=story.state is not None)
    lines = story.lines if line is None else (*story.lines, (row.n, line))
    # what was done before can be taken back still
    return Story(row.n, story.state, lines, None if row.type == "undo" else story.done)


def _line(row: LogRow, *, begun: bool) -> Line | None:
    """Return the line of what is no move and no chance, if it needs one."""
    data = row.data
    if row.type == "seat":
        return Line(None, _seat_text(data, begun=begun))
    if row.type == "vote":
        return Line(row.seat, say("would like to end the game")) if data["vote"] == "end" else None
    if row.type == "clock":
        return Line(None, say("The server was away; nobody is charged for that time"))
    words = {
        "undo": UNDONE,
        "flag": say("has run out of time"),
        "fault": say("could not think of a move; a random one was made"),
        "end": say("The game ends without a result"),
    }
    return Line(row.seat, words[row.type])


def _seat_text(data: dict[str, Any], *, begun: bool) -> Text:
    if not begun:
        return say("{name} sits down", name=data["name"]) if data["sits"] else say("{name} leaves", name=data["name"])
    if data.get("bot"):
        return say("A bot stands in for {name}", name=data["name"])
    return say("{name} is back", name=data["name"])


def _tell(table: Snapshot, viewer: Viewer, story: Story, events: Iterable[Event]) -> Story:
    state = story.state
    if state is None:
        state = table.game.setup(table.options, table.players or 0)
    lines = list(story.lines)
    version, done = story.version, story.done
    for event in events:
        before = _seen(table, state, viewer)
        state = engine.advance(table.game, state, event)
        after = _seen(table, state, viewer)
        shown = visible(event, viewer, over=table.over)
        version, done = event.n, table.board.done(shown, after)
        if (line := table.board.line(shown, before, after)) is not None:
            lines.append((version, line))
    return Story(version, state, tuple(lines), done)


def _seen(table: Snapshot, state: Any, viewer: Viewer) -> Any:
    return table.game.reveal(state) if table.over else table.game.view(state, viewer)
