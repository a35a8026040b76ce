"""Vault's bots: the planner against a slow search, every option to the end of a game, and means within their bands."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import pytest

from app.core import engine
from app.core.bot import LEVELS, choose
from app.games.vault.bots import BOTS
from app.games.vault.marks import all_marks
from app.games.vault.planner import Plan, Planner, Position
from app.games.vault.players import throws
from app.games.vault.rules import GAME
from app.games.vault.sheets import SHEETS, pool
from app.games.vault.sheets.simulation import PLAYERS, play
from app.games.vault.state import Options, Pass, Reroll, State
from app.games.vault.worth import ground
from tests.support.dice import SeededDice
from tests.support.vault import SPENT, position

GROUND = ground(SHEETS["s-01"])
PLANNER = Planner(GROUND, Options())
BY_LEVEL = {bot.level: bot for bot in BOTS}


def at(*dice: int, secured: int = 0, charges: Sequence[int] = (0, 0, 0), marked: int = 0, rerolls: int = 0) -> Position:
    return Position(GROUND.filled | marked, secured, tuple(sorted(dice)), tuple(charges), rerolls)


def crossed(plan: Plan) -> set[str]:
    return {GROUND.boxes[step.box] for step in plan.steps}


# the planner


def test_plan_finds_the_vault_that_two_dice_open() -> None:
    plan = PLANNER.plans(at(1, 3, 4, 5, 6), 10)[0]
    assert {"r3c1", "r4c1"} <= crossed(plan)
    assert plan.value > 3 - 1
    used = [place for step in plan.steps for place in step.dice]
    assert len(set(used)) == len(used)


def promise(marked: int, secured: int) -> float:
    """Return what all lines promise together, each asked once."""
    lines = {line: worth for found in GROUND.lines(secured).values() for worth, line in found}
    return sum(worth[marked & line] for line, worth in lines.items())


def best_by_hand(marked: int, secured: int, dice: tuple[tuple[str, int], ...], options: Options) -> float:
    """Return the most that any sequence of marks makes the sheet promise."""
    best = promise(marked, secured)
    names = [box for box, bit in GROUND.bits.items() if bit & marked]
    for mark in all_marks(GROUND.sheet, names, dice, (), options):
        left = tuple(die for die in dice if die[0] not in (*mark.plus, *mark.minus))
        best = max(best, best_by_hand(marked | GROUND.bits[mark.box], secured, left, options))
    return best


@pytest.mark.parametrize("rule", ["any", "no_mix", "two"])
@pytest.mark.parametrize("seed", range(6))
def test_wide_plan_is_the_best_there_is(seed: int, rule: Any) -> None:
    rng = random.Random(seed)
    dice = tuple(sorted(rng.randrange(6) + 1 for _ in range(3)))
    marked = sum(bit for bit in GROUND.holds if rng.random() < 0.5)
    secured = rng.randrange(12)
    options = Options(sum_rule=rule)
    plan = Planner(GROUND, options).plans(at(*dice, secured=secured, charges=(-1, -1, -1), marked=marked), 10_000)[0]
    named = tuple((f"d{place}", value) for place, value in enumerate(dice))
    all_marked = GROUND.filled | marked
    expected = best_by_hand(all_marked, secured, named, options) - promise(all_marked, secured)
    assert plan.value == pytest.approx(expected)


def test_skimmer_alone_is_used_before_the_last_die_can_end_the_round() -> None:
    cross = GROUND.mask([box for box in GROUND.bits if box.startswith("r2") or box.endswith("c2")])
    marked = cross & ~GROUND.bits["r2c2"]  # a 10, the last box of I and L
    plan = PLANNER.plans(at(2, secured=8, charges=(10, -1, -1), marked=marked), 10)[0]
    assert [(step.dice, step.skimmer) for step in plan.steps] == [((), 0), ((0,), -1)]
    assert plan.charges == (-1, -1, -1)
    assert plan.value > 2 - 1  # at least the two gems of I, for the point of the skimmer


def test_dice_left_over_charge_a_skimmer() -> None:
    marked = sum(GROUND.holds) & ~GROUND.mask(["r6c6", "r2c2"])  # an 11 and a 10 are open
    plan = PLANNER.plans(at(6, 6, secured=8, marked=marked), 10)[0]
    assert (plan.steps, plan.skimmer, sum(plan.charges)) == ((), 0, 6)
    assert not PLANNER.plans(at(6, 6, secured=8, charges=(-1, -1, -1), marked=marked), 10)[0].charged


@pytest.mark.parametrize("number", [1, 2, 3])
def test_spread_throws_show_every_face_equally_often(number: int) -> None:
    for column in zip(*throws(12, number), strict=True):
        assert sorted(column) == sorted([*range(1, 7)] * 2)


# the bots at a table


def asked(state: State, level: str, seed: int = 1) -> Any:
    return choose(BY_LEVEL[level], GAME, state, 0, random.Random(seed))  # type: ignore[index]  # one of LEVELS


def test_only_hard_throws_again_and_only_before_a_die_is_used() -> None:
    """Five twos with nothing left for them but chance."""
    marked = tuple(box for box, kind in SHEETS["s-01"].kinds.items() if kind not in {"5", "9", "11"})
    state = position((2, 2, 2, 2, 2), marked=marked, skimmers=SPENT, round=7)
    assert isinstance(asked(state, "hard"), Reroll)
    assert not isinstance(asked(state, "normal"), Reroll)
    assert not isinstance(asked(state, "easy"), Reroll)


def test_nothing_to_do_is_a_pass() -> None:
    marked = tuple(SHEETS["s-01"].kinds)
    state = position((2, 2), marked=marked, skimmers=SPENT, round=12)
    assert all(isinstance(asked(state, level), Pass) for level in LEVELS)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("rule", ["any", "two"])
@pytest.mark.parametrize("auto_end", ["literal", "ask"])
def test_game_ends_under_every_option(level: str, rule: Any, auto_end: Any) -> None:
    """The engine judges each move."""
    options = Options("h-01", rule, "numbers_only", "before_first", auto_end)
    dice = SeededDice(3)
    state, _ = engine.begin(GAME, options, 1, dice)
    while GAME.outcome(state) is None:
        move = asked(state, level)
        assert not (isinstance(move, Reroll) and state.hands[0].used)
        state, _ = engine.play(GAME, state, 0, move, dice, 0)


BANDS = {"naive": (8.0, 11.0), "normal": (14.5, 17.5), "hard": (16.5, 18.5)}
"""What the players come to on a standard sheet; docs/games/vault.md has the figures of all."""


@pytest.mark.parametrize(("name", "games"), [("naive", 60), ("normal", 60), ("hard", 12)])
def test_mean_lies_inside_its_band(name: str, games: int) -> None:
    sheets = [SHEETS[name] for name in pool("standard")]
    scores = [play(sheets[n % len(sheets)], PLAYERS[name], random.Random(f"band {n}"))[0] for n in range(games)]
    low, high = BANDS[name]
    assert low <= fmean(scores) <= high, f"{name}: {fmean(scores):.2f}"
