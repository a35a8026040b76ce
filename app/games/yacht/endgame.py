"""Yacht for several players near the end: what every choice of a turn is worth as a chance to win.

Model: each opponent goes on for the highest mean, whatever the others do, so that what it will still score has a fixed
distribution; one's own turns are then solved for the share of the win, with a tie of k counting 1/k. The model is
asked anew in every turn, so what the opponents really score is seen. Pawlewicz, A Nearly Optimal Computer Player in
Multi-player Yahtzee (2010), finds this kind of play indistinguishable from optimal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby

import numpy as np

from app.games.yacht.solver import Evaluation, Turn, before_roll, judge, places, solve_turn, turn
from app.games.yacht.throws import FIVE, Places, Values, first_throw, keep_table, outcomes, points


@dataclass(frozen=True, slots=True)
class Rival:
    """An opponent between its turns: what it has, and the bits of its open rows."""

    total: int
    mask: int


def evaluate_win(
    mask: int, total: int, rivals: Sequence[Rival], dice: Sequence[int], rolls_left: int, variant: str
) -> Evaluation:
    """Return what every choice is worth as a share of the win (0…1), for a player with `total` and open rows `mask`.

    The work grows about threefold with each open row; five take some hundredths of a second. Raises ValueError for
    anything but five faces and 0…2 rolls.
    """
    lead = tuple(sorted((rival.total - total, rival.mask) for rival in rivals))
    return judge(_turn_to_win(mask, lead, variant), mask, dice, rolls_left, variant)


@lru_cache(maxsize=64)
def _turn_to_win(mask: int, lead: tuple[tuple[int, int], ...], variant: str) -> Turn:
    """Return the turn with open rows `mask`, `lead`: by how much each opponent is ahead now, and its open rows."""
    made = points(variant)
    most = {0: _share(most_points(mask, variant), lead, variant)}
    for _, group in groupby(_parts(mask), key=int.bit_count):
        layer = [(part, _sums(mask ^ part, variant)) for part in group]
        scored = [_scored(part, gained, most, made) for part, gained in layer]
        worth = before_roll(np.concatenate(scored, axis=1))
        ends = np.cumsum([len(gained) for _, gained in layer])[:-1]
        for (part, gained), values in zip(layer, np.split(worth, ends), strict=True):
            most[part] = np.zeros(gained[-1] + 1)
            most[part][gained] = values
    return solve_turn(np.array([most[mask ^ 1 << row][made[row]] for row in places(mask)]))


def _parts(mask: int) -> Iterator[int]:
    """Yield the sets of rows within `mask` but for itself and the empty one, small ones first."""
    found = []
    part = (mask - 1) & mask
    while part:
        found.append(part)
        part = (part - 1) & mask
    yield from sorted(found, key=int.bit_count)


def _scored(part: int, gained: Places, most: dict[int, Values], made: Places) -> Values:
    """Return the best row for each throw and each of the points `gained` so far: shape (252, len(gained))."""
    best = np.zeros((made.shape[1], len(gained)))
    for row in places(part):
        np.maximum(best, most[part ^ 1 << row][made[row][:, None] + gained], out=best)
    return best


@cache
def _sums(mask: int, variant: str) -> Places:
    """Return what filling these rows can bring together, ascending."""
    sums = np.zeros(1, dtype=np.intp)
    for row in places(mask):
        sums = np.unique(sums[:, None] + np.unique(points(variant)[row]))
    return sums


def most_points(mask: int, variant: str) -> int:
    """Return the most that these rows can bring together."""
    return int(_sums(mask, variant)[-1])


def _share(most: int, lead: tuple[tuple[int, int], ...], variant: str) -> Values:
    """Return the share of the win for each of 0…`most` points gained.

    The chance that t opponents tie and the rest is behind is the t-th coefficient of the product of (P(behind) +
    x P(tie)) over the opponents.
    """
    ties = np.ones((1, most + 1))
    for ahead, mask in lead:
        behind, equal = _against(most, ahead, remaining(mask, variant))
        wider = np.zeros((len(ties) + 1, most + 1))
        wider[:-1] += ties * behind
        wider[1:] += ties * equal
        ties = wider
    share: Values = (ties / np.arange(1, len(ties) + 1)[:, None]).sum(axis=0)
    return share


def _against(most: int, ahead: int, more: Values) -> tuple[Values, Values]:
    """Return the chances that one opponent ends behind, and equal, for each of 0…`most` points gained."""
    below = np.concatenate(([0.0], np.cumsum(more)))
    needed = np.arange(most + 1) - ahead
    behind = below[np.clip(needed, 0, len(more))]
    equal = np.where((needed >= 0) & (needed < len(more)), more[np.clip(needed, 0, len(more) - 1)], 0.0)
    return behind, equal


@cache
def remaining(mask: int, variant: str) -> Values:
    """Return the probability of each number of points still to come, 0 first, for a player of the highest mean.

    `mask`: the open rows, before the first roll of a turn. Of equally good choices the first is made.
    """
    if not mask:
        return np.ones(1)
    solved, made, rows = turn(mask, variant), points(variant), places(mask)
    thrown = first_throw()
    for kept in reversed(solved.keeps):
        choices = keep_table()[np.arange(len(thrown)), kept[keep_table()].argmax(axis=1)]
        thrown = np.bincount(choices, weights=thrown, minlength=FIVE.stop) @ outcomes()
    chosen = solved.rows.argmax(axis=0)
    found = np.zeros(most_points(mask, variant) + 1)
    for place, row in enumerate(rows):
        here = chosen == place
        if here.any():
            now = np.bincount(made[row][here], weights=thrown[here])
            whole = np.convolve(now, remaining(mask ^ 1 << row, variant))
            found[: len(whole)] += whole
    return found
