"""The worked examples of the rules under their ids, on sheet S-01 with the default options."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.core.events import Rolled
from app.games.vault.rules import GAME, title
from app.games.vault.sheets import SHEETS
from app.games.vault.state import DICE, Charge, Mark, Options, Pass, Reroll, Skimmer
from tests.support.vault import SPENT, Played, after_v01, charged, column, end, position, row, use


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
