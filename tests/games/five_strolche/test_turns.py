"""Dealing, turns, locks, what can be taken back, and what everybody sees."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from app.core import codec, engine
from app.core.events import Rolled
from app.games.five_strolche.material import Faces, in_order
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import Draw, Give, Place, Reroll, State, Turn
from tests.games.five_strolche.positions import Played, dealt, options, position
from tests.support.dice import SeededDice


@pytest.mark.parametrize(("players", "hand", "bag"), [(2, 12, 12), (3, 8, 12), (4, 6, 12), (5, 5, 11)])
def test_deal(players: int, hand: int, bag: int) -> None:
    state, events = engine.begin(GAME, options(), players, SeededDice(players))
    assert [len(dice) for dice in state.hands] == [hand] * players
    assert (state.in_bag, state.actions_left, state.gate, state.locks_left) == (bag, 2, 0, 6)
    rolls = [event for event in events if isinstance(event, Rolled)]
    assert [event.reason for event in rolls][:3] == ["lock", "draw", "roll"]
    assert rolls[0].sides == (6,)
    assert rolls[1].sides == tuple(range(36, 36 - hand, -1))
    assert rolls[2].sides == (6,) * hand


def test_highest_sum_begins() -> None:
    assert dealt(3, hands=("22222222", "32222222", "22222222")).seat == 1


def test_lot_falls_among_those_who_share_the_highest_sum() -> None:
    hands = ("32222222", "22222222", "32222222")
    state = dealt(3, hands=hands)
    assert state.seat == 0  # the lot is 1
    undecided = replace(state, seat=None)
    wanted = GAME.chance(undecided)
    assert wanted is not None
    assert (wanted.reason, wanted.sides) == ("first", (2,))
    assert GAME.settle(undecided, (2,)).seat == 2
    assert GAME.to_act(undecided) == frozenset()


def test_turns_go_round_with_two_actions_each() -> None:
    game = Played(position("r2", "b2", "k2", seat=2))
    order = []
    for _ in range(8):
        order.append((game.state.seat, game.state.actions_left))
        game.move(Draw(), 1, 2)
    assert order == [(2, 2), (2, 1), (0, 2), (0, 1), (1, 2), (1, 1), (2, 2), (2, 1)]
    assert (game.state.turns, game.state.round) == (4, 2)


def test_gift_is_counted_by_turn() -> None:
    game = Played(position("r2 r3", "b2", actions_left=2))
    game.move(Give(game.die("r2"), 1))
    game.move(Draw(), 1, 2)
    assert (game.state.seat, game.state.gift_used) == (1, False)


def test_choice_after_the_last_action_keeps_the_turn() -> None:
    game = Played(position("r5 b2", "", actions_left=1))
    game.move(Place(game.die("r5"), "pink"))
    assert (game.state.seat, game.state.actions_left) == (0, 0)
    game.move(Turn(game.die("b2"), 5))
    assert (game.state.seat, game.state.actions_left) == (1, 2)


def test_throw_that_shuts_the_gate_ends_an_action_in_the_middle() -> None:
    game = Played(position("y2 b2", "", gate=1))
    game.move(Place(game.die("y2"), "rihanna"), 1, 1, 1, 2, 6, 2)
    assert (game.state.ended, game.state.actions_left, game.state.seat) == ("gate", 1, 0)
    assert len(game.hand()) == 4
    assert (GAME.to_act(game.state), GAME.chance(game.state), GAME.actions(game.state, 0)) == (frozenset(), None, ())


def test_unseen_card_is_drawn_among_those_not_seen() -> None:
    game = Played(position("b1 b2", "", stack=(3, 0, 0, 5), cracked=(1, 2)))
    _, lock = game.move(Place(game.die("b1"), "john"), 2)
    assert lock == Rolled(2, "lock", (2,), (2,))
    assert game.state.stack == (6, 0, 5, 3)
    _moved, lock = game.move(Place(game.die("b2"), "john"), 1)
    assert game.state.stack == (4, 5, 3, 6)


def test_seen_card_comes_again_without_chance() -> None:
    game = Played(position("b1", "", stack=(3, 5, 4, 6), cracked=(1, 2)))
    assert len(game.move(Place(game.die("b1"), "john"))) == 1


def final(state: State, move: Place) -> bool:
    return GAME.final(state, 0, move, GAME.play(state, 0, move))


def test_card_turned_up_from_memory_is_not_taken_back() -> None:
    seen = position("b1 r2", "", stack=(3, 5, 4, 6))
    rotate = Place(in_order(seen.hands[0])[1], "john")
    assert final(seen, rotate)
    assert not final(replace(seen, options=options(memory_aid="on")), rotate)
    assert not final(seen, Place(seen.hands[0][0], "pink"))
    assert not final(replace(seen, stack=(3,)), rotate)
    assert not final(replace(seen, stack=(3, 0, 4)), rotate)  # the chance that follows bars the way back


def test_dice_in_the_air_lie_nowhere_else() -> None:
    state = position("r2 b2 k2", "")
    thrown = GAME.play(state, 0, Reroll(("b1", "k1")))
    assert (thrown.air, thrown.hands[0], "b1" in thrown.dice, thrown.in_bag) == (("b1", "k1"), ("r1",), False, 33)
    landed = GAME.settle(thrown, (4, 5))
    assert (landed.rolled, landed.dice["b1"], landed.dice["k1"]) == (("b1", "k1"), 4, 5)
    assert GAME.play(landed, 0, Give("r1", 1)).rolled == ()


def test_view_is_the_one_of_the_contract() -> None:
    game = Played(position("r2 b3", "k4", gate=1))
    game.move(Give("b1", 1))
    data = codec.data(GAME.view(game.state, 1))
    wanted = {
        "gate": 1,
        "lock": 3,
        "locks_left": 6,
        "cracked": [],
        "tableaus": {"john": ["b0"], "ringo": ["k0"], "rihanna": ["y0"], "pink": ["r0"], "paul": []},
        "dice": {"r0": 1, "r1": 2, "b0": 1, "b1": 3, "k0": 1, "k1": 4, "y0": 1},
        "hands": [["r1"], ["b1", "k1"]],
        "bag": {"red": 8, "blue": 8, "black": 8, "yellow": 9},
        "seat": 0,
        "actions_left": 1,
        "gift_used": True,
    }
    assert {name: data[name] for name in wanted} == wanted
    assert list(data["dice"]) == ["r0", "r1", "b0", "b1", "k0", "k1", "y0"]


def test_actions_are_those_of_the_contract_in_their_order() -> None:
    game = Played(position("r1 b2 k3", "", ""))
    assert game.actions() == [
        {"kind": "draw"},
        {"kind": "reroll", "dice": {"pick": {"from": ["r1", "b1", "k1"], "min": 1, "max": 3}}},
        {"kind": "place", "die": "r1", "on": "pink"},
        {"kind": "place", "die": "b1", "on": "john"},
        {"kind": "place", "die": "k1", "on": "ringo"},
        *({"kind": "give", "die": die, "to": to} for die in ("r1", "b1", "k1") for to in (1, 2)),
    ]
    game.move(Place("r1", "pink"), 1, 1, 1, 2, 2, 2)
    red = Played(position("r4 b2", ""))
    red.move(Place("r1", "pink"))
    assert red.actions() == [{"kind": "turn", "die": "b1", "face": face} for face in (1, 3, 4, 5, 6)]


def test_outcome_counts_sixes_against_expectation() -> None:
    game = Played(position("r2 b2 k2 y2 y2", "", turns=7, actions_left=1))
    game.move(Reroll(game.state.hands[0]), 6, 6, 1, 1, 1)
    game.move(Draw(), 1, 6)
    outcome = GAME.outcome(game.state)
    assert outcome is not None
    assert outcome.detail == {
        "won": False,
        "ended": "gate",
        "rounds": 5,
        "cracked": (),
        "cracked_by": (),
        "rescues": 0,
        "dice_thrown": 6,
        "sixes": 3,
        "sixes_expected": "1.0",
    }


def test_faces_are_a_mapping_in_the_order_of_the_bag() -> None:
    faces = Faces({"y1": 2, "r3": 4})
    assert (list(faces), faces["y1"], len(faces)) == (["r3", "y1"], 2, 2)
    assert (faces, hash(faces)) == (Faces({"r3": 4, "y1": 2}), hash(Faces({"r3": 4, "y1": 2})))
    assert repr(faces) == "Faces({'r3': 4, 'y1': 2})"
    with pytest.raises(codec.Malformed, match="no such die"):
        codec.load(Faces, '{"q1": 2}')


def test_number_of_actions_grows_with_the_dice_and_not_with_their_subsets() -> None:
    def big(dice: int) -> State:
        letters = "rbky" * 9
        return position(" ".join(f"{letter}2" for letter in letters[:dice]), "", "", "", "")

    def took(state: State) -> float:
        started = time.perf_counter()
        for _ in range(100):
            GAME.actions(state, 0)
        return time.perf_counter() - started

    assert [len(GAME.actions(big(dice), 0)) for dice in (10, 20)] == [2 + 10 * 5, 2 + 20 * 5]
    assert min(took(big(20)) for _ in range(5)) < 0.5  # 5 ms each; a million subsets would take seconds
