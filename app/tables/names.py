"""Names of people: cleaned once, filtered again when shown, unique at a table for the eye."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from app.core.text import say
from app.tables.errors import Invalid

LONGEST = 24
"""Code points of a name."""

MOST_BYTES = 64
"""Bytes of a name in UTF-8: 21 letters where a letter takes three, as in Chinese or Thai."""

# letters that look like nothing: Hangul fillers, the braille blank, and friends
_INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\U0001d159")
# these choose the form of the letter before them; emoji need them, names do not differ by them
_SELECTORS = dict.fromkeys(
    [*range(0xFE00, 0xFE10), *range(0x180B, 0x1810), *range(0xE0100, 0xE01F0)],
)
# control, format (bidi and zero width among them), surrogate, private use, unassigned, line and paragraph separators
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# what is written together in one language (UTS 39, "highly restrictive"); every other script stands alone
_TOGETHER = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
# first words of the names of letters that several scripts use
_COMMON = frozenset({"MODIFIER", "IDEOGRAPHIC", "VEDIC", "VERTICAL"})

# small letters of Cyrillic, then of Greek, then signs, each drawn like the Latin letter below it, or its capital like
# the Latin capital
_LOOKALIKES = str.maketrans(
    "\u0430\u0432\u0435\u0437\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u04cf\u044c\u0501\u051b\u051d\u04bb"
    "\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03c9\u0131"
    "01|l",
    "abe3kmhopctyxijsibdqwhabezhikmnoptyxwioiii",
)

_FRIENDLY_NAMES = (
    "Ada Ari Bela Bo Cleo Dino Eda Emil Enno Fee Fips Finn Gil Gino Hedi Hugo Ida Ivo Jona Juna Kai Kira Lale Lino "
    "Lotte Lou Malo Mara Mika Mio Nele Nilo Noa Ola Oskar Pau Pepe Pina Remo Rika Romy Sami Selma Silo Taro Tilda "
    "Tom Uli Vela Vito Wanda Willo Xena Yara Yuri Zita Zoe"
)


_BOT_NAMES = [
    "Cardano",
    "Fermat",
    "Pascal",
    "Huygens",
    "Moivre",
    "Bernoulli",
    "Bayes",
    "Laplace",
    "Galton",
    "Markow",
    "Borel",
    "Kolmogorow",
]
"""People who worked out chance, in the order of their lives."""


def bot_name(taken: Iterable[str]) -> str:
    """Return a name for a bot that nobody at the table has."""
    others = list(taken)
    return next((name for name in _BOT_NAMES if unique_name(name, others) == name), unique_name("Bot", others))


def friendly_name() -> str:
    """Return a name to propose to somebody new."""
    return secrets.choice(_FRIENDLY_NAMES.split())


def clean_name(typed: str) -> str:
    """Return a name trimmed and in NFC. Raises Invalid: empty, over 24 characters, or with unreadable characters."""
    name = " ".join(unicodedata.normalize("NFC", typed).split())
    if not name:
        raise Invalid(say("A name needs at least one letter."))
    if len(name) > LONGEST:
        raise Invalid(say("A name has at most 24 characters."))
    if not all(_visible(letter) for letter in name):
        raise Invalid(say("The name has characters that cannot be seen. Please leave them out."))
    if _marks_in_a_row(name) > 2 or not any(unicodedata.category(letter)[0] in "LNSP" for letter in name):
        raise Invalid(say("That name cannot be read. Please choose another."))
    if len(name.encode()) > MOST_BYTES:
        raise Invalid(say("This name takes too much room. Please choose a shorter one."))
    if not _one_script(name):
        raise Invalid(say("A name keeps to one alphabet. Please do not mix letters that look alike."))
    return name


@lru_cache(maxsize=4096)
def shown_name(stored: str) -> str:
    """Return a stored name as it may be shown: rows that older rules let in are cut down to what the eye can read."""
    seen = "".join(letter for letter in unicodedata.normalize("NFC", stored) if _visible(letter))
    name = " ".join(_unstacked(seen).split())[:LONGEST].rstrip()
    return name if any(unicodedata.category(letter)[0] in "LNSP" for letter in name) else "?"


def _visible(letter: str) -> bool:
    return unicodedata.category(letter) not in _REFUSED and letter not in _INVISIBLE


def _unstacked(name: str) -> str:
    """Return a name in NFC with no more than two marks upon a letter."""
    kept: list[str] = []
    run = 0
    for letter in unicodedata.normalize("NFD", name):
        run = run + 1 if unicodedata.combining(letter) else 0
        if run <= 2:
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


def _one_script(name: str) -> bool:
    """Whether the letters are of one script, or of scripts that one language writes together."""
    scripts = {
        word
        for letter in unicodedata.normalize("NFKC", name)
        if unicodedata.category(letter)[0] == "L"
        and (word := unicodedata.name(letter, "?").split()[0].partition("-")[0]) not in _COMMON
    }
    return len(scripts) < 2 or any(scripts <= group for group in _TOGETHER)


def _marks_in_a_row(name: str) -> int:
    most = run = 0
    for letter in unicodedata.normalize("NFD", name):
        run = run + 1 if unicodedata.combining(letter) else 0
        most = max(most, run)
    return most


def folded(name: str) -> str:
    """Return what two names must differ in: compatibility form, no case, no marks of width, look-alikes made equal.

    The look-alikes are those of Latin with Greek and Cyrillic, and 0, 1, l and |. Names of other scripts that resemble
    each other (UTS 39 lists thousands) count as different.
    """
    plain = unicodedata.normalize("NFKC", name.translate(_SELECTORS)).casefold()
    # taken apart, so that a look-alike with an accent is one as well
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", plain).translate(_LOOKALIKES))


def unique_name(name: str, taken: Iterable[str]) -> str:
    """Return `name`, with a number behind it if somebody at the table has an equal one."""
    others = {folded(other) for other in taken}
    if folded(name) not in others:
        return name
    for number in range(2, len(others) + 3):
        suffix = f" {number}"
        candidate = name[: LONGEST - len(suffix)].rstrip() + suffix
        if folded(candidate) not in others:
            return candidate
    raise AssertionError("one of n+1 numbers is free among n names")
