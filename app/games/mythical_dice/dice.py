"""The 36 dice: their kinds, their faces, and which of them may be rolled to a trick; ids (M15 …) as on the docs page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Face: TypeAlias = int | str
"""What a die shows: a number 1…7, or M minotaur, G griffin, S mermaid, F flag."""

SPECIALS: tuple[str, ...] = ("minotaur", "griffin", "mermaid")
COLOURS: tuple[str, ...] = ("red", "yellow", "purple", "gray")

KINDS: tuple[str, ...] = SPECIALS + COLOURS
"""The kinds of dice in canonical order."""

COUNTS: dict[str, int] = {"minotaur": 1, "griffin": 3, "mermaid": 2, "red": 7, "yellow": 7, "purple": 8, "gray": 8}

FACES: dict[str, tuple[Face, ...]] = {
    "minotaur": ("M", "M", "M", "M", "F", "F"),
    "griffin": ("G", "G", "G", "G", "F", "F"),
    "mermaid": ("S", "S", "S", "S", "F", "F"),
    "red": (7, 7, 6, 6, 5, 5),
    "yellow": (5, 5, 4, 4, 3, 3),
    "purple": (3, 3, 2, 2, 1, 1),
    "gray": (7, 1, 1, "F", "F", "F"),
}
"""The six faces of each kind; a roll of 1…6 picks one in this order."""

BAG: tuple[str, ...] = tuple(kind for kind in KINDS for _ in range(COUNTS[kind]))
"""All 36 dice in canonical order."""


def in_order(dice: Iterable[str]) -> tuple[str, ...]:
    """Return dice in canonical order."""
    return tuple(sorted(dice, key=KINDS.index))


def left_in_bag(hands: Iterable[Sequence[str]]) -> list[str]:
    """Return the dice that are in none of the hands, in canonical order."""
    out = Counter(die for hand in hands for die in hand)
    return [kind for kind in KINDS for _ in range(COUNTS[kind] - out[kind])]


def draw(bag: Sequence[str], faces: Iterable[int]) -> tuple[str, ...]:
    """Return the dice that `faces` pick from a bag: each 1…(number left) names one of what is left and removes it."""
    left = list(bag)
    return in_order(left.pop(face - 1) for face in faces)


def colour_to_follow(dice: Sequence[str], setter: str) -> str | None:
    """Return the colour that the dice rolled to a trick so far have set, None while nothing is set.

    The kind of a die counts, not its face: a gray die that shows a flag sets gray (M18), a special die sets nothing.
    `setter`: "first_number_die", also when a special die was led, or "leader_only" (M17).
    """
    asked = dice[:1] if setter == "leader_only" else dice
    return next((die for die in asked if die in COLOURS), None)


def allowed(hand: Iterable[str], colour: str | None) -> tuple[str, ...]:
    """Return the kinds in a hand that may be rolled where `colour` is to be followed, in canonical order.

    Who has the colour rolls it or a special die (M15); who has not rolls anything (M16).
    """
    held = [kind for kind in KINDS if kind in set(hand)]
    if colour not in held:
        return tuple(held)
    return tuple(kind for kind in held if kind == colour or kind in SPECIALS)
