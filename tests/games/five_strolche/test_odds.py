from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from app.games.five_strolche.odds import percent, six_among


@pytest.mark.parametrize("dice", range(6))
def test_chance_of_a_six_is_exact(dice: int) -> None:
    throws = list(product(range(1, 7), repeat=dice))
    assert six_among(dice) == Fraction(sum(6 in throw for throw in throws), len(throws))
    assert six_among(dice) == 1 - Fraction(5**dice, 6**dice)


def test_chance_of_a_six_in_percent() -> None:
    assert [percent(six_among(dice)) for dice in (0, 1, 2, 3, 10, 20, 36)] == [0, 17, 31, 42, 84, 97, 99]
    assert [percent(Fraction(chance)) for chance in (0, 1)] == [0, 100]
    assert percent(Fraction(1, 1000)) == 1
