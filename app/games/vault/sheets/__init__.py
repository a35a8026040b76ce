"""The printed sheets that come with Vault: files in the format `vault-sheet/1` beside this one.

What was measured on a sheet stands apart from it, in `statistics.json`: bots grow stronger, sheets stay.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from app.games.vault.sheets.format import PrintedSheet, Tier, read

DATA = files("app.games.vault.sheets") / "data"
STATISTICS = "statistics.json"


def _load() -> dict[str, PrintedSheet]:
    names = sorted(file.name for file in DATA.iterdir() if file.name.endswith(".json") and file.name != STATISTICS)
    found = [read(json.loads((DATA / name).read_text(encoding="utf-8"))) for name in names]
    return {sheet.id.lower(): sheet for sheet in found}


SHEETS: dict[str, PrintedSheet] = _load()
"""The sheets by the name a table option gives them, "s-01" …; a draw takes them in this order."""


def pool(tier: Tier | None = None) -> tuple[str, ...]:
    """Return the names of the sheets of a tier (None: of all), in the order in which a draw counts them."""
    return tuple(name for name, sheet in SHEETS.items() if tier is None or sheet.tier == tier)


def statistics() -> dict[str, Any]:
    """Return what was measured on the sheets, as in `statistics.json`."""
    found: dict[str, Any] = json.loads((DATA / STATISTICS).read_text(encoding="utf-8"))
    return found


def sheet_of_the_day(today: str) -> str:
    """Return the name of the standard sheet of a day, "2026-11-30": each comes once before one comes again.

    Raises ValueError for anything but a date.
    """
    names = pool("standard")
    # 3 has no factor in common with 10, so steps of three go round all of them
    return names[_day_number(today) * 3 % len(names)]


def _day_number(today: str) -> int:
    """Return the day counted from an arbitrary start; a year begins in March here, so that leap days end it."""
    parts = today.split("-")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise ValueError(f"not a date: {today!r}")
    year, month, day = map(int, parts)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError(f"not a date: {today!r}")
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day
