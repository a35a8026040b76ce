"""Yacht for one player, solved: the highest mean score there is, and what every choice of a turn is worth.

Method: backward over the 4,096 sets of open rows (Verhoeff, How to Maximize Your Score in Solitaire Yahtzee). The
table of a variant is solved when it is first asked for and then stays; a turn is solved from it alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from app.games.yacht.scoring import CATEGORIES, VARIANTS
from app.games.yacht.throws import FIVE, MULTISETS, Places, Values, best_keep, keeps, place_of, points, throw

SURE = 9
"""Decimals to which values are compared: what is closer than that is equally good."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Keeping `dice` (ascending faces, () to all five) and throwing the rest; `value` with best play afterwards.

    All five: the roll is forgone. The rules know that only as writing a row at once, which is worth as much.
    """

    dice: tuple[int, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Row:
    """Writing the dice into a row: the points it brings, and the `value` of those and of best play afterwards."""

    category: str
    points: int
    value: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every choice of one decision, best first; of equal ones, more dice kept and the upper row first.

    `value`: of the best choice. `keeps`: each distinct multiset, empty without a roll left. `rows`: the open ones.
    Values are points still to come, or chances to win, as asked.
    """

    value: float
    keeps: tuple[Keep, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn, solved. `rows`: each open row for each throw, shape (open rows, 252), in the order of CATEGORIES.

    `keeps`: each keep, shape (462,), with one and with two rolls left. `start`: the value before the first roll.
    """

    rows: Values
    keeps: tuple[Values, Values]
    start: float


def mask_of(categories: Collection[str]) -> int:
    """Return the set as bits, that of the first of CATEGORIES lowest. Raises ValueError for an unknown row."""
    unknown = [name for name in categories if name not in CATEGORIES]
    if unknown:
        raise ValueError(f"unknown category {unknown[0]!r}")
    return sum(1 << place for place, name in enumerate(CATEGORIES) if name in categories)


def places(mask: int) -> list[int]:
    """Return the places in CATEGORIES of the rows in a set."""
    return [place for place in range(len(CATEGORIES)) if mask >> place & 1]


def solve_turn(rows: Values) -> Turn:
    """Return the turn in which writing the throw d into the r-th open row is worth `rows[r, d]`."""
    last = throw(rows.max(axis=0)[:, None])
    first = throw(best_keep(last))
    return Turn(rows, (last[:, 0], first[:, 0]), float(throw(best_keep(first))[0, 0]))


def before_roll(scored: Values) -> Values:
    """Return the values before the first roll, shape (n,), of turns that end with `scored`, shape (252, n)."""
    worth: Values = throw(best_keep(throw(best_keep(throw(scored)))))[0]
    return worth


@cache
def table(variant: str) -> Values:
    """Return the value before the first roll of a turn for each set of open rows, shape (4096,), in points.

    Raises ValueError for an unknown variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}")
    made = points(variant)
    values = np.zeros(1 << len(CATEGORIES))
    every = np.arange(len(values))
    sizes = sum(every >> place & 1 for place in range(len(CATEGORIES)))
    for size in range(1, len(CATEGORIES) + 1):
        masks = every[sizes == size]
        values[masks] = before_roll(_best_rows(masks, made, values))
    values.flags.writeable = False
    return values


def _best_rows(masks: Places, made: Places, values: Values) -> Values:
    """Return the best row of each throw for each set of open rows, shape (252, len(masks))."""
    best = np.zeros((made.shape[1], len(masks)))
    for place, row in enumerate(made):
        (having,) = np.nonzero(masks >> place & 1)
        worth = row[:, None] + values[masks[having] ^ 1 << place]
        best[:, having] = np.maximum(best[:, having], worth)
    return best


@lru_cache(maxsize=512)
def turn(mask: int, variant: str) -> Turn:
    """Return the turn with these open rows, at least one, in points."""
    values, made = table(variant), points(variant)
    return solve_turn(np.array([made[place] + values[mask ^ 1 << place] for place in places(mask)]))


def expected(open_categories: Collection[str], variant: str = "classic") -> float:
    """Return the mean of the points still to come with best play, before the first roll of a turn.

    With all twelve rows open: 169.773889052638 ("classic"). Raises ValueError for an unknown row or variant.
    """
    return float(table(variant)[mask_of(open_categories)])


def evaluate(
    open_categories: Collection[str], dice: Sequence[int], rolls_left: int, variant: str = "classic"
) -> Evaluation:
    """Return what every choice is worth in points still to come, with `dice` on the table and `rolls_left` 0…2.

    Raises ValueError for an unknown row or variant, no open row, anything but five faces, and other rolls.
    """
    mask = mask_of(open_categories)
    if not mask:
        raise ValueError("there is no open row")
    return judge(turn(mask, variant), mask, dice, rolls_left, variant)


def judge(solved: Turn, mask: int, dice: Sequence[int], rolls_left: int, variant: str) -> Evaluation:
    """Return what every choice is worth in a solved turn. Raises ValueError as `evaluate` does."""
    if rolls_left not in range(3):
        raise ValueError(f"0 to 2 rolls are left after the first, not {rolls_left!r}")
    place, made = place_of(dice), points(variant)
    rows = [
        Row(CATEGORIES[row], int(made[row, place]), float(worth))
        for row, worth in zip(places(mask), solved.rows[:, place], strict=True)
    ]
    kept: list[Keep] = []
    if rolls_left:
        worths = solved.keeps[rolls_left - 1]
        kept = [Keep(MULTISETS[keep], float(worths[keep])) for keep in keeps(MULTISETS[FIVE][place])]
    rows.sort(key=lambda row: -round(row.value, SURE))
    kept.sort(key=lambda keep: -round(keep.value, SURE))
    value = max([rows[0].value, *(keep.value for keep in kept[:1])])
    return Evaluation(value, tuple(kept), tuple(rows))
