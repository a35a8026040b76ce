"""New sheets by chance and rejection: the composition and the constraints of docs/games/vault.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from app.core.game import Rng
from app.games.vault.sheets.format import FILLED, FORMAT, LETTERS, Tier

SIZE = 6
LINES = ("c1", "c3", "c5", "r1", "r3", "r5", "c6", "c4", "c2", "r6", "r4", "r2")
"""The line of each vault: letters go clockwise around the sheet, three to a side, every second line (1.2)."""

_EXTRAS: dict[Tier, tuple[int, int]] = {"easy": (3, 8), "standard": (3, 11), "hard": (7, 14)}
"""From where to where the five numbers beside 1 to 12 are drawn."""

_FILLED_IN_LINE = ((4, 4), (2, 3), (1, 2), *((1, 2),) * 3, *((0, 2),) * 6)
"""How many filled boxes the line of each vault has: the early ones have little time."""

_HIGH_IN_LINE = (0, 1, *(2,) * 10)
"""How many numbers above 9 the line of each vault may have."""

_GEMS: dict[Tier, tuple[tuple[int, ...], ...]] = {
    "easy": ((3,) * 4 + (2,) * 4 + (1,) * 4,),
    "standard": ((3,) * 2 + (2,) * 4 + (1,) * 6, (3,) + (2,) * 5 + (1,) * 6),
    "hard": ((2,) * 6 + (1,) * 6,),
}
"""The gems of the vaults from the hardest line to the easiest, one of these drawn: 24; 20 or 19; 18 in all."""

RANKING = [[0, "pickpocket"], [10, "shoplifter"], [15, "cat_burglar"], [18, "bank_robber"], [20, "pink_panther"]]


def generate(tier: Tier, rng: Rng, sheet_id: str, title: str) -> dict[str, Any]:
    """Return a new sheet as data of the format `vault-sheet/1`; the same chance gives the same sheet."""
    cells = _fill(_filled(rng), tier, rng)
    choices = _GEMS[tier]
    gems = shared_out(choices[rng.randrange(len(choices))], cells)
    return {
        "format": FORMAT,
        "id": sheet_id,
        "title": title,
        "author": "house",
        "tier": tier,
        "rows": SIZE,
        "cols": SIZE,
        "cells": cells,
        "vaults": [
            {"id": letter, "line": line, "gems": count}
            for letter, line, count in zip(LETTERS, LINES, gems, strict=True)
        ],
        "ranking": RANKING,
    }


def places(line: str) -> tuple[tuple[int, int], ...]:
    """Return the boxes of a line as (row, column) from 0."""
    at = int(line[1]) - 1
    return tuple((at, other) if line[0] == "r" else (other, at) for other in range(SIZE))


def _filled(rng: Rng) -> set[tuple[int, int]]:
    every = [(row, column) for row in range(SIZE) for column in range(SIZE)]
    while True:
        rng.shuffle(every)
        chosen = set(every[:9])
        counts = [sum(place in chosen for place in places(line)) for line in LINES]
        if all(low <= count <= high for count, (low, high) in zip(counts, _FILLED_IN_LINE, strict=True)):
            return chosen


def _contents(tier: Tier, rng: Rng) -> list[str]:
    low, high = _EXTRAS[tier]
    while True:
        extras = [low + rng.randrange(high - low + 1) for _ in range(5)]
        numbers = [*range(1, 13), *extras]
        if max(Counter(numbers).values()) <= 3:
            return ["E"] * 3 + ["O"] * 3 + ["X2"] * 4 + [str(number) for number in numbers]


def _fill(filled: set[tuple[int, int]], tier: Tier, rng: Rng) -> list[list[str]]:
    free = [(row, column) for row in range(SIZE) for column in range(SIZE) if (row, column) not in filled]
    contents = _contents(tier, rng)
    while True:
        rng.shuffle(contents)
        cells = [[FILLED] * SIZE for _ in range(SIZE)]
        for (row, column), content in zip(free, contents, strict=True):
            cells[row][column] = content
        if all(fair([cells[row][column] for row, column in places(line)], place) for place, line in enumerate(LINES)):
            return cells


def fair(line: Sequence[str], place: int) -> bool:
    """Say whether the line of the vault at `place` (0…11) holds the constraints of the generator."""
    numbers = [int(cell) for cell in line if cell.isdigit()]
    return (
        line.count("X2") <= 1
        and line.count("E") + line.count("O") <= 2
        and len(set(numbers)) == len(numbers)
        and sum(number > 9 for number in numbers) <= _HIGH_IN_LINE[place]
    )


def shared_out(counts: Sequence[int], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the gems of each vault: `counts` falls, and the lines that are hardest for their time get most."""
    efforts = [sum(cost(cells[row][column]) for row, column in places(line)) / 10 for line in LINES]
    hard = sorted(range(12), key=lambda place: -efforts[place] / (0.8 + 2.1 * (place + 1)))
    gems = [0] * 12
    for place, count in zip(hard, counts, strict=True):
        gems[place] = count
    return gems


def cost(kind: str) -> int:
    """Return how hard a box is to cross, in tenths of a typical round's work on one line; 0 for a filled one."""
    if kind == FILLED:
        return 0
    if kind in {"E", "O"}:
        return 10
    if kind == "X2":
        return 22
    number = int(kind)
    return 15 if number <= 6 else 20 if number <= 9 else 24 if number <= 12 else 32
