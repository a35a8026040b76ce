from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import codec, engine
from app.core.events import Event, Moved, Rolled
from app.core.game import IllegalMove
from app.games.yacht.rules import GAME, Options, RollDice, Score, Sheet, State
from app.games.yacht.scoring import CATEGORIES, score
from tests.games.yacht import test_scoring
from tests.support.dice import ScriptedDice
from tests.support.games import random_game

HOST = Options(first_player="host")
ALL = RollDice((0, 1, 2, 3, 4))


class Played:
    """A game played move by move with told dice."""

    def __init__(self, players: int = 1, options: Options = HOST, first: tuple[int, ...] = ()) -> None:
        self.events: list[Event] = []
        self.state: State
        self.state, self.events = engine.begin(GAME, options, players, ScriptedDice(*first))

    def move(self, seat: int, move: Any, *faces: int) -> list[Event]:
        dice = ScriptedDice(*faces)
        self.state, new = engine.play(GAME, self.state, seat, move, dice, len(self.events))
        assert not dice.left
        self.events += new
        return new

    def turn(self, seat: int, category: str, *faces: int) -> None:
        self.move(seat, ALL, *faces)
        self.move(seat, Score(category))

    def refusal(self, seat: int, move: Any) -> str:
        before = self.state
        with pytest.raises(IllegalMove) as caught:
            self.move(seat, move)
        assert self.state is before
        return caught.value.reason.key

    def moves(self, seat: int = 0) -> list[dict[str, Any]]:
        return [codec.action_data(action) for action in GAME.actions(self.state, seat)]


def filled(points: int = 0, free: tuple[str, ...] = ()) -> Sheet:
    return Sheet(**{category: points for category in CATEGORIES if category not in free})


def the_example_of_the_text() -> None:
    game = Played()
    game.move(0, ALL, 1, 2, 2, 4, 6)
    game.move(0, RollDice((0, 3, 4)), 4, 4, 6)
    assert game.state.dice == (4, 2, 2, 4, 6)
    game.move(0, RollDice((1, 2, 4)), 1, 4, 4)
    assert sorted(game.state.dice or ()) == [1, 4, 4, 4, 4]
    game.move(0, Score("four_of_a_kind"))
    assert game.state.sheets[0].four_of_a_kind == 17
    assert engine.fold(GAME, HOST, 1, game.events) == game.state


def after_the_third_roll_only_rows_are_left() -> None:
    game = Played()
    for _ in range(3):
        game.move(0, ALL, 1, 2, 3, 4, 6)
    assert [move["kind"] for move in game.moves()] == ["score"] * 12
    for move in (ALL, RollDice((0,)), RollDice(())):
        assert game.refusal(0, move) == "You have used all three rolls. Choose a row."


def nothing_can_be_scored_before_the_first_roll() -> None:
    game = Played()
    assert game.moves() == [{"kind": "roll", "dice": [0, 1, 2, 3, 4]}]
    assert game.refusal(0, Score("ones")) == "Roll first."
    assert game.refusal(0, RollDice((0, 1))) == "The first roll takes all five dice."


def a_roll_takes_at_least_one_die_and_may_take_all() -> None:
    game = Played()
    game.move(0, ALL, 1, 1, 1, 1, 1)
    assert game.moves()[0] == {"kind": "roll", "dice": {"pick": {"from": [0, 1, 2, 3, 4], "min": 1, "max": 5}}}
    assert game.refusal(0, RollDice(())) == "Choose at least one die to roll."
    game.move(0, ALL, 2, 2, 2, 2, 2)
    assert game.state.dice == (2, 2, 2, 2, 2)


def a_filled_row_stays_as_it_is() -> None:
    game = Played()
    game.turn(0, "sixes", 6, 6, 1, 2, 3)
    game.move(0, ALL, 6, 6, 6, 6, 6)
    assert Score("sixes") not in [action.move for action in GAME.actions(game.state, 0)]
    assert game.refusal(0, Score("sixes")) == "That row is already filled. Choose another."
    assert game.state.sheets[0].sixes == 12


def test_row_filled_with_nothing_is_filled() -> None:
    game = Played()
    game.turn(0, "yacht", 1, 1, 1, 1, 2)
    assert game.state.sheets[0].yacht == 0
    game.move(0, ALL, 6, 6, 6, 6, 6)
    assert game.refusal(0, Score("yacht")) == "That row is already filled. Choose another."


def the_last_row_is_forced_even_for_nothing() -> None:
    game = Played()
    game.state = State(HOST, (filled(free=("yacht",)),), 0, 11, 3, (1, 2, 3, 4, 6), (), (0,))
    assert game.moves() == [{"kind": "score", "category": "yacht"}]
    game.move(0, Score("yacht"))
    assert game.state.sheets[0].yacht == 0
    outcome = GAME.outcome(game.state)
    assert outcome is not None
    assert outcome.scores == (0,)


def equal_totals_share_the_win() -> None:
    game = Played(2)
    sheets = (replace(filled(15), yacht=15), replace(filled(15), yacht=None, ones=30))
    game.state = State(HOST, sheets, 0, 23, 3, (1, 1, 1, 1, 2))
    game.move(1, Score("yacht"))
    outcome = GAME.outcome(game.state)
    assert outcome is not None
    assert (outcome.kind, outcome.scores, outcome.winners, outcome.detail) == ("ranked", (180, 180), (0, 1), {})


RULINGS = {
    "Y19": the_example_of_the_text,
    "Y20": after_the_third_roll_only_rows_are_left,
    "Y21": nothing_can_be_scored_before_the_first_roll,
    "Y22": a_roll_takes_at_least_one_die_and_may_take_all,
    "Y23": a_filled_row_stays_as_it_is,
    "Y24": the_last_row_is_forced_even_for_nothing,
    "Y25": equal_totals_share_the_win,
}


@pytest.mark.parametrize("ruling", [pytest.param(play, id=name) for name, play in RULINGS.items()])
def test_example_of_the_rules(ruling: Callable[[], None]) -> None:
    ruling()


def test_every_example_of_the_rules_is_here_or_in_test_scoring() -> None:
    found = {name for name, *_ in test_scoring.EXAMPLES} | set(RULINGS)
    assert found >= {f"Y{number:02}" for number in range(1, 26)}


def test_highest_total_wins_alone() -> None:
    state = State(HOST, (filled(1), filled(3), filled(2)), 0, 36)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.scores, outcome.winners) == ((12, 36, 24), (1,))


def test_new_dice_land_on_the_chosen_positions_in_ascending_order() -> None:
    game = Played()
    game.move(0, ALL, 1, 2, 3, 4, 5)
    moved, rolled = game.move(0, RollDice((4, 1)), 6, 3)
    assert isinstance(moved, Moved)
    assert moved.move == RollDice((1, 4))
    assert rolled == Rolled(4, "roll", (6, 6), (6, 3))
    assert game.state.dice == (1, 6, 3, 4, 3)


@pytest.mark.parametrize("chosen", [(5,), (-1,), (1, 1), (0, 1, 2, 3, 4, 5)])
def test_dice_that_are_not_there_cannot_be_rolled(chosen: tuple[int, ...]) -> None:
    game = Played()
    game.move(0, ALL, 1, 2, 3, 4, 5)
    assert game.refusal(0, RollDice(chosen)) == "There are five dice, and each is rolled once."


def test_row_that_is_not_there_cannot_be_scored() -> None:
    game = Played()
    game.move(0, ALL, 1, 2, 3, 4, 5)
    assert game.refusal(0, Score("pair")) == "There is no such row."
    assert game.refusal(0, Sheet()) == "That is not possible now."


def test_only_the_seat_whose_turn_it_is_may_move() -> None:
    game = Played(3)
    assert GAME.to_act(game.state) == {0}
    assert [len(game.moves(seat)) for seat in range(3)] == [1, 0, 0]
    assert game.refusal(1, ALL) == "It is not your turn."
    game.turn(0, "ones", 1, 2, 3, 4, 5)
    assert GAME.to_act(game.state) == {1}
    assert game.refusal(0, ALL) == "It is not your turn."


def test_nobody_moves_after_the_end() -> None:
    game = Played()
    game.state = State(HOST, (filled(),), 0, 12)
    assert game.refusal(0, ALL) == "The game is over."


@pytest.mark.parametrize(("first", "order"), [(1, [0, 1, 2]), (2, [1, 2, 0]), (3, [2, 0, 1])])
def test_turns_go_round_from_the_first_player(first: int, order: list[int]) -> None:
    game = Played(3, Options(), (first,))
    assert game.events == [Rolled(1, "first", (3,), (first,))]
    for number, category in enumerate(CATEGORIES, 1):
        for seat in order:
            assert GAME.view(game.state, None).round == number
            assert GAME.view(game.state, None).seat == seat
            game.turn(seat, category, 1, 2, 3, 4, 5)
    assert GAME.outcome(game.state) is not None


def test_host_begins_without_a_draw() -> None:
    assert Played(4).events == []
    assert GAME.to_act(Played(4).state) == {0}


def test_alone_there_is_nothing_to_draw() -> None:
    assert Played(1, Options()).events == []


def test_view_is_the_one_of_the_contract() -> None:
    game = Played(2)
    game.turn(0, "choice", 1, 2, 3, 4, 5)
    empty: dict[str, int | None] = dict.fromkeys(CATEGORIES)
    assert codec.data(GAME.view(game.state, None)) == {
        "round": 1,
        "seat": 1,
        "rolls_used": 0,
        "dice": None,
        "sheets": [empty | {"choice": 15}, empty],
        "totals": [15, 0],
        "rolled": [],
        "variant": "classic",
    }
    game.move(1, ALL, 6, 5, 4, 3, 2)
    game.move(1, RollDice((0, 3)), 1, 1)
    view = GAME.view(game.state, 0)
    assert (view.rolls_used, view.dice, view.rolled) == (2, (1, 5, 4, 1, 2), (0, 3))


def test_view_names_nobody_until_the_first_player_is_drawn() -> None:
    view = GAME.view(GAME.setup(Options(), 3), None)
    assert (view.round, view.seat, view.dice) == (1, None, None)


def test_view_stands_at_the_last_turn_when_the_game_is_over() -> None:
    view = GAME.view(State(HOST, (filled(), filled(1)), 1, 24), None)
    assert (view.round, view.seat, view.rolls_used, view.dice, view.rolled) == (12, 0, 0, None, ())
    assert view.totals == (0, 12)


def test_variant_reaches_the_sheet() -> None:
    for variant, points in (("classic", 28), ("exercism", 24)):
        options: Options = codec.load_options(GAME, {"variant": variant, "first_player": "host"})
        game = Played(1, options)
        game.turn(0, "four_of_a_kind", 6, 6, 4, 6, 6)
        assert game.state.sheets[0].four_of_a_kind == points


def test_options_are_those_of_the_contract() -> None:
    assert codec.option_choices(Options) == [
        {"id": "variant", "default": "classic", "choices": ["classic", "exercism"]},
        {"id": "first_player", "default": "random", "choices": ["random", "host"]},
    ]


def test_longest_game_has_as_many_decisions_as_declared() -> None:
    game = Played(10)
    for category in CATEGORIES:
        for seat in range(10):
            for _ in range(3):
                game.move(seat, ALL, 1, 1, 1, 1, 1)
            game.move(seat, Score(category))
    assert GAME.outcome(game.state) is not None
    assert sum(isinstance(event, Moved) for event in game.events) == GAME.info.max_decisions


@given(st.integers(1, 4), st.integers(0, 10_000))
def test_a_whole_game_adds_up(players: int, seed: int) -> None:
    rows: list[dict[str, int]] = [{} for _ in range(players)]
    dice: list[int] = []
    state: Any = None
    for state, event in random_game(GAME, players, Options(), seed):
        if isinstance(event, Moved) and isinstance(event.move, Score):
            assert event.move.category not in rows[event.seat]
            rows[event.seat][event.move.category] = score(event.move.category, dice)
        dice = list(state.dice or ())
    assert all(set(row) == set(CATEGORIES) for row in rows)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores == tuple(sum(row.values()) for row in rows)
    assert GAME.view(state, None).totals == outcome.scores
