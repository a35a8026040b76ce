"""F26: the dice of the house."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable

from app.tables.dice import SystemDice
from faults.run import Program, Run

LIVE, FIXED = 1e-6, 0.002
"""Red below: for live dice once in a million runs for nothing, for a fixed seed one in a hundred over its five judgements, and then always or never."""


def tail(chi: float, freedom: int) -> float:
    """Return P(X ≥ chi) for the chi-square distribution, by the series of the lower incomplete gamma function."""
    if chi <= 0:
        return 1.0
    half, x = freedom / 2, chi / 2
    term = total = 1 / half
    step = half
    while term > total * 1e-15:
        step += 1
        term *= x / step
        total += term
    return max(0.0, 1 - total * math.exp(half * math.log(x) - x - math.lgamma(half)))


def chi_square(counts: list[int], expected: list[float]) -> float:
    """Return the statistic of counts against what was to be expected."""
    return sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True))


def careless(rng: random.Random) -> tuple[int, ...]:
    """Roll five dice as a byte modulo six: one to four come a little too often."""
    return tuple(byte % 6 + 1 for byte in rng.randbytes(5))


def _uniform(counts: Counter[tuple[int, ...]], cells: int) -> float:
    total = counts.total()
    values = list(counts.values()) + [0] * (cells - len(counts))
    return tail(chi_square(values, [total / cells] * cells), cells - 1)


def judge(roll: Callable[[], tuple[int, ...]], rolls: int) -> dict[str, float]:
    """Return how likely so uneven a result is for fair dice: single dice, pairs within and between rolls, places, five alike."""
    single: Counter[tuple[int, ...]] = Counter()
    within: Counter[tuple[int, ...]] = Counter()
    between: Counter[tuple[int, ...]] = Counter()
    places: Counter[tuple[int, ...]] = Counter()
    alike, last = 0, None
    for _ in range(rolls):
        faces = roll()
        single.update((face,) for face in faces)
        places.update(enumerate(faces))
        within[faces[0], faces[1]] += 1
        if last is not None:
            between[last, faces[0]] += 1
        last = faces[4]
        alike += len(set(faces)) == 1
    share = 6 / 6**5
    five = tail(chi_square([alike, rolls - alike], [rolls * share, rolls * (1 - share)]), 1)
    return {
        "single": _uniform(single, 6),
        "within": _uniform(within, 36),
        "between": _uniform(between, 36),
        "places": tail(chi_square(list(places.values()), [rolls / 6] * 30), 25),
        "five_alike": five,
    }


def body(run: Run) -> None:
    """A million dice of the operating system, and a million of a fixed seed that must judge themselves as fair."""
    rolls = 20_000 if run.short else 200_000
    house = SystemDice()
    live = judge(lambda: careless(run.rng) if run.blunt else house.roll((6,) * 5), rolls)
    fixed = random.Random(26)
    steady = judge(lambda: tuple(fixed.randrange(6) + 1 for _ in range(5)), rolls)
    run.figures["dice"] = rolls * 5
    for name in live:
        run.figures |= {f"live_{name}_p": float(f"{live[name]:.3g}"), f"fixed_{name}_p": float(f"{steady[name]:.3g}")}
        run.must(live[name] >= LIVE, f"F26: {name}: p = {live[name]:.2g} for live dice")
        run.must(steady[name] >= FIXED, f"F26: {name}: p = {steady[name]:.2g} for a fixed seed")


PROGRAM = Program(
    "F26",
    "Dice",
    "Single dice, pairs within a roll and between rolls, places and five alike come as often as they should (chi-square).",
    "a byte modulo six, without rejection",
    body,
)
