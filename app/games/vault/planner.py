"""Plans a whole round: how the tokens are best shared out among the boxes, and what is charged with the rest.

For each set of dice that is dealt with, the most promising sheets are kept, `width` of them: a beam over the assignments
in the order of the dice, in which only sheets are compared for which the same dice are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from app.games.vault.marks import lawful
from app.games.vault.state import DICE, Options
from app.games.vault.worth import EVEN, ODD, PAIR, Ground, Lines

_MOST = 20
"""The highest number on a sheet."""

_CHARGED = 0.05
_WANTED = 0.15
"""What a charge is worth beyond the point for its skimmer; and more, if a box holds it, by what that box adds."""


class Position(NamedTuple):
    """One seat's sheet in its round: marked boxes, secured vaults, unused dice ascending, three charges, re-rolls left.

    A spent skimmer has the charge -1.
    """

    marked: int
    secured: int
    dice: tuple[int, ...]
    charges: tuple[int, ...]
    rerolls: int


class Step(NamedTuple):
    """A mark: the box, the places of its dice in the position, and its skimmer, -1 for none."""

    box: int
    dice: tuple[int, ...]
    skimmer: int


class Plan(NamedTuple):
    """A round to its end: what it adds to the promise of the sheet, its marks, and what it leaves behind.

    `charged`: the places of the dice that go into `skimmer`, in the end; -1 for none. `marked`, `charges`: as in a
    position, afterwards. Marks of a skimmer alone come first, for the last die may end the round.
    """

    value: float
    steps: tuple[Step, ...]
    charged: tuple[int, ...]
    skimmer: int
    marked: int
    charges: tuple[int, ...]


_Path: TypeAlias = "tuple[_Path, int, int, int] | None"
"""The marks so far, last first: (those before, dice, skimmer + 1, box)."""

_Entry: TypeAlias = tuple[float, int, int, int, _Path]
"""A sheet on the way: value, marked boxes, spent skimmers (from bit 1), dice left over, how it came about."""

_Layer: TypeAlias = dict[tuple[int, int, int], _Entry]
_Mark: TypeAlias = tuple[int, int, int, Lines]
"""A mark that is possible: dice, skimmer + 1, box, the lines of the box."""


class Planner:
    """Plans rounds on one sheet under the options of a table."""

    def __init__(self, ground: Ground, options: Options) -> None:
        self.ground = ground
        self.rule = (options.sum_rule, options.skimmer_as_die)

    def marks(self, position: Position) -> Iterator[tuple[int, int]]:
        """Yield (box, dice as bits) for the marks without skimmer that bring gems nearer."""
        boxes = self._boxes(position)
        for _, dice, held in _groups(position.dice, 0, self.rule):
            yield from ((box, dice) for each in held for box, _ in boxes.get(each, ()))

    def plans(self, position: Position, width: int) -> list[Plan]:
        """Return the plans that were found, one at least, the best first."""
        boxes = self._boxes(position)
        costs = [1 + self._use(position, charge, boxes) for charge in position.charges]
        marks = self._marks(position, boxes)
        full = (1 << len(position.dice)) - 1
        layers: list[_Layer] = [{} for _ in range(full + 1)]
        layers[0][position.marked, 0, 0] = (0.0, position.marked, 0, 0, None)
        for done in range(full):
            if layers[done]:
                _extend(_best(layers[done], width), done, marks, costs, layers)
        entries = _best(layers[full], 2 * width)
        for place, charge in enumerate(position.charges):
            if charge > 0:
                entries += self._alone(entries, place, charge, boxes, costs[place])
        entries.sort(key=_value, reverse=True)
        return self._ended(position, entries[: 2 * width], boxes)

    def _boxes(self, position: Position) -> Mapping[int, list[tuple[int, Lines]]]:
        """Return the open boxes that can bring gems, by what they hold."""
        found: dict[int, list[tuple[int, Lines]]] = {}
        for box, lines in self.ground.lines(position.secured).items():
            if not position.marked & box:
                found.setdefault(self.ground.holds[box], []).append((box, lines))
        return found

    def _marks(self, position: Position, boxes: Mapping[int, list[tuple[int, Lines]]]) -> list[list[_Mark]]:
        """Return for each die the marks whose first die it is."""
        marks: list[list[_Mark]] = [[] for _ in position.dice]
        for skimmer, charge in enumerate((0, *position.charges)):
            if skimmer and charge <= 0:
                continue
            for first, dice, held in _groups(position.dice, charge, self.rule):
                for each in held:
                    if each in boxes:
                        marks[first] += [(dice, skimmer, box, lines) for box, lines in boxes[each]]
        return marks

    def _alone(
        self,
        entries: Sequence[_Entry],
        place: int,
        charge: int,
        boxes: Mapping[int, list[tuple[int, Lines]]],
        cost: float,
    ) -> list[_Entry]:
        """Return the entries with one mark more, of a skimmer alone."""
        found: list[_Entry] = []
        skimmer = place + 1
        wanted = [each for held in _held((), charge, self.rule) for each in boxes.get(held, ())]
        for value, marked, spent, left, path in entries:
            if spent >> skimmer & 1:
                continue
            for box, lines in wanted:
                if not marked & box:
                    gain = _gain(marked, box, lines) - cost
                    found.append((value + gain, marked | box, spent | 1 << skimmer, left, (path, 0, skimmer, box)))
        return found

    def _use(self, position: Position, charge: int, boxes: Mapping[int, list[tuple[int, Lines]]]) -> float:
        """Return what a charge promises beyond the point for its skimmer."""
        if charge <= 0:
            return 0.0
        gains = [_gain(position.marked, box, lines) for box, lines in boxes.get(charge, ())]
        return _CHARGED + _WANTED * min(1.0, max(gains, default=0.0))

    def _ended(
        self, position: Position, entries: Sequence[_Entry], boxes: Mapping[int, list[tuple[int, Lines]]]
    ) -> list[Plan]:
        """Return the entries as plans, with the best charge of what they leave over."""
        uses: dict[int, float] = {}
        plans: dict[tuple[int, tuple[int, ...]], Plan] = {}
        for value, marked, spent, left, path in entries:
            charges = tuple(-1 if spent >> place & 1 else charge for place, charge in enumerate(position.charges, 1))
            gain, into = 0.0, -1
            charged: tuple[int, ...] = ()
            for place, group in _chargings(left, charges):
                more = charges[place] + sum([position.dice[each] for each in group])
                for charge in (more, charges[place]):
                    if charge not in uses:
                        uses[charge] = self._use(position, charge, boxes)
                if uses[more] - uses[charges[place]] > gain:
                    gain, charged, into = uses[more] - uses[charges[place]], group, place
            if into >= 0:
                more = charges[into] + sum([position.dice[each] for each in charged])
                charges = (*charges[:into], more, *charges[into + 1 :])
            known = plans.get((marked, charges))
            if known is None or known.value < value + gain:
                plans[marked, charges] = Plan(value + gain, _steps(path), charged, into, marked, charges)
        return sorted(plans.values(), key=_value, reverse=True)


def _extend(
    entries: Sequence[_Entry], done: int, marks: Sequence[Sequence[_Mark]], costs: Sequence[float], layers: list[_Layer]
) -> None:
    """Carry entries on with everything that their first die left can do, or without it.

    This is the innermost loop of all planning, so it calls nothing: 3 of 4 parts of the time are spent here.
    """
    first = (~done & (done + 1)).bit_length() - 1
    fitting = [mark for mark in marks[first] if not mark[0] & done]
    unused = layers[done | 1 << first]
    for value, marked, spent, left, path in entries:
        key = (marked, spent, left | 1 << first)
        known = unused.get(key)
        if known is None or known[0] < value:
            unused[key] = (value, marked, spent, left | 1 << first, path)
        for dice, skimmer, box, lines in fitting:
            if marked & box or (skimmer and spent >> skimmer & 1):
                continue
            more = marked | box
            better = value
            for worth, line in lines:
                better += worth[more & line] - worth[marked & line]
            after = spent
            if skimmer:
                better -= costs[skimmer - 1]
                after |= 1 << skimmer
            key = (more, after, left)
            layer = layers[done | dice]
            known = layer.get(key)
            if known is None or known[0] < better:
                layer[key] = (better, more, after, left, (path, dice, skimmer, box))


def _best(layer: _Layer, width: int) -> list[_Entry]:
    entries = list(layer.values())
    if len(entries) > width:
        entries.sort(key=_value, reverse=True)
        del entries[width:]
    return entries


def _value(entry: Any) -> float:
    value: float = entry[0]
    return value


def _gain(marked: int, box: int, lines: Lines) -> float:
    return sum(worth[(marked | box) & line] - worth[marked & line] for worth, line in lines)


def places(dice: int) -> tuple[int, ...]:
    """Return the places of the dice in a set of them."""
    return tuple(place for place in range(len(DICE)) if dice >> place & 1)


def _steps(path: _Path) -> tuple[Step, ...]:
    found = []
    while path is not None:
        path, dice, skimmer, box = path
        found.append(Step(box, places(dice), skimmer - 1))
    return tuple(sorted(found, key=lambda step: bool(step.dice)))


def _chargings(left: int, charges: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield (skimmer, dice) for each way to charge one skimmer with dice left over, equal skimmers once."""
    rest = places(left)
    for place, charge in enumerate(charges):
        if charge >= 0 and charge not in charges[:place]:
            for size in range(1, len(rest) + 1):
                yield from ((place, group) for group in combinations(rest, size))


_Rule: TypeAlias = tuple[str, str]


@lru_cache(maxsize=16384)
def _groups(dice: tuple[int, ...], charge: int, rule: _Rule) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """Return (first die, dice as bits, what they cross) for each choice of dice, with a skimmer if `charge` is not 0."""
    found = []
    for size in range(1, len(dice) + 1):
        for chosen in combinations(range(len(dice)), size):
            held = _held(tuple(dice[place] for place in chosen), charge, rule)
            if held:
                found.append((chosen[0], sum(1 << place for place in chosen), held))
    return tuple(found)


@lru_cache(maxsize=16384)
def _held(dice: tuple[int, ...], charge: int, rule: _Rule) -> tuple[int, ...]:
    """Return what boxes can hold that these dice, and a skimmer if `charge` is not 0, cross all together."""
    values = (*dice, charge) if charge else dice
    options = Options(sum_rule=rule[0], skimmer_as_die=rule[1])  # type: ignore[arg-type]  # they come from options
    totals = {(0, 0)}
    for value in values:
        totals = {each for total, down in totals for each in ((total + value, down), (total - value, down + 1))}
    held = {
        total for total, down in totals if 0 < total <= _MOST and lawful(len(values) - down, down, options)
    }  # fmt: skip
    if not charge or options.skimmer_as_die == "all":
        if len(values) == 1:
            held.add(ODD if values[0] % 2 else EVEN)
        elif len(values) == 2 and values[0] == values[1]:
            held.add(PAIR)
    return tuple(sorted(held))
