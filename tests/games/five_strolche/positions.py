"""Positions of 5 Strolche II in a few words, and a game that is played on from one with told dice."""

from __future__ import annotations

from typing import Any

import pytest

from app.core import codec, engine
from app.core.events import Event
from app.core.game import IllegalMove
from app.games.five_strolche.material import BOARDS, DICE, HOME, Boards, Faces, colour, in_order
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import Options, State
from tests.support.dice import ScriptedDice

START = {"john": 1, "ringo": 1, "rihanna": 1, "pink": 1, "paul": 0}


def position(
    *hands: str,
    boards: dict[str, int] | None = None,
    bag: int | None = None,
    options: Options | None = None,
    **more: Any,
) -> State:
    """Return a state in which seat 0 is to act, with hands such as "r3 b3" (a red 3, a blue 3; k is black).

    `boards` says how many dice lie where, others than named as at the start. With `bag` the last seat holds, beside
    its own, all dice but so many. The front card is a 3, the others are not seen, unless `stack` says so.
    """
    free = {name: [die for die in DICE if colour(die) == name] for name in ("red", "blue", "black", "yellow")}
    faces: dict[str, int] = {}
    laid = Boards()
    for board in BOARDS:
        dice = tuple(free[HOME[board]].pop(0) for _ in range((START | (boards or {}))[board]))
        laid = laid.put(board, dice)
        faces |= dict.fromkeys(dice, 1)
    held: list[list[str]] = []
    for hand in hands or ("", ""):
        held.append([])
        for wanted in hand.split():
            die, face = free[colour(wanted)].pop(0), wanted[1]
            held[-1].append(die)
            faces[die] = int(face)
    if bag is not None:
        rest = [die for die in DICE if die not in faces][bag:]
        held[-1] += rest
        faces |= dict.fromkeys(rest, 2)
    given: dict[str, Any] = {"stack": (3, 0, 0, 0, 0, 0), "tableaus": laid, "dice": Faces(faces), "seat": 0}
    return State(options or Options(), tuple(in_order(hand) for hand in held), **(given | more))


def options(**chosen: object) -> Options:
    """Return options as the API takes them, defaults filled in."""
    found: Options = codec.load_options(GAME, chosen)
    return found


class Played:
    """A game played on from a state."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []

    def move(self, move: Any, *faces: int, seat: int | None = None) -> list[Event]:
        """Make a move of the active seat (or another), with the faces that all chance after it brings."""
        dice = ScriptedDice(*faces)
        acting = self.state.seat if seat is None else seat
        assert acting is not None
        self.state, new = engine.play(GAME, self.state, acting, move, dice, len(self.events))
        assert not dice.left, f"the game did not ask for {dice.left}"
        self.events += new
        return new

    def refusal(self, move: Any, seat: int = 0) -> str:
        """Return why a move is refused, with its parts filled in; the state stays as it is."""
        before = self.state
        with pytest.raises(IllegalMove) as caught:
            self.move(move, seat=seat)
        assert self.state is before
        return plain(caught.value.reason)

    def die(self, wanted: str, seat: int = 0) -> str:
        """Return the first die such as "k2" (a black 2) in a hand."""
        hand = self.state.hands[seat]
        return next(die for die in hand if die[0] == wanted[0] and self.state.dice[die] == int(wanted[1]))

    def drawing(self, *letters: str) -> tuple[int, ...]:
        """Return the faces with which the first dice of these colours are drawn from the bag."""
        bag = list(self.state.bag)
        faces = []
        for letter in letters:
            place = next(place for place, die in enumerate(bag) if die[0] == letter)
            faces.append(place + 1)
            bag.pop(place)
        return tuple(faces)

    def hand(self, seat: int = 0) -> list[str]:
        """Return a hand as it is written in `position`."""
        return [f"{die[0]}{self.state.dice[die]}" for die in self.state.hands[seat]]

    def laid(self) -> dict[str, int]:
        """Return how many dice lie on each board."""
        return {board: len(self.state.tableaus.on(board)) for board in BOARDS}

    def actions(self, seat: int = 0) -> list[dict[str, Any]]:
        """Return what a seat may do, as the API shows it."""
        return [codec.action_data(action) for action in GAME.actions(self.state, seat)]

    def kinds(self, seat: int = 0) -> set[str]:
        """Return the kinds of what a seat may do."""
        return {action["kind"] for action in self.actions(seat)}


def plain(text: Any) -> str:
    """Return a sentence in English with its parts filled in."""
    parts = {name: plain(part) if hasattr(part, "key") else part for name, part in text.parts}
    pattern: str = text.plural if text.plural is not None and text.amount != 1 else text.key
    return pattern.format(**parts)


def dealt(players: int, chosen: Options | None = None, hands: tuple[str, ...] = (), lock: int = 3) -> State:
    """Return the state after a set-up: hands of all colours with these numbers, one string per seat, 2 where none."""
    state = GAME.setup(chosen or Options(), players)
    numbers = iter("".join(hands))
    faces: list[int] = []
    while (wanted := GAME.chance(state)) is not None:
        match wanted.reason:
            case "lock":
                faces = [lock]
            case "roll":
                faces = [int(next(numbers, "2")) for _ in wanted.sides]
            case "draw":
                faces = [1 + n % 4 * (left // 4) for n, left in enumerate(wanted.sides)]
            case _:
                faces = [1]
        state = GAME.settle(state, tuple(faces))
    return state
