"""The game every server plays here: whose turn it is rolls one die, which is added to their points; the turn passes.

After `MOVES` rolls the game is over. It is known to nothing but this bench.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from app.core.board import Entry, Form, Frame, Standing
from app.core.events import Event
from app.core.game import Action, Game, GameInfo, Outcome, Roll, Seat, Value, Viewer
from app.core.text import Text, say

MOVES = 100
"""Rolls of one game. As many for every server: some write the whole log of a game with each move."""


@dataclass(frozen=True, slots=True)
class Options(Value):
    """There is nothing to choose."""


@dataclass(frozen=True, slots=True)
class State(Value):
    """`rolling`: a roll was asked for and has not come yet. `made`: how many have."""

    seat: Seat
    made: int
    points: tuple[int, ...]
    rolling: bool = False


@dataclass(frozen=True, slots=True)
class RollDie(Value):
    """Roll the die."""

    kind: Literal["roll"] = "roll"


class OneDie(Game[Options, State, RollDie, State]):
    """The rules. Open, so the view is the state."""

    info: ClassVar[GameInfo] = GameInfo(
        slug="one-die",
        title="One die",
        rules=1,
        min_players=2,
        max_players=2,
        kind="ranked",
        max_decisions=MOVES,
        minutes=1,
    )
    options_type = Options
    state_type = State
    view_type = State
    move_types = (RollDie,)
    presets = ({},)

    def setup(self, options: Options, players: int) -> State:  # noqa: ARG002  # the contract's signature
        """Return the start: seat 0 is to roll."""
        return State(0, 0, (0,) * players)

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the seat whose turn it is."""
        return frozenset() if state.rolling or state.made == MOVES else frozenset({state.seat})

    def actions(self, state: State, seat: Seat) -> Sequence[Action[RollDie]]:
        """Return the roll."""
        return (Action(RollDie()),) if seat in self.to_act(state) else ()

    def play(self, state: State, seat: Seat, move: RollDie) -> State:  # noqa: ARG002  # as above
        """Return the state with the roll asked for."""
        return replace(state, rolling=True)

    def chance(self, state: State) -> Roll | None:
        """Ask for the roll."""
        return Roll((6,), "roll") if state.rolling else None

    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        """Add the face and pass the turn."""
        points = tuple(have + faces[0] * (seat == state.seat) for seat, have in enumerate(state.points))
        return State((state.seat + 1) % len(points), state.made + 1, points)

    def view(self, state: State, viewer: Viewer) -> State:  # noqa: ARG002  # everything is open
        """Return the state."""
        return state

    def outcome(self, state: State) -> Outcome | None:
        """Return the result after the last roll."""
        if state.made < MOVES:
            return None
        best = max(state.points)
        return Outcome("ranked", state.points, tuple(seat for seat, have in enumerate(state.points) if have == best))


class Plain:
    """The game as a page, as far as it has one: the clients of this bench speak JSON."""

    def frame(self, view: State, viewer: Viewer, actions: Sequence[Action[Any]], *, fresh: bool) -> Frame:  # noqa: ARG002  # the contract's signature
        """Return the points."""
        return Frame(say("One die"), say("Roll"), tuple(Standing(points) for points in view.points), view, actions)

    def parse(self, form: Form) -> dict[str, Any]:  # noqa: ARG002  # as above
        """Return the one move there is."""
        return {"kind": "roll"}

    def line(self, event: Event, before: Value, after: Value) -> None:
        """Return None: no line is needed."""

    def done(self, event: Event, after: Any) -> None:
        """Return None: nothing can be taken back."""

    def summary(self, outcome: Outcome, view: State) -> tuple[Text, ...]:  # noqa: ARG002  # as above
        """Return a note per seat."""
        return tuple(say("{points} points", points=points) for points in outcome.scores)

    def option_text(self, option: str, choice: Any) -> tuple[Text, Text]:
        """Return the names as they are."""
        return say("{option}", option=option), say("{choice}", choice=str(choice))

    def pitch(self) -> tuple[Text, ...]:
        """Return the game in a line, and again."""
        return (say("Roll one die."), say("Roll one die."))


ENTRY = Entry(OneDie(), Plain())
