"""The registry: which games there are. A new game is one folder beside this file and one line below."""

from __future__ import annotations

from importlib import import_module

from app.core.board import Entry

FOLDERS = (
    "yacht",
    "vault",
    "mythical_dice",
    "five_strolche",
)  # fmt: skip
"""The folders of the games, in the order of the home page; each exports `ENTRY`."""


def _entry(folder: str) -> Entry:
    entry: Entry = import_module(f"app.games.{folder}").ENTRY
    return entry


CURRENT: dict[str, Entry] = {entry.game.info.slug: entry for entry in map(_entry, FOLDERS)}
"""The games a table can be made for, by slug."""

EARLIER: dict[tuple[str, int], Entry] = {}
"""Older rules that tables or records still use, by (slug, rules)."""


def find(slug: str, rules: int | None = None) -> Entry | None:
    """Return the game with this slug, with these rules if given; None if there is none."""
    entry = CURRENT.get(slug)
    if rules is None or (entry is not None and entry.game.info.rules == rules):
        return entry
    return EARLIER.get((slug, rules))


__all__ = ["CURRENT", "EARLIER", "FOLDERS", "Entry", "find"]
