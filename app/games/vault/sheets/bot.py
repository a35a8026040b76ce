"""The reference player by which sheets are measured: plans a round about as well as an attentive person.

It weighs each open line by how likely it is to be full in time and searches the ways to share the tokens out, two dice
and a skimmer to a box at most. With three dice to a box and two boxes tried for each group it gains four points a game;
then the titles would tell nothing any more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

from app.core.game import Rng
from app.games.vault.marks import Token
from app.games.vault.sheets.format import FILLED, PrintedSheet

_SAMPLES = 3
"""Throws tried out before a re-roll is spent."""

_DICE_A_BOX = 2

_WITHIN_A_ROUND = 75
"""The cost, in tenths, of a line that one round may still fill."""

_HOPE = 0.3
"""What a box of the vault that is secured next gains in the order of trial, for each of its gems."""

_SKIMMER_GAIN = 0.6
"""What a mark must promise before a skimmer, worth a point at the end, is thought of."""


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


@lru_cache(maxsize=4096)
def _promise(rounds: int, left: int) -> float:
    """Return what a gem of a line is worth with cost `left` to go and `rounds` to come after this one."""
    if left == 0:
        return 1.0
    if rounds <= 0:
        return 0.0
    return 0.97 / (1 + math.exp((left / 10 - 0.8 - 2.1 * rounds) / 1.3)) + 0.002 * (10 - left / 10)


@lru_cache(maxsize=4096)
def _sums(values: tuple[int, ...]) -> frozenset[int]:
    """Return the positive sums of all these values with any signs."""
    totals = {0}
    for value in values:
        totals = {total + sign * value for total in totals for sign in (1, -1)}
    return frozenset(total for total in totals if total > 0)


def signs(values: Sequence[int], number: int) -> tuple[int, ...] | None:
    """Return a sign for each value so that they sum up to `number`, few minus signs first; None if there is none."""
    found = [
        chosen
        for chosen in product((1, -1), repeat=len(values))
        if sum(sign * value for sign, value in zip(chosen, values, strict=True)) == number
    ]
    return max(found, key=sum) if found else None


@dataclass(frozen=True, slots=True)
class Step:
    """A mark that is planned: the box, and the tokens for it by name."""

    box: str
    names: tuple[str, ...]


class Position:
    """A sheet in play, as the planner sees it: what is left to do in each line, and what that is worth."""

    def __init__(self, sheet: PrintedSheet, marked: Sequence[str], secured: int) -> None:
        self.sheet = sheet
        self.secured = secured
        self._open = {box: cost(kind) for box, kind in sheet.kinds.items() if box not in marked}
        self._left = [sum(self._open.get(box, 0) for box in vault.boxes) for vault in sheet.vaults]
        self._by_kind: dict[str, list[str]] = {}
        for box in sorted(self._open, key=self.appeal, reverse=True):
            self._by_kind.setdefault(sheet.kinds[box], []).append(box)

    def _worth(self, place: int, left: int) -> float:
        if place < self.secured:
            return 0.0
        return self.sheet.vaults[place].gems * _promise(place - self.secured, left)

    def gain(self, box: str) -> float:
        """Return what crossing a box adds to the promise of its lines, as they stand now."""
        effort = self._open[box]
        return sum(
            self._worth(place, self._left[place] - effort) - self._worth(place, self._left[place])
            for place in self.sheet.lines[box]
        )

    def appeal(self, box: str) -> float:
        """Return `gain`, and hope for the vault that is secured next, whose boxes count only all together."""
        hope = 0.0
        for place in self.sheet.lines[box]:
            if place == self.secured and self._left[place] <= _WITHIN_A_ROUND:
                hope = _HOPE * self.sheet.vaults[place].gems
        return self.gain(box) + hope

    def _move(self, box: str, effort: int) -> None:
        for place in self.sheet.lines[box]:
            self._left[place] -= effort

    def candidates(self, values: tuple[int, ...]) -> list[str]:
        """Return the open boxes that tokens of these values cross all together, the most promising first."""
        kinds = [str(total) for total in _sums(values)]
        if len(values) == 1:
            kinds.append("O" if values[0] % 2 else "E")
        elif len(values) == 2 and values[0] == values[1]:
            kinds.append("X2")
        boxes = [box for kind in kinds for box in self._by_kind.get(kind, ())[:2]]
        return sorted(boxes, key=self.appeal, reverse=True)[:3]

    def plan(self, dice: Sequence[Token], skimmers: Sequence[Token]) -> tuple[float, tuple[Step, ...]]:
        """Return the best way found to use tokens, and what it adds: two dice and a skimmer a box at most."""
        blocks = self._blocks(dice, skimmers)
        free = frozenset(name for name, _ in (*dice, *skimmers))
        return self._search([name for name, _ in (*dice, *skimmers)], free, blocks)

    def _blocks(
        self, dice: Sequence[Token], skimmers: Sequence[Token]
    ) -> dict[str, list[tuple[frozenset[str], tuple[str, ...], list[str]]]]:
        """Return for each token the groups that begin with it: (as a set, by name, boxes they cross)."""
        groups = [group for size in range(1, _DICE_A_BOX + 1) for group in combinations(dice, size)]
        helped = [(*group, one) for one in skimmers for group in ((), *groups)]
        blocks: dict[str, list[tuple[frozenset[str], tuple[str, ...], list[str]]]] = {}
        for group in (*groups, *helped):
            boxes = self.candidates(tuple(value for _, value in group))
            if not boxes or (group[-1][0][0] == "s" and self.appeal(boxes[0]) < _SKIMMER_GAIN):
                continue
            names = tuple(name for name, _ in group)
            blocks.setdefault(names[0], []).append((frozenset(names), names, boxes))
        return blocks

    def _search(
        self,
        order: list[str],
        free: frozenset[str],
        blocks: dict[str, list[tuple[frozenset[str], tuple[str, ...], list[str]]]],
        at: int = 0,
    ) -> tuple[float, tuple[Step, ...]]:
        while at < len(order) and (order[at] not in free or order[at] not in blocks):
            at += 1
        if at == len(order):
            return 0.0, ()
        best = self._search(order, free, blocks, at + 1)  # this token is left over
        for group, names, boxes in blocks[order[at]]:
            if not group <= free:
                continue
            box = next((box for box in boxes if self._open[box]), None)
            if box is None:
                continue
            effort, gain = self._open[box], self.gain(box) - (names[-1][0] == "s")
            self._open[box] = 0
            self._move(box, effort)
            more, steps = self._search(order, free - group, blocks, at + 1)
            self._move(box, -effort)
            self._open[box] = effort
            if gain + more > best[0]:
                best = gain + more, (Step(box, names), *steps)
        return best

    def usefulness(self, charge: int) -> float:
        """Return what a skimmer of this charge promises for later rounds."""
        return max((self.gain(box) for box in self.candidates((charge,))), default=0.0) if charge else 0.0

    def charging(self, dice: Sequence[Token], charges: Sequence[int | None]) -> tuple[int, tuple[str, ...]] | None:
        """Return the skimmer and the dice whose charge promises most; None if none is better than it was.

        `charges`: of the three skimmers, None for a spent one.
        """
        best, found = 0.05, None
        for place, charge in enumerate(charges):
            if charge is None:
                continue
            before = self.usefulness(charge)
            for size in range(1, len(dice) + 1):
                for group in combinations(dice, size):
                    better = self.usefulness(charge + sum(value for _, value in group)) - before
                    if better > best:
                        best, found = better, (place, tuple(name for name, _ in group))
        return found

    def wants_throw(self, dice: Sequence[Token], rest: Sequence[Token], skimmers: Sequence[Token], rng: Rng) -> bool:
        """Say whether throwing `rest`, which the plan leaves over, again promises enough for one of three re-rolls."""
        now = self.plan(dice, skimmers)[0]
        kept = [die for die in dice if die not in rest]
        total = 0.0
        for _ in range(_SAMPLES):
            thrown = [(name, rng.randrange(6) + 1) for name, _ in rest]
            total += self.plan(sorted([*kept, *thrown]), skimmers)[0] - now
        return total / _SAMPLES > 0.55 - 0.3 * (self.secured + 1) / 12
