"""Why a move is not possible, in a few words."""

from __future__ import annotations

from app.core.game import Seat
from app.core.text import Text, say
from app.games.five_strolche.choices import asked_seats
from app.games.five_strolche.placing import obstacle
from app.games.five_strolche.state import (
    Give,
    Move,
    Place,
    Reroll,
    State,
    Take,
    TakeAll,
    Turn,
)

_FIRST: dict[str, Text] = {
    "take": say("First choose the dice to take."),
    "take_all": say("First choose the board to empty."),
    "turn": say("First turn one of your dice."),
    "crack": say("First choose the four dice for the lock."),
    "effect": say("First choose what Ringo does."),
    "rescue": say("First decide about the rescue."),
}

_OTHERWISE = say("That is not possible now.")
_SIMPLE: dict[str, Text] = {
    "draw": say("The bag is empty."),
    "pass": say("You may pass only when nothing else is possible."),
    "rescue": say("There is nothing to rescue now."),
}


def refusal(state: State, seat: Seat, move: Move) -> Text:
    """Return why no action of `seat` describes `move`."""
    if state.ended or seat not in asked_seats(state):
        return say("The game is over.") if state.ended else say("It is not your turn.")
    if state.asked:
        return _FIRST[state.asked] if move.kind != state.asked else _answer_refusal(state, seat, move)
    match move:
        case Reroll():
            return _reroll_refusal(state, seat, move)
        case Place():
            return obstacle(state, seat, move.die, move.on) or _OTHERWISE
        case Give():
            return _give_refusal(state, seat, move)
        case _:
            return _SIMPLE.get(move.kind, _OTHERWISE)


def _reroll_refusal(state: State, seat: Seat, move: Reroll) -> Text:
    if not state.hands[seat]:
        return say("You have no dice.")
    if not move.dice:
        return say("Choose at least one die to roll.")
    return say("You can only roll your own dice, each once.")


def _give_refusal(state: State, seat: Seat, move: Give) -> Text:
    if state.gift_used:
        return say("You have given a die away in this turn already.")
    if move.die not in state.hands[seat]:
        return say("Choose one of your own dice to give.")
    if move.to == seat:
        return say("A die can only be given to somebody else.")
    return say("There is nobody on that seat.")


def _answer_refusal(state: State, seat: Seat, move: Move) -> Text:
    match move:
        case Take():
            return _take_refusal(state, move)
        case TakeAll():
            if move.from_ == state.used:
                return say("Not from the board you have just used.")
            return say("No dice lie there.")
        case Turn():
            if move.die not in state.hands[seat]:
                return say("That die is not yours.")
            return say("The die must be turned to another number from 1 to 6.")
        case _:
            return say("That is not among the choices.")


def _take_refusal(state: State, move: Take) -> Text:
    there = state.tableaus.beside(state.used)
    if any(die in state.tableaus.on(state.used) for die in move.dice):
        return say("Not from the board you have just used.")
    if any(die not in there for die in move.dice):
        return say("Take dice that lie on the boards.")
    if state.options.take2 == "up_to_two":
        return say("Take one or two dice.")
    return say("Take two dice.") if len(there) > 1 else say("Take the only die there is.")
