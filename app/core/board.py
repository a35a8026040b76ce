"""Presentation values a game's board is made of: the frame of the page, standings, log lines.

Shared templates and the renderer know these; a game's own template knows its own board context beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from app.core.bot import Bot
from app.core.engine import AnyGame
from app.core.events import Event
from app.core.game import Action, Outcome, Value, Viewer
from app.core.text import Text


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the log: who (a seat, or None for the table), what, and a number to the right."""

    seat: int | None
    text: Text
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What the list of players shows of a seat: its score, and a note such as "rolling, 2 of 3"."""

    score: int | None
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Something a player may point at, for the others to see. `value` stands in `data-point` of the element, if any."""

    value: str
    text: Text


@dataclass(frozen=True, slots=True)
class Frame:
    """What the shared table page shows around a game's own sheet and tray.

    `where`: round and phase for the top line. `status`: who does what, when it is not the viewer's move. `hint`: the
    small print beside the status, with `count` (on, of) as pips. `standings`: one per seat. `sheet` and `tray`: the
    game's own typed contexts, handed to its templates as they are. `targets`: what can be pointed at on this page.
    """

    where: Text
    status: Text
    standings: tuple[Standing, ...]
    sheet: Any
    tray: Any
    hint: Text | None = None
    count: tuple[int, int] | None = None
    targets: tuple[Target, ...] = ()


Form: TypeAlias = Mapping[str, Sequence[str]]
"""The fields of a posted form, each with all its values in order."""


class Board(Protocol):
    """How a game meets people: its view as a page, a form as a move, an event as a sentence.

    Works on views and visible events only, so it cannot leak; knows no language, no request, no names.
    """

    def frame(self, view: Any, viewer: Viewer, actions: Sequence[Action[Any]], *, fresh: bool) -> Frame:
        """Return the page of a running or finished game for `viewer`.

        `actions` are the viewer's (empty when not asked). `fresh`: the last roll has just come, show it rolling.
        """

    def parse(self, form: Form) -> dict[str, Any]:
        """Return the move a form stands for, as plain JSON data; the engine judges it. Never raises."""

    def line(self, event: Event, before: Value, after: Value) -> Line | None:
        """Return the log line of a visible event between the two views around it, or None if it needs none."""

    def done(self, event: Event, after: Any) -> Text | None:
        """Say what a visible move has just done, beside the offer to take it back ("Scored 12 in fours")."""

    def summary(self, outcome: Outcome, view: Any) -> tuple[Text, ...]:
        """Return one note per seat for the result page."""

    def option_text(self, option: str, choice: Any) -> tuple[Text, Text]:
        """Return (name of the option, name of the choice) for people."""

    def pitch(self) -> tuple[Text, ...]:
        """Return the game in one line for its tile, then the game in three sentences."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A game as it is registered: its rules, how it meets people, and its bots, weakest first."""

    game: AnyGame
    board: Board
    bots: tuple[Bot, ...] = ()
