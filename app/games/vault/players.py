"""Three players of a sheet, from a naive person to the strongest; each decides from one seat's position alone.

`bots` seats them at tables; `sheets.simulation` lets them play sheets by the thousand, a whole round at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import NamedTuple, Protocol, TypeAlias

from app.games.vault.offers import exactly
from app.games.vault.planner import Plan, Planner, Position, Step, places
from app.games.vault.state import ROUNDS, SKIMMERS, Charge, Mark, Move, Pass, Reroll
from app.games.vault.worth import Ground


class Again(NamedTuple):
    """A re-roll: the places of the dice that are thrown again."""

    places: tuple[int, ...]


Decision: TypeAlias = Again | Plan
"""What a player does: throw dice again and be asked anew, or play a plan to the end of the round."""


class Player(Protocol):
    """Somebody who plays a sheet. The same position has the same decision, and playing a step of it does not change it."""

    def decide(self, planner: Planner, position: Position) -> Decision:
        """Return what is done in the position; a re-roll only where one is left and no die is used."""


@dataclass(frozen=True, slots=True)
class Naive:
    """Crosses box after box with one die or two: what opens a vault first, else what the next vault wants."""

    def decide(self, planner: Planner, position: Position) -> Decision:
        """Return marks without looking ahead, and neither skimmers nor re-rolls."""
        marked, free, steps = position.marked, (1 << len(position.dice)) - 1, list[Step]()
        while True:
            found = [
                (self._appeal(planner, position, marked, box) - size, box, dice)
                for box, dice in planner.marks(position)
                if not dice & ~free and not marked & box and (size := dice.bit_count()) <= 2
            ]
            if not found:
                return Plan(0.0, tuple(steps), (), -1, marked, position.charges)
            _, box, dice = max(found)
            steps.append(Step(box, places(dice), -1))
            marked |= box
            free &= ~dice

    @staticmethod
    def _appeal(planner: Planner, position: Position, marked: int, box: int) -> int:
        ground = planner.ground
        opens = ground.gems(marked, marked | box, position.secured)
        return 20 * opens + (5 if ground.vaults[position.secured] & box else 0)


@dataclass(frozen=True, slots=True)
class Beam:
    """Plays the plan that promises most, `width` sheets being followed; never throws again."""

    width: int = 10

    def decide(self, planner: Planner, position: Position) -> Decision:
        """Return the best plan."""
        return planner.plans(position, self.width)[0]


@dataclass(frozen=True, slots=True)
class Strong:
    """Plans as `Beam` does, and throws again where other dice promise more.

    `width` of its plans, `narrow` where it thinks of other dice. A re-roll must promise `wanted` points in the first
    round, and `less` less in the last.
    """

    width: int = 80
    narrow: int = 4
    wanted: float = 0.5
    less: float = 0.3

    def decide(self, planner: Planner, position: Position) -> Decision:
        """Return a re-roll that promises enough, or the best plan."""
        plans = planner.plans(position, self.width)
        if position.rerolls and len(position.dice) == len(EVERY_DIE):
            again = self._again(planner, position, plans)
            if again is not None:
                return again
        return plans[0]

    def _again(self, planner: Planner, position: Position, plans: Sequence[Plan]) -> Again | None:
        hopes = _Hopes(planner, position, self.narrow)
        now, wanted = hopes.promise(position.dice), self.wanted - self.less * (position.secured + 1) / ROUNDS
        if ROUNDS - position.secured <= position.rerolls:
            wanted = _LITTLE
        few, many = throws(6, 1), throws(12, 2)
        if max(hopes.each(EVERY_DIE, few)) < now + wanted:
            return None
        found = sorted(((hopes.mean(chosen, few), chosen) for chosen in _choices(position, plans[:3])), reverse=True)
        if found[0][0] < now + wanted / 2:
            return None
        value, chosen = max((hopes.mean(chosen, many), chosen) for _, chosen in found[:3])
        return Again(chosen) if value > now + wanted else None


EVERY_DIE = (0, 1, 2, 3, 4)
_LITTLE = 0.02
"""What a re-roll must promise where there is one for each round left."""


class _Hopes:
    """What other dice in place of some of the position's would promise."""

    def __init__(self, planner: Planner, position: Position, width: int) -> None:
        self._planner = planner
        self._position = position
        self._width = width
        self._known: dict[tuple[int, ...], float] = {}

    def promise(self, dice: tuple[int, ...]) -> float:
        """Return the value of the best plan for these dice, ascending."""
        if dice not in self._known:
            self._known[dice] = self._planner.plans(self._position._replace(dice=dice), self._width)[0].value
        return self._known[dice]

    def each(self, chosen: tuple[int, ...], thrown: Sequence[tuple[int, ...]]) -> Iterator[float]:
        """Yield the promise for each of the throws, of which the `chosen` dice take their values."""
        kept = [value for place, value in enumerate(self._position.dice) if place not in chosen]
        for values in thrown:
            yield self.promise(tuple(sorted([*kept, *(values[place] for place in chosen)])))

    def mean(self, chosen: tuple[int, ...], thrown: Sequence[tuple[int, ...]]) -> float:
        """Return the mean of `each`."""
        return fmean(self.each(chosen, thrown))


def _choices(position: Position, plans: Sequence[Plan]) -> Iterable[tuple[int, ...]]:
    """Return the dice worth throwing again: those that a plan leaves over, and with them those of some of its marks."""
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for plan in plans:
        used = {place for step in plan.steps for place in step.dice}
        for size in range(len(plan.steps) + 1):
            for given_up in combinations(plan.steps, size):
                freed = {place for step in given_up for place in step.dice}
                chosen = tuple(place for place in EVERY_DIE if place in freed or place not in used)
                if chosen:
                    found.setdefault(tuple(position.dice[place] for place in chosen), chosen)
    return found.values()


def moves(ground: Ground, position: Position, names: Sequence[str], decision: Decision) -> tuple[Move, ...]:
    """Return the moves of a decision, one at least; a plan's last is a pass where it neither marks nor charges.

    `names`: those of the dice, in the order of the position.
    """
    if isinstance(decision, Again):
        return (Reroll(tuple(sorted(names[place] for place in decision.places))),)
    found: list[Move] = [_mark(ground, position, names, step) for step in decision.steps]
    if decision.charged:
        found.append(Charge(decision.skimmer, tuple(sorted(names[place] for place in decision.charged))))
    return tuple(found) or (Pass(),)


def _mark(ground: Ground, position: Position, names: Sequence[str], step: Step) -> Mark:
    tokens = dict(sorted((names[place], position.dice[place]) for place in step.dice))
    if step.skimmer >= 0:
        tokens[SKIMMERS[step.skimmer]] = position.charges[step.skimmer]
    box = ground.boxes[step.box]
    way = exactly(ground.sheet.kinds[box], tokens)
    assert way is not None  # it was planned with these tokens
    return Mark(box, *way)


@lru_cache(maxsize=8)
def throws(count: int, number: int) -> tuple[tuple[int, ...], ...]:
    """Return `count` throws of five dice to think with, the same ones for the same number.

    Every die shows all faces equally often, where `count` is a multiple of six.
    """
    state = number + 1
    columns = []
    for _ in EVERY_DIE:
        drawn = []
        for place in range(count):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64  # Knuth's MMIX generator
            drawn.append((state >> 33, place))
        columns.append([place % 6 + 1 for _, place in sorted(drawn)])
    return tuple(zip(*columns, strict=True))


NAIVE = Naive()
NORMAL = Beam()
HARD = Strong()
