"""What an unfinished sheet promises: for each line the chance that it is full in time, tuned by games of the planner.

The numbers were tried out one by one on 120 generated sheets; the form is that of the study of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, sqrt
from typing import TypeAlias

from app.games.vault.sheets.format import FILLED, PrintedSheet

EVEN, ODD, PAIR = 21, 22, 23
"""What E, O and X2 boxes hold; the others hold their numbers, 1 to 20."""

_HOLDS = {"E": EVEN, "O": ODD, "X2": PAIR}

EFFORT: dict[int, float] = {
    **{number: 1.5625 if number < 7 else 0.6 + 0.2 * number for number in range(1, 21)},
    EVEN: 1.0,
    ODD: 1.0,
    PAIR: 2.3,
}
"""About how many dice a box takes."""

_SPREAD = 1.5
_SLOPE = 0.004
"""What each die that a line does not need any more adds to the promise of a gem, hopeless as the line may be."""


def _chance(effort: float, rounds: int) -> float:
    """Return what a gem of a line is worth that takes `effort` dice, with so many rounds to come to fill it in."""
    within = 2.4 * rounds + 0.8 * sqrt(rounds)
    return 1 / (1 + exp((effort - within) / _SPREAD)) + _SLOPE * (10 - effort)


class _Line(dict[int, float]):
    """The worth of one line in one round by the marked boxes of the line, worked out when first asked for."""

    def __init__(self, boxes: Sequence[tuple[int, int]], gems: int, rounds: int) -> None:
        self._boxes = boxes
        self._gems = gems
        self._rounds = rounds

    def __missing__(self, marked: int) -> float:
        left = [EFFORT[held] for bit, held in self._boxes if not marked & bit]
        if not left:
            worth = float(self._gems)
        elif self._rounds <= 0:
            worth = 0.0
        else:
            worth = self._gems * _chance(sum(left), self._rounds)
        self[marked] = worth
        return worth


Lines: TypeAlias = tuple[tuple[_Line, int], ...]
"""The lines of a box that are not secured yet: (worth by marked boxes, all boxes of the line)."""


class Ground:
    """A sheet as the planner sees it: boxes are bits, `holds` what stands in them, `worth` what lines promise."""

    def __init__(self, sheet: PrintedSheet) -> None:
        self.sheet = sheet
        self.bits = {box: 1 << place for place, box in enumerate(sheet.kinds)}
        self.boxes = {bit: box for box, bit in self.bits.items()}
        self.holds = {
            self.bits[box]: _HOLDS.get(kind) or int(kind) for box, kind in sheet.kinds.items() if kind != FILLED
        }
        self.filled = self.mask(sheet.filled)
        self.vaults = tuple(self.mask(vault.boxes) for vault in sheet.vaults)
        self._lines = tuple(self._round(secured) for secured in range(len(self.vaults)))

    def mask(self, boxes: Sequence[str]) -> int:
        """Return boxes as one number."""
        return sum(self.bits[box] for box in boxes)

    def lines(self, secured: int) -> dict[int, Lines]:
        """Return for each box that can still bring gems in the round after `secured` rounds the lines that do."""
        return self._lines[secured]

    def opened(self, before: int, after: int, secured: int) -> list[int]:
        """Return the places of the vaults that were opened in a round, from the boxes marked before and after it."""
        return [
            place for place, line in enumerate(self.vaults) if place >= secured and line & ~before and not line & ~after
        ]

    def gems(self, before: int, after: int, secured: int) -> int:
        """Return what was in the vaults `opened` in a round."""
        return sum(self.sheet.vaults[place].gems for place in self.opened(before, after, secured))

    def _round(self, secured: int) -> dict[int, Lines]:
        worths: list[tuple[_Line, int]] = []
        for place, (vault, line) in enumerate(zip(self.sheet.vaults, self.vaults, strict=True)):
            boxes = [(bit, held) for bit, held in self.holds.items() if bit & line]
            worths.append((_Line(boxes, vault.gems, place - secured), line))
        found = {}
        for bit in self.holds:
            lines = tuple(each for each in worths[secured:] if each[1] & bit)
            if lines:
                found[bit] = lines
        return found


@lru_cache(maxsize=64)
def ground(sheet: PrintedSheet) -> Ground:
    """Return the ground of a sheet; it depends on the sheet alone."""
    return Ground(sheet)
