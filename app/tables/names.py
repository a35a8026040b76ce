"""Names of people: cleaned once, shown as text everywhere, unique at a table."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable

from app.core.text import say
from app.tables.errors import Invalid

LONGEST = 24

# letters that look like nothing: Hangul fillers, the braille blank, and friends
_INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\U0001d159")
# these choose the form of the letter before them; emoji need them, names do not differ by them
_SELECTORS = dict.fromkeys(
    [*range(0xFE00, 0xFE10), *range(0x180B, 0x1810), *range(0xE0100, 0xE01F0)],
)
# control, format (bidi and zero width among them), surrogate, private use, unassigned, line and paragraph separators
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

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
    if any(unicodedata.category(letter) in _REFUSED or letter in _INVISIBLE for letter in name):
        raise Invalid(say("The name has characters that cannot be seen. Please leave them out."))
    if _marks_in_a_row(name) > 2 or not any(unicodedata.category(letter)[0] in "LNSP" for letter in name):
        raise Invalid(say("That name cannot be read. Please choose another."))
    return name


def _marks_in_a_row(name: str) -> int:
    most = run = 0
    for letter in unicodedata.normalize("NFD", name):
        run = run + 1 if unicodedata.combining(letter) else 0
        most = max(most, run)
    return most


def folded(name: str) -> str:
    """Return what two names must differ in: compatibility form, no case, no marks of width."""
    plain = name.translate(_SELECTORS)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())


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
