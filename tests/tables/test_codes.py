"""Codes of tables."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tables.codes import ALPHABET, LENGTH, clean_code, new_code, show_code


def test_a_code_has_ten_letters_that_cannot_be_mistaken_for_each_other() -> None:
    for _ in range(100):
        code = new_code()
        assert len(code) == LENGTH == 10
        assert not set(code) - set("ABCDEFGHJKMNPQRSTVWXYZ23456789")
    assert not set(ALPHABET) & set("0O1ILU")


def test_codes_are_all_different_and_use_every_letter_everywhere() -> None:
    codes = [new_code() for _ in range(3000)]
    assert len(set(codes)) == len(codes)
    for place in range(LENGTH):
        seen = Counter(code[place] for code in codes)
        assert set(seen) == set(ALPHABET)
        # 100 of each are expected; 50 away is five standard deviations
        assert all(50 < count < 150 for count in seen.values())


def test_a_code_is_shown_in_groups_and_read_back() -> None:
    assert show_code("K7QMX2PA3D") == "K7QM-X2PA-3D"
    code = new_code()
    assert clean_code(show_code(code)) == code


@pytest.mark.parametrize(
    "typed", ["K7QMX2PA3D", "k7qm-x2pa-3d", " K7QM X2PA 3D\n", "k-7-q-m-x-2-p-a-3-d", "k7qm\u00a0x2pa\u30003d"]
)
def test_a_code_is_understood_in_any_case_with_spaces_and_dashes(typed: str) -> None:
    assert clean_code(typed) == "K7QMX2PA3D"


@pytest.mark.parametrize(
    "typed",
    ["", "K7QM", "K7QMX2PA3", "K7QMX2PA3DD", "K7QMX2PA30", "K7QMX2PA3O", "K7QMX2PA3ß", "K7QMX2PA3ı", "K7QMX2PA3_"],
)
def test_what_cannot_be_a_code_is_none(typed: str) -> None:
    assert clean_code(typed) is None


@given(st.text(max_size=20))
def test_whatever_is_typed_gives_a_code_or_none(typed: str) -> None:
    code = clean_code(typed)
    assert code is None or (len(code) == LENGTH and set(code) <= set(ALPHABET) and clean_code(code) == code)
