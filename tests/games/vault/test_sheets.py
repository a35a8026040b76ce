"""Printed sheets: the format and every way to break it, the generator, the reference player, the command."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import gcd
from pathlib import Path
from typing import Any

import pytest

from app.core import engine
from app.games.vault.rules import GAME
from app.games.vault.sheets import DATA, SHEETS, pool, sheet_of_the_day, statistics
from app.games.vault.sheets.__main__ import main, written
from app.games.vault.sheets.format import LETTERS, BrokenSheet, problems, read
from app.games.vault.sheets.generator import LINES, fair, generate, places
from app.games.vault.sheets.simulation import FITS, PLAYERS, Game, Measured, accepted, measure, objections, summed
from app.games.vault.state import Options, Pass, Reroll

FIRST: dict[str, Any] = json.loads((DATA / "s-01.json").read_text(encoding="utf-8"))


def broken(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = copy.deepcopy(FIRST)
    change(data)
    return data


def put(data: dict[str, Any], row: int, column: int, cell: Any) -> None:
    data["cells"][row - 1][column - 1] = cell


def fill_row(data: dict[str, Any], row: int) -> None:
    data["cells"][row - 1] = ["#"] * 6


def swap_rings(data: dict[str, Any]) -> None:
    """Make two vaults one ring each, in place of a row and a column: boxes beside them lie in one line or in none."""
    data["vaults"][11]["line"] = {"cells": [[1, 2], [1, 3]]}


BROKEN: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("no format", lambda d: d.pop("format"), "The field 'format' is missing."),
    ("no cells", lambda d: d.pop("cells"), "The field 'cells' is missing."),
    ("a field too many", lambda d: d.update(colour="red"), "There is no field 'colour' in a sheet."),
    ("another format", lambda d: d.update(format="vault-sheet/2"), "The format is 'vault-sheet/1', not 'vault-sheet/2'."),
    ("no title", lambda d: d.update(title=" "), "The title is a text that is not empty."),
    ("a number as id", lambda d: d.update(id=7), "The id is a text that is not empty."),
    ("an empty author", lambda d: d.update(author=""), "The author is a text that is not empty."),
    ("another tier", lambda d: d.update(tier="mean"), "The tier is one of easy, standard, hard, not 'mean'."),
    ("rows in words", lambda d: d.update(rows="6"), "Rows and cols are numbers from 1 to 12."),
    ("no columns", lambda d: d.update(cols=0), "Rows and cols are numbers from 1 to 12."),
    ("true rows", lambda d: d.update(rows=True), "Rows and cols are numbers from 1 to 12."),
    ("cells in one line", lambda d: d.update(cells="#4E"), "The cells are a list of rows, each a list."),
    ("a row too few", lambda d: d["cells"].pop(), "The cells are not 6 rows of 6."),
    ("a short row", lambda d: d["cells"][2].pop(), "The cells are not 6 rows of 6."),
    ("a zero", lambda d: put(d, 2, 2, "0"), "Box r2c2 holds '0': a box is #, E, O, X2 or a number from 1 to 20."),
    ("a 21", lambda d: put(d, 2, 2, "21"), "Box r2c2 holds '21': a box is #, E, O, X2 or a number from 1 to 20."),
    ("a bare number", lambda d: put(d, 2, 2, 10), "Box r2c2 holds 10: a box is #, E, O, X2 or a number from 1 to 20."),
    ("an X3", lambda d: put(d, 2, 6, "X3"), "Box r2c6 holds 'X3': a box is #, E, O, X2 or a number from 1 to 20."),
    ("a list in a box", lambda d: put(d, 2, 6, ["#"]), "Box r2c6 holds ['#']: a box is #, E, O, X2 or a number from 1 to 20."),
    ("too many filled", lambda d: fill_row(d, 3), "14 of 36 boxes are filled: at most a third may be."),
    ("eleven vaults", lambda d: d["vaults"].pop(), "There are exactly 12 vaults, not 11."),
    ("vaults by name", lambda d: d.update(vaults={}), "The vaults are a list of JSON objects."),
    ("a vault without gems", lambda d: d["vaults"][3].pop("gems"), "A vault has an id, a line and gems, and nothing else."),
    ("letters out of order", lambda d: d["vaults"].reverse(), "The vaults are A to L, in this order."),
    ("a vault M", lambda d: d["vaults"][11].update(id="M"), "The vaults are A to L, in this order."),
    ("no gems", lambda d: d["vaults"][3].update(gems=0), "Vault D has 0 gems: a vault has 1, 2 or 3."),
    ("four gems", lambda d: d["vaults"][3].update(gems=4), "Vault D has 4 gems: a vault has 1, 2 or 3."),
    ("true gems", lambda d: d["vaults"][3].update(gems=True), "Vault D has True gems: a vault has 1, 2 or 3."),
    ("a row that is not there", lambda d: d["vaults"][3].update(line="r7"),
     "The line of vault D is neither a row, a column nor a list of different boxes of this sheet."),
    ("a box that is not there", lambda d: d["vaults"][0].update(line={"cells": [[1, 1], [7, 1]]}),
     "The line of vault A is neither a row, a column nor a list of different boxes of this sheet."),
    ("a box twice", lambda d: d["vaults"][0].update(line={"cells": [[3, 1], [3, 1]]}),
     "The line of vault A is neither a row, a column nor a list of different boxes of this sheet."),
    ("an empty line", lambda d: d["vaults"][0].update(line={"cells": []}),
     "The line of vault A is neither a row, a column nor a list of different boxes of this sheet."),
    ("the same line", lambda d: d["vaults"][1].update(line="c1"), "Vaults A and B have the same line."),
    ("the same line in other words", lambda d: d["vaults"][1].update(line={"cells": [[n, 1] for n in range(6, 0, -1)]}),
     "Vaults A and B have the same line."),
    ("a full line", lambda d: [row.__setitem__(0, "#") for row in d["cells"][2:4]], "Vault A is full from the start: a line has at least one open box."),
    ("a box in no line", lambda d: [d["vaults"][n].update(line={"cells": [[1, n]]}) for n in (3, 4)], ""),
    ("a ranking in words", lambda d: d.update(ranking="high"), "The ranking is a list of [points, title]."),
    ("a ranking that falls", lambda d: d["ranking"].reverse(), "The points of the ranking rise."),
    ("stats in words", lambda d: d.update(stats="good"), "The stats are a JSON object."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"), [pytest.param(change, words, id=name) for name, change, words in BROKEN if words]
)
def test_broken_sheet_is_refused_in_its_own_words(change: Callable[[dict[str, Any]], object], words: str) -> None:
    data = broken(change)
    assert words in problems(data)
    with pytest.raises(BrokenSheet) as caught:
        read(data)
    assert words in caught.value.problems


@pytest.mark.parametrize("data", [None, [], "S-01", 7])
def test_what_is_no_object_is_no_sheet(data: object) -> None:
    assert problems(data) == ("A sheet is a JSON object.",)


def test_open_box_lies_in_one_or_two_lines() -> None:
    none = broken(
        lambda d: [
            d["vaults"][place].update(line=line)
            for place, line in ((4, {"cells": [[3, 1], [3, 2]]}), (0, {"cells": [[4, 1]]}))
        ]
    )
    assert problems(none) == ()
    lost = copy.deepcopy(none)
    lost["vaults"][4]["line"] = {"cells": [[3, 2], [3, 4]]}
    assert problems(lost) == ("Box r3c1 lies in 0 lines: an open box lies in one or two.",)
    crowded = broken(lambda d: d["vaults"][11].update(line={"cells": [[1, 2], [1, 3], [2, 2]]}))
    assert "Box r1c2 lies in 3 lines: an open box lies in one or two." in problems(crowded)


def test_lines_of_their_own_open_like_others() -> None:
    data = broken(lambda d: d["vaults"][0].update(line={"cells": [[3, 1], [4, 1]]}))
    sheet = read(data)
    assert sheet.vaults[0].boxes == ("r3c1", "r4c1")
    assert sheet.lines["r3c1"] == (0, 4)


def test_small_sheets_may_come_with_statistics() -> None:
    assert problems(FIRST | {"stats": {"games": 300}}) == ()
    assert problems({name: value for name, value in FIRST.items() if name != "ranking"}) == ()


# what is shipped


def test_shipped_sheets_are_ten_standard_nine_easy_four_hard() -> None:
    assert Counter(sheet.tier for sheet in SHEETS.values()) == {"standard": 10, "easy": 9, "hard": 4}
    assert all(name == sheet.id.lower() for name, sheet in SHEETS.items())
    assert len({sheet.cells for sheet in SHEETS.values()}) == 23
    assert pool() == tuple(SHEETS)
    assert pool("hard") == ("h-01", "h-02", "h-03", "h-04")


@pytest.mark.parametrize("name", sorted(SHEETS))
def test_shipped_sheet_holds_the_constraints_of_the_generator(name: str) -> None:
    sheet = SHEETS[name]
    assert [vault.id for vault in sheet.vaults] == list(LETTERS)
    assert [vault.line for vault in sheet.vaults] == list(LINES)
    gems = sum(vault.gems for vault in sheet.vaults)
    assert gems in {"easy": {19, 24}, "standard": {19, 20}, "hard": {18}}[sheet.tier]
    assert len(sheet.filled) == 9
    for place, vault in enumerate(sheet.vaults):
        assert fair([sheet.kinds[box] for box in vault.boxes], place)
    counts = Counter(sheet.kinds.values())
    assert (counts["E"], counts["O"], counts["X2"]) == (3, 3, 4)
    assert all(counts[str(number)] >= 1 for number in range(1, 13))
    if sheet.tier != "hard":
        assert all(counts[str(number)] == 1 for number in (12, 1, 2))


SHEETS_OF_THE_RULES = {
    "s-01": "#4E863 #10#97X2 4X2#O9E 312X25#2 #O3#8E #1OX2#11",
    "s-02": "#5128#O 3114EX21 EX2#10#4 #3#X2O6 #102O9X2 #765E#",
    "s-03": "#611242 4EO7#X2 #X2#EE7 #5#OX210 O11#473 #9X2#38",
}


@pytest.mark.parametrize(("name", "cells"), SHEETS_OF_THE_RULES.items())
def test_first_three_sheets_are_those_of_the_rules(name: str, cells: str) -> None:
    assert " ".join("".join(row) for row in SHEETS[name].cells) == cells


def test_statistics_are_those_of_every_shipped_sheet() -> None:
    found = statistics()
    assert sorted(found["sheets"]) == sorted(sheet.id for sheet in SHEETS.values())
    for sheet in SHEETS.values():
        figures = {name: Measured(**shown) for name, shown in found["sheets"][sheet.id].items()}
        assert objections(figures, sheet.tier) == ()
        assert figures["naive"].mean < figures["normal"].mean < figures["hard"].mean


def test_days_go_round_all_standard_sheets() -> None:
    names = pool("standard")
    assert gcd(3, len(names)) == 1
    days = [f"2026-11-{day:02}" for day in range(20, 30)]
    assert {sheet_of_the_day(day) for day in days} == set(names)
    assert sheet_of_the_day("2026-11-30") == sheet_of_the_day("2026-11-20")


@pytest.mark.parametrize(
    ("before", "after"),
    [("2026-12-31", "2027-01-01"), ("2028-02-28", "2028-02-29"), ("2028-02-29", "2028-03-01"), ("2026-02-28", "2026-03-01")],
)  # fmt: skip
def test_next_day_has_the_next_sheet(before: str, after: str) -> None:
    names = pool("standard")
    assert names.index(sheet_of_the_day(after)) == (names.index(sheet_of_the_day(before)) + 3) % len(names)


@pytest.mark.parametrize("day", ["", "today", "2026-13-01", "2026-00-01", "2026-01-32", "2026-1", "-1-2-3", "²-1-1"])
def test_what_is_no_date_has_no_sheet(day: str) -> None:
    with pytest.raises(ValueError, match="not a date"):
        sheet_of_the_day(day)


# the generator


@pytest.mark.parametrize("tier", FITS)
def test_generator_repeats_itself_and_makes_sheets(tier: Any) -> None:
    made = [generate(tier, random.Random(seed), "X-01", "Test") for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    for data in made:
        assert problems(data) == ()
        counts = Counter(cell for row in data["cells"] for cell in row)
        assert counts["#"] == 9
        numbers = {int(cell): count for cell, count in counts.items() if cell.isdigit()}
        assert sum(numbers.values()) == 17
        assert max(numbers.values()) <= 3
        filled = [sum(data["cells"][row][column] == "#" for row, column in places(line)) for line in LINES]
        assert filled[0] == 4
        assert filled[1] in {2, 3}
        assert set(filled[2:6]) <= {1, 2}
        assert set(filled[6:]) <= {0, 1, 2}


@pytest.mark.parametrize(
    ("line", "place", "is_fair"),
    [
        ("1 2 3 X2 E O", 5, True),
        ("1 2 X2 X2 E O", 5, False),
        ("1 2 E X2 E O", 5, False),
        ("1 2 3 3 E O", 5, False),
        ("# 10 11 12 1 2", 5, False),
        ("# 10 11 9 1 2", 5, True),
        ("# # # # 10 2", 0, False),
        ("# # # # 9 2", 0, True),
        ("# # # 10 9 2", 1, True),
        ("# # # 10 11 2", 1, False),
    ],
)
def test_constraints_of_a_line(line: str, place: int, *, is_fair: bool) -> None:
    assert fair(line.split(), place) == is_fair


# games of the players, and what they measure


class Heard(random.Random):
    """Chance that writes down what falls."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.fallen: list[int] = []

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        found = super().randrange(start, stop, step)
        self.fallen.append(found + 1)
        return found


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("name", ["s-01", "s-04", "h-01"])
def test_simulated_game_is_a_game_by_the_rules(name: str, player: str) -> None:
    """Every move of the player is legal, and both count the same points."""
    simulated = Game(SHEETS[name], PLAYERS[player])
    state = GAME.setup(Options(sheet=name), 1)  # type: ignore[arg-type]  # names of sheets
    for number in range(12):
        heard = Heard(f"{name} {number}")
        simulated.round(heard)
        state = GAME.settle(state, tuple(heard.fallen[:5]))
        at = 5
        for move in simulated.moves:
            state = GAME.play(state, 0, engine.match(GAME, state, 0, move))
            if isinstance(move, Reroll):
                state = GAME.settle(state, tuple(heard.fallen[at : at + len(move.dice)]))
                at += len(move.dice)
        if state.secured == number:
            state = GAME.play(state, 0, Pass())
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.scores[0] == simulated.score
    assert outcome.detail["gems"] == (simulated.gems,)
    assert sorted(state.hands[0].progress.opened) == sorted(simulated.opened)


def test_measurement_repeats_itself_and_counts() -> None:
    found = [measure(SHEETS["s-02"], 2, random.Random) for _ in range(2)]
    assert found[0] == found[1]
    assert {name: each.games for name, each in found[0].items()} == {"naive": 4, "normal": 4, "hard": 2}
    assert sum(found[0]["normal"].bands) == pytest.approx(1)
    counted = summed([(9, ("A",)), (10, ()), (17, ("A", "B")), (20, ())])
    assert counted.bands == (0.25, 0.25, 0.25, 0, 0.25)
    assert (counted.mean, counted.opened["A"], counted.opened["B"], counted.opened["C"]) == (14, 0.5, 0.25, 0)


def measured(naive: float = 9.5, **change: Any) -> dict[str, Measured]:
    usual: dict[str, Any] = {"games": 60, "mean": 17.5, "sd": 2.0, "bands": (0.01, 0.2, 0.4, 0.29, 0.1)}
    hard = Measured(**(usual | {"opened": dict.fromkeys(LETTERS, 0.5)} | change))
    return {"naive": replace(hard, mean=naive), "normal": hard, "hard": hard}


def test_thresholds_each_have_their_words() -> None:
    assert objections(measured(), "standard") == ()
    (mean,) = objections(measured(mean=15.0), "standard")
    assert mean == "The mean is 15.00: standard sheets have 16.5 to 18.5."
    (high,) = objections(measured(bands=(0.0, 0.2, 0.2, 0.2, 0.4)), "standard")
    assert high == "40.0% of the games have 20 or more: standard sheets have 3% to 20%."
    (naive,) = objections(measured(naive=12.0), "standard")
    assert naive == "The naive mean is 12.00: standard sheets have 8.0 to 11.0."
    rarely = dict.fromkeys(LETTERS, 0.5) | {"B": 0.01}
    (rare,) = objections(measured(opened=rarely), "standard")
    assert rare == "Vaults opened in less than 2% of the games: B."
    assert objections(measured(opened=rarely, games=20), "standard") == ()


def test_sheet_of_another_tier_is_not_accepted() -> None:
    easy = SHEETS["e-01"]
    as_hard = read({**json.loads((DATA / "e-01.json").read_text(encoding="utf-8")), "tier": "hard"})
    assert easy.cells == as_hard.cells
    assert accepted(as_hard, 20, random.Random) is None


# the command


def test_command_checks_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, no_json = (tmp_path / name for name in ("good.json", "bad.json", "none.json"))
    good.write_text(json.dumps(FIRST), encoding="utf-8")
    bad.write_text(json.dumps(broken(lambda d: d["vaults"][3].update(gems=9))), encoding="utf-8")
    no_json.write_text("{", encoding="utf-8")
    assert main(["check", str(good)]) == 0
    assert capsys.readouterr().out == f"{good}: ok\n"
    assert main(["check", str(good), str(bad)]) == 1
    assert capsys.readouterr().out.splitlines()[1] == f"{bad}: Vault D has 9 gems: a vault has 1, 2 or 3."
    for command in ("check", "simulate"):
        assert main([command, str(no_json)]) == 1
        assert "This is no JSON file" in capsys.readouterr().out
        assert main([command, str(tmp_path / "nowhere.json")]) == 1
        assert "nowhere.json" in capsys.readouterr().out


def test_command_simulates_and_warns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    easy = tmp_path / "easy.json"
    easy.write_text(json.dumps(FIRST | {"tier": "hard"}), encoding="utf-8")
    assert main(["simulate", str(easy), "--games", "2"]) == 1
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("S-01: naive ")
    assert first.endswith(" 2 games")
    assert rest[0].startswith("S-01: warning: The mean is")
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(broken(lambda d: d.update(tier="mean"))), encoding="utf-8")
    assert main(["simulate", str(bad)]) == 1
    assert "The tier is one of" in capsys.readouterr().out


def test_command_saves_beside_the_figures_of_other_sheets(tmp_path: Path) -> None:
    save = tmp_path / "statistics.json"
    for name in ("s-02", "s-01"):
        main(["simulate", str(DATA / f"{name}.json"), "--games", "2", "--save", str(save)])
    found = json.loads(save.read_text(encoding="utf-8"))
    assert list(found["sheets"]) == ["S-01", "S-02"]
    assert {name: shown["games"] for name, shown in found["sheets"]["S-02"].items()} == {
        "naive": 4,
        "normal": 4,
        "hard": 2,
    }
    main(["simulate", str(DATA / "s-03.json"), "--games", "2", "--seed", "2", "--save", str(save)])
    assert list(json.loads(save.read_text(encoding="utf-8"))["sheets"]) == ["S-03"]


def test_command_generates_the_same_files_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ["generate", "easy", "--seed", "3", "--games", "2", "--first", "8", "--count", "1"]
    assert main([*wanted, "--out", str(tmp_path)]) == 0
    text = (tmp_path / "e-08.json").read_text(encoding="utf-8")
    assert problems(json.loads(text)) == ()
    assert main(wanted) == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize("name", sorted(SHEETS))
def test_shipped_file_is_as_the_command_writes_it(name: str) -> None:
    text = (DATA / f"{name}.json").read_text(encoding="utf-8")
    assert written(json.loads(text)) == text
