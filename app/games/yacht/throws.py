"""Every multiset of up to five dice, and what happens to values when dice are thrown or kept.

Values stand in arrays of shape (252, n): a row per multiset of five dice, a column per state of the game that is solved
at the same time; (462, n) has a row per multiset of zero to five dice. Sums and maxima go one die at a time, which
takes 1,260 and 1,980 additions or comparisons a column where whole throws would take 116,424 and 8,064.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, factorial, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from app.games.yacht.scoring import CATEGORIES, score

Values: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]

MULTISETS: tuple[tuple[int, ...], ...] = tuple(
    faces for size in range(6) for faces in combinations_with_replacement(range(1, 7), size)
)
"""All 462, as ascending faces: by size, then in dictionary order."""

INDEX: dict[tuple[int, ...], int] = {faces: place for place, faces in enumerate(MULTISETS)}

_STARTS = [comb(size + 5, 6) for size in range(7)]
_OF_SIZE = [slice(_STARTS[size], _STARTS[size + 1]) for size in range(6)]
FIVE = _OF_SIZE[5]
"""The rows of the 252 whole throws."""


def _more(size: int) -> Places:
    """Return for each multiset of `size` dice the six with one die more, shape (of this size, 6)."""
    return np.array(
        [[INDEX[tuple(sorted((*faces, face)))] for face in range(1, 7)] for faces in MULTISETS[_OF_SIZE[size]]]
    )


def _fewer(size: int) -> Places:
    """Return for each multiset of `size` dice those with one die less, shape (of this size, size)."""
    return np.array(
        [[INDEX[faces[:place] + faces[place + 1 :]] for place in range(size)] for faces in MULTISETS[_OF_SIZE[size]]]
    )


_MORE = [_more(size) for size in range(5)]
_FEWER = [_fewer(size) for size in range(1, 6)]


def throw(values: Values) -> Values:
    """Return what each keep is worth when the rest is thrown and the result is worth `values`: (252, n) to (462, n)."""
    kept = np.empty((len(MULTISETS), values.shape[1]))
    kept[FIVE] = values
    for size in range(4, -1, -1):
        kept[_OF_SIZE[size]] = kept[_MORE[size]].sum(axis=1) / 6
    return kept


def best_keep(kept: Values) -> Values:
    """Return what each throw is worth when the best part of it is kept: (462, n) to (252, n)."""
    best = kept.copy()
    for size in range(1, 6):
        np.maximum(kept[_OF_SIZE[size]], best[_FEWER[size - 1]].max(axis=1), out=best[_OF_SIZE[size]])
    return best[FIVE]


@cache
def keeps(faces: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places in MULTISETS of the distinct keeps of five ascending `faces`: most dice first, all five too."""
    return tuple({INDEX[kept]: None for size in range(5, -1, -1) for kept in combinations(faces, size)})


@cache
def keep_table() -> Places:
    """Return for each throw the places of its 32 keeps, shape (252, 32), those of equal dice repeated."""
    return np.array(
        [[INDEX[kept] for size in range(5, -1, -1) for kept in combinations(faces, size)] for faces in MULTISETS[FIVE]]
    )


@cache
def outcomes() -> Values:
    """Return the probability of each throw after each keep, shape (462, 252)."""
    return throw(np.eye(len(MULTISETS[FIVE])))


@cache
def first_throw() -> Values:
    """Return the probability of each throw of all five dice, shape (252,)."""
    ways = [factorial(5) / prod(factorial(faces.count(face)) for face in range(1, 7)) for faces in MULTISETS[FIVE]]
    return np.array(ways) / 6**5


@cache
def points(variant: str) -> Places:
    """Return the points of each throw in each row, shape (12, 252). Raises ValueError for an unknown variant."""
    return np.array([[score(name, faces, variant) for faces in MULTISETS[FIVE]] for name in CATEGORIES])


def place_of(dice: Sequence[int]) -> int:
    """Return the row of a throw in arrays of shape (252, …). Raises ValueError for anything but five faces 1…6."""
    faces = tuple(sorted(dice))
    if len(faces) != 5 or faces not in INDEX:
        raise ValueError(f"five faces 1…6 are needed, not {dice!r}")
    return INDEX[faces] - _STARTS[5]
