"""The values of Vault: options, moves, the state of a game, and what a viewer sees of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from app.core.game import Seat, Value
from app.games.vault.sheets import SHEETS
from app.games.vault.sheets.format import PrintedSheet

ROUNDS = 12
"""Rounds of a game; each ends with the next vault being secured."""

DICE = ("d0", "d1", "d2", "d3", "d4")
"""The five dice, by place; a die keeps its place through a round."""

SKIMMERS = ("s0", "s1", "s2")

SheetChoice: TypeAlias = Literal[
    "s-01", "s-02", "s-03", "s-04", "s-05", "s-06", "s-07", "s-08", "s-09", "s-10", "s-11", "s-12", "s-13", "s-14",
    "s-15", "e-01", "e-02", "e-03", "e-04", "h-01", "h-02", "h-03", "h-04",
    "random", "easy", "standard", "hard", "day",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options(Value):
    """What a table can choose.

    `sheet`: one of the printed ones, one drawn from all or from a tier, or the one of the day ("day" is replaced when
    the table is made; where it is not, the sheet is drawn). `sum_rule`: which sums count, see `marks.fits`.
    `skimmer_as_die`: whether a skimmer alone counts in E, O and X2 boxes. `reroll_timing`: at any time, or only before
    the first mark or charge of a round. `auto_end`: whether the last die ends the round even if a charged skimmer is
    left. `tie`: whether more gems decide between equal scores.
    """

    sheet: SheetChoice = "s-01"
    sum_rule: Literal["any", "no_mix", "two"] = "any"
    skimmer_as_die: Literal["all", "numbers_only"] = "all"
    reroll_timing: Literal["any_time", "before_first"] = "any_time"
    auto_end: Literal["literal", "ask"] = "literal"
    tie: Literal["shared", "more_gems"] = "shared"


@dataclass(frozen=True, slots=True)
class Mark(Value):
    """Cross a box with tokens: those of `plus` count up, those of `minus` down; dice come before skimmers."""

    box: str
    plus: tuple[str, ...]
    minus: tuple[str, ...]
    kind: Literal["mark"] = "mark"


@dataclass(frozen=True, slots=True)
class Charge(Value):
    """Add the sum of these dice to a skimmer (0…2)."""

    skimmer: int
    dice: tuple[str, ...]
    kind: Literal["charge"] = "charge"


@dataclass(frozen=True, slots=True)
class Reroll(Value):
    """Throw these unused dice again; one of three for the whole game."""

    dice: tuple[str, ...]
    kind: Literal["reroll"] = "reroll"


@dataclass(frozen=True, slots=True)
class Pass(Value):
    """End one's round; dice not used are lost."""

    kind: Literal["pass"] = "pass"


Move: TypeAlias = Mark | Charge | Reroll | Pass


@dataclass(frozen=True, slots=True)
class Skimmer(Value):
    """A skimmer: `charge` 0 or more; once `spent` it is dead and keeps the charge it was used with."""

    charge: int = 0
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Progress(Value):
    """What stands on a player's copy of the sheet.

    `marked`: crossed boxes, those filled from the start among them, in reading order. `opened`: letters, in the order
    in which they were opened; their gems are in `gems`. `rerolls_left`: 0…3.
    """

    marked: tuple[str, ...] = ()
    skimmers: tuple[Skimmer, ...] = (Skimmer(),) * 3
    rerolls_left: int = 3
    opened: tuple[str, ...] = ()
    gems: int = 0

    @property
    def free_skimmers(self) -> int:
        """How many skimmers are not spent, charged or not; each is a point at the end."""
        return sum(not skimmer.spent for skimmer in self.skimmers)

    @property
    def score(self) -> int:
        """Gems and free skimmers."""
        return self.gems + self.free_skimmers


@dataclass(frozen=True, slots=True)
class Hand(Value):
    """A seat in the running round.

    `before`: its progress when the round began, which is all that others know of it. `used`: dice used, ascending.
    `depths`: how often each die was thrown again this round. `rolled`: the dice of its last throw. `ended`: it has
    ended the round and waits for the others.
    """

    progress: Progress = Progress()
    before: Progress = Progress()
    used: tuple[str, ...] = ()
    depths: tuple[int, ...] = (0, 0, 0, 0, 0)
    rolled: tuple[str, ...] = DICE
    ended: bool = False

    @property
    def begun(self) -> bool:
        """Whether the seat has marked or charged in this round."""
        now, then = self.progress, self.before
        return (now.marked, now.skimmers) != (then.marked, then.skimmers)


@dataclass(frozen=True, slots=True)
class State(Value):
    """A game of Vault.

    `sheet`: its name, None until it is drawn. `secured`: how many vaults are secured, 0…12; 12 is the end. `stream`:
    per die the values anybody has uncovered in this round, the roll first; () while the roll is wanted. A die of a
    seat shows the value at its depth, and is in the air while there is none. `hands`: one per seat.
    """

    options: Options
    sheet: str | None
    secured: int
    stream: tuple[tuple[int, ...], ...]
    hands: tuple[Hand, ...]

    @property
    def printed(self) -> PrintedSheet:
        """The sheet that is played; it must be drawn."""
        assert self.sheet is not None
        return SHEETS[self.sheet]

    @property
    def over(self) -> bool:
        """Whether every vault is secured."""
        return self.secured == ROUNDS

    def values(self, seat: Seat) -> tuple[int | None, ...]:
        """Return what the five dice of a seat show; None for a die in the air. Needs a roll."""
        depths = self.hands[seat].depths
        return tuple(
            known[depth] if depth < len(known) else None for known, depth in zip(self.stream, depths, strict=True)
        )

    def with_hand(self, seat: Seat, hand: Hand) -> State:
        """Return this state with another hand on a seat."""
        return replace(self, hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]))


@dataclass(frozen=True, slots=True)
class DieView(Value):
    """A die: `value` 1…6, None if the viewer has not uncovered it or it is in the air."""

    value: int | None
    used: bool


@dataclass(frozen=True, slots=True)
class VaultView(Value):
    """A vault of the sheet: its letter, its line ("c1", "r3" or ""), gems 1…3, boxes, and whether it is secured."""

    id: str
    line: str
    gems: int
    boxes: tuple[str, ...]
    secured: bool


@dataclass(frozen=True, slots=True)
class SeatView(Value):
    """A seat as the viewer may see it: of a running round of somebody else only how it began.

    `dice`: five, () before the roll. `rolled`: places (0…4) of the dice thrown last. `ended`: the seat has ended the
    round. `score`: gems and free skimmers so far. The rest as in `Progress`.
    """

    marked: tuple[str, ...]
    dice: tuple[DieView, ...]
    skimmers: tuple[Skimmer, ...]
    rerolls_left: int
    opened: tuple[str, ...]
    gems: int
    score: int
    rolled: tuple[int, ...]
    ended: bool


@dataclass(frozen=True, slots=True)
class View(Value):
    """What a viewer sees of a game of Vault.

    `round`: 1…12, 12 after the end too. `sheet`: the sheet's name, None (with no cells and vaults) until it is drawn.
    `cells`: its rows as printed. `vaults`: A…L. `seats`: one per seat.
    """

    round: int
    sheet: str | None
    cells: tuple[tuple[str, ...], ...]
    vaults: tuple[VaultView, ...]
    seats: tuple[SeatView, ...]
    over: bool
