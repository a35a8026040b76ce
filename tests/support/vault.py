"""Positions of Vault for tests, and the rules of a mark said a second time, slowly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Literal

import pytest

from app.core import engine
from app.core.events import Event
from app.core.game import IllegalMove, Outcome
from app.games.vault.rules import GAME
from app.games.vault.sheets import SHEETS
from app.games.vault.state import DICE, SKIMMERS, Hand, Mark, Move, Options, Progress, Skimmer, State
from tests.support.dice import ScriptedDice

FRESH = (Skimmer(),) * 3
SPENT = (Skimmer(1, spent=True),) * 3


def charged(*charges: int) -> tuple[Skimmer, ...]:
    """Return three skimmers with these charges, 0 for the rest."""
    return tuple(Skimmer(charge) for charge in (*charges, 0, 0, 0)[:3])


def column(number: int, *, without: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the boxes of a column, counted from 1, without some of them."""
    return tuple(box for row in range(1, 7) if (box := f"r{row}c{number}") not in without)


def row(number: int, *, without: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the boxes of a row, counted from 1, without some of them."""
    return tuple(box for place in range(1, 7) if (box := f"r{number}c{place}") not in without)


def position(
    dice: Sequence[int],
    *,
    marked: Sequence[str] = (),
    skimmers: tuple[Skimmer, ...] = FRESH,
    rerolls: int = 3,
    round: int = 1,  # noqa: A002  # the game's own word
    used: Sequence[str] = (),
    options: Options = Options(),  # noqa: B008  # frozen
    seats: int = 1,
    gems: int = 0,
) -> State:
    """Return a position on the sheet of the options: all seats in the same one. Fewer than five dice: the rest are used sixes."""
    printed = SHEETS[options.sheet]
    crossed = tuple(box for box in printed.kinds if box in (*printed.filled, *marked))
    progress = Progress(crossed, skimmers, rerolls, (), gems)
    used = (*used, *DICE[len(dice) :])
    faces = (*dice, 6, 6, 6, 6, 6)[:5]
    hand = Hand(progress, progress, tuple(die for die in DICE if die in used))
    return State(options, options.sheet, round - 1, tuple((face,) for face in faces), (hand,) * seats)


class Played:
    """A game played move by move with told dice, from a position or from the start."""

    def __init__(
        self, state: State | None = None, *faces: int, players: int = 1, options: Options | None = None
    ) -> None:
        self.events: list[Event] = []
        self.state: State
        if state is None:
            dice = ScriptedDice(*faces)
            self.state, self.events = engine.begin(GAME, options or Options(), players, dice)
        else:
            self.state = state

    def move(self, move: Move, *faces: int, seat: int = 0) -> list[Event]:
        """Make a move; `faces` is what falls after it, all of it."""
        dice = ScriptedDice(*faces)
        self.state, new = engine.play(GAME, self.state, seat, move, dice, len(self.events))
        assert not dice.left
        self.events += new
        return new

    def refusal(self, move: Move, seat: int = 0) -> str:
        """Return the words with which a move is refused, placeholders filled in."""
        before = self.state
        with pytest.raises(IllegalMove) as caught:
            self.move(move, seat=seat)
        assert self.state is before
        reason = caught.value.reason
        return reason.key.format(**dict(reason.parts))

    def hand(self, seat: int = 0) -> Hand:
        """Return what a seat holds."""
        return self.state.hands[seat]

    def progress(self, seat: int = 0) -> Progress:
        """Return what a seat has done."""
        return self.state.hands[seat].progress


def use(state: State, seat: int = 0, *dice: str) -> State:
    """Return the state with these dice of a seat used."""
    hand = state.hands[seat]
    return state.with_hand(seat, replace(hand, used=tuple(die for die in DICE if die in (*hand.used, *dice))))


def slow_marks(state: State, seat: int = 0) -> Iterator[Mark]:
    """Yield every legal mark under the default options by trying every choice of tokens and signs on every box."""
    hand, values = state.hands[seat], {}
    for name, value in zip(DICE, state.values(seat), strict=True):
        if name not in hand.used:
            assert value is not None
            values[name] = value
    for name, skimmer in zip(SKIMMERS, hand.progress.skimmers, strict=True):
        if skimmer.charge > 0 and not skimmer.spent:
            values[name] = skimmer.charge
    kinds = {f"r{r + 1}c{c + 1}": kind for r, cells in enumerate(state.printed.cells) for c, kind in enumerate(cells)}
    free = [box for box in kinds if box not in hand.progress.marked]
    for size in range(1, len(values) + 1):
        for names in combinations(values, size):
            for signs in product((1, -1), repeat=size):
                up = tuple(name for name, sign in zip(names, signs, strict=True) if sign > 0)
                down = tuple(name for name, sign in zip(names, signs, strict=True) if sign < 0)
                shown = [values[name] for name in names]
                total = sum(value * sign for value, sign in zip(shown, signs, strict=True))
                for box in free:
                    if slow_fit(kinds[box], shown, total, signs):
                        yield Mark(box, up, down)


def slow_fit(kind: str, shown: Sequence[int], total: int, signs: Sequence[int]) -> bool:
    """Say whether tokens fit a box, in the words of the rules file."""
    if kind == "E":
        return len(shown) == 1 and signs[0] > 0 and shown[0] % 2 == 0
    if kind == "O":
        return len(shown) == 1 and signs[0] > 0 and shown[0] % 2 == 1
    if kind == "X2":
        return len(shown) == 2 and min(signs) > 0 and shown[0] == shown[1]
    return total == int(kind)


def ended(*ends: tuple[int, tuple[Skimmer, ...]], tie: Literal["shared", "more_gems"] = "shared") -> State:
    """Return a game that is over, in which the seats have these gems and skimmers."""
    hands = tuple(Hand(Progress((), skimmers, 0, (), gems)) for gems, skimmers in ends)
    return State(Options(tie=tie), "s-01", 12, (), hands)


def end(*ends: tuple[int, tuple[Skimmer, ...]], tie: Literal["shared", "more_gems"] = "shared") -> Outcome:
    """Return how a game comes out in which the seats have these gems and skimmers at the end."""
    outcome = GAME.outcome(ended(*ends, tie=tie))
    assert outcome is not None
    return outcome


def after_v01() -> Played:
    """Return a game after the moves of example V01."""
    game = Played(None, 1, 3, 4, 5, 6)
    game.move(Mark("r3c1", ("d2",), ()))
    game.move(Mark("r4c1", ("d1",), ()))
    return game
