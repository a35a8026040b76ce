"""The bots of 5 Strolche II: what they do where it is plain what to do, and how often they win."""

from __future__ import annotations

import random
from statistics import fmean
from typing import Any

import pytest

from app.bots.arena import Match, play_deal
from app.core.bot import Bot, choose
from app.games.five_strolche.bots import BOTS, CARELESS
from app.games.five_strolche.careful import decide
from app.games.five_strolche.counts import Counts
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.situation import HABITS
from app.games.five_strolche.state import Effect, Give, Pass, Place, Reroll, Rescue, State, Take, TakeAll, Turn
from app.games.five_strolche.thinking import Thinking, outlook, think
from tests.games.five_strolche.positions import Played, options, position

EASY, NORMAL, HARD = BOTS
THROWS = ("draw", "reroll")


def move_in(state: State, bot: Bot = HARD, seed: int = 0) -> Any:
    return choose(bot, GAME, state, state.seat or 0, random.Random(seed))


def shown(state: State, die: str) -> str:
    return f"{die[0]}{state.dice[die]}"


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.level)
def test_a_set_is_paid_at_once(bot: Bot) -> None:
    state = position("r3 b3 k3 y3 r6 k1", "b1")
    move = move_in(state, bot)
    assert move == Place(move.die, "paul")
    assert shown(state, move.die) == "r6"


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.level)
def test_an_opener_opens_and_not_the_one_the_set_needs(bot: Bot) -> None:
    state = position("r3 b3 k3 k2 y3 r6", "b1", gate=1)
    move = move_in(state, bot)
    assert move == Place(move.die, "ringo")
    assert shown(state, move.die) == "k2"


@pytest.mark.parametrize("bot", [NORMAL, HARD], ids=lambda bot: bot.level)
def test_nothing_is_thrown_at_a_closed_gate_while_the_next_can_open_it(bot: Bot) -> None:
    played = Played(position("r2 b5 b6 y2 y4 b1", "k1 k2 r5", gate=1, stack=(3, 4, 5, 6, 1, 2)))
    for _ in range(2):
        move = move_in(played.state, bot)
        assert move.kind not in THROWS
        before = played.state.thrown
        played.move(move)
        assert played.state.thrown == before
    assert played.state.seat == 1
    assert played.state.gate == 1


def test_the_careless_one_throws_there() -> None:
    state = position("r2 b5 b6 y2 y4", "k1 k2 r5", gate=1)
    assert move_in(state, EASY).kind != "give"


@pytest.mark.parametrize("bot", [NORMAL, HARD], ids=lambda bot: bot.level)
def test_pink_makes_an_opener_where_nobody_has_one(bot: Bot) -> None:
    played = Played(position("r5 k6 b5", "b6 y5", gate=1))
    move = move_in(played.state, bot)
    assert move == Place(played.die("r5"), "pink")
    played.move(move)
    turn = move_in(played.state, bot)
    assert isinstance(turn, Turn)
    assert turn.die == played.die("k6")
    assert turn.face <= 3
    played.move(turn)
    played.move(move_in(played.state, bot))
    assert played.state.gate == 0


@pytest.mark.parametrize("bot", [NORMAL, HARD], ids=lambda bot: bot.level)
def test_pink_turns_the_last_piece(bot: Bot) -> None:
    played = Played(position("r3 r6 r5 b3 k3 y4 k1", "b6 k2"))
    played.move(move_in(played.state, bot))
    assert played.state.asked == "turn"
    assert move_in(played.state, bot) == Turn(played.die("y4"), 3)
    played.move(Turn(played.die("y4"), 3))
    played.move(move_in(played.state, bot), 1)
    assert played.state.cracked == (3,)


def test_the_missing_piece_is_given_to_who_collects() -> None:
    state = position("b3 b5 k1 k2", "r3 r6 k3 y3 k2", actions_left=1)
    assert move_in(state) == Give(Played(state).die("b3"), 1)


def test_a_full_paul_is_emptied() -> None:
    played = Played(position("b5 k1 k2 r3 r1 b3 y3", "k3 k1 b2", boards={"paul": 2}))
    played.move(move_in(played.state))
    assert played.state.asked == "take"
    taken = move_in(played.state)
    assert isinstance(taken, Take)
    assert set(taken.dice) & set(played.state.tableaus.paul)


def test_rihanna_empties_a_board_that_has_dice() -> None:
    played = Played(position("y5 k1 k2", "k1 b2", boards={"paul": 2}))
    played.move(Place(played.die("y5"), "rihanna"))
    assert move_in(played.state) == TakeAll("paul")


def test_a_rescue_is_welcome_to_all() -> None:
    played = Played(position("b4 b5", "b1", gate=1, options=options(last_rescue="on")))
    played.move(Reroll((played.die("b4"),)), 6)
    assert played.state.asked == "rescue"
    for seat in (1, 0):
        assert choose(HARD, GAME, played.state, seat, random.Random(0)) == Rescue(accept=True)


def test_ringo_opens_rather_than_rotates() -> None:
    played = Played(position("k2 b4", "b1", gate=1, options=options(rotate="john_and_ringo")))
    played.move(move_in(played.state))
    assert played.state.asked == "effect"
    assert move_in(played.state) == Effect("open")


def test_who_may_pass_does_so_rather_than_throw_at_a_closed_gate() -> None:
    state = position("b4", "k1 b2", gate=1, gift_used=True, actions_left=1, options=options(**{"pass": "allowed"}))
    assert move_in(state) == Pass()


def test_who_has_nothing_passes() -> None:
    assert move_in(position("", "", bag=0)) == Pass()


def test_rollouts_overrule_careless_rules() -> None:
    """Where the rules draw at a closed gate though the next seat could open it, a gift is surely better."""
    bare = {"john": 0, "ringo": 0, "rihanna": 0, "pink": 0}
    at = Counts(position("b5 b6 y5 y4", "k1 k2 r5 b3 k3 y3", gate=1, actions_left=1, boards=bare))
    how = Thinking(most=6, rollouts=64, batch=64)
    assert decide(at, CARELESS)[0] == "draw"
    assert {think(at, random.Random(seed), how, CARELESS)[0] for seed in range(3)} == {"give"}


def test_equal_candidates_leave_it_to_the_rules() -> None:
    at = Counts(position("r2 b5 b6 y2 y4", "k1 k2 r5", gate=1))
    assert think(at, random.Random(1), Thinking(sigma=1e9), HABITS) == decide(at)


def test_the_outlook_is_better_with_openers_fewer_locks_and_an_open_gate() -> None:
    hands = ("r2 b5 b6 y2", "b1 r5 k5")
    usual = outlook(Counts(position(*hands)))
    assert outlook(Counts(position(hands[0], hands[1] + " k1"))) > usual
    assert outlook(Counts(position(*hands, stack=(3, 0, 0), cracked=(1, 2, 4), cracked_by=(0, 0, 0)))) > usual
    assert outlook(Counts(position(*hands, gate=1))) < usual
    assert outlook(Counts(position(*hands, options=options(turn_limit=20), turns=30))) < usual
    assert outlook(Counts(position(*hands, gate=2, ended="gate"))) == 0


@pytest.mark.parametrize(
    ("level", "games", "least", "most"),
    [("easy", 40, 0.03, 0.42), ("normal", 40, 0.81, 1.0), ("hard", 10, 0.89, 1.0)],
)
def test_a_level_wins_as_often_as_published(level: str, games: int, least: float, most: float) -> None:
    """B57: three standard errors about the share of games that two of a level win, see docs/games/five_strolche.md."""
    match = Match("five-strolche", 2, ((level,) * 2,), seed=1)
    wins = fmean(play_deal(match, number)[level].wins[0] for number in range(games))
    assert least <= wins <= most
