"""How Mythical Dice meets people: the trick and the tray, a form as a move, an event as a line of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.core.board import Board, Form, Frame, Line, Standing
from app.core.events import Event, Moved
from app.core.game import Action, Outcome, Seat, Value, Viewer
from app.core.text import Player, Text, say, tally
from app.games.mythical_dice.sheet import HandDie, hand_die, sheet
from app.games.mythical_dice.state import Bid, RollDie, View
from app.games.mythical_dice.words import FOLLOW, look, shown

OPTIONS: dict[str, Text] = {
    "colour_setter": say("The colour to follow is set by"),
    "three_kinds": say("All three creatures in a trick"),
    "all_flags": say("A trick of flags goes to"),
    "flag_clause": say("A bonus needs"),
    "griffin_bonus": say("Griffins captured by the minotaur"),
    "scoring": say("Score"),
    "lead": say("A later round is led by"),
    "skin": say("Dice"),
}
"""The options, as the form that makes a table names them."""

CHOICES: dict[tuple[str, str], Text] = {
    ("colour_setter", "first_number_die"): say("the first number die in the trick"),
    ("colour_setter", "leader_only"): say("the die that is led, if it is a number die"),
    ("three_kinds", "mermaid"): say("go to the last mermaid"),
    ("three_kinds", "sequential"): say("each die meets the best one so far"),
    ("all_flags", "first"): say("who rolled first"),
    ("all_flags", "last"): say("who rolled last"),
    ("flag_clause", "A"): say("the captured die to show its creature"),
    ("flag_clause", "B"): say("no flag in the trick"),
    ("griffin_bonus", "per_griffin"): say("30 points each"),
    ("griffin_bonus", "flat"): say("30 points in all"),
    ("scoring", "standard"): say("with bonuses"),
    ("scoring", "simplified"): say("simplified: no bonuses, a missed bid above 0 scores 0"),
    ("lead", "rotate"): say("the next player in turn"),
    ("lead", "winner"): say("the winner of the last trick"),
    ("skin", "mythical"): say("minotaur, griffins and mermaids"),
    ("skin", "pirate"): say("skull king, pirates and mermaids"),
}
"""Their choices."""


@dataclass(frozen=True, slots=True)
class TrayContext:
    """The viewer's dice and what may be done with them.

    `mode`: "bid" and "roll" when asked, "wait" when not, "watch" without dice of one's own. `bids`: the choices.
    `bid`: the own one, once given. `choosing`: the round's bids are being made.
    """

    mode: Literal["bid", "roll", "wait", "watch"]
    dice: tuple[HandDie, ...]
    bids: tuple[int, ...]
    bid: int | None
    choosing: bool
    round: int


class MythicalBoard(Board):
    """The board of Mythical Dice. It gets views and visible events only, and so knows no secret."""

    def frame(self, view: View, viewer: Viewer, actions: Sequence[Action[Any]], *, fresh: bool) -> Frame:
        """Return the page of a running or finished game for `viewer`."""
        over = view.phase == "over"
        tray = _tray(view, viewer, [action.move for action in actions])
        return Frame(
            where=_where(view),
            status=_status(view),
            standings=tuple(
                Standing(total, None if over else _standing(view, seat)) for seat, total in enumerate(view.totals)
            ),
            sheet=sheet(view, viewer, fresh=fresh),
            tray=tray,
            hint=say("only you see these") if tray.dice else None,
        )

    def parse(self, form: Form) -> dict[str, Any]:
        """Return the move a form stands for: a bid, or the die to roll."""
        chosen = (form.get("hold") or ("",))[-1]
        if (form.get("do") or ("",))[-1] != "bid":
            return {"kind": "roll", "die": chosen}
        number = len(chosen) < 4 and chosen.isascii() and chosen.isdecimal()
        return {"kind": "bid", "tricks": int(chosen) if number else chosen}

    def line(self, event: Event, before: Value, after: Value) -> Line | None:
        """Return a line for each bid, for all bids when they open, for each roll, and for each new round."""
        assert isinstance(before, View)
        assert isinstance(after, View)
        if isinstance(event, Moved):
            return _bid_line(event, after) if before.phase == "bidding" else None  # a roll has its own line
        if event.reason == "first":
            return None if after.lead is None else Line(after.lead, say("leads the first round"))
        if event.reason == "draw":
            return _draw_line(after) if after.phase == "bidding" else None
        return _roll_line(before, after)

    def done(self, event: Event, after: Value) -> Text | None:  # noqa: ARG002  # nothing of this game can be taken back
        """Say nothing: a bid stands, and a roll has chance behind it."""
        return None

    def summary(self, outcome: Outcome, view: View) -> tuple[Text, ...]:  # noqa: ARG002  # the view has it all
        """Return how many bids each player met, and the bonuses."""
        return tuple(_summary(view, seat) for seat in range(len(view.totals)))

    def option_text(self, option: str, choice: Any) -> tuple[Text, Text]:
        """Return (name of the option, name of the choice) for people."""
        return (
            OPTIONS.get(option) or say("{option}", option=option),
            CHOICES.get((option, choice)) or say("{choice}", choice=str(choice)),
        )

    def pitch(self) -> tuple[Text, ...]:
        """Return the game in one line, then in three sentences."""
        return (
            say("Hidden dice, bold bids, rolled tricks."),
            say("Draw dice in secret and bid how many tricks they will win."),
            say("Follow the colour that is asked, roll one die to each trick, and the best face takes it."),
            say("Meet your bid exactly to score. The highest total wins."),
        )


def _where(view: View) -> Text:
    if view.phase == "over":
        return say("Over after {rounds} rounds", rounds=view.rounds)
    if view.phase != "playing":
        return say("Round {n} of {rounds}", n=view.round, rounds=view.rounds)
    trick = sum(view.tricks_won) + 1
    return say(
        "Round {n}/{rounds} · trick {trick}/{tricks}", n=view.round, rounds=view.rounds, trick=trick, tricks=view.round
    )


def _status(view: View) -> Text:
    if view.phase == "over":
        return say("The game is over")
    if view.phase == "drawing":
        return say("Dice are drawn")
    if view.phase == "bidding":
        missing = [seat for seat, made in enumerate(view.has_bid) if not made]
        if len(missing) == 1:
            return say("{player} chooses a bid", player=Player(missing[0]))
        return say("{n} players choose their bids", n=len(missing))
    player = Player(view.seat or 0)
    return say("{player} is rolling", player=player) if view.trick else say("{player} leads", player=player)


def _standing(view: View, seat: Seat) -> Text | None:
    """Return a note for a seat that is asked, so that the replay can mark it."""
    if view.phase == "bidding":
        return None if view.has_bid[seat] else say("is choosing")
    return say("is up") if view.seat == seat else None


def _tray(view: View, viewer: Viewer, moves: Sequence[Any]) -> TrayContext:
    bids = tuple(move.tricks for move in moves if isinstance(move, Bid))
    may = [move.die for move in moves if isinstance(move, RollDie)]
    why = FOLLOW[look(view.colour, view.skin)] if may and view.colour is not None else None
    dice = tuple(
        hand_die(kind, view.hand.count(kind), view.skin, why if may and kind not in may else None, only=may == [kind])
        for kind in dict.fromkeys(view.hand)
    )
    mode: Literal["bid", "roll", "wait", "watch"] = "wait" if viewer is not None and view.phase != "over" else "watch"
    if bids or may:
        mode = "bid" if bids else "roll"
    return TrayContext(
        mode=mode,
        dice=dice,
        bids=(*bids[1:], *bids[:1]),  # 1, 2, 3 … 0, as on the keyboard
        bid=None if viewer is None or view.phase == "drawing" else view.bids[viewer],
        choosing=view.phase == "bidding",
        round=view.round,
    )


def _bid_line(event: Moved, after: View) -> Line:
    if after.phase == "bidding":
        return Line(event.seat, say("bids in secret"), event.move.tricks if isinstance(event.move, Bid) else None)
    found = [say("{player} {n}", player=Player(seat), n=bid or 0) for seat, bid in enumerate(after.bids)]
    listed = found[0]
    for each in found[1:]:
        listed = say("{first}, {next}", first=listed, next=each)
    return Line(None, say("The bids: {bids}", bids=listed))


def _draw_line(after: View) -> Line:
    return Line(None, tally("Round {n}: everybody draws a die", "Round {n}: everybody draws {n} dice", after.round))


def _roll_line(before: View, after: View) -> Line:
    ended = not after.trick
    lying = after.last_trick if ended else after.trick
    thrown = lying[-1]
    what = shown(thrown.die, thrown.face, after.skin)
    text = say("leads: {what}", what=what) if len(lying) == 1 else say("rolls: {what}", what=what)
    if not ended or after.taken_by is None:
        return Line(thrown.seat, text)
    taker = Player(after.taken_by)
    if len(after.past) == len(before.past):
        return Line(thrown.seat, say("{roll}. {player} wins the trick", roll=text, player=taker))
    number = len(after.past)
    return Line(
        thrown.seat, say("{roll}. {player} wins the last trick of round {n}", roll=text, player=taker, n=number)
    )


def _summary(view: View, seat: Seat) -> Text:
    met = sum(past.bids[seat] == past.tricks_won[seat] for past in view.past)
    bonus = sum(past.bonuses[seat] for past in view.past)
    bids = tally("{n} bid met", "{n} bids met", met)
    return say("{bids}, {points} bonus points", bids=bids, points=bonus) if bonus else bids


BOARD = MythicalBoard()
