"""What a seat may do, in a fixed order. Numbers in brackets are those of the rules page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from app.core.game import Action, Pick, Seat
from app.games.five_strolche.material import BOARDS, HOME, colour
from app.games.five_strolche.placing import can_open, can_rotate_at_ringo, obstacle, payment
from app.games.five_strolche.state import (
    Crack,
    Draw,
    Effect,
    Give,
    Move,
    Pass,
    Place,
    Reroll,
    Rescue,
    RingoEffect,
    State,
    Take,
    TakeAll,
    Turn,
)

_EQUALS = 3
"""Dice of one colour and number are alike, so a choice of this many among them is enough."""

_COLOUR_BOARDS = {name: tuple(board for board in BOARDS if HOME[board] == name) for name in HOME.values()}


# Ready-made: these are the actions there are many of, and they are the same all game long.


@cache
def _place(die: str, board: str) -> Action[Move]:
    return Action(Place(die, board))


@cache
def _gives(die: str, seat: Seat, players: int) -> tuple[Action[Move], ...]:
    return tuple(Action(Give(die, to)) for to in range(players) if to != seat)


def asked_seats(state: State) -> frozenset[Seat]:
    """Return who is asked when no chance is pending: the active seat; in a vote also who has not said a wish (25)."""
    if state.seat is None or state.ended:
        return frozenset()
    if state.asked != "rescue":
        return frozenset({state.seat})
    silent = {seat for seat, wish in enumerate(state.wishes) if wish is None}
    return frozenset({state.seat} | silent)


def choices(state: State, seat: Seat) -> tuple[Action[Move], ...]:
    """Return the actions of a seat that is asked: the answers to the open choice, else the four kinds of action."""
    if state.asked == "take":
        return (_take(state),)
    return tuple(map(Action, _answers(state, seat)) if state.asked else _main(state, seat))


def _main(state: State, seat: Seat) -> Iterator[Action[Move]]:
    hand = state.hands[seat]
    if state.in_bag:
        yield Action(Draw())
    if hand:  # (15): at least one die
        yield Action(Reroll(()), "dice", Pick(hand, 1, len(hand)))
    for die in hand:
        for board in _COLOUR_BOARDS[colour(die)]:
            if obstacle(state, seat, die, board) is None:
                yield _place(die, board)
    if not state.gift_used:  # (16), S21
        for die in hand:
            yield from _gives(die, seat, state.players)
    if stuck(state, seat) or state.options.pass_ == "allowed":  # noqa: S105  # (14), no password
        yield Action(Pass())


def stuck(state: State, seat: Seat) -> bool:
    """Say whether no action is left: a die in the hand can always be rolled again (S28)."""
    return not state.in_bag and not state.hands[seat]


def _answers(state: State, seat: Seat) -> Iterator[Move]:
    match state.asked:
        case "take_all":  # (11)
            full = (board for board in BOARDS if board != state.used and state.tableaus.on(board))
            yield from map(TakeAll, full)
        case "turn":  # (20), S20
            for die in state.hands[seat]:
                yield from (Turn(die, face) for face in range(1, 7) if face != state.dice[die])
        case "crack":
            yield from map(Crack, payments(state, seat))
        case "effect":
            yield from map(Effect, effects(state))
        case _:
            yield from map(Rescue, (True, False))


def _take(state: State) -> Action[Move]:
    there = state.tableaus.beside(state.used)
    most = min(2, len(there))
    least = 1 if state.options.take2 == "up_to_two" else most  # (10), S27
    return Action(Take(()), "dice", Pick(there, least, most))


def payments(state: State, seat: Seat, die: str = "") -> list[tuple[str, ...]]:
    """Return every four dice that pay for the lock, `die` left out; of equal dice no more than the first three."""
    return list(product(*(dice[:_EQUALS] for dice in payment(state, seat, die).values())))


def effects(state: State) -> tuple[RingoEffect, ...]:
    """Return what Ringo may do with 1–3 where the table lets him rotate (1); in vain only where dice may fizzle."""
    openings: tuple[RingoEffect, ...] = ("open",) if can_open(state) or state.options.fizzle == "allowed" else ()
    return (*openings, "rotate") if can_rotate_at_ringo(state) else openings
