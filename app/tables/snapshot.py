"""A table as it was read in one moment: frozen, decoded, and free of the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from app.core.board import Board
from app.core.engine import AnyGame
from app.core.game import Action, Outcome, Seat, Value, Viewer

Status: TypeAlias = Literal["open", "playing", "finished", "abandoned"]


@dataclass(frozen=True, slots=True)
class Seated:
    """A taken seat. `asked_at` is the turn token: the version at which the seat was asked (None: not asked)."""

    seat: Seat
    player_id: str | None
    name: str
    asked_at: int | None
    present: bool


@dataclass(frozen=True, slots=True)
class Point:
    """What a seat points at just now: the value of a target of its page, which others may not have."""

    seat: Seat
    target: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at one version. `state` and `players` are there once the game has started."""

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
    points: tuple[Point, ...] = ()

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

    def view(self, viewer: Viewer) -> Any:
        """Return the game's view for a viewer: the only way from state to anything that leaves."""
        return self.game.view(self.state, viewer)

    def actions(self, viewer: Viewer) -> tuple[Action[Any], ...]:
        """Return what a viewer may do now; empty for spectators and seats that are not asked."""
        if viewer is None or self.status != "playing":
            return ()
        return tuple(self.game.actions(self.state, viewer))
