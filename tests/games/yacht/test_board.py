"""Yacht for people: forms as moves, offers, words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.core import engine
from app.core.board import Frame
from app.core.events import Moved, Rolled
from app.core.text import Dice
from app.games import find
from app.games.yacht.board import BOARD
from app.games.yacht.rules import RollDice, Score
from app.games.yacht.scoring import CATEGORIES, score
from tests.support.dice import ScriptedDice

ENTRY = find("yacht")
assert ENTRY is not None
GAME = ENTRY.game


def at(*faces: int, players: int = 2, **options: str) -> Any:
    """The state after the first roll, seat 0 to act."""
    chosen = replace(GAME.options_type(), first_player="host", **options)  # type: ignore[call-arg]  # the options of Yacht
    state, _ = engine.begin(GAME, chosen, players, ScriptedDice())
    if faces:
        state, _ = engine.play(GAME, state, 0, RollDice((0, 1, 2, 3, 4)), ScriptedDice(*faces), 0)
    return state


def frame(state: Any, viewer: int | None, *, fresh: bool = False) -> Frame:
    actions = () if viewer is None else tuple(GAME.actions(state, viewer))
    return BOARD.frame(GAME.view(state, viewer), viewer, actions, fresh=fresh)


@pytest.mark.parametrize(
    ("held", "dice"),
    [([], [0, 1, 2, 3, 4]), (["0"], [1, 2, 3, 4]), (["4", "0", "2"], [1, 3]), (["0", "1", "2", "3"], [4])],
)
def test_dice_that_are_not_held_are_rolled(held: list[str], dice: list[int]) -> None:
    assert BOARD.parse({"do": ["roll"], "turn": ["3"], "hold": held}) == {"kind": "roll", "dice": dice}


@pytest.mark.parametrize("category", CATEGORIES)
def test_row_is_scored(category: str) -> None:
    assert BOARD.parse({"do": ["score"], "turn": ["3"], "category": [category]}) == {"kind": "score", "category": category}


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"turn": ["3"]},
        {"do": ["score"]},
        {"do": ["score"], "category": []},
        {"do": ["roll"], "hold": ["0", "1", "2", "3", "4"]},
        {"do": ["roll"], "hold": ["5"]},
        {"do": ["roll"], "hold": ["banana"]},
        {"do": ["roll"], "hold": ["٣"]},
        {"do": ["dance"]},
        {"hold": ["1"]},
    ],
    ids=str,
)
def test_form_that_says_nothing_clear_is_no_legal_move(form: dict[str, list[str]]) -> None:
    from app.core import codec
    from app.core.game import IllegalMove

    def play() -> None:
        move = codec.load_move(GAME, BOARD.parse(form))
        engine.play(GAME, at(1, 2, 3, 4, 6), 0, move, ScriptedDice(1, 1, 1, 1, 1), 1)

    with pytest.raises(IllegalMove):
        play()


@pytest.mark.parametrize("variant", ["classic", "exercism"])
def test_offers_are_what_would_be_written(variant: str) -> None:
    state = at(4, 4, 4, 4, 4, variant=variant)
    rows = [row for part in frame(state, 0).sheet.parts for row in part.rows]
    assert [row.category for row in rows] == list(CATEGORIES)
    for row in rows:
        offer = row.cells[0].offer
        assert offer == score(row.category, (4, 4, 4, 4, 4), variant)
        after, _ = engine.play(GAME, state, 0, Score(row.category), ScriptedDice(), 5)
        assert GAME.view(after, 0).sheets[0].get(row.category) == offer


@pytest.mark.parametrize("viewer", [1, None])
def test_nobody_else_is_offered_anything(viewer: int | None) -> None:
    shown = frame(at(4, 4, 4, 4, 4), viewer)
    assert {cell.offer for part in shown.sheet.parts for row in part.rows for cell in row.cells} == {None}
    assert not shown.tray.may_roll
    assert not shown.tray.may_score


def test_own_column_stands_first_and_the_others_follow_in_turn_order() -> None:
    state = at(players=4)
    assert [column.seat for column in frame(state, 2).sheet.columns] == [2, 3, 0, 1]
    assert [column.seat for column in frame(state, None).sheet.columns] == [0, 1, 2, 3]
    assert [column.mine for column in frame(state, 2).sheet.columns] == [True, False, False, False]


def test_only_what_was_just_thrown_is_rolling_and_only_what_was_held_is_kept() -> None:
    state, _ = engine.play(GAME, at(1, 2, 3, 4, 6), 0, RollDice((1, 3)), ScriptedDice(5, 5), 3)
    dice = frame(state, 0, fresh=True).tray.dice
    assert [die.face for die in dice] == [1, 5, 3, 5, 6]
    assert [die.rolling for die in dice] == [False, True, False, True, False]
    assert [die.kept for die in dice] == [True, False, True, False, True]
    assert not any(die.rolling for die in frame(state, 0).tray.dice)


def test_log_says_what_was_held_and_what_was_thrown() -> None:
    before = at(1, 2, 3, 4, 6)
    after, _ = engine.play(GAME, before, 0, RollDice((1, 3)), ScriptedDice(5, 5), 3)
    views = GAME.view(before, None), GAME.view(after, None)
    assert BOARD.line(Moved(4, 0, RollDice((1, 3))), views[0], views[0]) is None
    line = BOARD.line(Rolled(5, "roll", (6, 6), (5, 5)), *views)
    assert line is not None
    assert line.seat == 0
    assert dict(line.text.parts) == {"held": Dice((1, 3, 6)), "dice": Dice((5, 5))}


@pytest.mark.parametrize(("category", "points", "key"), [("choice", 16, "scores {row}"), ("yacht", 0, "strikes {row}")])
def test_log_says_what_was_scored_or_struck(category: str, points: int, key: str) -> None:
    before = at(1, 2, 3, 4, 6)
    after, _ = engine.play(GAME, before, 0, Score(category), ScriptedDice(), 3)
    line = BOARD.line(Moved(4, 0, Score(category)), GAME.view(before, None), GAME.view(after, None))
    assert line is not None
    assert (line.text.key, line.number) == (key, points)
