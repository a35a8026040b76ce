from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.games.yacht.scoring import CATEGORIES, VARIANTS, score

dice = st.lists(st.integers(1, 6), min_size=5, max_size=5)
categories = st.sampled_from(CATEGORIES)
variants = st.sampled_from(VARIANTS)

# The scoring examples of the Yacht text and its rulings; the others of Y01–Y25 are in test_rules.
EXAMPLES = [
    ("Y01", "44441", "four_of_a_kind", 17),
    ("Y02", "66666", "four_of_a_kind", 30),
    ("Y03", "66466", "four_of_a_kind", 28),
    ("Y04", "33355", "four_of_a_kind", 0),
    ("Y05", "33366", "full_house", 21),
    ("Y06", "44444", "full_house", 0),
    ("Y07", "66655", "full_house", 28),
    ("Y08", "22445", "full_house", 0),
    ("Y09", "53412", "little_straight", 30),
    ("Y10", "23456", "little_straight", 0),
    ("Y11", "65432", "big_straight", 30),
    ("Y12", "12345", "big_straight", 0),
    ("Y13", "12346", "little_straight", 0),
    ("Y13-big", "12346", "big_straight", 0),
    ("Y14", "11234", "little_straight", 0),
    ("Y15", "44444", "yacht", 50),
    ("Y16", "44445", "yacht", 0),
    ("Y17", "33333", "threes", 15),
    ("Y17-fives", "33333", "fives", 0),
    ("Y18", "22222", "choice", 10),
]

# Exercism's canonical cases: dice, category, points by Exercism. Two differ by the Yacht text, see FOUR_OF_A_KIND.
EXERCISM = [
    ("55555", "yacht", 50),
    ("13325", "yacht", 0),
    ("11135", "ones", 3),
    ("31151", "ones", 3),
    ("43655", "ones", 0),
    ("23456", "twos", 2),
    ("14141", "fours", 8),
    ("33333", "threes", 15),
    ("33333", "fives", 0),
    ("15353", "fives", 10),
    ("23456", "sixes", 6),
    ("22444", "full_house", 16),
    ("53353", "full_house", 19),
    ("22445", "full_house", 0),
    ("14444", "full_house", 0),
    ("22222", "full_house", 0),
    ("66466", "four_of_a_kind", 24),
    ("33333", "four_of_a_kind", 12),
    ("33355", "four_of_a_kind", 0),
    ("35412", "little_straight", 30),
    ("12345", "big_straight", 0),
    ("11234", "little_straight", 0),
    ("12346", "little_straight", 0),
    ("11345", "little_straight", 0),
    ("46253", "big_straight", 30),
    ("65432", "little_straight", 0),
    ("65431", "big_straight", 0),
    ("33566", "choice", 23),
    ("22222", "choice", 10),
]
FOUR_OF_A_KIND = {"66466": 28, "33333": 15}


def faces(text: str) -> list[int]:
    return [int(digit) for digit in text]


@pytest.mark.parametrize(
    ("rolled", "category", "points"), [pytest.param(*example, id=name) for name, *example in EXAMPLES]
)
def test_example_of_the_rules(rolled: str, category: str, points: int) -> None:
    assert score(category, faces(rolled)) == points


@pytest.mark.parametrize(("rolled", "category", "points"), EXERCISM)
def test_canonical_case_of_exercism(rolled: str, category: str, points: int) -> None:
    assert score(category, faces(rolled), "exercism") == points
    classic = FOUR_OF_A_KIND.get(rolled, points) if category == "four_of_a_kind" else points
    assert score(category, faces(rolled)) == classic


# A second wording of the twelve rows, by what the dice look like when sorted: no counting, no sets, no sums of faces.
NUMBER = dict(zip(CATEGORIES[:6], "123456", strict=True))
SHAPES: dict[str, Callable[[str], bool]] = {
    "choice": lambda row: True,
    "full_house": lambda row: row[0] == row[1] and row[3] == row[4] and row[0] != row[4] and row[2] in row[0] + row[4],
    "four_of_a_kind": lambda row: row[0] == row[3] or row[1] == row[4],
    "little_straight": lambda row: row == "12345",
    "big_straight": lambda row: row == "23456",
    "yacht": lambda row: row in {"11111", "22222", "33333", "44444", "55555", "66666"},
}
FIXED = {"little_straight": 30, "big_straight": 30, "yacht": 50}


def by_shape(category: str, row: str, variant: str) -> int:
    if category in NUMBER:
        return sum(int(pip) for pip in row if pip == NUMBER[category])
    if not SHAPES[category](row):
        return 0
    if category == "four_of_a_kind" and variant == "exercism":
        return 4 * int(row[2])  # sorted, the middle one is always of the four
    return FIXED.get(category, sum(int(pip) for pip in row))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("category", CATEGORIES)
def test_all_252_rolls(category: str, variant: str) -> None:
    rolls = ["".join(roll) for roll in combinations_with_replacement("123456", 5)]
    assert len(rolls) == 252
    wrong = [roll for roll in rolls if score(category, faces(roll), variant) != by_shape(category, roll, variant)]
    assert not wrong


def test_the_most_of_each_row_makes_the_303_of_the_rules() -> None:
    rolls = list(combinations_with_replacement(range(1, 7), 5))
    best = {category: max(score(category, roll) for roll in rolls) for category in CATEGORIES}
    assert best == {
        "ones": 5,
        "twos": 10,
        "threes": 15,
        "fours": 20,
        "fives": 25,
        "sixes": 30,
        "choice": 30,
        "full_house": 28,
        "four_of_a_kind": 30,
        "little_straight": 30,
        "big_straight": 30,
        "yacht": 50,
    }
    assert sum(best.values()) == 303


@given(dice, categories, variants)
def test_order_of_the_dice_does_not_matter(rolled: list[int], category: str, variant: str) -> None:
    expected = score(category, rolled, variant)
    assert {score(category, mixed, variant) for mixed in permutations(rolled)} == {expected}


@given(dice, variants)
def test_numbers_share_out_the_choice(rolled: list[int], variant: str) -> None:
    numbers = [score(category, rolled, variant) for category in CATEGORIES[:6]]
    assert sum(numbers) == score("choice", rolled, variant) == sum(rolled)


@given(dice, categories)
def test_combination_scores_nothing_or_what_its_row_gives(rolled: list[int], category: str) -> None:
    points = score(category, rolled)
    if category in FIXED:
        assert points in {0, FIXED[category]}
    elif category in {"full_house", "four_of_a_kind"}:
        assert points in {0, sum(rolled)}
    assert 0 <= points <= 50


@given(dice)
def test_exercism_differs_in_four_of_a_kind_only_and_gives_less(rolled: list[int]) -> None:
    differs = {category for category in CATEGORIES if score(category, rolled) != score(category, rolled, "exercism")}
    assert differs <= {"four_of_a_kind"}
    assert score("four_of_a_kind", rolled, "exercism") <= score("four_of_a_kind", rolled)


@given(dice)
def test_shapes_that_exclude_each_other(rolled: list[int]) -> None:
    met = [row for row in ("full_house", "four_of_a_kind", "little_straight", "big_straight") if score(row, rolled)]
    assert len(met) <= 1
    assert not score("yacht", rolled) or met == ["four_of_a_kind"]


@pytest.mark.parametrize("category", ["", "four_of_akind", "Yacht", "pair"])
def test_unknown_category_is_refused(category: str) -> None:
    with pytest.raises(ValueError, match="unknown category"):
        score(category, [1, 2, 3, 4, 5])


def test_unknown_variant_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown variant"):
        score("ones", [1, 2, 3, 4, 5], "yahtzee")


@pytest.mark.parametrize("rolled", [[], [1, 2, 3, 4], [1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4], [1, 2, 3, 4, 7]])
@pytest.mark.parametrize("category", ["ones", "choice", "yacht"])
def test_anything_but_five_faces_is_refused(category: str, rolled: list[int]) -> None:
    with pytest.raises(ValueError, match="five faces"):
        score(category, rolled)
