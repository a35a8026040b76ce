"""Games of Mythical Dice whose dice fall as told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from app.core import codec, engine
from app.core.events import Event
from app.core.game import IllegalMove
from app.games.mythical_dice.dice import BAG, FACES
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.rules import GAME
from app.games.mythical_dice.state import Bid, RollDie, State
from tests.support.dice import ScriptedDice


def picks(hands: Sequence[Sequence[str]]) -> list[int]:
    """Return the faces of the draws that deal these hands."""
    bag, found = list(BAG), []
    for hand in hands:
        for die in hand:
            found.append(bag.index(die) + 1)
            bag.remove(die)
    return found


class Played:
    """A game whose dice fall as told; hands are told for each round."""

    def __init__(self, hands: Sequence[Sequence[str]], first: int = 1, **options: Any) -> None:
        self.options = Options(**options)
        self.players = len(hands)
        self.events: list[Event]
        self.state: State
        dice = ScriptedDice(first, *picks(hands))
        self.state, self.events = engine.begin(GAME, self.options, self.players, dice)

    def move(self, seat: int, move: Any, *faces: int) -> list[Event]:
        dice = ScriptedDice(*faces)
        self.state, new = engine.play(GAME, self.state, seat, move, dice, len(self.events))
        assert not dice.left
        self.events += new
        return new

    def bids(self, *bids: int) -> None:
        for seat, bid in enumerate(bids):
            self.move(seat, Bid(bid))

    def roll(self, seat: int, die: str, shows: int | str, then: Sequence[Sequence[str]] = ()) -> list[Event]:
        return self.move(seat, RollDie(die), FACES[die].index(shows) + 1, *picks(then))

    def refusal(self, seat: int, move: Any) -> tuple[str, dict[str, Any]]:
        before = self.state
        with pytest.raises(IllegalMove) as caught:
            self.move(seat, move)
        assert self.state is before
        return caught.value.reason.key, dict(caught.value.reason.parts)

    def moves(self, seat: int) -> list[dict[str, Any]]:
        return [codec.action_data(action) for action in GAME.actions(self.state, seat)]

    def kinds(self, seat: int) -> list[str]:
        return [move["die"] for move in self.moves(seat)]

    def view(self, viewer: int | None = None) -> dict[str, Any]:
        data: dict[str, Any] = codec.data(GAME.view(self.state, viewer))
        return data


def second_round(hands: Sequence[Sequence[str]], **options: Any) -> Played:
    """A game of three whose first round is over: seat 0 led a red 7 and bid right, the others did so too."""
    game = Played([["red"], ["yellow"], ["purple"]], **options)
    game.bids(1, 0, 0)
    game.roll(0, "red", 7)
    game.roll(1, "yellow", 4)
    game.roll(2, "purple", 1, hands)
    return game
