"""The golden values of the study of Yacht (design/ai.md, 1.1), and an independent solution of small sheets."""

from __future__ import annotations

import time
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from app.games.yacht import solver
from app.games.yacht.scoring import CATEGORIES, VARIANTS, score
from app.games.yacht.solver import evaluate, expected
from app.games.yacht.throws import MULTISETS, first_throw, outcomes

CLOSE = 1e-9
WHOLE = 169.773889052638263186650783006463115033987

LAST_ROW = {
    "ones": Fraction(455, 216),
    "twos": Fraction(455, 108),
    "threes": Fraction(455, 72),
    "fours": Fraction(455, 54),
    "fives": Fraction(2275, 216),
    "sixes": Fraction(455, 36),
    "choice": Fraction(70, 3),
    "full_house": Fraction(22744305613, 3265173504),
    "four_of_a_kind": Fraction(56548607, 10077696),
    "little_straight": Fraction(19280432875, 3265173504),
    "big_straight": Fraction(19280432875, 3265173504),
    "yacht": Fraction(8697425, 3779136),
}

# dice with two rolls left and all rows open: the best keeps with their values, to the six digits of the study
FIRST_TURN = {
    "12246": [("6", 167.007798), ("4", 166.798148), ("46", 166.788431)],
    "12345": [("12345", 182.059011), ("2345", 172.986907)],
    "23456": [("23456", 181.841275), ("2345", 172.986907)],
    "13456": [("3456", 168.254642), ("345", 168.008734)],
    "11223": [("", 166.549938), ("3", 166.524575)],
    "11122": [("111", 167.448232)],
    "22233": [("222", 168.994639)],
    "33366": [("33366", 170.599816), ("333", 170.569204)],
    "11666": [("666", 176.162781)],
    "44456": [("444", 172.149691)],
    "55566": [("55566", 176.599816)],
    "55666": [("55666", 177.599816)],
}
# how many dice the best first keep holds, in percent of first rolls
KEPT_FIRST = (0.39, 7.7, 37.9, 25.2, 25.1, 3.7)


def faces(digits: str) -> tuple[int, ...]:
    return tuple(int(digit) for digit in digits)


def test_the_whole_game_is_worth_the_golden_value() -> None:
    assert expected(CATEGORIES) == pytest.approx(WHOLE, abs=CLOSE)
    assert expected(()) == 0


@pytest.mark.parametrize(("category", "value"), LAST_ROW.items(), ids=LAST_ROW)
def test_a_single_row_is_worth_the_golden_fraction(category: str, value: Fraction) -> None:
    assert expected([category]) == pytest.approx(float(value), abs=CLOSE)


@pytest.mark.parametrize(("dice", "best"), FIRST_TURN.items(), ids=FIRST_TURN)
def test_a_first_decision_is_the_golden_one(dice: str, best: list[tuple[str, float]]) -> None:
    found = evaluate(CATEGORIES, faces(dice), 2)
    assert [(keep.dice, round(keep.value, 6)) for keep in found.keeps[: len(best)]] == [
        (faces(kept), value) for kept, value in best
    ]
    assert found.value == found.keeps[0].value


def test_re_rolling_all_of_11223_is_the_worst_first_roll() -> None:
    values = {throw: evaluate(CATEGORIES, throw, 2).value for throw in MULTISETS[-252:]}
    assert min(values, key=lambda throw: values[throw]) == (1, 1, 2, 2, 3)
    mean = sum(chance * values[throw] for chance, throw in zip(first_throw(), MULTISETS[-252:], strict=True))
    assert mean == pytest.approx(WHOLE, abs=CLOSE)


def test_the_first_decision_keeps_so_many_dice() -> None:
    kept = [0.0] * 6
    for chance, throw in zip(first_throw(), MULTISETS[-252:], strict=True):
        kept[len(evaluate(CATEGORIES, throw, 2).keeps[0].dice)] += 100 * float(chance)
    assert kept == pytest.approx(KEPT_FIRST, abs=0.06)


def test_ana_loses_a_point_by_keeping_the_twos() -> None:
    found = {keep.dice: keep.value for keep in evaluate(CATEGORIES, (2, 6, 1, 2, 4), 2).keeps}
    assert found[2, 2] < found[4, 6] < found[6,]


# -- an independent solution: ordered dice, fractions, recursion ------------------------------------------------------

MASKS = list(product((False, True), repeat=5))


@cache
def turn_value(rows: tuple[str, ...], dice: tuple[int, ...], rolls_left: int, variant: str) -> Fraction:
    """Return the value of ascending dice by plain recursion."""
    rest = {row: sheet_value(tuple(other for other in rows if other != row), variant) for row in rows}
    best = max(score(row, dice, variant) + value for row, value in rest.items())
    if rolls_left:
        kept = {tuple(face for face, stays in zip(dice, mask, strict=True) if stays) for mask in MASKS}
        best = max(best, *(keep_value(rows, keep, rolls_left, variant) for keep in kept))
    return best


@cache
def keep_value(rows: tuple[str, ...], keep: tuple[int, ...], rolls_left: int, variant: str) -> Fraction:
    if len(keep) == 5:
        return turn_value(rows, keep, rolls_left - 1, variant)
    wider = [tuple(sorted((*keep, face))) for face in range(1, 7)]
    return sum((keep_value(rows, dice, rolls_left, variant) for dice in wider), Fraction(0)) / 6


@cache
def sheet_value(rows: tuple[str, ...], variant: str) -> Fraction:
    return keep_value(rows, (), 3, variant) if rows else Fraction(0)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("rows", [("four_of_a_kind",), ("sixes", "full_house"), ("choice", "yacht")], ids="+".join)
def test_small_sheets_agree_with_plain_recursion(rows: tuple[str, ...], variant: str) -> None:
    assert expected(rows, variant) == pytest.approx(float(sheet_value(rows, variant)), abs=CLOSE)
    for dice, rolls_left in (((1, 1, 6, 6, 6), 2), ((2, 3, 6, 6, 6), 1), ((5, 5, 5, 5, 5), 0)):
        found = evaluate(rows, dice, rolls_left, variant)
        assert found.value == pytest.approx(float(turn_value(rows, dice, rolls_left, variant)), abs=CLOSE)
        for keep in found.keeps:
            true = keep_value(rows, keep.dice, rolls_left, variant)
            assert keep.value == pytest.approx(float(true), abs=CLOSE)


def test_the_variants_differ_by_what_four_of_a_kind_counts() -> None:
    assert expected(["ones"], "exercism") == expected(["ones"])
    assert expected(["four_of_a_kind"], "exercism") < expected(["four_of_a_kind"])
    assert expected(CATEGORIES, "exercism") == pytest.approx(166.955067704572, abs=CLOSE)


# -- the shape of an answer -------------------------------------------------------------------------------------------


def ordered(values: Iterable[float]) -> bool:
    found = [round(value, 9) for value in values]
    return found == sorted(found, reverse=True)


def test_an_evaluation_has_every_distinct_keep_and_every_open_row_best_first() -> None:
    found = evaluate({"ones", "choice", "yacht"}, (6, 1, 1, 1, 6), 1)
    kept = {(1,) * ones + (6,) * sixes for ones in range(4) for sixes in range(3)}
    assert len(found.keeps) == len(kept)
    assert {keep.dice for keep in found.keeps} == kept
    assert ordered(keep.value for keep in found.keeps)
    assert {(row.category, row.points) for row in found.rows} == {("ones", 3), ("choice", 15), ("yacht", 0)}
    assert ordered(row.value for row in found.rows)
    assert found.rows[0].category == "ones"
    assert found.rows[0].value == pytest.approx(3 + expected(["choice", "yacht"]), abs=CLOSE)


def test_all_five_kept_are_worth_the_best_that_follows() -> None:
    for rolls_left in (1, 2):
        found = evaluate(CATEGORIES, (1, 2, 2, 4, 6), rolls_left)
        five = next(keep for keep in found.keeps if len(keep.dice) == 5)
        assert five.value == pytest.approx(evaluate(CATEGORIES, (1, 2, 2, 4, 6), rolls_left - 1).value)


def test_without_a_roll_left_there_are_rows_alone() -> None:
    found = evaluate(["yacht"], (3, 3, 3, 3, 3), 0)
    assert (found.keeps, found.value) == ((), 50.0)


@pytest.mark.parametrize(
    ("rows", "dice", "rolls_left", "variant", "reason"),
    [
        (["sevens"], (1, 2, 3, 4, 5), 1, "classic", "unknown category"),
        (["ones"], (1, 2, 3, 4, 5), 1, "modern", "unknown variant"),
        ([], (1, 2, 3, 4, 5), 1, "classic", "no open row"),
        (["ones"], (1, 2, 3, 4), 1, "classic", "five faces"),
        (["ones"], (1, 2, 3, 4, 7), 1, "classic", "five faces"),
        (["ones"], (1, 2, 3, 4, 5), 3, "classic", "rolls"),
        (["ones"], (1, 2, 3, 4, 5), -1, "classic", "rolls"),
    ],
    ids=str,
)
def test_what_is_no_position_is_refused(
    rows: list[str], dice: tuple[int, ...], rolls_left: int, variant: str, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        evaluate(rows, dice, rolls_left, variant)


def test_probabilities_sum_to_one() -> None:
    assert outcomes().sum(axis=1) == pytest.approx(1)
    assert first_throw() == pytest.approx(outcomes()[0])


def test_a_table_is_solved_within_a_second_and_a_turn_within_a_millisecond() -> None:
    solver.table.cache_clear()
    begun = time.process_time()
    expected(CATEGORIES)
    assert time.process_time() - begun < 1
    solver.turn.cache_clear()
    taken = []
    for mask in range(3995, 4096):
        begun = time.process_time()
        solver.turn(mask, "classic")
        taken.append(time.process_time() - begun)
    assert sorted(taken)[len(taken) // 2] < 0.001
