"""Paired Monte Carlo over the careful rules: their action is left only for one that is surely better.

The mean of few rollouts alone would play worse than the rules, for among many actions the luckiest would be taken. So
all candidates meet the same dice, and what one gains on the rules' action has to be two standard errors above nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt

from app.core.game import Rng
from app.games.five_strolche.careful import decide, sure, weighed
from app.games.five_strolche.counts import RUNNING, WON, Counts, Pick, Step
from app.games.five_strolche.material import ACTIONS, DICE
from app.games.five_strolche.situation import HABITS, PACE, Habits, Situation

_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Thinking:
    """How much is thought, and when.

    `near`: candidates are worth at most so many pieces less than the rules' action; `most`: how many there are, that
    one included. `rollouts` of each, `turns` far; after every `batch` those that are behind drop out.
    `sigma`: the standard errors it takes. `threat`: the danger of a closed gate from which on there is something to
    think about, unless the gate is closed or time is short.
    """

    near: float = 4.0
    most: int = 4
    rollouts: int = 16
    batch: int = 8
    turns: int = 6
    sigma: float = 2.0
    threat: float = 0.02


def think(at: Counts, rng: Rng, how: Thinking, habits: Habits) -> Step:
    """Return the action of the careful rules, or one that paired rollouts show to be better."""
    known = sure(at, habits)
    if known:
        return known
    valued = sorted(weighed(at, habits), key=lambda each: -each[0])
    steps = [step for value, step in valued if value >= valued[0][0] - how.near][: how.most]
    if len(steps) == 1 or not _doubtful(at, how, habits):
        return steps[0]
    return _compared(at, steps, rng, how, habits)


def _doubtful(at: Counts, how: Thinking, habits: Habits) -> bool:
    """Say whether the game may be lost by what is done now."""
    if at.gate:
        return True
    here = Situation(at, habits)
    return here.stake < habits.loss or here.danger(at.left - 1, here.openers[here.me], gift=at.gift) > how.threat


def _compared(at: Counts, steps: Sequence[Step], rng: Rng, how: Thinking, habits: Habits) -> Step:
    """Return the first of `steps`, or the one that gains most on it if that is sure."""
    gains: list[list[float]] = [[] for _ in steps]
    ahead = list(range(1, len(steps)))
    for number in range(how.rollouts):
        seed = rng.randrange(1 << 30)
        usual = _rollout(at, steps[0], seed, how, habits)
        for place in ahead:
            gains[place].append(_rollout(at, steps[place], seed, how, habits) - usual)
        if (number + 1) % how.batch == 0:
            ahead = [place for place in ahead if _sureness(gains[place]) > 0]
        if not ahead:
            return steps[0]
    best = max(ahead, key=lambda place: sum(gains[place]))
    return steps[best] if _sureness(gains[best]) >= how.sigma else steps[0]


def _sureness(gains: Sequence[float]) -> float:
    """Return how many standard errors the mean is above nothing."""
    count = len(gains)
    mean = sum(gains) / count
    error = sqrt(sum((gain - mean) ** 2 for gain in gains) / (count - 1) / count)
    if error == 0:
        return inf if mean > 0 else 0.0
    return mean / error


def _rollout(at: Counts, step: Step, seed: int, how: Thinking, habits: Habits) -> float:
    """Return what the game is worth some turns after a step. Every turn has dice of its own, which `seed` decides.

    So positions that become equal again stay equal.
    """
    world = at.copy()
    turn = world.to_go
    last = turn - how.turns
    dice = _dice(seed + turn)
    world.play(step, dice)
    while world.end == RUNNING and world.to_go > last:
        if world.to_go != turn:
            turn = world.to_go
            dice = _dice(seed + turn)
        world.play(decide(world, habits), dice)
    return outlook(world)


def _dice(seed: int) -> Pick:
    """Return chance that repeats and is cheap to begin: the high bits of Knuth's 64-bit linear congruence (MMIX)."""
    word = seed * 0x9E3779B97F4A7C15 & _WORD

    def pick(sides: int) -> int:
        nonlocal word
        word = word * 6364136223846793005 + 1442695040888963407 & _WORD
        return (word >> 33) * sides >> 31

    return pick


def outlook(at: Counts) -> float:
    """Return about how likely the game is won, where a turn begins or at the end.

    A logistic curve fitted to 31,000 positions of games of the careful rules; with a limit the chance to be in time.
    """
    if at.end != RUNNING:
        return float(at.end == WON)
    here = Situation(at, HABITS)
    own = here.openers[here.me]
    danger = here.danger(ACTIONS, own, gift=False)
    ready = sum(here.readiness(hand) for hand in at.hands) / here.players / HABITS.ready
    held = 1 - (here.in_bag + sum(at.boards)) / len(DICE)
    odds = 1.5 - 0.4 * len(at.stack) - 0.255 * (here.players - 2) + 3.28 * ready + 2.16 * held
    odds += 0.05 * min(sum(here.openers), 6) - (2.55 if at.gate else 0.56) * danger
    odds -= 0.63 * (at.gate > 0 and not own)
    chance = 1 / (1 + exp(-odds))
    if at.options.turn_limit == "off":
        return chance
    locks = len(at.stack) - 0.2 * (5 - min(here.gaps))
    slack = at.to_go / here.players - PACE[here.players] * locks
    return chance / (1 + exp(-0.5 - 0.8 * slack))
