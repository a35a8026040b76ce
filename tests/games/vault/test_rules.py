from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import codec, engine
from app.core.events import Moved, Rolled
from app.games.vault.rules import GAME, title
from app.games.vault.sheets import SHEETS
from app.games.vault.state import (
    DICE,
    Charge,
    Mark,
    Options,
    Pass,
    Progress,
    Reroll,
    Skimmer,
    State,
)
from tests.support.games import random_game
from tests.support.vault import SPENT, Played, charged, column, position, row, use


def after_v01() -> Played:
    game = Played(None, 1, 3, 4, 5, 6)
    game.move(Mark("r3c1", ("d2",), ()))
    game.move(Mark("r4c1", ("d1",), ()))
    return game


def v01() -> None:
    game = after_v01()
    assert (game.progress().opened, game.progress().gems) == (("A",), 3)
    assert game.hand().used == ("d1", "d2")
    assert not game.hand().ended


def v02() -> None:
    game = after_v01()
    game.move(Mark("r1c5", ("d0", "d3"), ()))
    assert GAME.view(game.state, 0).round == 1
    game.move(Mark("r1c3", ("d4",), ()), 1, 1, 1, 1, 1)
    view = GAME.view(game.state, 0)
    assert (view.round, view.seats[0].gems) == (2, 3)
    assert [vault.id for vault in view.vaults if vault.secured] == ["A"]
    assert {"r1c5", "r1c3"} <= set(game.progress().marked)


def v03() -> None:
    game = Played(position([5, 6, 1]))
    game.move(Mark("r6c6", ("d0", "d1"), ()))
    assert game.hand().used == ("d0", "d1", "d3", "d4")


def v04() -> None:
    Played(position([5, 6, 1])).move(Mark("r6c2", ("d1",), ("d0",)))


def v05() -> None:
    game = Played(position([5, 6, 1]))
    game.move(Mark("r4c4", ("d0",), ()))
    game.move(Mark("r1c5", ("d1",), ()))
    assert {"r4c4", "r1c5"} <= set(game.progress().marked)


def v06() -> None:
    assert Played(position([5, 3])).refusal(Mark("r1c3", ("d0",), ("d1",))) == (
        "E and O take one single die, no sum and no difference."
    )


def v07() -> None:
    Played(position([2, 1])).move(Mark("r1c3", ("d0",), ()))


def v08() -> None:
    assert Played(position([2, 1])).refusal(Mark("r3c4", ("d0",), ())) == "2 is not odd."


def v09() -> None:
    Played(position([3, 3, 1])).move(Mark("r2c6", ("d0", "d1"), ()))


def v10() -> None:
    words = "X2 takes two single dice that show the same, no sum and no difference."
    assert Played(position([3, 5, 2])).refusal(Mark("r2c6", ("d0", "d1"), ("d2",))) == words


def v11() -> None:
    move = Mark("r1c4", ("d0", "d1"), ("d2",))
    Played(position([6, 5, 3, 1])).move(move)
    no_mix = Played(position([6, 5, 3, 1], options=Options(sum_rule="no_mix")))
    assert no_mix.refusal(move) == "At this table a sum only adds, or takes one number from one other."
    two = Played(position([6, 5, 3, 1], options=Options(sum_rule="two")))
    assert two.refusal(move) == "At this table a sum has two parts at most."


def v12() -> None:
    move = Mark("r1c5", ("d0", "d1", "d2"), ())
    Played(position([1, 2, 3, 1])).move(move)
    Played(position([1, 2, 3, 1], options=Options(sum_rule="no_mix"))).move(move)
    two = Played(position([1, 2, 3, 1], options=Options(sum_rule="two")))
    assert two.refusal(move) == "At this table a sum has two parts at most."


def v13() -> None:
    game = Played(position([4, 4]))
    for box, kind in SHEETS["s-01"].kinds.items():
        words = game.refusal(Mark(box, ("d0",), ("d1",)))
        if kind.isdigit():
            assert words == f"4 − 4 is 0, not {kind}."


def v14() -> None:
    game = Played(position([4, 1], marked=["r3c1"]))
    assert game.refusal(Mark("r3c1", ("d0",), ())) == "That box is already crossed. Choose another."


def v15() -> None:
    game = Played(position([3, 5, 1]))
    game.move(Charge(0, ("d0",)))
    assert game.progress().skimmers[0] == Skimmer(3)
    game.move(Charge(0, ("d1",)))
    assert game.progress().skimmers == charged(8)


def v16() -> None:
    game = Played(position([3, 5, 1]))
    game.move(Charge(0, ("d0", "d1")))
    assert game.progress().skimmers == charged(8)


def v17() -> None:
    game = Played(position([1, 1], skimmers=charged(8)))
    game.move(Mark("r1c4", ("s0",), ()))
    assert game.progress().skimmers[0] == Skimmer(8, spent=True)
    assert game.refusal(Charge(0, ("d0",))) == "Skimmer 1 is spent: each works once."
    assert game.refusal(Mark("r5c5", ("s0",), ())) == "Skimmer 1 is spent: each works once."


def v18() -> None:
    game = Played(position([4, 1], skimmers=charged(8)))
    game.move(Mark("r4c2", ("d0", "s0"), ()))
    assert "d0" in game.hand().used
    assert game.progress().skimmers[0].spent


def v19() -> None:
    Played(position([2, 1], skimmers=charged(8))).move(Mark("r1c5", ("s0",), ("d0",)))


def v20() -> None:
    Played(position([1], skimmers=charged(8))).move(Mark("r1c3", ("s0",), ()))
    strict = Played(position([1], skimmers=charged(8), options=Options(skimmer_as_die="numbers_only")))
    assert strict.refusal(Mark("r1c3", ("s0",), ())) == "At this table skimmers count in number boxes only."


def v21() -> None:
    game = Played(position([4, 4]))
    for move in (Mark("r3c1", ("d0", "s0"), ()), Mark("r1c3", ("s0",), ()), Mark("r3c1", ("d0",), ("s0",))):
        assert game.refusal(move) == "Skimmer 1 is empty. Charge it first."


def v22() -> None:
    game = Played(position([1, 1, 4, 5, 6]))
    game.move(Reroll(("d0", "d1")), 2, 3)
    assert game.progress().rerolls_left == 2
    game.move(Reroll(("d4",)), 1)
    assert game.progress().rerolls_left == 1
    assert game.state.values(0) == (2, 3, 4, 5, 1)
    assert GAME.view(game.state, 0).round == 1


def v23() -> None:
    game = Played(use(position([4, 1, 1, 1, 1], rerolls=1), 0, "d0"))
    assert game.refusal(Reroll(("d0",))) == "Die 1 is used up for this round."
    none_left = Played(position([4, 1, 1, 1, 1], rerolls=0))
    for dice in (("d0",), ("d1", "d2"), DICE):
        assert none_left.refusal(Reroll(dice)) == "Your three re-rolls are used up."


def v24() -> None:
    game = Played(position([3, 1], round=2, marked=(*column(1, without=["r4c1"]), *row(4, without=["r4c1"]))))
    game.move(Mark("r4c1", ("d0",), ()))
    assert game.progress().opened == ("K",)
    assert game.progress().gems == 1
    alone = Played(position([3, 1], round=2, marked=column(1, without=["r4c1"])))
    alone.move(Mark("r4c1", ("d0",), ()))
    assert (alone.progress().opened, alone.progress().gems) == ((), 0)


def v25() -> None:
    game = Played(position([3, 1], marked=(*column(1, without=["r4c1"]), *row(4, without=["r4c1"]))))
    game.move(Mark("r4c1", ("d0",), ()))
    assert (game.progress().opened, game.progress().gems) == (("A", "K"), 4)


def v26() -> None:
    game = Played(None, 1, 1, 1, 1, 1)
    for _ in range(4):
        game.move(Pass(), 1, 1, 1, 1, 1)
    view = GAME.view(game.state, None)
    assert [vault.id for vault in view.vaults if vault.secured] == ["A", "B", "C", "D"]
    assert (view.round, view.vaults[view.round - 1].id) == (5, "E")


def v27() -> None:
    every = tuple(box for box, kind in SHEETS["s-01"].kinds.items() if kind not in {"11", "#"})
    game = Played(position([2, 2], round=7, marked=every, skimmers=SPENT, rerolls=0))
    assert [action.move for action in GAME.actions(game.state, 0)] == [Pass()]
    game.move(Pass(), 1, 2, 3, 4, 5)
    view = GAME.view(game.state, 0)
    assert view.vaults[6].id == "G"
    assert view.vaults[6].secured
    assert not any(die.used for die in view.seats[0].dice)


def v28() -> None:
    skimmers = charged(0, 8)
    game = Played(position([4], skimmers=skimmers))
    game.move(Mark("r3c1", ("d0",), ()), 1, 1, 1, 1, 1)
    assert GAME.view(game.state, 0).round == 2
    asks = Played(position([4], skimmers=skimmers, options=Options(auto_end="ask")))
    asks.move(Mark("r3c1", ("d0",), ()))
    assert GAME.view(asks.state, 0).round == 1
    asks.move(Mark("r1c4", ("s1",), ()), 1, 1, 1, 1, 1)
    assert GAME.view(asks.state, 0).round == 2


def end(*ends: tuple[int, tuple[Skimmer, ...]], tie: Any = "shared") -> Any:
    hands = position([1], options=Options(tie=tie), seats=len(ends)).hands
    hands = tuple(
        replace(hand, progress=Progress((), skimmers, 0, (), gems))
        for hand, (gems, skimmers) in zip(hands, ends, strict=True)
    )
    outcome = GAME.outcome(State(Options(tie=tie), "s-01", 12, (), hands))
    assert outcome is not None
    return outcome


def v29() -> None:
    outcome = end((15, (Skimmer(4, spent=True), Skimmer(7), Skimmer())))
    assert outcome.scores == (17,)
    assert outcome.detail == {"titles": ("cat_burglar",), "gems": (15,), "skimmers": (2,)}
    assert outcome.kind == "solo"


def v30() -> None:
    assert [title(score) for score in (9, 10, 14, 15, 17, 18, 19, 20)] == [
        "pickpocket",
        "shoplifter",
        "shoplifter",
        "cat_burglar",
        "cat_burglar",
        "bank_robber",
        "bank_robber",
        "pink_panther",
    ]
    assert (title(0), title(27)) == ("pickpocket", "pink_panther")


def v31() -> None:
    game = Played(None, 1, 1, 1, 1, 1, players=2)
    (_, first) = game.move(Reroll(("d2",)), 5, seat=0)
    assert first == Rolled(3, "reroll", (6,), (5,), frozenset({0}))
    (_, second) = game.move(Reroll(("d1", "d2")), 4, seat=1)
    assert second == Rolled(5, "reroll", (6,), (4,), frozenset({1}))
    assert [game.state.values(seat) for seat in (0, 1)] == [(1, 1, 5, 1, 1), (1, 4, 5, 1, 1)]


EXAMPLES = {f"V{n:02}": play for n, play in enumerate(
    (v01, v02, v03, v04, v05, v06, v07, v08, v09, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22,
     v23, v24, v25, v26, v27, v28, v29, v30, v31), 1)}  # fmt: skip


@pytest.mark.parametrize("example", [pytest.param(play, id=name) for name, play in EXAMPLES.items()])
def test_example_of_the_rules(example: Callable[[], None]) -> None:
    example()


def test_every_example_runs_under_its_own_id() -> None:
    assert {name: play.__name__ for name, play in EXAMPLES.items()} == {f"V{n:02}": f"v{n:02}" for n in range(1, 32)}


# rulings beside the examples


def test_round_ends_only_when_all_have_ended_it() -> None:
    game = Played(None, 1, 2, 3, 4, 5, players=3)
    game.move(Pass(), seat=1)
    assert GAME.to_act(game.state) == {0, 2}
    words = "You have ended this round. The next begins when all have."
    assert game.refusal(Pass(), seat=1) == words
    game.move(Pass(), seat=0)
    assert GAME.view(game.state, None).round == 1
    game.move(Pass(), 6, 6, 6, 6, 6, seat=2)
    assert GAME.view(game.state, None).round == 2
    assert GAME.to_act(game.state) == {0, 1, 2}


def test_everybody_gets_the_same_roll_in_one_event() -> None:
    game = Played(None, 1, 2, 3, 4, 5, players=12)
    assert game.events == [Rolled(1, "roll", (6,) * 5, (1, 2, 3, 4, 5))]
    assert {game.state.values(seat) for seat in range(12)} == {(1, 2, 3, 4, 5)}


def test_values_somebody_has_uncovered_need_no_dice() -> None:
    game = Played(None, 1, 1, 1, 1, 1, players=3)
    game.move(Reroll(("d0", "d3")), 2, 3, seat=2)
    game.move(Reroll(("d0",)), 4, seat=2)
    assert len(game.move(Reroll(("d0", "d3")), seat=0)) == 1
    assert game.state.values(0) == (2, 1, 1, 3, 1)
    assert len(game.move(Reroll(("d0", "d3")), 6, seat=0)) == 2
    assert game.state.values(0) == (4, 1, 1, 6, 1)


def test_new_round_uncovers_new_values() -> None:
    game = Played(None, 1, 1, 1, 1, 1, players=2)
    game.move(Reroll(("d0",)), 2, seat=0)
    game.move(Pass(), seat=0)
    game.move(Pass(), 3, 3, 3, 3, 3, seat=1)
    game.move(Reroll(("d0",)), 5, seat=1)
    assert (game.state.values(0)[0], game.state.values(1)[0]) == (3, 5)
    assert [game.progress(seat).rerolls_left for seat in (0, 1)] == [2, 2]


def test_witnesses_of_a_round_are_its_seat_until_it_ends() -> None:
    game = Played(None, 1, 1, 4, 4, 4, players=2)
    seen = [game.move(Charge(0, (die,)))[0].seen_by for die in DICE]
    assert seen == [frozenset({0})] * 4 + [None]
    assert game.move(Reroll(("d0",)), 1, seat=1)[0].seen_by == frozenset({1})
    assert game.move(Pass(), 1, 1, 1, 1, 1, seat=1)[0].seen_by is None
    alone = Played(None, 1, 1, 4, 4, 4)
    assert [event.seen_by for event in alone.move(Reroll(("d0",)), 1)] == [None, None]
    assert alone.move(Charge(0, ("d0",)))[0].seen_by is None


def test_others_see_a_round_when_its_seat_has_ended_it() -> None:
    game = Played(None, 4, 3, 1, 1, 2, players=3)
    game.move(Reroll(("d4",)), 6, seat=0)
    game.move(Mark("r3c1", ("d0",), ()), seat=0)
    game.move(Mark("r4c1", ("d1",), ()), seat=0)
    for viewer in (1, 2, None):
        other = GAME.view(game.state, viewer).seats[0]
        assert (other.opened, other.rerolls_left, other.ended, other.gems) == ((), 3, False, 0)
        assert [die.value for die in other.dice] == [4, 3, 1, 1, 2]
        assert not any(die.used for die in other.dice)
    assert [die.value for die in GAME.view(game.state, 0).seats[0].dice] == [4, 3, 1, 1, 6]
    game.move(Pass(), seat=0)
    for viewer in (1, 2, None):
        other = GAME.view(game.state, viewer).seats[0]
        assert (other.opened, other.rerolls_left, other.ended, other.gems) == (("A",), 2, True, 3)
        # the value behind the re-roll stays covered for who has not come to it
        assert [die.value for die in other.dice] == [4, 3, 1, 1, None]
    game.move(Reroll(("d4",)), seat=1)
    assert [die.value for die in GAME.view(game.state, 1).seats[0].dice] == [4, 3, 1, 1, 6]
    assert [die.value for die in GAME.view(game.state, 2).seats[0].dice] == [4, 3, 1, 1, None]


def test_reveal_shows_running_rounds_for_the_replay() -> None:
    game = Played(None, 4, 3, 1, 1, 2, players=2)
    game.move(Reroll(("d4",)), 6, seat=0)
    game.move(Mark("r3c1", ("d0",), ()), seat=0)
    shown = GAME.reveal(game.state).seats[0]
    assert "r3c1" in shown.marked
    assert [die.value for die in shown.dice] == [4, 3, 1, 1, 6]


def test_alone_a_spectator_sees_the_round_as_it_goes() -> None:
    game = after_v01()
    assert GAME.view(game.state, None) == GAME.view(game.state, 0)


def test_dice_in_the_air_have_no_value_yet() -> None:
    state = GAME.play(position([1, 2, 3, 4, 5]), 0, Reroll(("d1",)))
    assert [die.value for die in GAME.view(state, 0).seats[0].dice] == [1, None, 3, 4, 5]
    assert GAME.to_act(state) == frozenset()


def test_what_has_shown_something_is_final() -> None:
    game = Played(None, 1, 1, 4, 4, 4, players=2)

    def final(seat: int, move: Any, *faces: int) -> bool:
        before = game.state
        game.move(move, *faces, seat=seat)
        return GAME.final(before, seat, move, GAME.play(before, seat, move))

    assert not final(0, Charge(0, ("d0",)))
    assert final(0, Reroll(("d1",)), 2)
    assert final(1, Reroll(("d1",)))
    assert final(0, Pass())
    assert final(1, Pass(), 1, 1, 1, 1, 1)


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
    for state, event in random_game(GAME, players, Options(sheet=sheet), seed):
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
