"""The registry: which games there are. A new game is one folder beside this file and one line below."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.board import Board
from app.core.engine import AnyGame
from app.games import yacht


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered game: its rules, and how it meets people."""

    game: AnyGame
    board: Board


def _entries(*modules: tuple[AnyGame, Board]) -> dict[str, Entry]:
    return {game.info.slug: Entry(game, board) for game, board in modules}


CURRENT: dict[str, Entry] = _entries(
    (yacht.GAME, yacht.BOARD),
)
"""The games a table can be made for, in the order of the home page, by slug."""

EARLIER: dict[tuple[str, int], Entry] = {}
"""Older rules that tables or records still use, by (slug, rules)."""


def find(slug: str, rules: int | None = None) -> Entry | None:
    """Return the game with this slug, with these rules if given; None if there is none."""
    entry = CURRENT.get(slug)
    if rules is None or (entry is not None and entry.game.info.rules == rules):
        return entry
    return EARLIER.get((slug, rules))
