"""What a log is made of, and the one redaction of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from app.core.game import Seat, Viewer


@dataclass(frozen=True, slots=True)
class Moved:
    """Event `n`: `seat` made `move` (None: withheld from this viewer)."""

    n: int
    seat: Seat
    move: Any
    seen_by: frozenset[Seat] | None = None
    type: Literal["move"] = "move"


@dataclass(frozen=True, slots=True)
class Rolled:
    """Event `n`: chance was asked for `reason` and answered with `faces` (None: withheld from this viewer).

    `blind`: the faces are withheld even from those who see what came of them, see `Roll`.
    """

    n: int
    reason: str
    sides: tuple[int, ...]
    faces: tuple[int, ...] | None
    seen_by: frozenset[Seat] | None = None
    type: Literal["chance"] = "chance"
    blind: bool = False


Event: TypeAlias = Moved | Rolled


def visible(event: Event, viewer: Viewer, *, over: bool) -> Event:
    """Return `event` as `viewer` may see it: itself, or the same event with its content withheld.

    Number, seat, reason and the number of dice stay: that somebody chose or drew in secret is itself public. When the
    game is over everything is shown.
    """
    if over:
        return event
    if isinstance(event, Rolled) and event.blind:
        return replace(event, faces=None)
    if event.seen_by is None or (viewer is not None and viewer in event.seen_by):
        return event
    return replace(event, move=None) if isinstance(event, Moved) else replace(event, faces=None)
