"""The bots of Mythical Dice: greedy with a careless or a steady hand, and one that plays the round out many times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.core.bot import Bot, Level, Worlds
from app.core.game import Action, Rng, Seat
from app.games.mythical_dice.dice import KINDS
from app.games.mythical_dice.odds import Floats, Ints, odds
from app.games.mythical_dice.playouts import THRIFT, counted, going_on, greedy_bids
from app.games.mythical_dice.state import Bid, RollDie, State, View


@dataclass(frozen=True, slots=True)
class Greedy:
    """Bids what its dice are usually worth and rolls what best takes or avoids this trick, all else aside.

    `careless`: how often it rolls any die it may instead, and how often its bid is one off. `thrift`: how much a die's usual worth counts against its
    chance in this trick; without it a strong die goes where a weak one would have done.
    """

    level: Level
    careless: float = 0.0
    thrift: float = THRIFT

    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        """Return the bid or the die by rule; or, careless, a bid one off, or a die drawn by lot."""
        if len(actions) == 1:
            return actions[0].move
        move = greedy_move(seat, view, worlds(rng), self.thrift)
        if rng.random() >= self.careless:
            return move
        if isinstance(move, Bid):
            off = 1 - 2 * rng.randrange(2)
            return Bid(min(max(move.tricks + off, 0), len(view.hand)))
        return actions[rng.randrange(len(actions))].move


def greedy_move(seat: Seat, view: View, world: State, thrift: float = THRIFT) -> Bid | RollDie:
    """Return what the greedy rule does with the dice of `seat`; of the world only what is open is asked."""
    hands = np.zeros((1, world.players, len(KINDS)), dtype=np.int64)
    hands[0, seat] = counted(view.hand)
    if view.phase == "bidding":
        return Bid(int(greedy_bids(hands[0, seat], odds(world.options).usual(world.players))))
    bids = np.array([[bid or 0 for bid in view.bids]])
    rolls = np.zeros((1, world.players, 1), dtype=np.int64)  # none is looked at
    return RollDie(KINDS[int(going_on(world, hands, bids, rolls, thrift).greedy()[0])])


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """Plays the round out greedily for each move, in the same worlds with the same rolls, and takes the best mean.

    `worlds`: how many are made up; each is played `streams` times with other rolls. `trust`: worlds count by how well
    the open bids fit their hands, with this standard deviation between a bid and what the hand is usually worth.
    `sigmas`: the greedy move is left only for one that is better by so many standard errors of the difference.
    """

    level: Level = "hard"
    worlds: int = 64
    streams: int = 4
    trust: float = 0.8
    sigmas: float = 0.0

    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        """Return the bid or die with the best mean of points in this round."""
        if len(actions) == 1:
            return actions[0].move
        made_up: list[State] = [worlds(rng) for _ in range(self.worlds)]
        moves = [action.move for action in actions]
        hands = np.array([[counted(hand) for hand in world.hands] for world in made_up])
        points = self._points(seat, view, moves, made_up[0], hands, rng)
        weights = self._weights(view, made_up[0], hands)
        rule = moves.index(greedy_move(seat, view, made_up[0]))
        better = points - points[rule]
        mean = better @ weights
        error = np.sqrt(((better - mean[:, np.newaxis]) ** 2) @ weights**2)
        return moves[int(np.where(mean >= self.sigmas * error, mean, -np.inf).argmax())]

    def _points(
        self, seat: Seat, view: View, moves: Sequence[Bid | RollDie], table: State, hands: Ints, rng: Rng
    ) -> Floats:
        """Return the mean points [move, world] of `seat`; `table` is any of the worlds, for what is open."""
        players, left = table.players, len(view.hand)
        plays = np.repeat(hands, self.streams, axis=0)
        rolls = _rolls(len(plays), players, left, rng)
        every = np.tile(plays, (len(moves), 1, 1))
        if view.phase == "bidding":
            bids = greedy_bids(every, odds(table.options).usual(players))
            bids[:, seat] = np.repeat([move.tricks for move in moves if isinstance(move, Bid)], len(plays))
        else:
            bids = np.tile([bid or 0 for bid in view.bids], (len(every), 1))
        rounds = going_on(table, every, bids, np.tile(rolls, (len(moves), 1, 1)))
        if view.phase == "playing":
            rounds.roll(np.repeat([KINDS.index(move.die) for move in moves if isinstance(move, RollDie)], len(plays)))
        points = rounds.play_out()[:, seat].reshape(len(moves), len(hands), self.streams)
        mean: Floats = points.mean(axis=2)
        return mean

    def _weights(self, view: View, table: State, hands: Ints) -> Floats:
        """Return how much each world counts, 1 in all."""
        if view.phase == "bidding":
            return np.full(len(hands), 1 / len(hands))
        gone = Counter((thrown.seat, thrown.die) for trick in (*table.tricks, table.trick) for thrown in trick)
        rolled = np.array([[gone[seat, kind] for kind in KINDS] for seat in range(table.players)])
        worth = (hands + rolled) @ odds(table.options).usual(table.players)
        misfit = ((worth - np.array(view.bids)) ** 2).sum(axis=1) / (2 * self.trust**2)
        weights = np.exp(misfit.min() - misfit)
        found: Floats = weights / weights.sum()
        return found


def _rolls(rows: int, players: int, tricks: int, rng: Rng) -> Ints:
    """Return rolls 0…5 [row, seat, trick], each seat's rolls of a trick spread evenly over the rows."""
    chance = np.random.default_rng(rng.randrange(2**63))
    even = np.arange(rows) % 6
    return chance.permuted(np.tile(even, (players * tricks, 1)), axis=1).T.reshape(rows, players, tricks)


BOTS: tuple[Bot, ...] = (Greedy("easy", careless=0.3, thrift=0.0), Greedy("normal"), MonteCarlo())
