"""Deals that a viewer cannot tell apart, each as likely as another: what `resample` is made of.

A viewer knows its own hand, the dice rolled in this round, how many each hand holds, and who could not follow a colour
when it was to be followed and so has none of it. The rest of the 36 dice may lie anywhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from math import factorial, prod
from typing import TypeAlias

from app.core.game import Rng
from app.games.mythical_dice.dice import COLOURS, in_order

Void = frozenset[str]
"""Colours that a holder has none of."""

Weighted: TypeAlias = tuple[tuple[int, ...], int]
"""How the dice of one colour are shared out among rooms, and in how many single deals."""

Choices: TypeAlias = Callable[[int, tuple[int, ...]], list[Weighted]]
"""Returns all ways to share out the dice of the colour at a place among rooms."""


def deal(unseen: Mapping[str, int], sizes: Sequence[int], voids: Sequence[Void], rng: Rng) -> list[tuple[str, ...]]:
    """Return hands of these sizes out of unseen dice (kind: how many), none with a colour of its void.

    Every deal of the single dice that keeps to the voids is as likely as another. What no hand gets stays in the bag.
    Raises ValueError where there is no such deal.
    """
    spare = sum(unseen.values()) - sum(sizes)
    holders: dict[Void, list[int]] = {}
    for holder, void in enumerate((*voids, Void())):
        holders.setdefault(void, []).append(holder)
    rooms = (*sizes, spare)
    piles = _piles(unseen, list(holders), [sum(rooms[holder] for holder in group) for group in holders.values()], rng)
    hands: list[tuple[str, ...]] = [()] * len(rooms)
    for group, pile in zip(holders.values(), piles, strict=True):
        rng.shuffle(pile)
        for holder in group:
            hands[holder] = in_order(pile[: rooms[holder]])
            del pile[: rooms[holder]]
    return hands[:-1]


def _piles(unseen: Mapping[str, int], voids: Sequence[Void], rooms: Sequence[int], rng: Rng) -> list[list[str]]:
    """Share out the unseen dice among groups of holders with one void each, weighted by the number of single deals."""
    bound = tuple(colour for colour in COLOURS if unseen.get(colour) and any(colour in void for void in voids))
    choices = _choices(tuple(unseen[colour] for colour in bound), bound, tuple(voids))
    piles: list[list[str]] = [[] for _ in voids]
    left = tuple(rooms)
    for place, colour in enumerate(bound):
        weighted = choices(place, left)
        if not weighted:
            raise ValueError("no deal keeps to what is known")
        split = _drawn(weighted, rng)
        for pile, count in zip(piles, split, strict=True):
            pile.extend([colour] * count)
        left = _less(left, split)
    free = [kind for kind, count in unseen.items() if kind not in bound for _ in range(count)]
    rng.shuffle(free)
    for pile, room in zip(piles, left, strict=True):
        pile.extend(free[:room])
        del free[:room]
    return piles


def _drawn(weighted: Sequence[Weighted], rng: Rng) -> tuple[int, ...]:
    reached = list(accumulate(weight for _, weight in weighted))
    return weighted[bisect_right(reached, rng.randrange(reached[-1]))][0]


@lru_cache(maxsize=64)  # who thinks in many worlds asks this again for each of them
def _choices(counts: tuple[int, ...], bound: tuple[str, ...], voids: tuple[Void, ...]) -> Choices:
    """Return the choices for so many dice of the colours of `bound`, one after the other."""

    def share(count: int, rooms: Sequence[int]) -> Iterator[tuple[int, ...]]:
        if not rooms:
            if count == 0:
                yield ()
            return
        for first in range(min(count, rooms[0]) + 1):
            for rest in share(count - first, rooms[1:]):
                yield (first, *rest)

    @cache
    def choices(place: int, rooms: tuple[int, ...]) -> list[Weighted]:
        open_to = [0 if bound[place] in void else room for room, void in zip(rooms, voids, strict=True)]
        weighted = [
            (split, _shares(split) * ways(place + 1, _less(rooms, split))) for split in share(counts[place], open_to)
        ]
        return [each for each in weighted if each[1]]

    def ways(place: int, rooms: tuple[int, ...]) -> int:
        if place == len(bound):
            return _shares(rooms)  # the dice of all other kinds fill what is left, in any order
        return sum(weight for _, weight in choices(place, rooms))

    return choices


def _shares(split: Sequence[int]) -> int:
    """Return in how many ways different things can be shared out in these numbers."""
    return factorial(sum(split)) // prod(map(factorial, split))


def _less(rooms: Sequence[int], split: Sequence[int]) -> tuple[int, ...]:
    return tuple(room - taken for room, taken in zip(rooms, split, strict=True))
