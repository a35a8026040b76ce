"""Moves, state and view of Mythical Dice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.core.game import Seat, Value
from app.games.mythical_dice.dice import FACES, SPECIALS, Face, colour_to_follow
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.scoring import trick_winner

ROUNDS: dict[int, int] = {3: 8, 4: 8, 5: 7, 6: 6}
"""How many rounds are played, by the number of players (M28)."""

Phase: TypeAlias = Literal["drawing", "bidding", "playing", "over"]


@dataclass(frozen=True, slots=True)
class Bid(Value):
    """Bid to win `tricks` of this round's tricks, 0 up to all of them; it stands."""

    tricks: int
    kind: Literal["bid"] = "bid"


@dataclass(frozen=True, slots=True)
class RollDie(Value):
    """Roll a die of this kind from the own hand to the trick."""

    die: str
    kind: Literal["roll"] = "roll"


Move: TypeAlias = Bid | RollDie


@dataclass(frozen=True, slots=True)
class Thrown(Value):
    """A die as it lies in a trick: who rolled it, its kind, and what it shows, 1…7 or one of M G S F."""

    seat: Seat
    die: str
    face: Face


Trick: TypeAlias = tuple[Thrown, ...]


def winner(trick: Trick, options: Options) -> Seat:
    """Return who wins a trick, or would if it ended here. Raises ValueError for an empty one."""
    return trick[trick_winner([thrown.face for thrown in trick], options)].seat


@dataclass(frozen=True, slots=True)
class Round(Value):
    """A finished round, one entry per seat: the bids, the tricks won, the bonus points, and the points in all."""

    bids: tuple[int, ...]
    tricks_won: tuple[int, ...]
    bonuses: tuple[int, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State(Value):
    """A game of Mythical Dice, with what is hidden.

    `start`: who leads the first round, None until drawn by lot. `hands`: dice not rolled yet, in canonical order.
    `drawn`: how many seats have drawn their dice of this round. `bids`: None where not made. `lead`: who leads the
    trick that is being played. `rolling`: the die in the air. `trick`: what lies of it. `tricks`: the finished ones of
    this round. `last`: the latest finished trick, also of the round before. `past`: the finished rounds.
    """

    options: Options
    hands: tuple[tuple[str, ...], ...]
    bids: tuple[int | None, ...]
    start: Seat | None = None
    drawn: int = 0
    lead: Seat = 0
    rolling: str | None = None
    trick: Trick = ()
    tricks: tuple[Trick, ...] = ()
    last: Trick = ()
    past: tuple[Round, ...] = ()

    @property
    def players(self) -> int:
        """How many play."""
        return len(self.hands)

    @property
    def rounds(self) -> int:
        """How many rounds are played in all."""
        return ROUNDS[self.players]

    @property
    def round(self) -> int:
        """The round that is being played, counted from 1; at the end the last. It has as many dice and tricks."""
        return min(len(self.past) + 1, self.rounds)

    @property
    def phase(self) -> Phase:
        """What is going on; dice in the air belong to "playing"."""
        if len(self.past) == self.rounds:
            return "over"
        if self.start is None or self.drawn < self.players:
            return "drawing"
        return "bidding" if None in self.bids else "playing"

    @property
    def seat(self) -> Seat | None:
        """Who is to roll, or has a die in the air; None while nobody plays to a trick."""
        return (self.lead + len(self.trick)) % self.players if self.phase == "playing" else None

    @property
    def colour(self) -> str | None:
        """The colour to follow in this trick, None while none is set."""
        return colour_to_follow([thrown.die for thrown in self.trick], self.options.colour_setter)

    def won(self, seat: Seat) -> tuple[Trick, ...]:
        """Return the finished tricks of this round that a seat won, in order."""
        return tuple(trick for trick in self.tricks if winner(trick, self.options) == seat)

    def voids(self) -> tuple[frozenset[str], ...]:
        """Return for each seat the colours of which everybody knows that it has none.

        Who rolled a number die of another colour than the one to follow had none of that, and draws nothing new.
        """
        found: list[set[str]] = [set() for _ in self.hands]
        open_trick = [(thrown.seat, thrown.die) for thrown in self.trick]
        if self.rolling is not None and self.seat is not None:
            open_trick.append((self.seat, self.rolling))
        for trick in (*[[(thrown.seat, thrown.die) for thrown in trick] for trick in self.tricks], open_trick):
            for place, (seat, die) in enumerate(trick):
                asked = colour_to_follow([before for _, before in trick[:place]], self.options.colour_setter)
                if asked is not None and die != asked and die not in SPECIALS:
                    found[seat].add(asked)
        return tuple(map(frozenset, found))

    def rolled(self) -> list[str]:
        """Return the kinds of the dice that were rolled in this round, with the one in the air."""
        out = [thrown.die for trick in (*self.tricks, self.trick) for thrown in trick]
        return out if self.rolling is None else [*out, self.rolling]


@dataclass(frozen=True, slots=True)
class View(Value):
    """What a viewer sees of a game.

    `round`: 1…`rounds`; it has as many dice and tricks. `seat`: who is to roll, None while nobody is. `hand`: the
    viewer's own dice, kinds in canonical order. `hands`: everybody's, only in the replay of a finished game.
    `bids`: of each seat; until all are made only the own one, None for the others. `has_bid`: who has made one.
    `lead`: who leads or led this trick. `trick`: what lies, in rolling order. `rolling`: the die in the air.
    `colour`: what is to be followed. `ahead`: who would win the trick as it lies. `last_trick`, `taken_by`: the latest
    finished trick and its winner, also of the round before. `tricks_won`, `captured`: in this round, per seat.
    `scores`: points per seat for each finished round; `past`: how they came about. `totals`: per seat.
    When the game is over it stands at the last round, with its bids and tricks.
    """

    round: int
    rounds: int
    phase: Phase
    seat: Seat | None
    hand: tuple[str, ...]
    hand_sizes: tuple[int, ...]
    hands: tuple[tuple[str, ...], ...] | None
    bids: tuple[int | None, ...]
    has_bid: tuple[bool, ...]
    lead: Seat | None
    trick: Trick
    rolling: str | None
    colour: str | None
    ahead: Seat | None
    last_trick: Trick
    taken_by: Seat | None
    tricks_won: tuple[int, ...]
    captured: tuple[Trick, ...]
    scores: tuple[tuple[int, ...], ...]
    past: tuple[Round, ...]
    totals: tuple[int, ...]
    skin: Literal["mythical", "pirate"]


def face_of(die: str, roll: int) -> Face:
    """Return what a die shows after a roll of 1…6."""
    return FACES[die][roll - 1]
