"""Deals that a viewer cannot tell apart, each as likely as another: what `resample` is made of.

A viewer knows its own hand, the dice rolled in this round, how many each hand holds, and who could not follow a colour
when it was to be followed and so has none of it. The rest of the 36 dice may lie anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import factorial, prod

from app.core.game import Rng
from app.games.mythical_dice.dice import COLOURS, in_order

Void = frozenset[str]
"""Colours that a holder has none of."""


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
    bound = [colour for colour in COLOURS if unseen.get(colour) and any(colour in void for void in voids)]
    splits = _splits(unseen, voids, bound)

    @cache
    def ways(place: int, rooms: tuple[int, ...]) -> int:
        if place == len(bound):
            return _shares(rooms)  # the dice of all other kinds fill what is left, in any order
        return sum(_shares(split) * ways(place + 1, _less(rooms, split)) for split in splits(place, rooms))

    piles: list[list[str]] = [[] for _ in voids]
    left = tuple(rooms)
    if not ways(0, left):
        raise ValueError("no deal keeps to what is known")
    for place, colour in enumerate(bound):
        ticket = rng.randrange(ways(place, left))
        for split in splits(place, left):
            ticket -= _shares(split) * ways(place + 1, _less(left, split))
            if ticket < 0:
                break
        for pile, count in zip(piles, split, strict=True):
            pile.extend([colour] * count)
        left = _less(left, split)
    free = [kind for kind, count in unseen.items() if kind not in bound for _ in range(count)]
    rng.shuffle(free)
    for pile, room in zip(piles, left, strict=True):
        pile.extend(free[:room])
        del free[:room]
    return piles


def _splits(
    unseen: Mapping[str, int], voids: Sequence[Void], bound: Sequence[str]
) -> Callable[[int, tuple[int, ...]], Iterator[tuple[int, ...]]]:
    """Return a function that yields how the dice of the colour at a place of `bound` can be shared out among rooms."""

    def share(count: int, rooms: Sequence[int]) -> Iterator[tuple[int, ...]]:
        if not rooms:
            if count == 0:
                yield ()
            return
        for first in range(min(count, rooms[0]) + 1):
            for rest in share(count - first, rooms[1:]):
                yield (first, *rest)

    def splits(place: int, rooms: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        colour = bound[place]
        yield from share(
            unseen[colour], [0 if colour in void else room for room, void in zip(rooms, voids, strict=True)]
        )

    return splits


def _shares(split: Sequence[int]) -> int:
    """Return in how many ways different things can be shared out in these numbers."""
    return factorial(sum(split)) // prod(map(factorial, split))


def _less(rooms: Sequence[int], split: Sequence[int]) -> tuple[int, ...]:
    return tuple(room - taken for room, taken in zip(rooms, split, strict=True))
