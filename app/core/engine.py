"""Drives any game: through one decision and the rolls that follow, or through a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeAlias

from app.core.events import Event, Moved, Rolled
from app.core.game import Game, IllegalMove, Seat, Value

AnyGame: TypeAlias = Game[Any, Any, Any, Any]


class Dice(Protocol):
    """A source of fair dice."""

    def roll(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Return one result 1…s for each s in `sides`, independent and uniform."""


class BrokenLog(Exception):
    """A log that does not fit its game; `args[0]` says where and why."""


def begin(game: AnyGame, options: Value, players: int, dice: Dice, after: int = 0) -> tuple[Any, list[Event]]:
    """Set the game up and settle chance. Returns the state and the events, numbered from `after` + 1."""
    return _settle(game, game.setup(options, players), dice, after)


def play(game: AnyGame, state: Any, seat: Seat, move: Any, dice: Dice, after: int) -> tuple[Any, list[Event]]:
    """Make one move and settle the chance that follows it.

    Returns the new state and the events in order, numbered from `after` + 1. Raises IllegalMove if no action of `seat`
    describes the move; the state is then unchanged.
    """
    move = match(game, state, seat, move)
    event = Moved(after + 1, seat, move, game.witnesses(state, seat, move))
    state, rolled = _settle(game, game.play(state, seat, move), dice, after + 1)
    return state, [event, *rolled]


def match(game: AnyGame, state: Any, seat: Seat, move: Any) -> Any:
    """Return `move` in canonical form. Raises IllegalMove if no action of `seat` describes it."""
    for action in game.actions(state, seat):
        accepted = action.accept(move)
        if accepted is not None:
            return accepted
    raise IllegalMove(game.explain(state, seat, move))


def _settle(game: AnyGame, state: Any, dice: Dice, after: int) -> tuple[Any, list[Event]]:
    events: list[Event] = []
    while (wanted := game.chance(state)) is not None:
        faces = dice.roll(wanted.sides)
        after += 1
        events.append(Rolled(after, wanted.reason, wanted.sides, faces, wanted.seen_by, blind=wanted.blind))
        state = game.settle(state, faces)
    return state, events


def steps(game: AnyGame, options: Value, players: int, events: Iterable[Event]) -> Iterator[tuple[Event | None, Any]]:
    """Yield (None, first state), then (event, state after it) for each event of a log.

    Raises BrokenLog where an event does not fit: an illegal move, a roll nobody asked for, or other dice than asked.
    """
    state = game.setup(options, players)
    yield None, state
    for event in events:
        state = advance(game, state, event)
        yield event, state


def advance(game: AnyGame, state: Any, event: Event) -> Any:
    """Return the state after one logged event. Raises BrokenLog if it does not fit."""
    wanted = game.chance(state)
    if isinstance(event, Rolled):
        return game.settle(state, _checked_faces(wanted, event))
    if wanted is not None:
        raise BrokenLog(f"event {event.n}: a move while a roll for {wanted.reason!r} is pending")
    try:
        move = match(game, state, event.seat, event.move)
    except IllegalMove as refusal:
        raise BrokenLog(f"event {event.n}: illegal move of seat {event.seat}: {refusal}") from refusal
    return game.play(state, event.seat, move)


def _checked_faces(wanted: Any, event: Rolled) -> tuple[int, ...]:
    if wanted is None or wanted.sides != event.sides or wanted.reason != event.reason:
        raise BrokenLog(f"event {event.n}: a roll for {event.reason!r} {list(event.sides)} was not asked for")
    faces = event.faces
    if faces is None or len(faces) != len(event.sides):
        raise BrokenLog(f"event {event.n}: the faces do not fit the dice")
    if not all(1 <= face <= sides for face, sides in zip(faces, event.sides, strict=True)):
        raise BrokenLog(f"event {event.n}: a face outside 1…sides")
    return faces


def fold(game: AnyGame, options: Value, players: int, events: Iterable[Event]) -> Any:
    """Return the state after all events of a log. Raises BrokenLog as `steps` does."""
    state = None
    for _, state in steps(game, options, players, events):  # noqa: B007  # the last one is wanted
        pass
    return state


def watchers(game: AnyGame, before: Any, event: Event) -> frozenset[Seat] | None:
    """Return the seats that see the content of an event that follows the state `before` (None: everybody)."""
    if isinstance(event, Moved):
        return game.witnesses(before, event.seat, event.move)
    wanted = game.chance(before)
    return None if wanted is None else wanted.seen_by
