from __future__ import annotations

from app.core import codec
from app.core.events import Rolled
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.rules import GAME
from app.games.mythical_dice.state import Bid, Thrown
from tests.games.mythical_dice.played import Played, second_round


def test_a_table_begins_with_the_lot_and_the_draws_in_seat_order() -> None:
    game = Played([["red"], ["minotaur"], ["gray"]], first=2)
    assert game.events == [
        Rolled(1, "first", (3,), (2,)),
        Rolled(2, "draw", (36,), (7,), frozenset({0}), blind=True),
        Rolled(3, "draw", (35,), (1,), frozenset({1}), blind=True),
        Rolled(4, "draw", (34,), (27,), frozenset({2}), blind=True),
    ]
    assert game.state.hands == (("red",), ("minotaur",), ("gray",))
    assert GAME.to_act(game.state) == {0, 1, 2}


def test_a_draw_counts_in_what_the_others_have_left() -> None:
    game = Played([["minotaur"], ["griffin"], ["griffin"]])
    assert [event.faces for event in game.events if isinstance(event, Rolled)] == [(1,), (1,), (1,), (1,)]
    assert game.state.hands == (("minotaur",), ("griffin",), ("griffin",))


def test_bids_are_hidden_until_all_are_made_and_then_stand_open() -> None:
    game = Played([["red"], ["yellow"], ["purple"]])
    (first,) = game.move(1, Bid(1))
    assert (first.seen_by, game.view(1)["bids"]) == (frozenset({1}), [None, 1, None])
    assert game.view(0)["bids"] == game.view()["bids"] == [None, None, None]
    assert game.view(0)["has_bid"] == [False, True, False]
    assert GAME.to_act(game.state) == {0, 2}
    game.move(2, Bid(0))
    (last,) = game.move(0, Bid(0))
    assert last.seen_by is None
    assert [game.view(viewer)["bids"] for viewer in (0, 1, 2, None)] == [[0, 1, 0]] * 4
    assert GAME.to_act(game.state) == {0}


def test_a_bid_changes_nothing_for_those_who_still_bid() -> None:
    game = Played([["red"], ["yellow"], ["purple"]])
    before = game.moves(2), game.view(2) | {"has_bid": None}
    game.move(0, Bid(1))
    assert (game.moves(2), game.view(2) | {"has_bid": None}) == before


def test_view_is_the_one_of_the_contract() -> None:
    game = second_round([["red", "gray"], ["griffin", "red"], ["gray", "gray"]])
    game.bids(1, 1, 0)
    game.roll(1, "griffin", "G")
    first = [{"seat": 0, "die": "red", "face": 7}, {"seat": 1, "die": "yellow", "face": 4}]
    first.append({"seat": 2, "die": "purple", "face": 1})
    assert game.view(0) == {
        "round": 2,
        "rounds": 8,
        "phase": "playing",
        "seat": 2,
        "hand": ["red", "gray"],
        "hand_sizes": [2, 1, 2],
        "hands": None,
        "bids": [1, 1, 0],
        "has_bid": [True, True, True],
        "lead": 1,
        "trick": [{"seat": 1, "die": "griffin", "face": "G"}],
        "rolling": None,
        "colour": None,
        "ahead": 1,
        "last_trick": first,
        "taken_by": 0,
        "tricks_won": [0, 0, 0],
        "captured": [[], [], []],
        "scores": [[20, 10, 10]],
        "past": [{"bids": [1, 0, 0], "tricks_won": [1, 0, 0], "bonuses": [0, 0, 0], "points": [20, 10, 10]}],
        "totals": [20, 10, 10],
        "skin": "mythical",
    }
    assert game.view() == game.view(0) | {"hand": []}
    opened = codec.data(GAME.reveal(game.state))
    assert opened == game.view() | {"hands": [["red", "gray"], ["red"], ["gray", "gray"]]}


def test_captured_dice_lie_with_the_winner_of_the_trick() -> None:
    game = second_round([["red", "red"], ["yellow", "red"], ["gray", "gray"]])
    game.bids(1, 1, 1)
    for seat, die, shows in [(1, "yellow", 5), (2, "gray", 7), (0, "red", 5)]:
        game.roll(seat, die, shows)
    view = GAME.view(game.state, None)
    assert view.captured == ((), (), (Thrown(1, "yellow", 5), Thrown(2, "gray", 7), Thrown(0, "red", 5)))
    assert view.tricks_won == (0, 0, 1)


def test_what_is_revealed_in_the_replay_is_all_bids_and_hands() -> None:
    game = Played([["red"], ["yellow"], ["purple"]])
    game.move(1, Bid(1))
    opened = GAME.reveal(game.state)
    assert opened.bids == (None, 1, None)
    assert opened.hands == (("red",), ("yellow",), ("purple",))
    assert opened.hand == ()


def test_options_are_those_of_the_contract_and_a_skin() -> None:
    assert [(option["id"], option["default"], option["choices"][1]) for option in codec.option_choices(Options)] == [
        ("colour_setter", "first_number_die", "leader_only"),
        ("three_kinds", "mermaid", "sequential"),
        ("all_flags", "first", "last"),
        ("flag_clause", "A", "B"),
        ("griffin_bonus", "per_griffin", "flat"),
        ("scoring", "standard", "simplified"),
        ("lead", "rotate", "winner"),
        ("skin", "mythical", "pirate"),
    ]
