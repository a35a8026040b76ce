"""Options, moves, state and view of 5 Strolche II. Numbers in brackets are those of the rules page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from app.core.game import Seat, Value
from app.games.five_strolche.material import DICE, START, START_FACES, Bag, Boards, Faces, colour

UNLIMITED = 200
"""Turns of each player after which a game without a limit is lost all the same, so that it ends (28)."""

Asked: TypeAlias = Literal["", "take", "take_all", "turn", "crack", "effect", "rescue"]
"""The open choice that follows an action: the kind of the move that answers it, "" if none is open."""

Cause: TypeAlias = Literal["", "deal", "draw", "reroll", "draw_three", "take", "take_all"]
RingoEffect: TypeAlias = Literal["open", "rotate"]
Ending: TypeAlias = Literal["", "won", "gate", "turns"]


@dataclass(frozen=True, slots=True)
class Options(Value):
    """What a table may agree on; the defaults are the best reading of the text.

    `rotate`: where a card goes to the back (1). `overflow`: what a fourth die on a board does (2). `fizzle`: whether a
    die may be laid that has no effect (8). `take2`: two dice, or one or two (10). `pass_`: when passing is possible
    (14). `turn_limit`: turns of each player, then the game is lost (28). `last_rescue`, `rescue_opens`: the variant
    (25). `right_order`: the locks in the order 1…6 (26). `memory_aid`: show the cards that were seen (27).
    """

    rotate: Literal["john", "john_and_ringo"] = "john"
    overflow: Literal["all_four", "old_three", "blocked"] = "all_four"
    fizzle: Literal["allowed", "forbidden"] = "allowed"
    take2: Literal["exactly", "up_to_two"] = "exactly"
    pass_: Literal["only_if_stuck", "allowed"] = "only_if_stuck"  # noqa: S105  # no password
    turn_limit: Literal["off", 30, 25, 20] = "off"
    last_rescue: Literal["off", "on", "once"] = "off"
    rescue_opens: Literal["both", "one"] = "both"
    right_order: Literal["off", "on"] = "off"
    memory_aid: Literal["off", "on"] = "off"


@dataclass(frozen=True, slots=True)
class Draw(Value):
    """Action a: draw a die from the bag and roll it."""

    kind: Literal["draw"] = "draw"


@dataclass(frozen=True, slots=True)
class Reroll(Value):
    """Action b: roll any of one's own dice again, one throw together."""

    dice: tuple[str, ...]
    kind: Literal["reroll"] = "reroll"


@dataclass(frozen=True, slots=True)
class Place(Value):
    """Action c: lay an own die on a board, which has its effect at once."""

    die: str
    on: str
    kind: Literal["place"] = "place"


@dataclass(frozen=True, slots=True)
class Give(Value):
    """Action d: give an own die to another seat, its number unchanged."""

    die: str
    to: Seat
    kind: Literal["give"] = "give"


@dataclass(frozen=True, slots=True)
class Pass(Value):
    """Leave what is left of the turn."""

    kind: Literal["pass"] = "pass"


@dataclass(frozen=True, slots=True)
class Take(Value):
    """Follows John or Ringo 4–6: the dice to take from other boards."""

    dice: tuple[str, ...]
    kind: Literal["take"] = "take"


@dataclass(frozen=True, slots=True)
class TakeAll(Value):
    """Follows Rihanna 4–6: the board to empty."""

    from_: str
    kind: Literal["take_all"] = "take_all"


@dataclass(frozen=True, slots=True)
class Turn(Value):
    """Follows Pink 4–6: turn an own die to another number."""

    die: str
    face: int
    kind: Literal["turn"] = "turn"


@dataclass(frozen=True, slots=True)
class Crack(Value):
    """Follows Paul where there is a choice: the four dice to pay, in the order of the bag."""

    dice: tuple[str, ...]
    kind: Literal["crack"] = "crack"


@dataclass(frozen=True, slots=True)
class Effect(Value):
    """Follows Ringo 1–3 where he may do either: open the gate, or put the front card to the back."""

    effect: RingoEffect
    kind: Literal["effect"] = "effect"


@dataclass(frozen=True, slots=True)
class Rescue(Value):
    """All dice back into the bag instead of losing? The active seat decides, the others say what they wish."""

    accept: bool
    kind: Literal["rescue"] = "rescue"


Move: TypeAlias = Draw | Reroll | Place | Give | Pass | Take | TakeAll | Turn | Crack | Effect | Rescue

MOVES: tuple[type[Value], ...] = (Draw, Reroll, Place, Give, Pass, Take, TakeAll, Turn, Crack, Effect, Rescue)


class Position(Protocol):
    """What it takes to judge a die: the state has it, and the view too, so that the board can say why not."""

    @property
    def options(self) -> Options:
        """The agreed options."""

    @property
    def gate(self) -> int:
        """Closed wings, 0…2."""

    @property
    def lock(self) -> int | None:
        """The number of the front card, None if there is none."""

    @property
    def locks_left(self) -> int:
        """How many locks are not cracked."""

    @property
    def cracked(self) -> tuple[int, ...]:
        """The cracked locks, in the order in which they were."""

    @property
    def tableaus(self) -> Boards:
        """The dice on the boards."""

    @property
    def dice(self) -> Faces:
        """The numbers shown."""

    @property
    def hands(self) -> tuple[tuple[str, ...], ...]:
        """The dice of each seat, in the order of the bag."""

    @property
    def in_bag(self) -> int:
        """How many dice are in the bag."""


@dataclass(frozen=True, slots=True)
class State(Value):
    """A game of 5 Strolche II. Nothing in it is hidden: cards that nobody has seen have no number yet.

    `stack`: the lock cards, front first, 0 where not seen. `seat`: whose turn it is, None while dice are dealt.
    `turns`: how many are over. `actions_left`: actions not yet begun. `draws`: dice about to be drawn. `air`: dice
    about to be rolled; they lie nowhere else. `cause`: what they are rolled for. `asked`: the open choice, and `used`
    the board it comes from. `wishes`: in a rescue vote what each seat said, () otherwise. `thrown`, `sixes`: dice and
    sixes of all throws since the set-up. `rolled`: dice of the last throw, () once something else was done.
    """

    options: Options
    hands: tuple[tuple[str, ...], ...]
    stack: tuple[int, ...] = (0,) * 6
    tableaus: Boards = START
    dice: Faces = START_FACES
    gate: int = 0
    cracked: tuple[int, ...] = ()
    cracked_by: tuple[Seat, ...] = ()
    seat: Seat | None = None
    turns: int = 0
    actions_left: int = 2
    gift_used: bool = False
    draws: int = 0
    air: tuple[str, ...] = ()
    cause: Cause = ""
    asked: Asked = ""
    used: str = ""
    wishes: tuple[bool | None, ...] = ()
    rescues: int = 0
    thrown: int = 0
    sixes: int = 0
    rolled: tuple[str, ...] = ()
    ended: Ending = ""

    @property
    def players(self) -> int:
        """How many play."""
        return len(self.hands)

    @property
    def lock(self) -> int | None:
        """The number of the front card; None while it is not turned up, and when all are cracked."""
        return (self.stack[0] or None) if self.stack else None

    @property
    def locks_left(self) -> int:
        """How many locks are not cracked."""
        return len(self.stack)

    @property
    def bag(self) -> tuple[str, ...]:
        """The dice that lie nowhere else, in the order of the bag."""
        return tuple(die for die in DICE if die not in self.dice and die not in self.air)

    @property
    def in_bag(self) -> int:
        """How many dice are in the bag."""
        return len(DICE) - len(self.dice) - len(self.air)

    @property
    def round(self) -> int:
        """The round, from 1; after the end the last one."""
        return (self.turns - (self.ended == "turns")) // self.players + 1

    @property
    def turns_left(self) -> int:
        """Turns of all players together until the game is lost."""
        limit = self.options.turn_limit
        return (UNLIMITED if limit == "off" else limit) * self.players - self.turns


@dataclass(frozen=True, slots=True)
class View(Value):
    """What everybody sees: the state, with the bag counted, and unseen or remembered cards left out.

    `lock`: None only before the first card is turned up and after the last is cracked. `seat`: None while dice are
    dealt; after the end whose turn was the last. `dice` has every die in a hand or on a board. `stack`: with
    `memory_aid` the cards, front first, 0 where not seen; () without. `turns_left`: turns of all players until the game
    is lost, None without a limit. The rest as in State.
    """

    gate: int
    lock: int | None
    locks_left: int
    cracked: tuple[int, ...]
    tableaus: Boards
    dice: Faces
    hands: tuple[tuple[str, ...], ...]
    bag: Bag
    seat: Seat | None
    actions_left: int
    gift_used: bool
    round: int
    turns_left: int | None
    asked: Asked
    used: str
    wishes: tuple[bool | None, ...]
    air: tuple[str, ...]
    cause: Cause
    rolled: tuple[str, ...]
    stack: tuple[int, ...]
    cracked_by: tuple[Seat, ...]
    rescues: int
    thrown: int
    sixes: int
    ended: Ending
    options: Options

    @property
    def in_bag(self) -> int:
        """How many dice are in the bag."""
        return self.bag.total


def view_of(state: State) -> View:
    """Return what everybody sees of a state."""
    bag = [colour(die) for die in state.bag]
    return View(
        gate=state.gate,
        lock=state.lock,
        locks_left=state.locks_left,
        cracked=state.cracked,
        tableaus=state.tableaus,
        dice=state.dice,
        hands=state.hands,
        bag=Bag(bag.count("red"), bag.count("blue"), bag.count("black"), bag.count("yellow")),
        seat=state.seat,
        actions_left=state.actions_left,
        gift_used=state.gift_used,
        round=state.round,
        turns_left=None if state.options.turn_limit == "off" else state.turns_left,
        asked=state.asked,
        used=state.used,
        wishes=state.wishes,
        air=state.air,
        cause=state.cause,
        rolled=state.rolled,
        stack=state.stack if state.options.memory_aid == "on" else (),
        cracked_by=state.cracked_by,
        rescues=state.rescues,
        thrown=state.thrown,
        sixes=state.sixes,
        ended=state.ended,
        options=state.options,
    )
