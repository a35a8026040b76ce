"""How Vault meets people: the sheet with its vaults and the tray of dice and skimmers, forms as moves, words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.core.board import Board, Form, Frame, Line, Standing
from app.core.events import Event
from app.core.game import Action, Outcome, Seat, Value, Viewer
from app.core.text import Player, Text, say, tally
from app.games.vault import lines, offers
from app.games.vault.rules import title
from app.games.vault.sheets.format import FILLED
from app.games.vault.state import DICE, ROUNDS, SKIMMERS, Charge, Mark, Pass, Reroll, SeatView, View
from app.games.vault.words import OPTIONS, TITLE_WORDS, WAYS

BoxState = Literal["pre", "marked", "open"]
VaultState = Literal["open", "shut", "next", ""]


@dataclass(frozen=True, slots=True)
class Box:
    """A box of a sheet. `place`: "11"…"66", row and column. `fits`: words of the choices of tokens that cross it."""

    name: str
    place: str
    row: int
    column: int
    kind: str
    state: BoxState
    fits: str


@dataclass(frozen=True, slots=True)
class Label:
    """A vault beside the sheet. `side`: "t1"…"l6", where its label stands. `state`: "next" is secured with this round."""

    id: str
    side: str
    gems: int
    state: VaultState


@dataclass(frozen=True, slots=True)
class Grid:
    """A copy of the sheet: whose it is, boxes in reading order, vaults A to L.

    `ring`: the letter of the vault that is secured next, "" after the end. `dice`: (face or None, used) of the running
    round.
    """

    seat: Seat
    mine: bool
    boxes: tuple[Box, ...]
    vaults: tuple[Label, ...]
    ring: str
    gems: int
    skimmers: int
    score: int
    title: Text
    dice: tuple[tuple[int | None, bool], ...]


@dataclass(frozen=True, slots=True)
class SheetContext:
    """The sheets to show: the viewer's own while the game runs, else all side by side."""

    grids: tuple[Grid, ...]
    choosing: bool


@dataclass(frozen=True, slots=True)
class Die:
    """A die in the tray. `letter` names it in a word of tokens, `name` in the form; `face` is None while it is covered."""

    place: int
    letter: str
    name: str
    face: int | None
    used: bool
    rolling: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A skimmer in the tray. `usable`: charged and not spent. `chargeable`: dice can be added to it now."""

    place: int
    letter: str
    name: str
    charge: int
    spent: bool
    usable: bool
    chargeable: bool


@dataclass(frozen=True, slots=True)
class TrayContext:
    """Dice, skimmers and what may be done with them. `roll` names the last throw, so that a die thrown again is new.

    `unused`: dice that could still be used, 0 if the round can end without a question.
    """

    dice: tuple[Die, ...]
    columns: tuple[Column, ...]
    sums: tuple[offers.Sum, ...]
    others: tuple[offers.Other, ...]
    roll: str
    rerolls_left: int
    may_reroll: bool
    may_act: bool
    unused: int
    waits: bool


class VaultBoard(Board):
    """The board of Vault. Works on the viewer's view and actions, so that it knows no more than they do."""

    def frame(self, view: View, viewer: Viewer, actions: Sequence[Action[Any]], *, fresh: bool) -> Frame:
        """Return the page of a running or finished game for `viewer`."""
        marks = [action.move for action in actions if isinstance(action.move, Mark)]
        mine = viewer if viewer is not None and viewer < len(view.seats) else None
        return Frame(
            where=_where(view),
            status=_status(view, mine),
            standings=tuple(_standing(view, seat) for seat in view.seats),
            sheet=_sheet(view, mine, marks, choosing=bool(actions)),
            tray=_tray(view, mine, actions, marks, fresh=fresh),
            hint=_hint(view),
        )

    def parse(self, form: Form) -> dict[str, Any]:
        """Return the move a form stands for: a box with the tokens held, a skimmer with the dice held, or a button.

        A form may also say a mark in full, with the fields box, plus and minus.
        """
        held = offers.posted_tokens(form.get("hold", ()), form.get("value", ()))
        dice = [name for name in held if name in DICE]
        if targets := form.get("mark"):
            return offers.posted_mark(targets[-1], held)
        if boxes := form.get("box"):
            plus, minus = list(form.get("plus", ())), list(form.get("minus", ()))
            return {"kind": "mark", "box": boxes[-1], "plus": plus, "minus": minus}
        if skimmers := form.get("charge"):
            chosen = skimmers[-1]
            place = int(chosen) if chosen.isascii() and chosen.isdigit() and len(chosen) < 4 else -1
            return {"kind": "charge", "skimmer": place, "dice": dice}
        if (form.get("do") or ("",))[-1] == "reroll":
            return {"kind": "reroll", "dice": dice}
        return {"kind": (form.get("do") or ("",))[-1]}

    def line(self, event: Event, before: Value, after: Value) -> Line | None:
        """Return the log line of an event; none for what a running round hides."""
        assert isinstance(before, View)
        assert isinstance(after, View)
        return lines.line(event, before, after)

    def done(self, event: Event, after: Value) -> Text | None:
        """Return what the mover has just done, for the offer to undo it; None where there is nothing to undo."""
        assert isinstance(after, View)
        return lines.done(event, after)

    def summary(self, outcome: Outcome, view: View) -> tuple[Text, ...]:
        """Return title, gems and free skimmers of each seat."""
        return tuple(_summary(score, seat.gems) for score, seat in zip(outcome.scores, view.seats, strict=True))

    def option_text(self, option: str, choice: Any) -> tuple[Text, Text]:
        """Return (name of the option, name of the choice) for people."""
        name = OPTIONS.get(option, say("{option}", option=option))
        if (option, choice) in WAYS:
            return name, WAYS[option, choice]
        return name, say("{sheet}", sheet=str(choice).upper())

    def pitch(self) -> tuple[Text, ...]:
        """Return the game in one line, then in three sentences."""
        return (
            say("Five dice, twelve vaults, one round each."),
            say("Cross boxes with your dice: as they are, added up or taken from each other."),
            say("A full row or column opens its vault and the gems are yours."),
            say("After each round the next vault snaps shut. What you cannot use charges your skimmers."),
        )


def _summary(score: int, gems: int) -> Text:
    return say(
        "{title}: {gems}, {skimmers}",
        title=TITLE_WORDS[title(score)],
        gems=tally("{n} gem", "{n} gems", gems),
        skimmers=tally("{n} free skimmer", "{n} free skimmers", score - gems),
    )


def _where(view: View) -> Text:
    sheet = (view.sheet or "").upper()
    if view.over:
        return say("Over after {rounds} rounds · sheet {sheet}", rounds=ROUNDS, sheet=sheet)
    if view.sheet is None:
        return say("The sheet is drawn")
    return say("Round {n} of {rounds} · sheet {sheet}", n=view.round, rounds=ROUNDS, sheet=sheet)


def _status(view: View, mine: Seat | None) -> Text:
    if view.over:
        return say("The game is over")
    thinking = [seat for seat, shown in enumerate(view.seats) if not shown.ended]
    if mine is not None and view.seats[mine].ended:
        return tally("Waiting for one more player", "Waiting for {n} more players", len(thinking))
    if len(thinking) == 1:
        return say("{player} is cracking", player=Player(thinking[0]))
    return tally("{n} player is cracking", "{n} players are cracking", len(thinking))


def _hint(view: View) -> Text | None:
    if view.over or not view.vaults:
        return None
    return say("{vault} snaps shut next", vault=view.vaults[view.round - 1].id)


def _standing(view: View, seat: SeatView) -> Standing:
    if view.over:
        return Standing(seat.score, TITLE_WORDS[title(seat.score)])
    if len(view.seats) == 1:
        return Standing(seat.score, TITLE_WORDS[title(seat.score)])
    return Standing(seat.score, say("done") if seat.ended else say("thinking"))


def _sheet(view: View, mine: Seat | None, marks: Sequence[Mark], *, choosing: bool) -> SheetContext:
    fits = offers.fitting(marks)
    seats = range(len(view.seats)) if mine is None or view.over else (mine,)
    return SheetContext(tuple(_grid(view, seat, mine, fits if seat == mine else {}) for seat in seats), choosing)


def _grid(view: View, seat: Seat, mine: Seat | None, fits: dict[str, str]) -> Grid:
    shown = view.seats[seat]
    return Grid(
        seat=seat,
        mine=seat == mine,
        boxes=tuple(
            _box(row, column, kind, shown, fits)
            for row, cells in enumerate(view.cells, 1)
            for column, kind in enumerate(cells, 1)
        ),
        vaults=tuple(_label(view, place, shown) for place in range(len(view.vaults))),
        ring="" if view.over or not view.vaults else view.vaults[view.round - 1].id,
        gems=shown.gems,
        skimmers=shown.score - shown.gems,
        score=shown.score,
        title=TITLE_WORDS[title(shown.score)],
        dice=tuple((die.value, die.used) for die in shown.dice),
    )


def _box(row: int, column: int, kind: str, shown: SeatView, fits: dict[str, str]) -> Box:
    name = f"r{row}c{column}"
    state: BoxState = "pre" if kind == FILLED else "marked" if name in shown.marked else "open"
    return Box(name, f"{row}{column}", row, column, kind, state, fits.get(name, ""))


def _label(view: View, place: int, shown: SeatView) -> Label:
    vault = view.vaults[place]
    state: VaultState = ""
    if vault.id in shown.opened:
        state = "open"
    elif vault.secured:
        state = "shut"
    elif place == view.round - 1:
        state = "next"
    kind, number = vault.line[:1], vault.line[1:]
    odd = number in {"1", "3", "5"}
    side = {"c": "t" if odd else "b", "r": "r" if odd else "l"}[kind]
    return Label(vault.id, side + number, vault.gems, state)


def _tray(
    view: View, mine: Seat | None, actions: Sequence[Action[Any]], marks: Sequence[Mark], *, fresh: bool
) -> TrayContext:
    shown = view.seats[mine if mine is not None else 0]
    moves = [action.move for action in actions]
    charges = {move.skimmer for move in moves if isinstance(move, Charge)}
    kinds = {
        f"r{row}c{column}": kind for row, cells in enumerate(view.cells, 1) for column, kind in enumerate(cells, 1)
    }
    return TrayContext(
        dice=_dice(shown, fresh=fresh) if mine is not None or len(view.seats) == 1 else (),
        columns=tuple(_column(shown, place, charges) for place in range(len(SKIMMERS))),
        sums=offers.sums(marks, kinds, shown),
        others=offers.others(marks, kinds, shown),
        roll=f"{view.round}-{shown.rerolls_left}",
        rerolls_left=shown.rerolls_left,
        may_reroll=any(isinstance(move, Reroll) for move in moves),
        may_act=any(isinstance(move, Pass) for move in moves),
        unused=_unused(shown, marks, chargeable=bool(charges)),
        waits=mine is not None and shown.ended,
    )


def _dice(shown: SeatView, *, fresh: bool) -> tuple[Die, ...]:
    return tuple(
        Die(
            place=place,
            letter=offers.word((DICE[place],)),
            name=DICE[place],
            face=die.value,
            used=die.used,
            rolling=fresh and place in shown.rolled and not die.used,
        )
        for place, die in enumerate(shown.dice)
    )


def _column(shown: SeatView, place: int, charges: set[int]) -> Column:
    skimmer = shown.skimmers[place]
    return Column(
        place=place,
        letter=offers.word((SKIMMERS[place],)),
        name=SKIMMERS[place],
        charge=skimmer.charge,
        spent=skimmer.spent,
        usable=bool(skimmer.charge) and not skimmer.spent,
        chargeable=place in charges,
    )


def _unused(shown: SeatView, marks: Sequence[Mark], *, chargeable: bool) -> int:
    """Return how many dice could still be used, in a mark or a charge."""
    left = {DICE[place] for place, die in enumerate(shown.dice) if not die.used}
    return len(left if chargeable else left & {name for mark in marks for name in (*mark.plus, *mark.minus)})


BOARD = VaultBoard()
