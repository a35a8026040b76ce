"""What five dice are worth in each row of a Yacht sheet; the ids (Y01 …) are those of the rules page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

CATEGORIES: tuple[str, ...] = (
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "choice",
    "full_house",
    "four_of_a_kind",
    "little_straight",
    "big_straight",
    "yacht",
)
"""The rows of a sheet, in the order in which they are offered."""

VARIANTS: tuple[str, ...] = ("classic", "exercism")

_NUMBERS = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}


def score(category: str, dice: Sequence[int], variant: str = "classic") -> int:
    """Return the points of five dice (faces 1…6, in any order) in a row: 0 where they do not meet its condition.

    The variants differ in one row: four of a kind counts all five dice by the Yacht text ("classic", Y01–Y03), only
    the four equal ones by Exercism's canonical cases ("exercism"). Raises ValueError for an unknown category or
    variant, and for anything but five faces.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}")
    if len(dice) != 5 or any(face not in range(1, 7) for face in dice):
        raise ValueError(f"five faces 1…6 are scored, not {dice!r}")
    if category in _NUMBERS:
        number = _NUMBERS[category]
        return number * dice.count(number)
    return _combination(category, dice, variant)


def _combination(category: str, dice: Sequence[int], variant: str) -> int:
    counts = Counter(dice)
    match category:
        case "choice":
            return sum(dice)
        case "full_house":  # two different numbers: five equal dice are none (Y06)
            return sum(dice) if sorted(counts.values()) == [2, 3] else 0
        case "four_of_a_kind":
            return _four_of_a_kind(counts, variant)
        case "little_straight":
            return 30 if set(dice) == {1, 2, 3, 4, 5} else 0
        case "big_straight":
            return 30 if set(dice) == {2, 3, 4, 5, 6} else 0
        case "yacht":
            return 50 if len(counts) == 1 else 0
        case _:
            raise ValueError(f"unknown category {category!r}")


def _four_of_a_kind(counts: Counter[int], variant: str) -> int:
    (face, times), *_ = counts.most_common(1)
    if times < 4:
        return 0
    return face * 4 if variant == "exercism" else sum(counts.elements())
