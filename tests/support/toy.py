"""A game with everything that can be hidden, small enough to read: it proves that the conformance suite bites.

Sealed: in each of three rounds every seat is dealt a die that only it sees, then all bid at the same time and in
secret, either one or two of the chips 1, 2, 3, or, with a die of 4 or more, a boast worth 7. Who has the highest sum
of die and bid takes a point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from app.core.game import Action, Game, GameInfo, Outcome, Pick, Rng, Roll, Seat, Value, Viewer

CHIPS = (1, 2, 3)
BIDS = ((1,), (2,), (3,), (1, 2), (1, 3), (2, 3))


@dataclass(frozen=True, slots=True)
class Options(Value):
    """`rounds`: how many are played. `quick`: a single one."""

    rounds: Literal[2, 3] = 3
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Bid(Value):
    """Bid one or two chips."""

    chips: tuple[int, ...]
    kind: Literal["bid"] = "bid"


@dataclass(frozen=True, slots=True)
class Boast(Value):
    """Bid 7 on a die of 4 or more."""

    kind: Literal["boast"] = "boast"


Move: TypeAlias = Bid | Boast


@dataclass(frozen=True, slots=True)
class State(Value):
    """`dice`, `bids`, `points`: one per seat; None where not dealt or not bid yet. A boast is the bid (7,)."""

    rounds: int
    dice: tuple[int | None, ...]
    bids: tuple[tuple[int, ...] | None, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class View(Value):
    """`die`, `bid`: the viewer's own. `done`: who has bid."""

    rounds: int
    die: int | None
    bid: tuple[int, ...] | None
    done: tuple[bool, ...]
    points: tuple[int, ...]


class Sealed(Game[Options, State, Move, View]):
    """The game; subclasses in the tests break one thing each."""

    info: ClassVar[GameInfo] = GameInfo(
        slug="sealed",
        title="Sealed",
        rules=1,
        min_players=2,
        max_players=4,
        kind="ranked",
        max_decisions=12,
        minutes=1,
        hidden=True,
        simultaneous=True,
    )
    options_type: ClassVar[type[Value]] = Options
    state_type: ClassVar[type[Value]] = State
    view_type: ClassVar[type[Value]] = View
    move_types: ClassVar[tuple[type[Value], ...]] = (Bid, Boast)
    presets: ClassVar[tuple[Mapping[str, object], ...]] = ({}, {"rounds": 2, "quick": True})

    def setup(self, options: Options, players: int) -> State:
        rounds = 1 if options.quick else options.rounds
        return State(rounds, (None,) * players, (None,) * players, (0,) * players)

    def to_act(self, state: State) -> frozenset[Seat]:
        if None in state.dice or not state.rounds:
            return frozenset()
        return frozenset(seat for seat, bid in enumerate(state.bids) if bid is None)

    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        if seat not in self.to_act(state):
            return ()
        bid: Action[Move] = Action(Bid(()), "chips", Pick(CHIPS, 1, 2))
        return (bid, Action(Boast())) if (state.dice[seat] or 0) >= 4 else (bid,)

    def play(self, state: State, seat: Seat, move: Move) -> State:
        bid = move.chips if isinstance(move, Bid) else (7,)
        bids = (*state.bids[:seat], bid, *state.bids[seat + 1 :])
        if None in bids:
            return replace(state, bids=bids)
        sums = [(die or 0) + sum(chips or ()) for die, chips in zip(state.dice, bids, strict=True)]
        points = tuple(have + (mine == max(sums)) for have, mine in zip(state.points, sums, strict=True))
        return State(state.rounds - 1, (None,) * len(bids), (None,) * len(bids), points)

    def chance(self, state: State) -> Roll | None:
        if not state.rounds or None not in state.dice:
            return None
        seat = state.dice.index(None)
        return Roll((6,), "deal", frozenset({seat}))

    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        seat = state.dice.index(None)
        return replace(state, dice=(*state.dice[:seat], *faces, *state.dice[seat + 1 :]))

    def view(self, state: State, viewer: Viewer) -> View:
        die, bid = (None, None) if viewer is None else (state.dice[viewer], state.bids[viewer])
        return View(state.rounds, die, bid, tuple(bid is not None for bid in state.bids), state.points)

    def outcome(self, state: State) -> Outcome | None:
        if state.rounds:
            return None
        best = max(state.points)
        return Outcome("ranked", state.points, tuple(seat for seat, have in enumerate(state.points) if have == best))

    def witnesses(self, state: State, seat: Seat, move: Move) -> frozenset[Seat] | None:
        return frozenset({seat})

    def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:
        dice, bids = list(state.dice), list(state.bids)
        for seat, die in enumerate(dice):
            if seat == viewer or die is None:
                continue
            fresh = dice[seat] = rng.randrange(6) + 1
            if bids[seat] is not None:
                possible = (*BIDS, (7,)) if fresh >= 4 else BIDS
                bids[seat] = possible[rng.randrange(len(possible))]
        return replace(state, dice=tuple(dice), bids=tuple(bids))


TOY = Sealed()
