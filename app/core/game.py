"""The contract between a game and everything else.

A game is a set of pure functions over frozen values: state in, state out. It never rolls dice itself; it *asks* for a
roll (`chance`) and is told the faces (`settle`). It never checks whose turn it is or whether a move is legal; the
engine accepts exactly the moves that `actions` describes. Chance as an actor and secrecy proved by `resample` follow
OpenSpiel's `spiel.h`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from app.core.text import Text, say

Seat: TypeAlias = int
"""A place at the table, counted from 0."""

Viewer: TypeAlias = int | None
"""Who looks: a seat, or None for a spectator."""

Kind: TypeAlias = Literal["ranked", "solo", "team"]
Detail: TypeAlias = Mapping[str, bool | int | str | tuple[int, ...] | tuple[str, ...]]


def spelled(field_name: str) -> str:
    """Return a field's name in JSON: words that Python keeps for itself (`pass_`, `from_`) lose their underscore."""
    return field_name.rstrip("_")


class Value:
    """Base of options, states, views and moves: frozen slotted dataclasses of ints, strings, bools, tuples, each other.

    Subclasses are hashable and compare by content. Unions are told apart by a field `kind: Literal[...]`.
    """

    __slots__ = ()
    # read by the codec's validator: an unknown field is an error, never ignored
    __pydantic_config__: ClassVar[dict[str, Any]] = {
        "extra": "forbid",
        "alias_generator": spelled,
        "serialize_by_alias": True,
    }


Options = TypeVar("Options", bound=Value)
State = TypeVar("State", bound=Value)
Move = TypeVar("Move", bound=Value)
View = TypeVar("View", bound=Value)


class IllegalMove(Exception):
    """A move that no action of the seat describes; `reason` says why in a few words."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.key)
        self.reason = reason


class Rng(Protocol):
    """The part of `random.Random` that games and bots may use; the caller injects it."""

    def random(self) -> float:
        """Return a float in [0, 1)."""

    def randrange(self, stop: int, /) -> int:
        """Return an int in [0, stop)."""

    def shuffle(self, x: list[Any], /) -> None:
        """Shuffle a list in place."""


@dataclass(frozen=True, slots=True)
class Roll(Value):
    """A request to chance: one fair die per entry of `sides`, each result 1…sides.

    `seen_by` is the set of seats that learn the faces (None: everybody). A draw of k things from a bag of n is one
    roll with sides (n, n-1, …); each face picks from what is left in canonical order and removes it.

    `blind`: nobody is told the faces while the game runs; those in `seen_by` learn from their view what came of them.
    That is for a draw from a bag which others have drawn from in secret: a face counts in what is left, so that the
    face together with the thing drawn would tell what is missing.
    """

    sides: tuple[int, ...]
    reason: str
    seen_by: frozenset[Seat] | None = None
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Outcome(Value):
    """How a game ended. `scores` has one entry per seat (team games: the same for all); `winners` may be several."""

    kind: Kind
    scores: tuple[int, ...]
    winners: tuple[Seat, ...]
    detail: Detail = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GameInfo:
    """Facts about a game, as data; the conformance suite holds a game to them.

    `rules` is bumped whenever a recorded game would come out differently. `max_decisions` bounds the decisions of one
    game at the largest table. `hidden`: some state or event is not for everybody. `simultaneous`: several seats may be
    asked at once. `minutes` is a typical length for the home page.
    """

    slug: str
    title: str
    rules: int
    min_players: int
    max_players: int
    kind: Kind
    max_decisions: int
    minutes: int
    hidden: bool = False
    simultaneous: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """A choice left open: any `least`…`most` distinct members of `options`, kept in the order of `options`."""

    options: tuple[int, ...] | tuple[str, ...]
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Action(Generic[Move]):
    """What a seat may do: `move` as it stands, or, with `field`, `move` with that tuple field replaced by a pick.

    With `field` set, `move` carries () there. So "re-roll any of my twenty dice" is one action, not a million moves.
    Construct it as `Action(…)`, not `Action[Move](…)`: Python 3.11 cannot mark a frozen slotted object with its type.
    """

    move: Move
    field: str | None = None
    pick: Pick | None = None

    def accept(self, move: Move) -> Move | None:
        """Return `move` in canonical form (the pick in the order of its options) if this action describes it."""
        if self.field is None or self.pick is None:
            return self.move if move == self.move else None
        if type(move) is not type(self.move):
            return None
        chosen = getattr(move, self.field)
        if len(set(chosen)) != len(chosen) or not self.pick.least <= len(chosen) <= self.pick.most:
            return None
        ordered = tuple(option for option in self.pick.options if option in chosen)
        if len(ordered) != len(chosen) or replace(move, **{self.field: ()}) != self.move:  # type: ignore[type-var]  # moves are dataclasses by contract
            return None
        return replace(move, **{self.field: ordered})  # type: ignore[type-var]  # as above

    def fill(self, chosen: Sequence[int] | Sequence[str]) -> Move:
        """Return the move of this action with `chosen` as its pick. Raises ValueError where nothing is open."""
        if self.field is None:
            raise ValueError("this action has no open pick")
        return replace(self.move, **{self.field: tuple(chosen)})  # type: ignore[type-var]  # as above


class Game(ABC, Generic[Options, State, Move, View]):
    """One game. Stateless; one instance serves all tables.

    In every reachable state exactly one holds: `chance` wants a roll; somebody is in `to_act`; `outcome` is there.
    All methods are pure and deterministic and leave their arguments untouched.
    """

    info: ClassVar[GameInfo]
    options_type: ClassVar[type[Value]]
    state_type: ClassVar[type[Value]]
    view_type: ClassVar[type[Value]]
    move_types: ClassVar[tuple[type[Value], ...]]
    """The members of the union `Move`, each with its own `kind`."""

    presets: ClassVar[tuple[Mapping[str, object], ...]] = ({},)
    """Option sets the conformance suite plays, beside the defaults."""

    def resolve_options(self, options: Options, today: str) -> Options:  # noqa: ARG002  # a default for games without a day
        """Return `options` with what depends on the day made definite; `today` is the UTC date, "2026-11-30".

        Called once, when a table is made; `setup` gets, and the record keeps, what it returns.
        """
        return options

    @abstractmethod
    def setup(self, options: Options, players: int) -> State:
        """Return the first state. No chance is used and nothing in it is hidden."""

    @abstractmethod
    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the seats that are asked now; empty while chance is pending and after the end."""

    @abstractmethod
    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        """Return what `seat` may do: finite, without duplicates, in a fixed order, and empty iff it is not asked.

        Depends only on what that seat may know.
        """

    @abstractmethod
    def play(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a move that an action of `seat` describes (the engine has checked)."""

    @abstractmethod
    def chance(self, state: State) -> Roll | None:
        """Return the roll that must be settled before anything else, or None."""

    @abstractmethod
    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        """Return the state after the pending roll came out as `faces` (one per die, each 1…sides)."""

    @abstractmethod
    def view(self, state: State, viewer: Viewer) -> View:
        """Return what `viewer` may know. When the game is over it may show everything. The only redaction of state."""

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """Return the result, or None while the game runs."""

    def witnesses(self, state: State, seat: Seat, move: Move) -> frozenset[Seat] | None:  # noqa: ARG002  # a default for open games
        """Return the seats that see `move` being made in `state` (None: everybody)."""
        return None

    def reveal(self, state: State) -> View:
        """Return what everybody may see of a past state once the game is over, when nothing is secret any more.

        The replay shows it. The default fits open games; a game with secrets adds them.
        """
        return self.view(state, None)

    def final(self, before: State, seat: Seat, move: Move, after: State) -> bool:  # noqa: ARG002  # as above
        """Say whether a move cannot be taken back even while nothing has followed it: it revealed something."""
        return False

    def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:  # noqa: ARG002  # as above
        """Return a random other state that `viewer` cannot tell from `state`; `state` itself for open games."""
        return state

    def explain(self, state: State, seat: Seat, move: Move) -> Text:  # noqa: ARG002  # as above
        """Say in a few words why no action describes `move`; reveals nothing that `seat` may not know."""
        return say("That is not possible now.")
