"""A table as it was read in one moment: frozen, decoded, and free of the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from app.core.board import Board
from app.core.bot import Level
from app.core.engine import AnyGame
from app.core.game import Action, Outcome, Seat, Value, Viewer
from app.tables.clocks import CLOCKS, Clock

Vote: TypeAlias = Literal["wait", "end"]
Status: TypeAlias = Literal["open", "playing", "finished", "abandoned"]


@dataclass(frozen=True, slots=True)
class Seated:
    """A taken seat. `asked_at` is the turn token: the version at which the seat was asked (None: not asked).

    `bot`: the level of the bot that plays it; with a `player_id` it stands in for that person. Times are as in
    `clocks`; `seen` is when the person was last there. `flagged_at` equals `asked_at` while a seat's time is over.
    """

    seat: Seat
    player_id: str | None
    name: str
    asked_at: int | None
    present: bool
    bot: Level | None = None
    asked_since: float | None = None
    reserve: float | None = None
    deadline: float | None = None
    flagged_at: int | None = None
    vote: Vote | None = None
    seen: float | None = None

    @property
    def person(self) -> bool:
        """Whether a person plays it just now, there or not."""
        return self.player_id is not None and self.bot is None


@dataclass(frozen=True, slots=True)
class Point:
    """What a seat points at just now: the value of a target of its page, which others may not have."""

    seat: Seat
    target: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at one version, read `at` a time. `state` and `players` are there once the game has started."""

    id: int
    code: str
    slug: str
    rules: int
    game: AnyGame
    board: Board
    options: Value
    visibility: Literal["unlisted", "public"]
    status: Status
    version: int
    host_id: str | None
    players: int | None
    state: Any
    outcome: Outcome | None
    undo_seat: Seat | None
    undo_from: int | None
    rematch: str | None
    seats: tuple[Seated, ...]
    started_at: datetime | None
    finished_at: datetime | None
    at: float = field(compare=False)  # when it was read is no part of what it is
    clock: Clock = CLOCKS["none"]
    points: tuple[Point, ...] = ()
    wake: datetime | None = field(default=None, compare=False)
    """When the server is to look at it next, as it was read."""

    @property
    def over(self) -> bool:
        """Whether everything may be shown."""
        return self.status == "finished"

    def seat_of(self, player_id: str | None) -> Viewer:
        """Return the seat of a player; None for a spectator."""
        if player_id is None:
            return None
        return next((seated.seat for seated in self.seats if seated.player_id == player_id), None)

    def seated(self, seat: Seat) -> Seated:
        """Return the taken seat with this number."""
        return next(seated for seated in self.seats if seated.seat == seat)

    def is_asked(self, viewer: Viewer) -> bool:
        """Whether it is this viewer's turn; not while a bot stands in."""
        if viewer is None or self.status != "playing":
            return False
        seated = self.seated(viewer)
        return seated.asked_at is not None and seated.bot is None

    def view(self, viewer: Viewer) -> Any:
        """Return the game's view for a viewer: the only way from state to anything that leaves."""
        return self.game.view(self.state, viewer)

    def actions(self, viewer: Viewer) -> tuple[Action[Any], ...]:
        """Return what a viewer may do now; empty for spectators and seats that are not asked."""
        if viewer is None or self.status != "playing" or self.seated(viewer).bot is not None:
            return ()
        return tuple(self.game.actions(self.state, viewer))
