from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import codec, engine
from app.core.events import Moved, Rolled
from app.core.game import IllegalMove
from app.core.text import Text
from app.games.mythical_dice.dice import COUNTS, FACES, left_in_bag
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.rules import GAME
from app.games.mythical_dice.state import Bid, RollDie, Round, State
from tests.games.mythical_dice import test_scoring
from tests.games.mythical_dice.played import Played, second_round
from tests.support.games import random_game


def a_follower_with_the_colour_rolls_it_or_a_special_die() -> None:
    game = second_round([["red", "red"], ["griffin", "red"], ["gray", "gray"]], lead="winner")
    game.bids(1, 1, 1)
    game.roll(0, "red", 5)
    assert game.kinds(1) == ["griffin", "red"]


def without_the_colour_anything_goes() -> None:
    game = second_round([["red", "red"], ["griffin", "gray"], ["gray", "gray"]], lead="winner")
    game.bids(1, 1, 1)
    game.roll(0, "red", 5)
    assert game.kinds(1) == ["griffin", "gray"]


def the_first_number_die_sets_the_colour_after_a_special_one(setter: str = "first_number_die") -> Played:
    hands = [["griffin", "gray"], ["purple", "gray"], ["purple", "red"]]
    game = second_round(hands, lead="winner", colour_setter=setter)
    game.bids(0, 0, 0)
    game.roll(0, "griffin", "F")
    assert game.kinds(1) == ["purple", "gray"]
    game.roll(1, "purple", 3)
    return game


def only_the_colour_of_the_first_number_die() -> None:
    assert the_first_number_die_sets_the_colour_after_a_special_one().kinds(2) == ["purple"]


def a_special_die_led_leaves_all_free_if_only_the_leader_sets() -> None:
    assert the_first_number_die_sets_the_colour_after_a_special_one("leader_only").kinds(2) == ["red", "purple"]


def the_kind_of_a_die_sets_the_colour_not_its_face() -> None:
    game = second_round([["gray", "gray"], ["gray", "red"], ["red", "red"]], lead="winner")
    game.bids(0, 0, 0)
    game.roll(0, "gray", "F")
    assert game.kinds(1) == ["gray"]
    assert game.kinds(0) == game.kinds(2) == []


def a_round_is_scored_by_bid_and_tricks(**options: Any) -> Played:
    """Round 2 of three: seat 1 bids 1 and wins it by M07, S M F; seat 2 bids 2 and wins 1."""
    hands = [["mermaid", "gray"], ["minotaur", "purple"], ["gray", "red"]]
    game = second_round(hands, lead="winner", **options)
    game.bids(1, 0, 2)
    game.roll(0, "mermaid", "S")
    game.roll(1, "minotaur", "M")
    game.roll(2, "gray", "F")
    assert game.state.lead == 0
    game.roll(0, "gray", 1)
    game.roll(1, "purple", 1)
    game.roll(2, "red", 7, [["red"] * 3, ["yellow"] * 3, ["purple"] * 3])
    return game


def the_mermaid_that_captured_the_minotaur_gives_fifty() -> None:
    game = a_round_is_scored_by_bid_and_tricks()
    assert game.state.past[1] == Round((1, 0, 2), (1, 0, 1), (50, 0, 0), (70, 20, -10))
    assert game.view()["totals"] == [90, 30, 0]


def a_flag_in_the_trick_forfeits_it_by_the_other_reading() -> None:
    game = a_round_is_scored_by_bid_and_tricks(flag_clause="B")
    assert game.state.past[1] == Round((1, 0, 2), (1, 0, 1), (0, 0, 0), (20, 20, -10))


def the_simplified_score_knows_no_bonus_and_no_minus_above_zero() -> None:
    game = a_round_is_scored_by_bid_and_tricks(scoring="simplified")
    assert game.state.past[1] == Round((1, 0, 2), (1, 0, 1), (0, 0, 0), (20, 20, 0))


def no_bonus_without_the_bid() -> None:
    game = second_round([["mermaid", "gray"], ["minotaur", "purple"], ["gray", "red"]], lead="winner")
    game.bids(2, 0, 2)
    rolls: list[tuple[int, str, int | str]] = [
        (0, "mermaid", "S"),
        (1, "minotaur", "M"),
        (2, "gray", "F"),
        (0, "gray", 1),
        (1, "purple", 1),
    ]
    for seat, die, shows in rolls:
        game.roll(seat, die, shows)
    game.roll(2, "red", 7, [["red"] * 3, ["yellow"] * 3, ["purple"] * 3])
    assert game.state.past[1] == Round((2, 0, 2), (1, 0, 1), (0, 0, 0), (-10, 20, -10))


def six_players_play_six_rounds_and_the_last_takes_all_dice() -> None:
    history = list(random_game(GAME, 6, Options(), 3))
    draws = [event for _, event in history if isinstance(event, Rolled) and event.reason == "draw"]
    assert len(draws) == 36
    assert [draw.sides[0] for draw in draws[-6:]] == [36, 30, 24, 18, 12, 6]
    assert draws[-1].sides == (6, 5, 4, 3, 2, 1)
    full = next(state for state, event in history if event == draws[-1])
    assert full.round == full.rounds == 6
    assert left_in_bag(full.hands) == []


def nobody_bids_more_than_there_are_tricks() -> None:
    game = a_round_is_scored_by_bid_and_tricks()
    assert game.moves(1) == [{"kind": "bid", "tricks": tricks} for tricks in range(4)]
    for wrong in (4, -1, 10**30):
        assert game.refusal(0, Bid(wrong)) == ("Bid 0 to {n} in this round.", {"n": 3})


RULINGS: dict[str, Callable[[], None]] = {
    "M15": a_follower_with_the_colour_rolls_it_or_a_special_die,
    "M16": without_the_colour_anything_goes,
    "M17": only_the_colour_of_the_first_number_die,
    "M17-leader_only": a_special_die_led_leaves_all_free_if_only_the_leader_sets,
    "M18": the_kind_of_a_die_sets_the_colour_not_its_face,
    "M23": the_mermaid_that_captured_the_minotaur_gives_fifty,
    "M23-B": a_flag_in_the_trick_forfeits_it_by_the_other_reading,
    "M25": no_bonus_without_the_bid,
    "M27": the_simplified_score_knows_no_bonus_and_no_minus_above_zero,
    "M28": six_players_play_six_rounds_and_the_last_takes_all_dice,
    "M29": nobody_bids_more_than_there_are_tricks,
}


@pytest.mark.parametrize("ruling", [pytest.param(play, id=name) for name, play in RULINGS.items()])
def test_example_of_the_rules(ruling: Callable[[], None]) -> None:
    ruling()


def test_every_example_of_the_rules_is_here_or_in_test_scoring() -> None:
    listed = (*test_scoring.TRICKS, *test_scoring.FOLLOWING, *test_scoring.SCORES)
    found = {str(name) for name, *_ in listed} | set(RULINGS) | {"M26", "M30"}
    assert found >= {f"M{number:02}" for number in range(1, 31)}


@pytest.mark.parametrize(("players", "rounds"), [(3, 8), (4, 8), (5, 7), (6, 6)])
def test_rounds_by_players(players: int, rounds: int) -> None:
    history = list(random_game(GAME, players, Options(), players))
    final = history[-1][0]
    assert len(final.past) == final.rounds == rounds
    bids = sum(isinstance(event, Moved) and isinstance(event.move, Bid) for _, event in history)
    rolls = sum(isinstance(event, Rolled) and event.reason == "roll" for _, event in history)
    assert (bids, rolls) == (players * rounds, players * rounds * (rounds + 1) // 2)
    assert bids + rolls <= GAME.info.max_decisions


def test_four_players_have_the_most_decisions() -> None:
    assert (
        max(n * (r + r * (r + 1) // 2) for n, r in [(3, 8), (4, 8), (5, 7), (6, 6)]) == GAME.info.max_decisions == 176
    )


def test_a_bid_stands_and_a_roll_has_chance_behind_it_anyway() -> None:
    game = Played([["red"], ["yellow"], ["purple"]])
    before = game.state
    game.move(1, Bid(1))
    assert GAME.final(before, 1, Bid(1), game.state)
    assert game.refusal(1, Bid(0)) == ("You have bid {n}, and a bid stands.", {"n": 1})
    game.move(0, Bid(0))
    before = game.state
    game.move(2, Bid(0))
    assert GAME.final(before, 2, Bid(0), game.state)
    assert not GAME.final(game.state, 0, RollDie("red"), game.state)
    assert len(game.roll(0, "red", 7)) == 2


def test_tricks_go_round_from_the_winner_of_the_last() -> None:
    game = second_round([["red", "red"], ["yellow", "red"], ["gray", "gray"]])
    game.bids(1, 1, 1)
    assert game.state.lead == 1
    game.roll(1, "yellow", 5)
    game.roll(2, "gray", 7)
    game.roll(0, "red", 5)
    assert (game.view()["taken_by"], game.view()["lead"], game.view()["seat"]) == (2, 2, 2)
    game.roll(2, "gray", "F")
    assert game.view()["seat"] == 0


@pytest.mark.parametrize(("lead", "seat"), [("rotate", 1), ("winner", 2)])
def test_who_leads_the_next_round(lead: str, seat: int) -> None:
    game = Played([["red"], ["yellow"], ["minotaur"]], lead=lead)
    game.bids(0, 0, 0)
    game.roll(0, "red", 7)
    game.roll(1, "yellow", 5)
    game.roll(2, "minotaur", "M", [["red"] * 2, ["red"] * 2, ["red"] * 2])
    assert game.state.lead == seat


@pytest.mark.parametrize("first", [1, 2, 3])
def test_the_lead_rotates_from_the_seat_drawn_by_lot(first: int) -> None:
    leads = {}
    for state, _ in random_game(GAME, 3, Options(), first):
        if state.phase == "bidding":
            leads[state.round] = (state.lead - (state.start or 0)) % 3
    assert leads == {number: (number - 1) % 3 for number in range(1, 9)}


def test_a_die_that_is_not_held_or_not_there_is_refused() -> None:
    game = second_round([["red", "red"], ["griffin", "red"], ["gray", "gray"]], lead="winner")
    game.bids(1, 1, 1)
    key, parts = game.refusal(0, RollDie("minotaur"))
    assert (key, parts["die"]) == ("You have no such die: {die}.", Text("Minotaur"))
    assert game.refusal(0, RollDie("octopus")) == ("There is no such die.", {})
    assert game.refusal(0, Round((), (), (), ())) == ("That is not possible now.", {})


@pytest.mark.parametrize("colour", ["red", "yellow", "purple", "gray"])
@pytest.mark.parametrize("skin", ["mythical", "pirate"])
def test_the_refusal_names_the_colour_to_follow(skin: str, colour: str) -> None:
    other = "gray" if colour != "gray" else "red"
    game = second_round([[colour] * 2, [colour, other], [other] * 2], lead="winner", skin=skin)
    game.bids(1, 1, 1)
    game.roll(0, colour, FACES[colour][0])
    shown = (
        colour if skin == "mythical" else {"red": "black", "yellow": "blue", "purple": "red", "gray": "yellow"}[colour]
    )
    assert game.refusal(1, RollDie(other)) == (f"You have {shown}: roll {shown} or a creature.", {})
    assert game.kinds(1) == [colour]


def test_who_acts_out_of_turn_is_refused() -> None:
    game = Played([["red"], ["yellow"], ["purple"]])
    assert game.refusal(0, RollDie("red")) == ("Nobody rolls before all have bid.", {})
    game.bids(0, 0, 0)
    for seat, die in [(1, "yellow"), (2, "purple")]:
        assert game.refusal(seat, RollDie(die)) == ("It is not your turn.", {})
    assert game.refusal(0, Bid(0)) == ("The bids are made.", {})
    game.roll(0, "red", 7)
    assert game.refusal(0, RollDie("red")) == ("It is not your turn.", {})


def test_nobody_moves_after_the_end_and_the_best_share_the_win() -> None:
    past = Round((1, 0, 0), (1, 0, 0), (0, 0, 0), (20, 10, 20))
    state = State(Options(), ((),) * 3, (1, 0, 0), 0, 3, past=(past,) * 8)
    for move in (Bid(0), RollDie("red")):
        with pytest.raises(IllegalMove, match="The game is over"):
            engine.match(GAME, state, 0, move)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.kind, outcome.scores, outcome.winners) == ("ranked", (160, 80, 160), (0, 2))
    assert outcome.detail == {"bids_met": (8, 8, 8), "bonuses": (0, 0, 0)}


def test_the_detail_counts_bids_met_and_bonuses() -> None:
    game = a_round_is_scored_by_bid_and_tricks()
    state = replace(game.state, past=game.state.past * 4)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.detail == {"bids_met": (8, 8, 4), "bonuses": (200, 0, 0)}


def test_shape_of_moves_is_checked() -> None:
    for raw in [{"kind": "bid", "tricks": "1"}, {"kind": "bid", "tricks": True}, {"kind": "bid"}, {"kind": "roll"}]:
        with pytest.raises(IllegalMove):
            codec.load_move(GAME, raw)
    assert codec.load_move(GAME, {"kind": "roll", "die": "red"}) == RollDie("red")


TABLES: list[Mapping[str, Any]] = list(GAME.presets)


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 6), st.sampled_from(TABLES), st.integers(0, 10_000))
def test_a_whole_game_adds_up(players: int, preset: Mapping[str, Any], seed: int) -> None:
    rolled: list[str] = []
    state: State
    for state, event in random_game(GAME, players, Options(**preset), seed):
        if isinstance(event, Moved) and isinstance(event.move, RollDie):
            rolled.append(event.move.die)
        if state.phase == "drawing":
            rolled = []
        in_play = [*rolled, *(die for hand in state.hands for die in hand)]
        assert all(in_play.count(kind) <= COUNTS[kind] for kind in COUNTS)
        if state.phase == "playing":
            assert len(in_play) == players * state.round
        assert sum(len(state.won(seat)) for seat in range(players)) == len(state.tricks)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores == tuple(sum(past.points[seat] for past in state.past) for seat in range(players))
    assert all(sum(past.tricks_won) == number for number, past in enumerate(state.past, 1))
    assert all(sum(bonus % 50 == 0 and bonus > 0 for bonus in past.bonuses) <= 1 for past in state.past)
    assert all(
        not (bonus and bid == 0) for past in state.past for bid, bonus in zip(past.bids, past.bonuses, strict=True)
    )


def test_the_skin_changes_no_rule() -> None:
    plain = [state.past for state, _ in random_game(GAME, 4, Options(), 7)]
    assert [state.past for state, _ in random_game(GAME, 4, Options(skin="pirate"), 7)] == plain
