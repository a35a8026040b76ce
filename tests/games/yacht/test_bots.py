from __future__ import annotations

import random
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import pytest

from app.bots import arena
from app.core import engine
from app.core.bot import Bot, choose
from app.games.yacht.bots import BOTS, Perfect, roll_all_but
from app.games.yacht.rules import GAME, Options, RollDice, Score, Sheet, State
from app.games.yacht.scoring import CATEGORIES
from app.games.yacht.solver import evaluate, expected
from tests.support.dice import SeededDice

EASY, NORMAL, HARD = BOTS
# exact, by policy evaluation over the table; 122.0850 and 162.0733 where keeping all five forgoes one roll only
MEANS = {"easy": 121.48854, "normal": 162.03615, "hard": 169.77389}


def losses(bot: Bot, games: int) -> list[float]:
    """Return by how much the bot's choices fell short of the best, in points, game by game."""
    found = []
    for seed in range(games):
        lost, rng, dice = 0.0, random.Random(seed), SeededDice(seed)
        state: Any = engine.begin(GAME, Options(), 1, dice)[0]
        while not state.over:
            move = choose(bot, GAME, state, 0, rng)
            lost += loss(state, move)
            state, _ = engine.play(GAME, state, 0, move, dice, 0)
        found.append(lost)
    return found


def loss(state: State, move: RollDice | Score) -> float:
    if state.dice is None:
        return 0.0
    found = evaluate(state.sheets[0].free(), state.dice, 3 - state.rolls_used)
    if isinstance(move, Score):
        return found.value - next(row.value for row in found.rows if row.category == move.category)
    kept = tuple(sorted(face for place, face in enumerate(state.dice) if place not in move.dice))
    return found.value - next(keep.value for keep in found.keeps if keep.dice == kept)


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.level)
def test_a_level_loses_what_its_temperature_says(bot: Bot) -> None:
    """The mean score of a level is the best one less its mean loss, which varies far less than the score."""
    found = losses(bot, 60)
    error = stdev(found) / len(found) ** 0.5
    assert min(found) >= -1e-9
    assert expected(CATEGORIES) - fmean(found) == pytest.approx(MEANS[bot.level], abs=4 * error + 1e-4)


@pytest.mark.parametrize("level", MEANS)
def test_a_level_scores_its_mean_alone(level: str) -> None:
    deals = arena.run(arena.Match("yacht", 1, ((level,),)), 120, 1)
    (found,) = arena.strengths(deals)
    assert found.score.mean == pytest.approx(MEANS[level], abs=4 * found.score.error)
    assert found.score.error == pytest.approx(35 / 120**0.5, rel=0.3)


def late(mine: dict[str, int | None], theirs: int, dice: tuple[int, ...], rolls_used: int) -> State:
    """Return a game of two, the other one finished with `theirs`, with seat 0 to act."""
    free = dict.fromkeys(CATEGORIES, 0)
    own = Sheet(**{**free, **mine})
    other = replace(Sheet(**free), choice=theirs)
    state: Any = GAME.setup(Options(first_player="host"), 2)
    done = 24 - 2 * len(own.free())
    state = replace(state, sheets=(own, other), turns=done, dice=dice, rolls_used=rolls_used, rolled=())
    assert isinstance(state, State)
    return state


def test_hard_takes_the_sure_win_where_the_mean_would_gamble() -> None:
    state = late({"choice": None}, 14, (2, 2, 2, 4, 5), 2)
    assert choose(HARD, GAME, state, 0, random.Random(1)) == Score("choice")
    assert choose(Perfect(to_win=0), GAME, state, 0, random.Random(1)) == RollDice((0, 1, 2))


def test_hard_risks_all_where_only_that_can_win() -> None:
    state = late({"choice": None}, 29, (5, 5, 5, 5, 5), 2)
    assert choose(HARD, GAME, state, 0, random.Random(1)) == RollDice((0, 1, 2, 3, 4))
    assert choose(Perfect(to_win=0), GAME, state, 0, random.Random(1)) == Score("choice")


def test_hard_plays_for_points_where_the_game_is_lost_or_won_anyway() -> None:
    for theirs in (0, 250):
        state = late({"ones": None, "sixes": None}, theirs, (1, 6, 6, 6, 6), 1)
        assert choose(HARD, GAME, state, 0, random.Random(1)) == RollDice((0,))


def test_the_first_of_equal_dice_stay() -> None:
    assert roll_all_but((2, 6), (2, 6, 2, 2, 1)) == RollDice((2, 3, 4))
    assert roll_all_but((), (2, 6, 2, 2, 1)) == RollDice((0, 1, 2, 3, 4))
