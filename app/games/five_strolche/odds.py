"""How likely a throw shows a six."""

from __future__ import annotations

from fractions import Fraction


def six_among(dice: int) -> Fraction:
    """Return the exact probability that at least one of `dice` fair dice shows a six: 1 − (5/6)^n, 0 for none."""
    return 1 - Fraction(5, 6) ** dice


def percent(chance: Fraction) -> int:
    """Return a probability in whole percent; only what is impossible is 0 and only what is certain is 100."""
    if chance in {0, 1}:
        return int(100 * chance)
    return min(99, max(1, round(100 * chance)))
