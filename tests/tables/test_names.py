"""Names of people."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tables.errors import Invalid
from app.tables.names import LONGEST, clean_name, folded, friendly_name, shown_name, unique_name


@pytest.mark.parametrize(
    ("typed", "clean"),
    [
        ("Ana", "Ana"),
        ("  Ana  ", "Ana"),
        ("Ana\u00a0\u3000  Bo\n", "Ana Bo"),
        ("\tAna", "Ana"),
        ("Ana\u2028Bo", "Ana Bo"),
        ("A\u0301na", "\u00c1na"),
        ("Jürgen-Õ'Neill", "Jürgen-Õ'Neill"),
        ("<script>alert(1)</script", "<script>alert(1)</script"),
        ("王小明", "王小明"),
        ("❤️", "❤️"),
        ("7", "7"),
        ("x" * 24, "x" * 24),
        ("A\u0301" * 24, "\u00c1" * 24),
    ],
)
def test_a_name_is_trimmed_and_in_composed_form(typed: str, clean: str) -> None:
    assert clean_name(typed) == clean


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "\n\t",
        "x" * 25,
        "A\u0000na",
        "A\u0007na",
        "Ana\u202e",
        "\u2066Ana",
        "A\u200bna",
        "A\u200dna",
        "Ana\ufeff",
        "A\u00adna",
        "\u2800",
        "\u3164",
        "\u115f\u1160",
        "\uffa0",
        "\u034f",
        "\ue000",
        "\ud800",
        "\u0301",
        "a" + "\u0301\u0302\u0303\u0304",
        "A\U000e0041na",
        "\ufe0f",
        "\U0001d159",
        "A\U0001d159",
    ],
    ids=ascii,
)
def test_a_name_that_is_empty_too_long_or_cannot_be_seen_is_refused(typed: str) -> None:
    with pytest.raises(Invalid):
        clean_name(typed)


@pytest.mark.parametrize(
    "typed",
    ["Ан\u0430", "Ελένη", "田中 Tanaka", "たなか・タロウ", "김민수 Kim", "ㄅㄆㄇ 王", "שרה", "علي", "สมชาย", "देवी", "Ana ❤️ 7", "Ａｎａ", "Müller-Łódź", "Tōru ー"],
    ids=ascii,
)  # fmt: skip
def test_a_name_in_the_script_of_one_language_is_good(typed: str) -> None:
    assert clean_name(typed) == unicodedata.normalize("NFC", typed)


@pytest.mark.parametrize(
    "typed",
    ["\u0410na", "An\u0430", "B\u03bf", "Ann\u0251 \u0434", "Аnа", "שרה Sara", "Ana อานา", "たなか 김", "\uff21n\u0430", "\U0001d400\u043d\u0430"],
    ids=ascii,
)  # fmt: skip
def test_a_name_of_two_alphabets_is_refused(typed: str) -> None:
    with pytest.raises(Invalid) as refused:
        clean_name(typed)
    assert "one alphabet" in refused.value.reason.key


def test_a_name_takes_64_bytes_at_most() -> None:
    assert clean_name("王" * 21) == "王" * 21
    for typed in ("王" * 22, "\U0001f3b2" * 17):
        with pytest.raises(Invalid) as refused:
            clean_name(typed)
        assert "room" in refused.value.reason.key


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Ana", "Ana"),
        ("A\u202ena\u2066", "Ana"),
        ("A\u200bn\u0000a\ufeff", "Ana"),
        ("  Ana \n Bo ", "Ana Bo"),
        ("x" * 500, "x" * 24),
        ("a" + "\u0316" * 50 + "b", "a\u0316\u0316b"),
        ("", "?"),
        ("\u3164\u2800", "?"),
        ("\u0301", "?"),
        ("<b>Ana</b>", "<b>Ana</b>"),
        ("An\u0430", "An\u0430"),
    ],
    ids=ascii,
)
def test_an_old_name_is_shown_without_what_cannot_be_seen(stored: str, shown: str) -> None:
    assert shown_name(stored) == shown


@given(st.text(max_size=60))
def test_a_shown_name_is_short_and_visible_and_a_clean_one_is_shown_as_it_is(text: str) -> None:
    shown = shown_name(text)
    assert shown_name(shown) == shown
    assert 1 <= len(shown) <= LONGEST
    assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for letter in shown)
    try:
        name = clean_name(text)
    except Invalid:
        return
    assert shown_name(name) == name


def test_a_proposed_name_is_a_good_name() -> None:
    for name in {friendly_name() for _ in range(300)}:
        assert clean_name(name) == name


@pytest.mark.parametrize(
    "other",
    [
        "ana",
        "ANA",
        "Ａｎａ",  # full width on purpose
        "\U0001d400na",
        "ᴬna",
        "Ana\ufe0f",
        "A\ufe0ena",
        "Ana\U000e0100",
        "A\u180bna",
        "An\u0430",
        "\u0410na",
        "\u0391na",
    ],
    ids=ascii,
)
def test_names_that_look_or_read_equal_are_equal(other: str) -> None:
    assert folded(other) == folded("Ana")
    assert unique_name(other, ["Ana"]) != other
    assert folded(unique_name(other, ["Ana"])) != folded("Ana")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("BOBA", "\u0412\u041e\u0412\u0410"),
        ("Xopa", "\u0425\u043e\u0440\u0430"),
        ("HANNA", "\u0397\u0391\u039d\u039d\u0391"),
        ("\u00c4", "\u04d2"),
        ("Lil", "LiI"),
        ("Lil", "1i|"),
        ("Bo", "B0"),
    ],
    ids=ascii,
)
def test_names_of_look_alikes_are_equal(one: str, other: str) -> None:
    assert folded(one) == folded(other)
    assert unique_name(other, [one]) != other


def test_names_that_differ_in_a_mark_are_different() -> None:
    assert unique_name("Aná", ["Ana"]) == "Aná"


@pytest.mark.parametrize(
    ("name", "taken", "found"),
    [
        ("Ana", [], "Ana"),
        ("Ana", ["Bo"], "Ana"),
        ("Ana", ["Ana"], "Ana 2"),
        ("Ana", ["Ana", "ana 2"], "Ana 3"),
        ("Ana", ["Ana", "Ana 3"], "Ana 2"),
        ("Ana", ["ANA", "ＡＮＡ　２"], "Ana 3"),  # full width on purpose
        ("Ana 2", ["Ana 2"], "Ana 2 2"),
        ("x" * 24, ["x" * 24], "x" * 22 + " 2"),
        ("STRASSE", ["straße"], "STRASSE 2"),
    ],
)
def test_an_equal_name_gets_the_first_free_number(name: str, taken: list[str], found: str) -> None:
    assert unique_name(name, taken) == found


@given(st.text(max_size=40))
def test_a_clean_name_stays_as_it_is_and_is_short_and_visible(typed: str) -> None:
    try:
        name = clean_name(typed)
    except Invalid:
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= LONGEST
    assert name == name.strip() == unicodedata.normalize("NFC", name)
    assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in name)
    assert folded(folded(name)) == folded(name)


@given(
    st.lists(st.text("aAáÁ 2３", min_size=1, max_size=24).filter(str.strip).map(clean_name), max_size=12)
)  # full width on purpose
def test_people_who_sit_down_one_after_the_other_have_names_that_differ(wanted: list[str]) -> None:
    taken: list[str] = []
    for name in wanted:
        taken.append(unique_name(name, taken))
    assert len({folded(name) for name in taken}) == len(wanted)
    assert all(len(name) <= LONGEST for name in taken)
