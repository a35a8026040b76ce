from __future__ import annotations

import random

import numpy as np
import pytest

from app.games.yacht.endgame import Rival, evaluate_win, most_points, remaining
from app.games.yacht.scoring import CATEGORIES
from app.games.yacht.solver import expected, mask_of
from app.games.yacht.throws import MULTISETS, first_throw

CLOSE = 1e-9
YACHT = mask_of(["yacht"])


def start(mask: int, total: int, *rivals: Rival) -> float:
    """Return the share of the win before the first roll."""
    shares = [evaluate_win(mask, total, rivals, dice, 2, "classic").value for dice in MULTISETS[-252:]]
    return float(np.dot(first_throw(), shares))


@pytest.mark.parametrize(
    ("need", "share"), [(0, 0.5230143213), (1, 0.0460286425), (49, 0.0460286425), (50, 0.0230143213), (51, 0)]
)
def test_a_last_yacht_wins_as_often_as_it_falls(need: int, share: float) -> None:
    assert start(YACHT, 100, Rival(100 + need, 0)) == pytest.approx(share, abs=CLOSE)


def test_a_tie_of_three_is_a_third_of_a_win() -> None:
    assert evaluate_win(YACHT, 0, [Rival(50, 0), Rival(50, 0)], (1, 1, 1, 1, 1), 0, "classic").value == pytest.approx(
        1 / 3
    )
    assert evaluate_win(YACHT, 0, [Rival(50, 0), Rival(49, 0)], (1, 1, 1, 1, 1), 0, "classic").value == pytest.approx(
        1 / 2
    )


def test_two_players_with_nothing_but_a_yacht_share_alike() -> None:
    assert start(YACHT, 0, Rival(0, YACHT)) == pytest.approx(0.5, abs=CLOSE)


@pytest.mark.parametrize(
    ("rows", "lead", "share"),
    # measured once; the same program gives the study's 0.759016059 for a whole game against a finished 150
    [
        (("ones", "full_house", "yacht"), 0, 0.534755408609),
        (("fours", "four_of_a_kind", "little_straight", "yacht"), 0, 0.504853806535),
    ],
)
def test_share_against_the_same_rows(rows: tuple[str, ...], lead: int, share: float) -> None:
    mask = mask_of(rows)
    assert start(mask, lead, Rival(0, mask)) == pytest.approx(share, abs=CLOSE)


def test_the_order_of_the_rivals_does_not_matter() -> None:
    rivals = [Rival(10, YACHT), Rival(30, mask_of(["choice"]))]
    one = evaluate_win(mask_of(["choice", "sixes"]), 20, rivals, (6, 6, 5, 5, 1), 1, "exercism")
    assert one == evaluate_win(mask_of(["choice", "sixes"]), 20, rivals[::-1], (6, 6, 5, 5, 1), 1, "exercism")
    assert 0 < one.value < 1


@pytest.mark.parametrize("seed", range(8))
def test_what_remains_is_a_distribution_with_the_solvers_mean(seed: int) -> None:
    rows = random.Random(seed).sample(CATEGORIES, 1 + seed % 5)
    variant = ("classic", "exercism")[seed % 2]
    found = remaining(mask_of(rows), variant)
    assert found.sum() == pytest.approx(1)
    assert len(found) == most_points(mask_of(rows), variant) + 1
    assert found @ np.arange(len(found)) == pytest.approx(expected(rows, variant), abs=CLOSE)


def test_nobody_to_beat_is_a_won_game() -> None:
    assert start(YACHT, 0) == pytest.approx(1)
