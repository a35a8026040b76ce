"""Events of 5 Strolche II as lines of the log."""

from __future__ import annotations

from app.core.board import Line
from app.core.events import Event, Moved, Rolled
from app.core.game import Value
from app.core.text import Dice, Player, Text, say
from app.games.five_strolche.material import colour
from app.games.five_strolche.placing import effect
from app.games.five_strolche.state import Crack, Effect, Give, Pass, Place, Rescue, Turn, View
from app.games.five_strolche.words import TITLES, pictures

_PLAIN: dict[Value, Text] = {
    Effect("open"): say("lets Ringo open the gate"),
    Effect("rotate"): say("lets Ringo swap the lock"),
    Pass(): say("passes"),
}

_DONE: dict[Value | None, Text] = {
    Effect("open"): say("Opened the gate"),
    Effect("rotate"): say("Swapped the lock"),
    Pass(): say("Passed"),
}
_SAID: dict[tuple[bool, bool], Text] = {
    (True, True): say("Put all dice into the bag"),
    (False, True): say("Let the gate shut"),
    (True, False): say("Said yes to the rescue"),
    (False, False): say("Said no to the rescue"),
}


def line(event: Event, before: View, after: View) -> Line | None:
    """Return the line of an event; None where the throw or the lock that follows tells it."""
    if isinstance(event, Moved):
        text = _moved(event, before, after)
        return None if text is None else Line(event.seat, text)
    return _rolled(event, before, after)


def done(event: Event, after: View) -> Text | None:
    """Say what a move that can be taken back has done; None for one that always ends in a throw."""
    move = event.move if isinstance(event, Moved) else None
    match move:
        case Place():
            return say("Laid a die on {board}", board=TITLES[move.on])
        case Give():
            return say("Gave {die} to {player}", die=_picture(move.die, after), player=Player(move.to))
        case Turn():
            return say("Turned a die to {n}", n=move.face)
        case Crack():
            return say("Cracked lock {n}", n=after.cracked[-1])
        case Rescue():
            return _SAID[move.accept, after.asked != "rescue"]
        case _:
            return _DONE.get(move)


def _moved(event: Moved, before: View, after: View) -> Text | None:
    move = event.move
    match move:
        case Place():
            return _placed(move, before, after)
        case Give():
            return say("gives {die} to {player}", die=_picture(move.die, before), player=Player(move.to))
        case Turn():
            turned = Dice((move.face,), colour(move.die))
            return say("turns {die} to {turned}", die=_picture(move.die, before), turned=turned)
        case Rescue():
            return _rescued(event, before)
        case Crack():
            return say("cracks lock {n}", n=before.lock or 0)
        case _:
            return _PLAIN.get(move)


def _picture(die: str, view: View) -> Dice:
    return Dice((view.dice[die],), colour(die))


def _placed(move: Place, before: View, after: View) -> Text:
    die, board = _picture(move.die, before), TITLES[move.on]
    if len(after.cracked) > len(before.cracked):
        return say("lays {die} on {board} and cracks lock {n}", die=die, board=board, n=before.lock or 0)
    swept = move.die not in after.dice
    match effect(move.on, before.dice[move.die]):
        case "open" if after.gate < before.gate:
            text = say("lays {die} on {board} and opens the gate", die=die, board=board)
        case "rotate" if before.locks_left > 1:
            text = say("lays {die} on {board} and swaps the lock", die=die, board=board)
        case _:
            text = say("lays {die} on {board}", die=die, board=board)
    return say("{laid}; the full board is cleared", laid=text) if swept else text


def _rescued(event: Moved, before: View) -> Text:
    accept = isinstance(event.move, Rescue) and event.move.accept
    if event.seat != before.seat:
        return say("is for the rescue") if accept else say("is against the rescue")
    return say("puts all dice back into the bag, the gate opens") if accept else say("lets the gate shut")


def _rolled(event: Rolled, before: View, after: View) -> Line | None:
    match event.reason:
        case "lock":
            return Line(None, say("The lock shows {n}", n=after.lock or 0))
        case "first":
            return Line(after.seat, say("begins"))
        case "roll" if before.seat is None:
            seat = before.hands.index(())
            return Line(seat, say("starts with {dice}", dice=pictures(after.hands[seat], after.dice)))
        case "roll":
            return Line(before.seat, _thrown(before, after))
        case _:
            return None


def _thrown(before: View, after: View) -> Text:
    dice = pictures(before.air, after.dice)
    match before.cause:
        case "draw" | "draw_three":
            text = say("draws {dice}", dice=dice)
        case "reroll":
            text = say("rolls again: {dice}", dice=dice)
        case _:
            text = say("takes and rolls {dice}", dice=dice)
    if after.gate > before.gate:
        if after.gate == 1:
            return say("{thrown} – half the gate closes", thrown=text)
        return say("{thrown} – the gate shuts", thrown=text)
    return say("{thrown} – the gate is about to shut", thrown=text) if after.asked == "rescue" else text
