"""The format `vault-sheet/1`: what a printed sheet is, and every way in which a file can fail to be one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

FORMAT = "vault-sheet/1"
LETTERS = "ABCDEFGHIJKL"
"""The vaults of a sheet, in the order in which they are secured: one per round."""

FILLED = "#"
"""The mark of a box that is crossed from the start."""

Tier: TypeAlias = Literal["easy", "standard", "hard"]
TIERS: tuple[Tier, ...] = get_args(Tier)

_NEEDED = ("format", "id", "title", "author", "tier", "rows", "cols", "cells", "vaults")
_ALLOWED = (*_NEEDED, "ranking", "stats")
_WORDS = frozenset({FILLED, "E", "O", "X2"})
_NUMBERS = frozenset(str(number) for number in range(1, 21))


class BrokenSheet(ValueError):
    """Data that is no sheet; `problems` has a sentence for each rule it breaks."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Vault:
    """A vault: its letter A…L, its line ("c1", "r3"; "" for a line of its own), 1…3 gems, and its boxes, filled ones too."""

    id: str
    line: str
    gems: int
    boxes: tuple[str, ...]


@dataclass(frozen=True)
class PrintedSheet:
    """A sheet as it comes from the printer. `cells`: rows of "#", "E", "O", "X2" or a number 1…20, as text."""

    id: str
    title: str
    author: str
    tier: Tier
    cells: tuple[tuple[str, ...], ...]
    vaults: tuple[Vault, ...]

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """What stands in each box, by its name "r1c1" …, in reading order."""
        return {
            box_name(row, column): cell
            for row, cells in enumerate(self.cells)
            for column, cell in enumerate(cells)
        }  # fmt: skip

    @cached_property
    def filled(self) -> tuple[str, ...]:
        """The boxes crossed from the start, in reading order."""
        return tuple(box for box, kind in self.kinds.items() if kind == FILLED)

    @cached_property
    def lines(self) -> Mapping[str, tuple[int, ...]]:
        """For each box the vaults it belongs to, as places in `vaults`."""
        return {
            box: tuple(place for place, vault in enumerate(self.vaults) if box in vault.boxes) for box in self.kinds
        }


def box_name(row: int, column: int) -> str:
    """Return the name of a box, counted from 0 here and from 1 in the name."""
    return f"r{row + 1}c{column + 1}"


def read(data: object) -> PrintedSheet:
    """Return the sheet in plain JSON data. Raises BrokenSheet with a sentence for every rule it breaks."""
    found = problems(data)
    if found:
        raise BrokenSheet(found)
    assert isinstance(data, Mapping)
    cells = tuple(tuple(row) for row in data["cells"])
    vaults = tuple(
        Vault(
            vault["id"],
            vault["line"] if isinstance(vault["line"], str) else "",
            vault["gems"],
            tuple(box_name(row, column) for row, column in _places(vault["line"], len(cells), len(cells[0]))),
        )
        for vault in data["vaults"]
    )
    return PrintedSheet(data["id"], data["title"], data["author"], data["tier"], cells, vaults)


def problems(data: object) -> tuple[str, ...]:
    """Return a sentence for every rule of the format that `data` breaks; () for a sheet.

    Later rules are looked at only where the earlier ones hold that they build on.
    """
    if not isinstance(data, Mapping):
        return ("A sheet is a JSON object.",)
    found = tuple(_head(data))
    if found:
        return found
    found = tuple(_grid(data))
    return found or (*_extras(data), *_vaults(data))


def _head(data: Mapping[str, Any]) -> Iterator[str]:
    for name in _NEEDED:
        if name not in data:
            yield f"The field {name!r} is missing."
    for name in data:
        if name not in _ALLOWED:
            yield f"There is no field {name!r} in a sheet."
    if data.get("format", FORMAT) != FORMAT:
        yield f"The format is {FORMAT!r}, not {data['format']!r}."
    for name in ("id", "title", "author"):
        if name in data and not (isinstance(data[name], str) and data[name].strip()):
            yield f"The {name} is a text that is not empty."
    if data.get("tier", "standard") not in TIERS:
        yield f"The tier is one of {', '.join(TIERS)}, not {data['tier']!r}."


def _grid(data: Mapping[str, Any]) -> Iterator[str]:
    rows, columns, cells = data["rows"], data["cols"], data["cells"]
    if not all(type(size) is int and 1 <= size <= 12 for size in (rows, columns)):
        yield "Rows and cols are numbers from 1 to 12."
        return
    if not (isinstance(cells, list) and all(isinstance(row, list) for row in cells)):
        yield "The cells are a list of rows, each a list."
        return
    if len(cells) != rows or any(len(row) != columns for row in cells):
        yield f"The cells are not {rows} rows of {columns}."
        return
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            if not isinstance(cell, str) or cell not in _WORDS | _NUMBERS:
                yield f"Box {box_name(row, column)} holds {cell!r}: a box is #, E, O, X2 or a number from 1 to 20."
    filled = sum(row.count(FILLED) for row in cells)
    if filled * 3 > rows * columns:
        yield f"{filled} of {rows * columns} boxes are filled: at most a third may be."


def _extras(data: Mapping[str, Any]) -> Iterator[str]:
    ranking = data.get("ranking", [])
    if not (isinstance(ranking, list) and all(_is_rank(rank) for rank in ranking)):
        yield "The ranking is a list of [points, title]."
    elif [rank[0] for rank in ranking] != sorted({rank[0] for rank in ranking}):
        yield "The points of the ranking rise."
    if not isinstance(data.get("stats", {}), Mapping):
        yield "The stats are a JSON object."


def _is_rank(rank: object) -> bool:
    return isinstance(rank, list) and len(rank) == 2 and type(rank[0]) is int and isinstance(rank[1], str)


def _vaults(data: Mapping[str, Any]) -> Iterator[str]:
    vaults, cells = data["vaults"], data["cells"]
    if not (isinstance(vaults, list) and all(isinstance(vault, Mapping) for vault in vaults)):
        yield "The vaults are a list of JSON objects."
        return
    if len(vaults) != len(LETTERS):
        yield f"There are exactly 12 vaults, not {len(vaults)}."
        return
    if any(set(vault) != {"id", "line", "gems"} for vault in vaults):
        yield "A vault has an id, a line and gems, and nothing else."
        return
    if [vault["id"] for vault in vaults] != list(LETTERS):
        yield "The vaults are A to L, in this order."
    for vault in vaults:
        if type(vault["gems"]) is not int or not 1 <= vault["gems"] <= 3:
            yield f"Vault {vault['id']} has {vault['gems']!r} gems: a vault has 1, 2 or 3."
    lines = [_places(vault["line"], len(cells), len(cells[0])) for vault in vaults]
    wrong = [vault["id"] for vault, places in zip(vaults, lines, strict=True) if not places]
    for letter in wrong:
        yield f"The line of vault {letter} is neither a row, a column nor a list of different boxes of this sheet."
    if not wrong:
        yield from _coverage(data, lines)


def _coverage(data: Mapping[str, Any], lines: list[tuple[tuple[int, int], ...]]) -> Iterator[str]:
    cells = data["cells"]
    for place, line in enumerate(lines):
        twin = next((earlier for earlier in range(place) if set(lines[earlier]) == set(line)), None)
        if twin is not None:
            yield f"Vaults {LETTERS[twin]} and {LETTERS[place]} have the same line."
        if all(cells[row][column] == FILLED for row, column in line):
            yield f"Vault {LETTERS[place]} is full from the start: a line has at least one open box."
    for row, boxes in enumerate(cells):
        for column, cell in enumerate(boxes):
            times = sum((row, column) in line for line in lines)
            if cell != FILLED and not 1 <= times <= 2:
                yield f"Box {box_name(row, column)} lies in {times} lines: an open box lies in one or two."


def _places(line: object, rows: int, columns: int) -> tuple[tuple[int, int], ...]:
    """Return the boxes of a line as (row, column) from 0; () for what is no line of a sheet of this size."""
    if isinstance(line, str):
        for row in range(rows):
            if line == f"r{row + 1}":
                return tuple((row, column) for column in range(columns))
        for column in range(columns):
            if line == f"c{column + 1}":
                return tuple((row, column) for row in range(rows))
        return ()
    if not (isinstance(line, Mapping) and set(line) == {"cells"} and isinstance(line["cells"], list)):
        return ()
    return _listed(line["cells"], rows, columns)


def _listed(cells: list[Any], rows: int, columns: int) -> tuple[tuple[int, int], ...]:
    for cell in cells:
        if not (isinstance(cell, list) and len(cell) == 2 and all(type(part) is int for part in cell)):
            return ()
        if not (1 <= cell[0] <= rows and 1 <= cell[1] <= columns):
            return ()
    places = tuple((row - 1, column - 1) for row, column in cells)
    return places if len(set(places)) == len(places) else ()
