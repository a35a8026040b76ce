"""Events of Vault as sentences of the log, from what their reader saw before and after."""

from __future__ import annotations

from app.core.board import Line
from app.core.events import Event, Moved, Rolled
from app.core.game import Seat
from app.core.text import Dice, Text, say, tally
from app.games.vault.offers import token_values, written
from app.games.vault.state import DICE, Charge, Mark, Pass, Reroll, View


def line(event: Event, before: View, after: View) -> Line | None:
    """Return the line of a visible event between the two views around it; None for what the reader must not know."""
    if isinstance(event, Rolled):
        return _rolled(event, after)
    if event.move is None:
        return None
    if _surprising(event, before, after):
        return _round_of_another(event.seat, before, after)
    return _moved(event, before, after)


def _moved(event: Moved, before: View, after: View) -> Line | None:
    match event.move:
        case Mark():
            return _marked(event.seat, event.move, before, after)
        case Charge():
            return _charged(event.seat, event.move, before)
        case Reroll():
            return _uncovered(event.seat, event.move, after)
        case _:
            return Line(event.seat, say("ends the round"))


def done(event: Event, after: View) -> Text | None:
    """Say what a move has just done, for the offer to take it back; None for what cannot be."""
    if isinstance(event, Rolled) or event.move is None:
        return None
    if isinstance(event.move, Charge):
        charge = after.seats[event.seat].skimmers[event.move.skimmer].charge
        return say("Skimmer {n} charged: {charge}", n=event.move.skimmer + 1, charge=charge)
    if isinstance(event.move, Mark):
        row, column = (int(part) - 1 for part in event.move.box[1:].split("c"))
        return say("{box} crossed", box=after.cells[row][column])
    return None


def _rolled(event: Rolled, after: View) -> Line | None:
    if event.faces is None:
        return None
    if event.reason == "sheet":
        return Line(None, say("Sheet {sheet} is drawn", sheet=(after.sheet or "").upper()))
    if event.reason == "reroll":
        seat = 0 if event.seen_by is None else min(event.seen_by)
        shown = after.seats[seat]
        faces = tuple(shown.dice[place].value or 0 for place in shown.rolled)
        return Line(seat, say("re-rolls: {dice}", dice=Dice(faces)))
    dice = Dice(event.faces)
    if after.round == 1:
        return Line(None, say("Round {n}: {dice}", n=after.round, dice=dice))
    secured = after.vaults[after.round - 2].id
    return Line(None, say("{vault} is secured. Round {n}: {dice}", vault=secured, n=after.round, dice=dice))


def _uncovered(seat: Seat, move: Reroll, after: View) -> Line | None:
    """Return the line of a re-roll whose values were there already; dice in the air have a line when they fall."""
    faces = tuple(after.seats[seat].dice[DICE.index(die)].value for die in move.dice)
    if None in faces:
        return None
    return Line(seat, say("re-rolls: {dice}", dice=Dice(tuple(face or 0 for face in faces))))


def _surprising(event: Moved, before: View, after: View) -> bool:
    """Say whether more comes to light than this move: the round of somebody else, who has ended it with it."""
    old, new = before.seats[event.seat], after.seats[event.seat]
    if not (new.ended or after.over or after.round > before.round):
        return False
    if isinstance(event.move, Pass):
        return (old.marked, old.skimmers, old.rerolls_left) != (new.marked, new.skimmers, new.rerolls_left)
    names = event.move.dice if isinstance(event.move, Charge) else (*event.move.plus, *event.move.minus)
    # a cross or charge ends a round with the last die: who saw others unused was not shown what became of them
    return any(not die.used and name not in names for name, die in zip(DICE, old.dice, strict=True))


def _round_of_another(seat: Seat, before: View, after: View) -> Line:
    old, new = before.seats[seat], after.seats[seat]
    boxes = tally("{n} box crossed", "{n} boxes crossed", len(new.marked) - len(old.marked))
    opened = new.opened[len(old.opened) :]
    if not opened:
        return Line(seat, say("ends the round: {boxes}", boxes=boxes))
    text = say("ends the round: {boxes}, {vaults} cracked", boxes=boxes, vaults=listed(opened))
    return Line(seat, text, new.gems - old.gems)


def _marked(seat: Seat, move: Mark, before: View, after: View) -> Line:
    old, new = before.seats[seat], after.seats[seat]
    row, column = (int(part) - 1 for part in move.box[1:].split("c"))
    kind = before.cells[row][column]
    values = token_values(old)
    opened = new.opened[len(old.opened) :]
    way = written(move, values) if kind.isdigit() else ", ".join(str(values[name]) for name in move.plus)
    if not opened:
        return Line(seat, say("crosses {box} with {sum}", box=kind, sum=way))
    text = say("crosses {box} with {sum} and cracks {vaults}", box=kind, sum=way, vaults=listed(opened))
    return Line(seat, text, new.gems - old.gems)


def _charged(seat: Seat, move: Charge, before: View) -> Line:
    old = before.seats[seat]
    values = token_values(old)
    way = " + ".join(str(values[die]) for die in move.dice)
    charge = old.skimmers[move.skimmer].charge + sum(values[die] for die in move.dice)
    return Line(seat, say("charges skimmer {n} with {sum}", n=move.skimmer + 1, sum=way), charge)


def listed(letters: tuple[str, ...]) -> Text:
    """Return letters of vaults as words: "A", "A and K"."""
    if len(letters) == 1:
        return say("{vault}", vault=letters[0])
    first: Text = say("{vault}", vault=letters[0])
    for each in letters[1:-1]:
        first = say("{names}, {vault}", names=first, vault=each)
    return say("{names} and {vault}", names=first, vault=letters[-1])
