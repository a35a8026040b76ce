from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from app import games
from app.bots import arena
from app.bots.__main__ import main
from app.bots.arena import DealtDice, Figure, Match, Tally, figure, lineups, rotations, run, strengths
from app.core.board import Entry
from app.core.bot import LEVELS
from app.core.game import IllegalMove, Outcome

DUEL = Match("yacht", 2, (("easy", "hard"),), seed=3)


def played(deals: Sequence[arena.Deal]) -> list[Any]:
    return [{level: (tally.scores, tally.wins, tally.ranks) for level, tally in deal.items()} for deal in deals]


def test_every_level_sits_in_every_seat_of_a_deal() -> None:
    (deal,) = run(DUEL, 1, 1)
    assert {level: len(tally.scores) for level, tally in deal.items()} == {"easy": 2, "hard": 2}
    assert sum(deal["easy"].wins + deal["hard"].wins) == pytest.approx(2)
    assert sum(deal["easy"].ranks + deal["hard"].ranks) == pytest.approx(6)
    assert all(seconds >= 0 for seconds in deal["hard"].seconds)


def test_games_repeat_under_their_seed_with_any_number_of_processes() -> None:
    alone = played(run(DUEL, 3, 1))
    assert alone == played(run(DUEL, 3, 2))
    assert alone != played(run(Match(DUEL.slug, DUEL.players, DUEL.lineups, seed=4), 3, 1))


def test_a_table_of_equals_is_played_once() -> None:
    (deal,) = run(Match("yacht", 2, (("easy", "easy"),)), 1, 1)
    assert len(deal["easy"].scores) == 2


def test_dice_of_a_deal_depend_on_the_mover_and_its_own_rolls_alone() -> None:
    one, other = DealtDice("deal"), DealtDice("deal")
    one.mover = 0
    first = one.roll((6,) * 5)
    one.mover = other.mover = 1
    theirs = one.roll((6,) * 5)
    assert theirs == other.roll((6,) * 5) != first
    assert one.roll((6,) * 5)[:3] == other.roll((6,) * 3)
    assert DealtDice("another").roll((1000,)) != DealtDice("deal").roll((1000,))


def test_what_the_table_rolls_after_a_move_does_not_depend_on_the_mover() -> None:
    found = []
    for movers in ((0, 1), (1, 0)):
        dice = DealtDice("deal")
        for mover in movers:
            dice.mover = mover
            dice.roll((6,))
        found.append([dice.roll((36, 35, 34)), dice.roll((33, 32, 31))])
    assert found[0] == found[1]
    assert found[0][0] != found[0][1]


@pytest.mark.parametrize(
    ("levels", "players", "together", "tables"),
    [
        ("ab", 2, False, ["ab"]),
        ("abc", 3, False, ["abc"]),
        ("abc", 2, False, ["ab", "ac", "bc"]),
        ("abc", 4, False, ["abca", "bcab", "cabc"]),
        ("ab", 4, False, ["abab"]),
        ("abc", 1, False, ["a", "b", "c"]),
        ("ab", 3, True, ["aaa", "bbb"]),
    ],
)
def test_lineups_let_every_level_sit_equally_often(
    levels: str,
    players: int,
    together: bool,  # noqa: FBT001  # a parameter of the test
    tables: list[str],
) -> None:
    found = lineups(tuple(levels), players, together=together)
    assert ["".join(table) for table in found] == tables
    seated = "".join("".join(table) for each in found for table in rotations(each))
    assert len({seated.count(level) for level in levels}) == 1


def test_figures_are_means_with_the_error_of_the_deals() -> None:
    deals = [
        {"a": Tally([1, 3], [1, 0], [1, 2], [0.1] * 99), "b": Tally([0, 4], [0, 1], [2, 1], [0.2])},
        {"a": Tally([5, 7], [1, 1], [1, 1], [0.5]), "b": Tally([2, 2], [0, 0], [2, 2], [0.4])},
    ]
    first, second = strengths(deals)
    assert (first.level, first.games, first.score, first.rank) == ("a", 4, Figure(4, 2), 1.25)
    assert (first.p50, first.p99) == (0.1, 0.5)
    assert (second.level, second.score, second.wins) == ("b", Figure(2, 0), Figure(0.25, 0.25))
    assert figure([2.0]).error != figure([2.0]).error  # nan: one value has no error


def test_ranks_and_wins_of_equal_seats_are_shared() -> None:
    outcome = Outcome("ranked", (5, 9, 9, 1), (1, 2))
    assert [arena._rank(outcome, seat) for seat in range(4)] == [3, 1.5, 1.5, 4]
    assert arena._sharers(outcome) == 2
    assert arena._sharers(Outcome("team", (1, 1), (0, 1))) == 1
    assert arena._rank(Outcome("team", (1, 1), (0, 1)), 1) == 1


def test_a_bot_that_cheats_ends_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    class Cheat:
        level = "easy"

        def choose(self, *_: object) -> Any:
            return None

    entry = games.CURRENT["yacht"]
    monkeypatch.setitem(games.CURRENT, "yacht", Entry(entry.game, entry.board, (Cheat(),)))  # type: ignore[arg-type]  # that is the cheat
    with pytest.raises(IllegalMove):
        run(Match("yacht", 1, (("easy",),)), 1, 1)


# -- the command ------------------------------------------------------------------------------------------------------


def test_arena_prints_the_levels_best_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", "yacht", "--games", "7", "--seed", "1", "--processes", "1"]) == 0
    head, columns, *rows, _ = capsys.readouterr().out.splitlines()
    assert "9 games, 3 deals of 3, seed 1" in head
    assert columns.split() == ["level", "seats", "mean", "win", "share", "rank", "p50", "p99"]
    assert sorted(row.split()[1] for row in rows) == sorted(LEVELS)
    assert all(row.split()[2] == "9" and " ± " in row for row in rows)
    assert capsys.readouterr().err == ""


def test_a_lineup_is_played_as_it_is_given_in_every_rotation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", "yacht", "--lineup", "hard,easy,easy", "--games", "4", "--processes", "1"]) == 0
    head, _, *rows, _ = capsys.readouterr().out.splitlines()
    assert "3 at the table: 6 games, 2 deals of 3" in head
    assert [row.split()[1:3] for row in rows] == [["hard", "6"], ["easy", "12"]]


def test_solo_plays_so_many_games_of_each_level(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "solo",
        "yacht",
        "--games",
        "3",
        "--processes",
        "1",
        "--levels",
        "hard,easy",
        "--option",
        "variant=exercism",
    ]
    assert main(arguments) == 0
    head, _, *rows, _ = capsys.readouterr().out.splitlines()
    assert "1 at the table: 6 games" in head
    assert [row.split()[1:3] for row in rows] == [["hard", "3"], ["easy", "3"]]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["arena", "chess"], "chess"),
        (["arena", "yacht", "--players", "11"], "not for 11"),
        (["arena", "yacht", "--levels", "hard,best"], "no level 'best'"),
        (["arena", "yacht", "--lineup", "hard,best"], "no level 'best'"),
        (["arena", "yacht", "--lineup", ",".join(["hard"] * 11)], "not for 11"),
        (["arena", "yacht", "--lineup", "hard,easy", "--players", "3"], "do not go with it"),
        (["arena", "yacht", "--games", "0"], "--games"),
        (["arena", "yacht", "--option", "variant"], "NAME=VALUE"),
        (["arena", "yacht", "--option", "variant=modern"], "variant"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_arguments_that_do_not_fit_are_refused(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert reason in capsys.readouterr().err


def test_the_bar_is_drawn_for_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    main(["solo", "yacht", "--games", "2", "--levels", "easy", "--processes", "1"])
    drawn = terminal.getvalue()
    assert "] 1/2 deals" in drawn
    assert "#" * 40 + "] 2/2 deals, 0 s left" in drawn
