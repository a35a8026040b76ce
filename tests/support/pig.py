"""Pig, the example of docs/adding-a-game.md: roll as often as you dare; a one loses what this turn has brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from app.core.game import Action, Game, GameInfo, Outcome, Roll, Seat, Value, Viewer
from app.core.text import Text, say


@dataclass(frozen=True, slots=True)
class Options(Value):
    """`goal`: the points that win."""

    goal: Literal[50, 100] = 100


@dataclass(frozen=True, slots=True)
class State(Value):
    """`rolling`: a roll was asked for and has not come yet. `turn_points`: not yet safe."""

    goal: int
    seat: Seat
    turn_points: int
    points: tuple[int, ...]
    rolling: bool = False


@dataclass(frozen=True, slots=True)
class RollDie(Value):
    """Roll once more."""

    kind: Literal["roll"] = "roll"


@dataclass(frozen=True, slots=True)
class Hold(Value):
    """Keep what this turn has brought."""

    kind: Literal["hold"] = "hold"


Move: TypeAlias = RollDie | Hold


class Pig(Game[Options, State, Move, State]):
    """Pig for 2 to 4 players. Open, so the view is the state."""

    info: ClassVar[GameInfo] = GameInfo(
        slug="pig",
        title="Pig",
        rules=1,
        min_players=2,
        max_players=4,
        kind="ranked",
        max_decisions=20_000,
        minutes=10,
    )
    options_type = Options
    state_type = State
    view_type = State
    move_types = (RollDie, Hold)
    presets = ({}, {"goal": 50})

    def setup(self, options: Options, players: int) -> State:
        """Return the start: seat 0 is to act, nobody has points."""
        return State(options.goal, 0, 0, (0,) * players)

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the seat whose turn it is."""
        return frozenset() if state.rolling or self.outcome(state) else frozenset({state.seat})

    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        """Return roll, and hold once there is something to keep."""
        if seat not in self.to_act(state):
            return ()
        rolls: list[Action[Move]] = [Action(RollDie())]
        return [*rolls, Action(Hold())] if state.turn_points else rolls

    def play(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a move."""
        if isinstance(move, RollDie):
            return replace(state, rolling=True)
        points = tuple(p + state.turn_points * (i == seat) for i, p in enumerate(state.points))
        return replace(state, points=points, turn_points=0, seat=(seat + 1) % len(points))

    def chance(self, state: State) -> Roll | None:
        """Ask for the roll that was chosen."""
        return Roll((6,), "roll") if state.rolling else None

    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        """Add the face, or lose all and pass on."""
        if faces[0] == 1:
            return replace(state, rolling=False, turn_points=0, seat=(state.seat + 1) % len(state.points))
        return replace(state, rolling=False, turn_points=state.turn_points + faces[0])

    def view(self, state: State, viewer: Viewer) -> State:  # everything is open
        """Return the state."""
        return state

    def outcome(self, state: State) -> Outcome | None:
        """Return the result once somebody has reached the goal."""
        winners = tuple(seat for seat, points in enumerate(state.points) if points >= state.goal)
        return Outcome("ranked", state.points, winners) if winners else None

    def explain(self, state: State, seat: Seat, move: Move) -> Text:
        """Say why a move is refused."""
        if seat not in self.to_act(state):
            return say("It is not your turn.")
        return say("There is nothing to keep yet.") if isinstance(move, Hold) else super().explain(state, seat, move)


PIG = Pig()
