"""Sentences without a language: a key in English and what stands in its placeholders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice shown within a sentence: faces 1…6, all of one `color` ("" is ivory)."""

    faces: tuple[int, ...]
    color: str = ""


@dataclass(frozen=True, slots=True)
class Player:
    """The name of the person on a seat, shown within a sentence."""

    seat: int


Part: TypeAlias = "str | int | Dice | Player | Text"


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence without a language: an English key with {placeholders}, and what stands in them.

    With `plural`, `amount` picks the form. Made by `say` and `tally`, whose names the catalogue tool looks for.
    """

    key: str
    parts: tuple[tuple[str, Part], ...] = ()
    plural: str | None = None
    amount: int = 0


def say(key: str, **parts: Part) -> Text:
    """Return a sentence; `key` must be a literal, so that the catalogue tool finds it."""
    return Text(key, tuple(parts.items()))


def tally(key: str, plural: str, amount: int, **parts: Part) -> Text:
    """Return a sentence whose form follows `amount`, which is also the placeholder {n}."""
    return Text(key, (("n", amount), *parts.items()), plural, amount)
