"""The dice of the house. A fair generator fails each of these less than once in a million runs."""

from __future__ import annotations

from collections import Counter

import pytest

from app.tables.dice import SystemDice

# (sides, rolls, bound): chi-square beyond `bound` with sides - 1 degrees of freedom has a probability below 1e-7
CHI_SQUARE = [(2, 20_000, 30.0), (6, 60_000, 42.0), (10, 50_000, 52.0), (35, 70_000, 100.0)]


@pytest.mark.parametrize(("sides", "rolls", "bound"), CHI_SQUARE)
def test_every_face_falls_equally_often(sides: int, rolls: int, bound: float) -> None:
    dice = SystemDice()
    seen = Counter(face for _ in range(rolls // 10) for face in dice.roll((sides,) * 10))
    assert set(seen) == set(range(1, sides + 1))
    expected = rolls / sides
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < bound


def test_each_die_has_its_own_sides_and_a_die_with_one_side_shows_it() -> None:
    dice = SystemDice()
    for _ in range(200):
        faces = dice.roll((1, 2, 3, 100))
        assert [1 <= face <= sides for face, sides in zip(faces, (1, 2, 3, 100), strict=True)] == [True] * 4
        assert faces[0] == 1


def test_no_dice_give_no_faces() -> None:
    assert SystemDice().roll(()) == ()


def test_neighbours_in_a_roll_and_in_time_do_not_depend_on_each_other() -> None:
    dice = SystemDice()
    rolls = [dice.roll((6, 6)) for _ in range(36_000)]
    within = Counter(rolls)
    between = Counter((one[0], two[0]) for one, two in zip(rolls, rolls[1:], strict=False))
    for pairs in (within, between):
        expected = sum(pairs.values()) / 36
        assert len(pairs) == 36
        # 35 degrees of freedom: below 1e-7
        assert sum((count - expected) ** 2 / expected for count in pairs.values()) < 101


def test_two_sources_of_dice_do_not_repeat_each_other() -> None:
    one, other = SystemDice(), SystemDice()
    assert one.roll((6,) * 40) != other.roll((6,) * 40)
