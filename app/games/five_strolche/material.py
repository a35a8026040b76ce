"""What lies on the table: forty dice, five boards, a bag. Dice are named as in the API: r0…r9, b0…, k0…, y0…."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from app.core.game import Value

COLOURS: tuple[str, ...] = ("red", "blue", "black", "yellow")
"""The colours in the order of the bag."""

_LETTERS = {"r": "red", "b": "blue", "k": "black", "y": "yellow"}

DICE: tuple[str, ...] = tuple(f"{letter}{number}" for letter in _LETTERS for number in range(10))
"""All dice, in the order in which the bag counts them."""

_PLACE = {die: place for place, die in enumerate(DICE)}

BOARDS: tuple[str, ...] = ("john", "ringo", "rihanna", "pink", "paul")
"""The boards of the five rogues, in the order in which they lie there."""

HOME: dict[str, str] = {"john": "blue", "ringo": "black", "rihanna": "yellow", "pink": "red", "paul": "red"}
"""The colour of the dice a board takes."""

ROOM: dict[str, int] = {"john": 3, "ringo": 3, "rihanna": 3, "pink": 3, "paul": 2}
"""How many dice may lie on a board."""

HANDS: dict[int, int] = {2: 12, 3: 8, 4: 6, 5: 5}
"""Dice each player begins with, by number of players."""

LOCKS = 6
WINGS = 2
ACTIONS = 2


def colour(die: str) -> str:
    """Return the colour of a die, one of COLOURS. Raises KeyError for anything that is no die."""
    return _LETTERS[die[:1]]


def in_order(dice: Iterable[str]) -> tuple[str, ...]:
    """Return dice in the order of the bag."""
    return tuple(sorted(dice, key=_PLACE.__getitem__))


class Faces(Mapping[str, int]):
    """Which number each die shows, as an immutable, hashable mapping {die: 1…6} in the order of the bag.

    In JSON it is an object. A die in the bag or in the air shows none.
    """

    __slots__ = ("_faces",)

    def __init__(self, faces: Mapping[str, int] | None = None) -> None:
        given = faces or {}
        self._faces = {die: given[die] for die in in_order(given)}

    def __getitem__(self, die: str) -> int:
        return self._faces[die]

    def __iter__(self) -> Iterator[str]:
        return iter(self._faces)

    def __len__(self) -> int:
        return len(self._faces)

    def __hash__(self) -> int:
        return tuple(self._faces.items()).__hash__()

    def __repr__(self) -> str:
        return f"Faces({self._faces})"

    def showing(self, new: Mapping[str, int]) -> Faces:
        """Return these faces with those in `new` changed or added."""
        return Faces({**self._faces, **new})

    def without(self, dice: Iterable[str]) -> Faces:
        """Return these faces without `dice`."""
        gone = frozenset(dice)
        return Faces({die: face for die, face in self._faces.items() if die not in gone})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Tell the codec: a JSON object {str: int} and back. Its schemas are plain dicts, so nothing is imported."""
        return {
            "type": "function-after",
            "function": {"type": "no-info", "function": cls._checked},
            "schema": handler.generate_schema(dict[str, int]),
            "serialization": {"type": "function-plain", "function": dict},
        }

    @classmethod
    def _checked(cls, given: dict[str, int]) -> Faces:
        if any(die not in _PLACE for die in given):
            raise ValueError("there is no such die")
        return cls(given)


@dataclass(frozen=True, slots=True)
class Boards(Value):
    """The dice on the five boards, in the order in which they were laid."""

    john: tuple[str, ...] = ()
    ringo: tuple[str, ...] = ()
    rihanna: tuple[str, ...] = ()
    pink: tuple[str, ...] = ()
    paul: tuple[str, ...] = ()

    def on(self, board: str) -> tuple[str, ...]:
        """Return the dice on a board, one of BOARDS."""
        dice: tuple[str, ...] = getattr(self, board)
        return dice

    def put(self, board: str, dice: tuple[str, ...]) -> Boards:
        """Return these boards with exactly `dice` on one of them."""
        change: dict[str, Any] = {board: dice}
        return replace(self, **change)

    def without(self, dice: Iterable[str]) -> Boards:
        """Return these boards without `dice`."""
        gone = frozenset(dice)
        return Boards(*(tuple(die for die in self.on(board.name) if die not in gone) for board in fields(self)))

    def beside(self, board: str) -> tuple[str, ...]:
        """Return the dice on all other boards than `board`, in the order of the bag."""
        return in_order(die for other in BOARDS if other != board for die in self.on(other))


@dataclass(frozen=True, slots=True)
class Bag(Value):
    """How many dice of each colour are in the bag."""

    red: int
    blue: int
    black: int
    yellow: int

    @property
    def total(self) -> int:
        """How many dice there are."""
        return self.red + self.blue + self.black + self.yellow


START = Boards(john=("b0",), ringo=("k0",), rihanna=("y0",), pink=("r0",))
"""The boards at the beginning (S01)."""

START_FACES = Faces({"b0": 1, "k0": 1, "y0": 1, "r0": 1})
"""Numbers on boards never matter; the four dice of the set-up lie there with the 1 up."""
