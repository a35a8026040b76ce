from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.games.mythical_dice.dice import BAG, COLOURS, COUNTS, FACES, KINDS, SPECIALS, Face, allowed, colour_to_follow
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.scoring import bonus, round_score, trick_winner

STANDARD = Options()
SHORT = {
    "N1": "red",
    "N2": "yellow",
    "N3": "purple",
    "N4": "gray",
    "MINO": "minotaur",
    "GRIF": "griffin",
    "MERM": "mermaid",
}


def options(**changed: Any) -> Options:
    return Options(**changed)


def faces(text: str) -> list[Face]:
    return [int(face) if face.isdigit() else face for face in text.split()]


def kinds(text: str) -> list[str]:
    return [SHORT[name] for name in text.split()]


# id, faces in rolling order, what is changed at the table, the winner counted from 1 as in the rules
TRICKS: list[tuple[str, str, dict[str, Any], int]] = [
    ("M01", "6 4 6 2", {}, 3),
    ("M02", "5 5 3", {}, 2),
    ("M03", "F 1 F", {}, 2),
    ("M04", "F F F", {}, 1),
    ("M04-last", "F F F", {"all_flags": "last"}, 3),
    ("M05", "7 G 6", {}, 2),
    ("M06", "G S G", {}, 3),
    ("M07", "S M F", {}, 1),
    ("M08", "M G G", {}, 1),
    ("M09", "M G S", {}, 3),
    ("M09-sequential", "M G S", {"three_kinds": "sequential"}, 3),
    ("M10", "S G M", {}, 1),
    ("M10-sequential", "S G M", {"three_kinds": "sequential"}, 3),
    ("M11", "G M S 7", {}, 3),
    ("M12", "S S 7", {}, 2),
    ("M13", "F 7 7 F", {}, 3),
    ("M14", "F M 5 F", {}, 2),
]

# id, dice rolled so far, the hand, what is changed, the kinds that may be rolled
FOLLOWING: list[tuple[str, str, str, dict[str, Any], str]] = [
    ("M15", "N1", "N1 N1 N4 GRIF", {}, "GRIF N1"),
    ("M16", "N1", "N2 N4 GRIF", {}, "GRIF N2 N4"),
    ("M17", "GRIF N3", "N3 N1", {}, "N3"),
    ("M17-leader_only", "GRIF N3", "N3 N1", {"colour_setter": "leader_only"}, "N1 N3"),
    ("M18", "N4", "N4 N1", {}, "N4"),
]

M07, M08 = "S M F", "M G G"

# id, bid, won, round, tricks won, what is changed, points
SCORES: list[tuple[str, int, int, int, list[str], dict[str, Any], int]] = [
    ("M19", 3, 3, 3, ["7 1 1"] * 3, {}, 60),
    ("M20", 5, 1, 5, ["7 1 1"], {}, -40),
    ("M21", 0, 0, 4, [], {}, 40),
    ("M22", 0, 2, 6, ["7 1 1"] * 2, {}, -60),
    ("M22-three", 0, 3, 6, ["7 1 1"] * 3, {}, -60),
    ("M23", 1, 1, 2, [M07], {}, 70),
    ("M23-B", 1, 1, 2, [M07], {"flag_clause": "B"}, 20),
    ("M24", 2, 2, 5, [M08, "7 1 1"], {}, 100),
    ("M24-flat", 2, 2, 5, [M08, "7 1 1"], {"griffin_bonus": "flat"}, 70),
    ("M24-simplified", 2, 2, 5, [M08, "7 1 1"], {"scoring": "simplified"}, 40),
    ("M25", 2, 1, 4, [M07], {}, -10),
    ("M27", 3, 1, 5, ["7 1 1"], {"scoring": "simplified"}, 0),
    ("M27-zero", 0, 1, 5, ["7 1 1"], {"scoring": "simplified"}, -50),
]

# dice in rolling order, what is changed, the chance of each place to win
CHANCES: list[tuple[str, dict[str, Any], str]] = [
    ("N1 N1 N1", {}, "5/27 8/27 14/27"),
    ("N1 N2 N4", {}, "20/27 5/54 1/6"),
    ("N4 N4 N4", {}, "35/108 5/18 43/108"),
    ("N4 N4 N4", {"all_flags": "last"}, "43/216 5/18 113/216"),
    ("MINO GRIF MERM", {}, "7/27 2/9 14/27"),
    ("N1 MERM N1 GRIF", {}, "1/27 2/9 2/27 2/3"),
]


@pytest.mark.parametrize(("rolled", "changed", "seat"), [pytest.param(*case, id=name) for name, *case in TRICKS])
def test_example_of_a_trick(rolled: str, changed: dict[str, Any], seat: int) -> None:
    assert trick_winner(faces(rolled), options(**changed)) == seat - 1


@pytest.mark.parametrize(
    ("rolled", "hand", "changed", "may"), [pytest.param(*case, id=name) for name, *case in FOLLOWING]
)
def test_example_of_following(rolled: str, hand: str, changed: dict[str, Any], may: str) -> None:
    colour = colour_to_follow(kinds(rolled), options(**changed).colour_setter)
    assert allowed(kinds(hand), colour) == tuple(kinds(may))


@pytest.mark.parametrize(
    ("bid", "won", "tricks", "captures", "changed", "points"), [pytest.param(*case, id=name) for name, *case in SCORES]
)
def test_example_of_scoring(
    bid: int, won: int, tricks: int, captures: Sequence[str], changed: dict[str, Any], points: int
) -> None:
    assert round_score(bid, won, tricks, [faces(trick) for trick in captures], options(**changed)) == points


@pytest.mark.parametrize("ruling", [pytest.param("F M 5", id="M26")])
def test_a_griffin_that_shows_its_flag_is_no_capture(ruling: str) -> None:
    assert trick_winner(faces(ruling), STANDARD) == 1
    assert bonus([faces(ruling)], STANDARD) == 0
    assert bonus([faces("G M 5")], STANDARD) == 30


@pytest.mark.parametrize(
    ("dice", "changed", "chances"),
    [pytest.param(*case, id=f"M30-{case[0]}-{''.join(case[1].values())}") for case in CHANCES],
)
def test_chances_by_exact_enumeration(dice: str, changed: dict[str, Any], chances: str) -> None:
    rolls = list(product(*(FACES[die] for die in kinds(dice))))
    wins = Counter(trick_winner(roll, options(**changed)) for roll in rolls)
    found = [Fraction(wins[place], len(rolls)) for place in range(len(rolls[0]))]
    assert found == [Fraction(chance) for chance in chances.split()]


def test_dice_are_the_36_of_the_rules() -> None:
    assert COUNTS == {"minotaur": 1, "griffin": 3, "mermaid": 2, "red": 7, "yellow": 7, "purple": 8, "gray": 8}
    assert {kind: " ".join(map(str, FACES[kind])) for kind in KINDS} == {
        "minotaur": "M M M M F F",
        "griffin": "G G G G F F",
        "mermaid": "S S S S F F",
        "red": "7 7 6 6 5 5",
        "yellow": "5 5 4 4 3 3",
        "purple": "3 3 2 2 1 1",
        "gray": "7 1 1 F F F",
    }
    assert list(BAG) == [kind for kind, count in COUNTS.items() for _ in range(count)]
    assert len(BAG) == 36
    assert tuple(COUNTS) == KINDS == SPECIALS + COLOURS


def test_all_three_characters_by_hand() -> None:
    """The latest mermaid, or by a walk through the trick; the rest of the faces changes nothing."""
    for rolled, mermaid, walk in [
        ("G M S S", 3, 3),
        ("S S M G", 1, 3),
        ("S M G S", 3, 2),
        ("M S G M F S", 5, 5),
        ("7 S M G 7", 1, 3),
        ("F M 7 S G", 3, 4),
    ]:
        assert trick_winner(faces(rolled), STANDARD) == mermaid, rolled
        assert trick_winner(faces(rolled), options(three_kinds="sequential")) == walk, rolled


def test_griffin_takes_mermaids_for_nothing_and_a_mermaid_takes_only_the_minotaur_for_something() -> None:
    assert bonus([faces("S G 7")], STANDARD) == 0
    assert bonus([faces("S 7 7")], STANDARD) == 0
    assert bonus([faces("M G S G G")], STANDARD) == 50
    assert bonus([faces("G G M G")], STANDARD) == 90
    assert bonus([faces("G G M F")], options(flag_clause="B")) == 0
    assert bonus([faces("S M 7"), faces("G M")], STANDARD) == 80


def test_a_trick_without_dice_has_no_winner() -> None:
    with pytest.raises(ValueError, match="nothing was rolled"):
        trick_winner([], STANDARD)


tricks = st.lists(st.sampled_from([*range(1, 8), "M", "G", "S", "F"]), min_size=1, max_size=6)
any_options = st.builds(
    Options,
    three_kinds=st.sampled_from(["mermaid", "sequential"]),
    all_flags=st.sampled_from(["first", "last"]),
    flag_clause=st.sampled_from(["A", "B"]),
    griffin_bonus=st.sampled_from(["per_griffin", "flat"]),
    scoring=st.sampled_from(["standard", "simplified"]),
)
BEATEN = {"M": "G", "G": "S", "S": "M"}


@given(tricks, any_options)
def test_nothing_beats_the_winner_but_in_a_ring(rolled: list[Face], chosen: Options) -> None:
    place = trick_winner(rolled, chosen)
    best = rolled[place]
    ring = {"M", "G", "S"} <= set(rolled)
    if isinstance(best, int):
        assert not set(rolled) & {"M", "G", "S"}
        assert all(face == "F" or (isinstance(face, int) and face <= best) for face in rolled)
    elif best == "F":
        assert set(rolled) == {"F"}
    else:
        assert ring or not any(BEATEN.get(str(face)) == best for face in rolled)
    if best != "F":
        assert best not in rolled[place + 1 :] or (ring and chosen.three_kinds == "sequential")


@given(tricks, any_options)
def test_a_flag_added_at_the_end_changes_nothing_but_a_trick_of_flags(rolled: list[Face], chosen: Options) -> None:
    if set(rolled) != {"F"}:
        assert trick_winner([*rolled, "F"], chosen) == trick_winner(rolled, chosen)


@given(st.integers(1, 8), st.integers(0, 8), st.integers(0, 8), st.lists(tricks, max_size=4), any_options)
def test_points_of_a_round(
    tricks_in_round: int, bid: int, won: int, won_tricks: list[list[Face]], chosen: Options
) -> None:
    points = round_score(bid, won, tricks_in_round, won_tricks, chosen)
    missed = bid != won
    assert points % 10 == 0
    if bid == 0:
        assert points == (-10 if missed else 10) * tricks_in_round
    elif missed:
        assert points == (0 if chosen.scoring == "simplified" else -10 * abs(bid - won))
    else:
        assert points - 20 * bid == bonus(won_tricks, chosen) >= 0


@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=8), st.sampled_from([None, *COLOURS]))
def test_somebody_with_dice_may_always_roll_one_and_specials_always(hand: list[str], colour: str | None) -> None:
    may = allowed(hand, colour)
    assert may
    assert set(may) <= set(hand)
    assert set(hand) & set(SPECIALS) <= set(may)
    if colour in hand:
        assert set(may) <= {colour, *SPECIALS}
    else:
        assert set(may) == set(hand)
