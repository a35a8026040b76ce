"""How 5 Strolche II meets people. Everything is public, so a view and the viewer's actions are all it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.core.board import Board, Form, Frame, Line, Standing, Target
from app.core.events import Event
from app.core.game import Action, Outcome, Value, Viewer
from app.core.text import Player, Text, say, tally
from app.games.five_strolche import story
from app.games.five_strolche.material import ACTIONS, BOARDS, COLOURS, LOCKS
from app.games.five_strolche.sheet import ordered, sheet
from app.games.five_strolche.state import View
from app.games.five_strolche.tray import tray
from app.games.five_strolche.words import TITLES, die_words, option_words


class StrolcheBoard(Board):
    """The board of 5 Strolche II."""

    def frame(self, view: View, viewer: Viewer, actions: Sequence[Action[Any]], *, fresh: bool) -> Frame:
        """Return the page of a running or finished game for `viewer`."""
        acting = view.seat is not None and not view.ended
        return Frame(
            where=_where(view),
            status=_status(view),
            standings=tuple(
                Standing(None, say("is up") if acting and seat == view.seat else None)
                for seat in range(len(view.hands))
            ),
            sheet=sheet(view, viewer, fresh=fresh),
            tray=tray(view, viewer, actions, fresh=fresh),
            hint=_hint(view) if acting else None,
            count=(view.actions_left, ACTIONS) if acting else None,
            targets=() if view.ended else (*_boards(), *_dice(view)),
        )

    def parse(self, form: Form) -> dict[str, Any]:
        """Return the move of the button that was pressed (`do`), with the dice that were chosen."""
        kind, *words = _last(form, "do").split(" ")
        return {"kind": kind} | _fields(kind, words, form)

    def line(self, event: Event, before: Value, after: Value) -> Line | None:
        """Return one line per throw, placement, gift, lock and vote."""
        assert isinstance(before, View)
        assert isinstance(after, View)
        return story.line(event, before, after)

    def done(self, event: Event, after: Value) -> Text | None:
        """Return what the mover has just done, for the offer to undo it; None where a throw has followed anyway."""
        assert isinstance(after, View)
        return story.done(event, after)

    def summary(self, outcome: Outcome, view: View) -> tuple[Text, ...]:
        """Return which locks each player cracked."""
        return tuple(_cracks(view, seat) for seat in range(len(outcome.scores)))

    def option_text(self, option: str, choice: Any) -> tuple[Text, Text]:
        """Return (name of the option, name of the choice) for people."""
        return option_words(option, choice)

    def pitch(self) -> tuple[Text, ...]:
        """Return the game in one line, then in three sentences."""
        return (
            say("Six locks, one gate, all together."),
            say("You win together if you crack all six locks before the gate shuts."),
            say("For a lock, one of you needs its number in four colours. Five rogues help with what your dice show."),
            say("But every throw with a 6 closes half the gate."),
        )


def _last(form: Form, name: str) -> str:
    return (form.get(name) or ("",))[-1]


def _fields(kind: str, words: list[str], form: Form) -> dict[str, Any]:
    """Return the fields of a move, from the words on its button and from what was chosen beside it."""
    first, second = (*words, "", "")[:2]
    match kind:
        case "reroll" | "take":
            fields: dict[str, Any] = {"dice": list(form.get("hold") or ())}
        case "place":
            fields = {"die": _one_of(first, form), "on": second}
        case "give":
            fields = {"die": _one_of(first, form), "to": _number(second)}
        case "take_all":
            fields = {"from": first}
        case "turn":
            fields = {"die": _last(form, "die"), "face": _number(first)}
        case "crack":
            fields = {"dice": [_last(form, f"pay-{name}") for name in COLOURS]}
        case "effect":
            fields = {"effect": first}
        case "rescue":
            fields = {"accept": first == "yes"}
        case _:
            fields = {}
    return fields


def _one_of(alike: str, form: Form) -> str:
    """Return the chosen one of the dice on a button, "k2,k3", which are alike; the first if none of them is."""
    dice = alike.split(",")
    return next((die for die in form.get("hold") or () if die in dice), dice[0])


def _number(text: str) -> int:
    """Return a number from a form; -1, which is no seat and no face, for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else -1


def _where(view: View) -> Text:
    if view.ended:
        return tally("Over after {n} round", "Over after {n} rounds", view.round)
    lock = say("Lock {n} of {of}", n=min(len(view.cracked) + 1, LOCKS), of=LOCKS)
    bag = tally("{n} die in the bag", "{n} dice in the bag", view.in_bag)
    if view.turns_left is None:
        return say("{lock} · {bag}", lock=lock, bag=bag)
    left = tally("{n} turn left", "{n} turns left", view.turns_left)
    return say("{lock} · {bag} · {left}", lock=lock, bag=bag, left=left)


def _status(view: View) -> Text:
    match view.ended:
        case "won":
            return say("All six locks are cracked")
        case "gate":
            return say("The gate is shut")
        case "turns":
            return say("The time is up")
    if view.seat is None:
        return say("The dice are dealt")
    player = Player(view.seat)
    if view.asked == "rescue":
        return say("{player} decides about the rescue", player=player)
    return say("{player} chooses", player=player) if view.asked else say("{player} is up", player=player)


def _hint(view: View) -> Text:
    return tally("{n} action left", "{n} actions left", view.actions_left)


def _boards() -> Iterator[Target]:
    for name in BOARDS:
        yield Target(f"board {name}", say("the board of {name}", name=TITLES[name]))


def _dice(view: View) -> Iterator[Target]:
    """Yield everybody's dice, then those on the boards."""
    for seat, hand in enumerate(view.hands):
        for die in ordered(view, hand):
            text = say("{die} of {player}", die=die_words(die, view.dice[die]), player=Player(seat))
            yield Target(f"die {die}", text)
    for name in BOARDS:
        for die in ordered(view, view.tableaus.on(name)):
            text = say("{die} on the board of {name}", die=die_words(die, view.dice[die]), name=TITLES[name])
            yield Target(f"die {die}", text)


def _cracks(view: View, seat: int) -> Text:
    mine = [str(lock) for lock, by in zip(view.cracked, view.cracked_by, strict=True) if by == seat]
    if not mine:
        return say("cracked no lock")
    return tally("cracked lock {locks}", "cracked locks {locks}", len(mine), locks=", ".join(mine))


BOARD = StrolcheBoard()
