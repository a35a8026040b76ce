"""Many rounds of Mythical Dice side by side in arrays, to be played to their end by a greedy rule.

A second telling of the rules, for speed; the tests hold it to `scoring.py` and to the engine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.game import Seat
from app.games.mythical_dice.dice import COLOURS, KINDS, SPECIALS
from app.games.mythical_dice.odds import (
    BY_MERMAID,
    BY_MINOTAUR,
    COLOUR,
    DICE,
    FLAG,
    GRIFFIN,
    MERMAID,
    MERMAID_FOR_GOOD,
    MINOTAUR,
    SHOWN,
    TAKEN,
    TO_MERMAID,
    Floats,
    Ints,
    odds,
)
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.scoring import bonus
from app.games.mythical_dice.state import State, Trick

MAY = np.array([[asked in (0, colour) or colour == 0 for colour in COLOUR] for asked in range(len(COLOURS) + 1)])
"""Which kinds may be rolled by who holds the colour that is asked."""

THRIFT = 0.9
"""What a die's usual chance to win a trick counts against its chance now. Tuned: means of four greedy players are 51.2
at 0, 58.8 at 0.01, 61.3 at 0.5, 71.6 at 0.9, 68.1 at 1."""


def counted(hand: Sequence[str]) -> list[int]:
    """Return how many dice of each kind are in a hand."""
    return [hand.count(kind) for kind in KINDS]


def greedy_bids(hands: Ints, usual: Floats) -> Ints:
    """Return for hands[..., kind] the bid that rounds the sum of the dice's usual chances to win."""
    bids: Ints = np.floor(hands @ usual + 0.5).astype(np.int64)
    return bids


class Rounds:
    """Rounds that are being played: R of them in step, of one table, so that as many dice lie in each of the tricks.

    `hands[r, seat, kind]`: dice not rolled yet. `bids`, `won`, `bonuses[r, seat]`: `bonuses` is what tricks won so far
    are worth beside the bid. `rolls[r, seat, t]`: the roll 0…5 of a seat in the t-th trick from now on. The arrays
    given are not changed.
    """

    def __init__(
        self, options: Options, hands: Ints, bids: Ints, lead: Seat, rolls: Ints, thrift: float = THRIFT
    ) -> None:
        """Begin with no trick won and none begun."""
        self.hands, self.bids, self.rolls = hands.copy(), bids, rolls
        self.won, self.bonuses = np.zeros_like(bids), np.zeros_like(bids)
        self._count, self._players = bids.shape
        self._options, self._odds = options, odds(options)
        usual = self._odds.usual(self._players)
        self._gain = self._odds.wins - thrift * usual
        self._rows = np.arange(self._count)
        self._lead = np.full(self._count, lead)
        self._trick = 0
        self._begin_trick()

    def _begin_trick(self) -> None:
        self._lying = 0
        zero = np.zeros(self._count, dtype=np.int64)
        self._standing, self._asked, self._best, self._mermaid = zero, zero, zero, zero
        self._minotaurs, self._griffins, self._flags = zero, zero, zero

    @property
    def seats(self) -> Ints:
        """Who is to roll in each round."""
        seats: Ints = (self._lead + self._lying) % self._players
        return seats

    def greedy(self) -> Ints:
        """Return the kind that each seat which is to roll would roll: the legal one with the greatest gain.

        Gain is the chance to win this trick less most of the die's usual chance to win one; who has the tricks of his
        bid takes the least. So a strong die is not spent where it wins nothing more than a weak one.
        """
        seats = self.seats
        held = self.hands[self._rows, seats] > 0
        follows = held[self._rows, self._asked + len(SPECIALS) - 1]  # of no colour asked it does not matter
        legal = held & MAY[np.where(follows, self._asked, 0)]
        gain = self._gain[self._players - 1 - self._lying][self._standing]
        wants = (self.bids > self.won)[self._rows, seats, np.newaxis]
        kinds: Ints = np.where(legal, np.where(wants, gain, -gain), -np.inf).argmax(axis=1)
        return kinds

    def roll(self, kinds: Ints) -> None:
        """Let each seat that is to roll put a die of its kind to the trick."""
        seats = self.seats
        self.hands[self._rows, seats, kinds] -= 1
        self._show(seats, kinds, DICE[kinds, self.rolls[self._rows, seats, self._trick]])

    def lay(self, trick: Trick) -> None:
        """Put what lies of a trick into each round; the dice are in no hand any more."""
        for thrown in trick:
            kind, face = KINDS.index(thrown.die), SHOWN.index(thrown.face)
            self._show(self.seats, np.full(self._count, kind), np.full(self._count, face))

    def _show(self, seats: Ints, kinds: Ints, faces: Ints) -> None:
        if self._lying == 0 or self._options.colour_setter == "first_number_die":
            self._asked = np.where(self._asked == 0, COLOUR[kinds], self._asked)
        ahead = self._odds.ahead[self._standing, faces]
        self._mermaid = np.where(faces == MERMAID, seats, self._mermaid)
        self._best = np.where(ahead == TAKEN, seats, np.where(ahead == TO_MERMAID, self._mermaid, self._best))
        self._standing = self._odds.after[self._standing, faces]
        self._minotaurs = self._minotaurs + (faces == MINOTAUR)
        self._griffins = self._griffins + (faces == GRIFFIN)
        self._flags = self._flags + (faces == FLAG)
        self._lying += 1
        if self._lying == self._players:
            self._end_trick()

    def _end_trick(self) -> None:
        self.won[self._rows, self._best] += 1
        self.bonuses[self._rows, self._best] += self._bonus()
        self._lead = self._best
        self._trick += 1
        self._begin_trick()

    def _bonus(self) -> Ints:
        """Return what the tricks that lie complete are worth beside the bid, as `scoring.bonus` has it."""
        most = 1 if self._options.griffin_bonus == "flat" else len(KINDS)
        griffins = np.where(self._standing == BY_MINOTAUR, 30 * np.minimum(self._griffins, most), 0)
        by_mermaid = (self._standing == BY_MERMAID) | (self._standing == MERMAID_FOR_GOOD)
        found: Ints = np.where(by_mermaid & (self._minotaurs > 0), 50, griffins)
        if self._options.scoring == "simplified":
            found = np.zeros_like(found)
        return np.where(self._flags > 0, 0, found) if self._options.flag_clause == "B" else found

    def play_out(self) -> Ints:
        """Play to the end by the greedy rule and return the points [r, seat]."""
        while self._trick < self.rolls.shape[2]:
            self.roll(self.greedy())
        return self._points()

    def _points(self) -> Ints:
        tricks = self.won.sum(axis=1, keepdims=True)  # all of the round, also those before these rows began
        miss = 0 if self._options.scoring == "simplified" else -10 * np.abs(self.bids - self.won)
        met = self.bids == self.won
        made = np.where(met, 20 * self.bids + self.bonuses, miss)
        points: Ints = np.where(self.bids == 0, np.where(met, 10, -10) * tricks, made)
        return points


def going_on(table: State, hands: Ints, bids: Ints, rolls: Ints, thrift: float = THRIFT) -> Rounds:
    """Return rounds that go on from where the table stands; of `table` nothing hidden is looked at.

    `hands[r, seat, kind]`, `bids[r, seat]` and `rolls[r, seat, t]` as in `Rounds`.
    """
    rounds = Rounds(table.options, hands, bids, table.lead, rolls, thrift)
    for seat in range(table.players):
        won = [[thrown.face for thrown in trick] for trick in table.won(seat)]
        rounds.won[:, seat] = len(won)
        rounds.bonuses[:, seat] = bonus(won, table.options)
    rounds.lay(table.trick)
    return rounds
