"""Rulings beside the examples, every refusal in its words, and the shapes of the contract."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import codec, engine
from app.core.events import Moved, Rolled
from app.games.vault.rules import GAME
from app.games.vault.sheets import SHEETS
from app.games.vault.state import DICE, Charge, Mark, Options, Pass, Reroll, Skimmer
from tests.support.games import random_game
from tests.support.vault import SPENT, Played, after_v01, charged, end, position


@pytest.mark.parametrize("timing", ["any_time", "before_first"])
def test_reroll_timing(timing: Any) -> None:
    game = Played(position([4, 1, 1, 1, 1], skimmers=charged(8), options=Options(reroll_timing=timing)))
    game.move(Reroll(("d1",)), 2)
    game.move(Mark("r1c4", ("s0",), ()))
    words = "At this table dice are re-rolled before the first cross or charge of a round."
    if timing == "any_time":
        game.move(Reroll(("d2",)), 3)
    else:
        assert game.refusal(Reroll(("d2",))) == words
        game.move(Pass(), 1, 1, 1, 1, 1)
        game.move(Reroll(("d2",)), 3)


def test_asking_for_the_end_needs_a_skimmer_that_could_be_used() -> None:
    ask = Options(auto_end="ask")
    game = Played(position([4], options=ask))
    game.move(Mark("r3c1", ("d0",), ()), 1, 1, 1, 1, 1)
    assert GAME.view(game.state, 0).round == 2
    waits = Played(position([4], options=ask))
    waits.move(Charge(2, ("d0",)))
    assert [type(action.move) for action in GAME.actions(waits.state, 0)] == [Mark] * 5 + [Pass]


def test_boxes_of_opened_and_secured_vaults_can_still_be_crossed() -> None:
    game = Played(position([10, 1], round=3))
    game.state = position([5, 5, 1], round=12)
    game.move(Mark("r2c2", ("d0", "d1"), ()))
    assert "r2c2" in game.progress().marked


def test_opened_vault_is_not_scored_again_when_it_is_secured() -> None:
    game = after_v01()
    for _ in range(11):
        game.move(Pass(), 1, 1, 1, 1, 1)
    game.move(Pass())
    outcome = GAME.outcome(game.state)
    assert outcome is not None
    assert (outcome.scores, outcome.detail["gems"]) == ((6,), (3,))
    assert game.refusal(Pass()) == "The game is over."


@pytest.mark.parametrize(("tie", "winners"), [("shared", (0, 1)), ("more_gems", (1,))])
def test_equal_scores(tie: Any, winners: tuple[int, ...]) -> None:
    outcome = end((10, charged()), (12, (*SPENT[:2], Skimmer())), (12, SPENT), tie=tie)
    assert outcome.scores == (13, 13, 12)
    assert outcome.winners == winners
    assert outcome.kind == "ranked"


def test_more_gems_without_more_points_win_nothing() -> None:
    assert end((12, charged()), (14, SPENT), tie="more_gems").winners == (0,)


REFUSALS: list[tuple[str, Any, str]] = [
    ("no box", Mark("r7c1", ("d0",), ()), "There is no such box on this sheet."),
    ("foreign words", Mark("E", ("d0",), ()), "There is no such box on this sheet."),
    ("filled", Mark("r1c1", ("d0",), ()), "That box was filled from the start. Choose another."),
    ("nothing", Mark("r3c1", (), ()), "Choose at least one die or skimmer."),
    ("wrong sum", Mark("r3c1", ("d0", "d1"), ()), "4 + 3 is 7, not 4."),
    ("wrong difference", Mark("r3c1", ("d1",), ("d0",)), "3 − 4 is −1, not 4."),
    ("wrong die", Mark("r3c1", ("d1",), ()), "3 does not fit the 4."),
    ("only down", Mark("r3c1", (), ("d0",)), "0 − 4 is −4, not 4."),
    ("used die", Mark("r3c1", ("d4",), ()), "Die 5 is used up for this round."),
    ("used die down", Mark("r3c1", ("d0",), ("d4",)), "Die 5 is used up for this round."),
    ("dead skimmer", Mark("r3c1", ("d0", "s2"), ()), "Skimmer 3 is spent: each works once."),
    ("unknown token", Mark("r3c1", ("d5",), ()), "There are the dice d0 to d4 and the skimmers s0 to s2."),
    ("twice", Mark("r1c4", ("d0", "d0"), ()), "Each die and each skimmer counts once."),
    ("up and down", Mark("r3c1", ("d0",), ("d0",)), "Each die and each skimmer counts once."),
    ("disorder", Mark("r3c1", ("d3", "d1"), ()), "Name dice before skimmers, each in their order."),
    ("not even", Mark("r1c3", ("d1",), ()), "3 is not even."),
    ("unequal", Mark("r2c6", ("d0", "d1"), ()), "4 and 3 are not the same."),
    ("three for X2", Mark("r2c6", ("d1", "d2", "d3"), ()), "X2 takes two single dice that show the same, no sum and no difference."),
    ("X2 disorder", Mark("r2c6", ("d3", "d2"), ()), "Name dice before skimmers, each in their order."),
    ("no such skimmer", Charge(3, ("d0",)), "There are three skimmers."),
    ("charge a dead one", Charge(2, ("d0",)), "Skimmer 3 is spent: each works once."),
    ("charge with nothing", Charge(0, ()), "Choose the dice to charge with."),
    ("charge with a skimmer", Charge(0, ("s1",)), "Only dice charge a skimmer."),
    ("charge with a used die", Charge(0, ("d4",)), "Die 5 is used up for this round."),
    ("charge twice", Charge(0, ("d0", "d0")), "Each die and each skimmer counts once."),
    ("charge with what is not there", Charge(0, ("d9",)), "There are the dice d0 to d4 and the skimmers s0 to s2."),
    ("throw nothing", Reroll(()), "Choose the dice to re-roll."),
    ("throw a skimmer", Reroll(("s0",)), "Only dice can be re-rolled."),
    ("throw a used die", Reroll(("d0", "d4")), "Die 5 is used up for this round."),
]  # fmt: skip


@pytest.mark.parametrize(("move", "words"), [pytest.param(move, words, id=name) for name, move, words in REFUSALS])
def test_refusal_says_why(move: Any, words: str) -> None:
    skimmers = (Skimmer(), Skimmer(), Skimmer(4, spent=True))
    assert Played(position([4, 3, 1, 1], skimmers=skimmers)).refusal(move) == words


def test_foreign_sheet_is_no_option() -> None:
    for name in ("s-99", "S-01", "", "../s-01"):
        with pytest.raises(codec.Malformed, match="sheet"):
            codec.load_options(GAME, {"sheet": name})


def test_options_name_every_printed_sheet() -> None:
    choices = get_args(get_type_hints(Options)["sheet"])
    assert sorted(choices) == sorted([*SHEETS, "random", "easy", "standard", "hard", "day"])


def test_options_are_those_of_the_contract() -> None:
    found = {option["id"]: (option["default"], option["choices"]) for option in codec.option_choices(Options)}
    assert list(found) == ["sheet", "sum_rule", "skimmer_as_die", "reroll_timing", "auto_end", "tie"]
    assert found["sheet"][0] == "s-01"
    assert found["sum_rule"] == ("any", ["any", "no_mix", "two"])
    assert found["skimmer_as_die"] == ("all", ["all", "numbers_only"])
    assert found["auto_end"] == ("literal", ["literal", "ask"])


@pytest.mark.parametrize("choice", ["random", "easy", "standard", "hard", "day"])
def test_sheet_is_drawn_by_chance(choice: Any) -> None:
    names = [
        name
        for name, sheet in SHEETS.items()
        if choice == "random" or sheet.tier == (choice if choice != "day" else "standard")
    ]
    for place in (1, len(names)):
        game = Played(None, place, 1, 2, 3, 4, 5, options=Options(sheet=choice))
        assert game.events[0] == Rolled(1, "sheet", (len(names),), (place,))
        assert game.state.sheet == names[place - 1]
        assert game.progress().marked == SHEETS[names[place - 1]].filled


def test_day_is_resolved_before_the_game() -> None:
    options = GAME.resolve_options(Options(sheet="day"), "2026-11-30")
    assert SHEETS[options.sheet].tier == "standard"
    assert GAME.resolve_options(Options(sheet="h-01"), "2026-11-30") == Options(sheet="h-01")


def test_moves_have_the_shape_of_the_contract() -> None:
    state = position([1, 1, 5, 5], skimmers=charged(9))
    shown = [codec.action_data(action) for action in GAME.actions(state, 0)]
    assert {"kind": "mark", "box": "r2c6", "plus": ["d0", "d1"], "minus": []} in shown
    assert {"kind": "mark", "box": "r1c4", "plus": ["s0"], "minus": ["d0"]} in shown
    pick = {"pick": {"from": ["d0", "d1", "d2", "d3"], "min": 1, "max": 4}}
    assert shown[-5:] == [
        {"kind": "charge", "skimmer": 0, "dice": pick},
        {"kind": "charge", "skimmer": 1, "dice": pick},
        {"kind": "charge", "skimmer": 2, "dice": pick},
        {"kind": "reroll", "dice": pick},
        {"kind": "pass"},
    ]


def test_view_is_the_one_of_the_contract() -> None:
    game = Played(position([4, 3, 1, 1, 2], round=2, gems=3))
    game.move(Charge(1, ("d0", "d1")))
    view = codec.data(GAME.view(game.state, 0))
    assert (view["round"], view["sheet"], view["over"]) == (2, "s-01", False)
    assert view["cells"][0] == ["#", "4", "E", "8", "6", "3"]
    assert view["vaults"][3] == {
        "id": "D",
        "line": "r1",
        "gems": 3,
        "boxes": ["r1c1", "r1c2", "r1c3", "r1c4", "r1c5", "r1c6"],
        "secured": False,
    }
    assert view["seats"] == [
        {
            "marked": list(SHEETS["s-01"].filled),
            "dice": [
                {"value": 4, "used": True},
                {"value": 3, "used": True},
                {"value": 1, "used": False},
                {"value": 1, "used": False},
                {"value": 2, "used": False},
            ],
            "skimmers": [
                {"charge": 0, "spent": False},
                {"charge": 7, "spent": False},
                {"charge": 0, "spent": False},
            ],
            "rerolls_left": 3,
            "opened": [],
            "gems": 3,
            "score": 6,
            "rolled": [0, 1, 2, 3, 4],
            "ended": False,
        }
    ]


def test_view_has_no_sheet_until_it_is_drawn() -> None:
    view = GAME.view(GAME.setup(Options(sheet="random"), 2), None)
    assert (view.sheet, view.cells, view.vaults, view.seats[1].dice) == (None, (), (), ())


def test_longest_game_has_as_many_decisions_as_declared() -> None:
    first: list[Any] = [Reroll(("d0",)), Reroll(("d0",)), Reroll(("d0",))]
    first += [Charge(0, ("d0",)), Mark("r1c3", ("s0",), ()), Charge(1, ("d1",)), Mark("r3c6", ("s1",), ())]
    later: list[Any] = [Charge(2, (die,)) for die in DICE]
    game = Played(None, 2, 2, 2, 2, 2, players=12, options=Options(auto_end="ask"))
    made = 0
    for round_ in range(1, 13):
        for seat in range(12):
            moves = [*(first + later[2:] if round_ == 1 else later), Pass()]
            for move in moves:
                rolls = isinstance(move, Reroll) and seat == 0
                last = move == Pass() and seat == 11 and round_ < 12
                game.move(move, *((2,) * (1 if rolls else 5 if last else 0)), seat=seat)
            made += len(moves)
    assert GAME.outcome(game.state) is not None
    assert made == GAME.info.max_decisions


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(0, 10_000), st.sampled_from(["s-01", "s-02", "s-03"]))
def test_a_whole_game_keeps_its_books(players: int, seed: int, sheet: Any) -> None:
    """Points, boxes and tokens of every seat, counted again from the log alone."""
    gems = [0] * players
    crossed = [set(SHEETS[sheet].filled) for _ in range(players)]
    rerolls, spent = [3] * players, [set[str]() for _ in range(players)]
    passed = 0
    state: Any = None
    for state, event in random_game(GAME, players, Options(sheet=sheet), seed):  # noqa: B007  # the last one is wanted
        if isinstance(event, Rolled) and event.reason == "roll":
            passed += 1
        if not isinstance(event, Moved):
            continue
        seat, move = event.seat, event.move
        if isinstance(move, Reroll):
            rerolls[seat] -= 1
        if isinstance(move, Mark):
            assert move.box not in crossed[seat]
            crossed[seat].add(move.box)
            for place, vault in enumerate(SHEETS[sheet].vaults):
                if move.box in vault.boxes and crossed[seat] >= set(vault.boxes) and place >= passed - 1:
                    gems[seat] += vault.gems
            new = {name for name in (*move.plus, *move.minus) if name[0] == "s"}
            assert not new & spent[seat]
            spent[seat] |= new
    assert passed == 12
    assert min(rerolls) >= 0
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores == tuple(gems[seat] + 3 - len(spent[seat]) for seat in range(players))
    assert [set(hand.progress.marked) for hand in state.hands] == crossed
    assert engine.fold(GAME, Options(sheet=sheet), players, []) == GAME.setup(Options(sheet=sheet), players)
