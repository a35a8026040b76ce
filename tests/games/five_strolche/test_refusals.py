"""Every move that is not possible says why."""

from __future__ import annotations

from typing import Any

import pytest

from app.games.five_strolche.material import BOARDS, DICE, HOME, colour
from app.games.five_strolche.placing import idle, obstacle
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import (
    Crack,
    Draw,
    Effect,
    Give,
    Place,
    Reroll,
    State,
    Take,
    TakeAll,
    Turn,
)
from tests.games.five_strolche.positions import Played, options, plain, position


@pytest.mark.parametrize(
    ("die", "board", "why"),
    [
        ("b2", "ringo", "Only black dice go on Ringo."),
        ("k2", "john", "Only blue dice go on John."),
        ("k2", "rihanna", "Only yellow dice go on Rihanna."),
        ("y2", "pink", "Only red dice go on Pink."),
        ("y1", "paul", "Only red dice go on Paul."),
        ("b2", "george", "There is no such board."),
    ],
)
def test_die_on_the_wrong_board(die: str, board: str, why: str) -> None:
    game = Played(position(die, ""))
    assert game.refusal(Place(game.die(die), board)) == why


@pytest.mark.parametrize("die", ["b9", "k1", "x", "", "b0"])
def test_die_of_somebody_else_or_of_nobody(die: str) -> None:
    assert Played(position("r2", "k2")).refusal(Place(die, "john")) == "That die is not yours."


@pytest.mark.parametrize(
    ("hand", "missing"),
    [
        ("r1 r3 b3 k3", "yellow"),
        ("r1 r3", "blue, black, yellow"),
        ("r6", "red, blue, black, yellow"),
        ("r1 r3 b3 k3 y2", "yellow"),
    ],
)
def test_lock_that_cannot_be_paid(hand: str, missing: str) -> None:
    game = Played(position(hand, ""))
    why = f"You need a 3 in each colour beside this die. Missing: {missing}"
    assert game.refusal(Place("r1", "paul")) == why


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (Reroll(()), "Choose at least one die to roll."),
        (Reroll(("b1",)), "You can only roll your own dice, each once."),
        (Reroll(("r1", "r1")), "You can only roll your own dice, each once."),
        (Give("b1", 1), "Choose one of your own dice to give."),
        (Give("", 1), "Choose one of your own dice to give."),
        (Give("r1", 0), "A die can only be given to somebody else."),
        (Give("r1", 2), "There is nobody on that seat."),
        (Give("r1", -1), "There is nobody on that seat."),
        (Take(("b0",)), "That is not possible now."),
        (Turn("r1", 3), "That is not possible now."),
        (Crack(("r1",)), "That is not possible now."),
        (Effect("open"), "That is not possible now."),
    ],
)
def test_move_that_is_not_possible(move: Any, why: str) -> None:
    assert Played(position("r2", "b2")).refusal(move) == why


def test_who_has_no_dice_rolls_none() -> None:
    assert Played(position("", "b2")).refusal(Reroll(())) == "You have no dice."


def test_others_wait() -> None:
    game = Played(position("r2", "b2"))
    for move in (Draw(), Reroll(("b1",)), Place("b1", "john")):
        assert game.refusal(move, seat=1) == "It is not your turn."


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("take", "First choose the dice to take."),
        ("take_all", "First choose the board to empty."),
        ("turn", "First turn one of your dice."),
        ("crack", "First choose the four dice for the lock."),
        ("effect", "First choose what Ringo does."),
    ],
)
def test_open_choice_comes_first(asked: str, why: str) -> None:
    both = options(rotate="john_and_ringo")
    hand = "r3 r3 b3 k3 y3"
    game = Played(position(hand, "", asked=asked, used="ringo", stack=(3, 1, 2), options=both))
    assert game.kinds() == {asked}
    for move in (Draw(), Reroll(("r1",)), Place("r1", "pink"), Give("r1", 1)):
        assert game.refusal(move) == why


@pytest.mark.parametrize(
    ("move", "asked", "why"),
    [
        (TakeAll("ringo"), "take_all", "Not from the board you have just used."),
        (TakeAll("paul"), "take_all", "No dice lie there."),
        (TakeAll("x"), "take_all", "No dice lie there."),
        (Turn("b9", 3), "turn", "That die is not yours."),
    ],
)
def test_wrong_answer_to_a_choice(move: Any, asked: str, why: str) -> None:
    assert Played(position("r3", "", asked=asked, used="ringo")).refusal(move) == why


def every_placement(state: State) -> None:
    offered = {action.move for action in GAME.actions(state, 0) if isinstance(action.move, Place)}
    for die in DICE:
        for board in BOARDS:
            why = obstacle(state, 0, die, board)
            assert (why is None) == (Place(die, board) in offered)
            assert why is None or plain(why)


@pytest.mark.parametrize("gate", [0, 1])
@pytest.mark.parametrize("paul", [0, 2])
@pytest.mark.parametrize("chosen", [{}, {"overflow": "blocked", "fizzle": "forbidden"}, {"right_order": "on"}])
def test_placement_is_offered_or_says_why(gate: int, paul: int, chosen: dict[str, object]) -> None:
    hand = "r1 r6 r3 r4 b1 b3 b4 k1 k3 k6 y3 y5"
    boards = {"paul": paul, "john": 3, "rihanna": 3}
    every_placement(position(hand, "r2", gate=gate, boards=boards, options=options(**chosen)))


def test_die_that_has_an_effect_is_never_idle() -> None:
    state = position("r1 r3 b3 k3 y3 b5 k5 y5 r5", "", gate=1)
    for die in state.hands[0]:
        for board in (board for board in BOARDS if HOME[board] == colour(die)):
            assert idle(state, 0, die, board) is None
