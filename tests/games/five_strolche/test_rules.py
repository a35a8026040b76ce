"""The worked examples of the rules page, by their ids."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.core.events import Rolled
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import (
    Crack,
    Draw,
    Give,
    Pass,
    Place,
    Reroll,
    Rescue,
    Take,
    TakeAll,
    Turn,
)
from tests.games.five_strolche.positions import Played, dealt, options, position

SET = "r3 b3 k3 y3 r1"


def the_set_up_of_three() -> None:
    game = Played(dealt(3))
    assert game.laid() == {"john": 1, "ringo": 1, "rihanna": 1, "pink": 1, "paul": 0}
    assert game.state.tableaus.john + game.state.tableaus.ringo == ("b0", "k0")
    assert game.state.tableaus.rihanna + game.state.tableaus.pink == ("y0", "r0")
    assert [len(hand) for hand in game.state.hands] == [8, 8, 8]
    assert game.state.in_bag == 12


def sixes_of_the_set_up_do_not_count() -> None:
    game = Played(dealt(3, hands=("66661111", "11111111", "11111111")))
    assert (game.state.gate, game.state.sixes, game.state.thrown, game.state.seat) == (0, 0, 0, 0)


def a_set_of_the_set_up_does_not_count() -> None:
    state = dealt(2, hands=("222222222222", "111111111111"), lock=2)
    assert {die[0] for die in state.hands[0]} == {"r", "b", "k", "y"}
    assert (state.locks_left, state.cracked, state.lock, state.seat) == (6, (), 2, 0)


def a_six_from_the_bag_closes_a_wing() -> None:
    game = Played(position("r2", ""))
    drawn = game.drawing("b")
    _moved, draw, roll = game.move(Draw(), *drawn, 6)
    assert draw == Rolled(2, "draw", (35,), drawn)
    assert roll == Rolled(3, "roll", (6,), (6,))
    assert game.hand() == ["r2", "b6"]
    assert game.state.gate == 1
    assert (game.state.seat, game.state.actions_left) == (0, 1)


def several_sixes_of_a_throw_close_one_wing() -> None:
    game = Played(position("r2 r2 r2 r2 r2", ""))
    game.move(Reroll(game.state.hands[0]), 6, 6, 6, 1, 2)
    assert game.state.gate == 1
    assert game.hand() == ["r6", "r6", "r6", "r1", "r2"]
    assert (game.state.thrown, game.state.sixes) == (5, 3)


def two_throws_with_a_six_lose_the_game() -> None:
    game = Played(position("", ""))
    game.move(Draw(), 1, 6)
    assert GAME.outcome(game.state) is None
    game.move(Draw(), 1, 6)
    assert game.state.gate == 2
    outcome = GAME.outcome(game.state)
    assert outcome is not None
    assert (outcome.scores, outcome.winners, outcome.detail["ended"]) == ((0, 0), (), "gate")


def ringo_opens_the_gate() -> None:
    game = Played(position("k2 r5", "", gate=1))
    game.move(Place(game.die("k2"), "ringo"))
    assert game.state.gate == 0
    assert game.laid()["ringo"] == 2
    assert game.hand() == ["r5"]


def ringo_may_be_used_in_vain() -> None:
    game = Played(position("k2 r5", ""))
    game.move(Place(game.die("k2"), "ringo"))
    assert (game.state.gate, game.laid()["ringo"], game.state.actions_left) == (0, 2, 1)


def two_dice_from_two_boards_are_one_throw() -> None:
    game = Played(position("k5", "", boards={"paul": 1}))
    john, paul = game.state.tableaus.john[0], game.state.tableaus.paul[0]
    game.move(Place(game.die("k5"), "ringo"))
    assert game.kinds() == {"take"}
    game.move(Take((john, paul)), 3, 6)  # in the order of the bag: the red die first
    assert (game.state.dice[paul], game.state.dice[john]) == (3, 6)
    assert set(game.state.hands[0]) == {john, paul}
    assert (game.state.gate, game.laid()["john"], game.laid()["paul"]) == (1, 0, 0)


def john_puts_the_front_card_to_the_back() -> None:
    game = Played(position("b1", "", stack=(6, 2, 1, 3, 4, 5)))
    game.move(Place(game.die("b1"), "john"))
    assert game.state.stack == (2, 1, 3, 4, 5, 6)
    assert game.state.lock == 2


def colours_must_match() -> None:
    game = Played(position("b2", ""))
    assert game.refusal(Place(game.die("b2"), "ringo")) == "Only black dice go on Ringo."


def paul_takes_a_one_or_a_six() -> None:
    game = Played(position("r4", ""))
    assert game.refusal(Place(game.die("r4"), "paul")) == "Paul takes only a 1 or a 6."
    game.move(Place(game.die("r4"), "pink"))


def a_set_cracks_the_lock() -> None:
    game = Played(position(SET, ""))
    paul = game.die("r1")
    before = game.state.in_bag
    _moved, lock = game.move(Place(paul, "paul"), 2)
    assert lock == Rolled(2, "lock", (5,), (2,))
    assert (game.state.cracked, game.state.cracked_by, game.state.lock) == ((3,), (0,), 2)
    assert game.state.tableaus.paul == (paul,)
    assert game.state.in_bag == before + 4
    assert game.hand() == []
    assert (game.state.locks_left, game.state.actions_left, game.state.seat) == (5, 1, 0)


def the_paul_die_does_not_count() -> None:
    game = Played(position("r1 b1 k1 y1", "", stack=(1, 0, 0, 0, 0, 0)))
    why = "You need a 1 in each colour beside this die. Missing: red"
    assert game.refusal(Place(game.die("r1"), "paul")) == why


def paul_is_full_with_two() -> None:
    game = Played(position(SET, "", boards={"paul": 2}))
    assert game.refusal(Place(game.die("r1"), "paul")) == "Two dice lie on Paul. Take one away first."


def no_lock_is_cracked_through_half_a_gate() -> None:
    game = Played(position(SET, "", gate=1))
    assert game.refusal(Place(game.die("r1"), "paul")) == "First the gate must be fully open."


def a_fourth_die_sweeps_the_board_before_the_effect() -> None:
    game = Played(position("y2", "", boards={"rihanna": 3}, bag=0))
    assert game.state.in_bag == 0
    _moved, draw, _roll = game.move(Place(game.die("y2"), "rihanna"), 1, 1, 1, 2, 3, 4)
    assert isinstance(draw, Rolled)
    assert draw.sides == (4, 3, 2)
    assert game.laid()["rihanna"] == 0
    assert game.hand() == ["y2", "y3", "y4"]
    assert game.state.in_bag == 1


def all_dice_of_a_board_are_one_throw() -> None:
    game = Played(position("y5", "", boards={"pink": 3}))
    pink = game.state.tableaus.pink
    game.move(Place(game.die("y5"), "rihanna"))
    assert game.actions() == [{"kind": "take_all", "from": board} for board in ("john", "ringo", "pink")]
    game.move(TakeAll("pink"), 6, 1, 2)
    assert game.state.hands[0] == pink
    assert (game.state.gate, game.laid()["pink"]) == (1, 0)


def turning_to_a_six_is_no_throw() -> None:
    game = Played(position("r5 b2", ""))
    game.move(Place(game.die("r5"), "pink"))
    game.move(Turn(game.die("b2"), 6))
    assert (game.hand(), game.state.gate, game.state.sixes) == (["b6"], 0, 0)


def a_die_is_turned_to_another_number() -> None:
    game = Played(position("r5 b2", ""))
    game.move(Place(game.die("r5"), "pink"))
    for face in (2, 0, 7):
        why = "The die must be turned to another number from 1 to 6."
        assert game.refusal(Turn(game.die("b2"), face)) == why


def a_second_gift_is_refused() -> None:
    game = Played(position("r5 b2", "", ""))
    game.move(Give(game.die("r5"), 1))
    assert game.hand(1) == ["r5"]
    assert game.refusal(Give(game.die("b2"), 2)) == "You have given a die away in this turn already."
    assert "give" not in game.kinds()


def fewer_than_three_are_drawn_from_a_small_bag() -> None:
    game = Played(position("r1", "", bag=2))
    _moved, draw, roll = game.move(Place(game.die("r1"), "pink"), 1, 1, 4, 5)
    assert isinstance(draw, Rolled)
    assert isinstance(roll, Rolled)
    assert (draw.sides, roll.sides) == ((2, 1), (6, 6))


def nothing_is_drawn_from_an_empty_bag() -> None:
    game = Played(position("r1 b2", "", bag=0))
    assert game.refusal(Draw()) == "The bag is empty."
    events = game.move(Place(game.die("r1"), "pink"))
    assert len(events) == 1
    assert (game.hand(), game.laid()["pink"], game.state.actions_left) == (["b2"], 2, 1)


def the_sixth_lock_wins_at_once() -> None:
    game = Played(position(SET, "", stack=(3,), cracked=(1, 2, 4, 5, 6), cracked_by=(0, 1, 0, 1, 0)))
    game.move(Place(game.die("r1"), "paul"))
    assert (game.state.ended, game.state.actions_left) == ("won", 1)
    assert GAME.to_act(game.state) == frozenset()
    outcome = GAME.outcome(game.state)
    assert outcome is not None
    assert (outcome.kind, outcome.scores, outcome.winners) == ("team", (6, 6), (0, 1))
    assert game.refusal(Draw()) == "The game is over."


def a_rescue_costs_all_dice() -> None:
    game = Played(position("r2 b2", "k5 y5", gate=1, options=options(last_rescue="on")))
    game.move(Reroll((game.die("r2"),)), 6)
    assert (game.state.asked, game.state.gate) == ("rescue", 1)
    assert game.actions() == [{"kind": "rescue", "accept": True}, {"kind": "rescue", "accept": False}]
    game.move(Rescue(accept=True))
    assert game.state.hands == ((), ())
    assert (game.state.gate, game.state.in_bag) == (0, 36)
    assert (game.state.seat, game.state.actions_left, game.kinds()) == (0, 1, {"draw"})


def locks_in_the_right_order() -> None:
    inorder = options(right_order="on")
    game = Played(position(SET, "", cracked=(1,), stack=(3, 2, 4, 5, 6), options=inorder))
    assert game.refusal(Place(game.die("r1"), "paul")) == "Lock 2 has to come first."
    game = Played(position("r2 b2 k2 y2 r1", "", cracked=(1,), stack=(2, 3, 4, 5, 6), options=inorder))
    game.move(Place(game.die("r1"), "paul"))
    assert game.state.cracked == (1, 2)


def a_single_die_is_taken() -> None:
    game = Played(position("k4", "", boards={"john": 0, "ringo": 0, "rihanna": 0, "pink": 0, "paul": 1}))
    (paul,) = game.state.tableaus.paul
    game.move(Place(game.die("k4"), "ringo"))
    assert game.actions() == [{"kind": "take", "dice": {"pick": {"from": [paul], "min": 1, "max": 1}}}]
    assert game.refusal(Take(())) == "Take the only die there is."
    _, roll = game.move(Take((paul,)), 2)
    assert roll == Rolled(3, "roll", (6,), (2,))


def who_is_stuck_passes() -> None:
    game = Played(position("", "", bag=0))
    assert game.actions() == [{"kind": "pass"}]
    game.move(Pass())
    assert (game.state.seat, game.state.actions_left) == (1, 2)


EXAMPLES: dict[str, Callable[[], None]] = {
    "S01": the_set_up_of_three,
    "S02": sixes_of_the_set_up_do_not_count,
    "S03": a_set_of_the_set_up_does_not_count,
    "S04": a_six_from_the_bag_closes_a_wing,
    "S05": several_sixes_of_a_throw_close_one_wing,
    "S06": two_throws_with_a_six_lose_the_game,
    "S07": ringo_opens_the_gate,
    "S08": ringo_may_be_used_in_vain,
    "S09": two_dice_from_two_boards_are_one_throw,
    "S10": john_puts_the_front_card_to_the_back,
    "S11": colours_must_match,
    "S12": paul_takes_a_one_or_a_six,
    "S13": a_set_cracks_the_lock,
    "S14": the_paul_die_does_not_count,
    "S15": paul_is_full_with_two,
    "S16": no_lock_is_cracked_through_half_a_gate,
    "S17": a_fourth_die_sweeps_the_board_before_the_effect,
    "S18": all_dice_of_a_board_are_one_throw,
    "S19": turning_to_a_six_is_no_throw,
    "S20": a_die_is_turned_to_another_number,
    "S21": a_second_gift_is_refused,
    "S22": fewer_than_three_are_drawn_from_a_small_bag,
    "S23": nothing_is_drawn_from_an_empty_bag,
    "S24": the_sixth_lock_wins_at_once,
    "S25": a_rescue_costs_all_dice,
    "S26": locks_in_the_right_order,
    "S27": a_single_die_is_taken,
    "S28": who_is_stuck_passes,
}


@pytest.mark.parametrize("example", [pytest.param(play, id=name) for name, play in EXAMPLES.items()])
def test_example_of_the_rules(example: Callable[[], None]) -> None:
    example()


def test_every_example_of_the_rules_is_here() -> None:
    assert list(EXAMPLES) == [f"S{number:02}" for number in range(1, 29)]


def test_choice_of_the_four_dice_is_asked_only_where_there_is_one() -> None:
    game = Played(position("r3 r3 b3 k3 y3 r1", ""))
    one, other = [die for die in game.state.hands[0] if die[0] == "r" and game.state.dice[die] == 3]
    game.move(Place(game.die("r1"), "paul"))
    rest = ["b1", "k1", "y1"]
    assert game.actions() == [{"kind": "crack", "dice": [red, *rest]} for red in (one, other)]
    assert game.refusal(Crack((one, other, "b1", "k1"))) == "That is not among the choices."
    game.move(Crack((other, "b1", "k1", "y1")), 1)
    assert game.state.hands[0] == (one,)
    assert game.state.cracked == (3,)
