"""How Yacht meets people: the sheet and the tray, a form as a move, an event as a line of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.core.board import Board, Form, Frame, Line, Standing
from app.core.events import Event, Moved
from app.core.game import Action, Outcome, Seat, Value, Viewer
from app.core.text import Dice, Player, Text, say, tally
from app.games.yacht.rules import POSITIONS, ROLLS, ROUNDS, RollDice, Score, Sheet, View
from app.games.yacht.scoring import CATEGORIES, score

LABELS: dict[str, Text] = {
    "ones": say("Ones"),
    "twos": say("Twos"),
    "threes": say("Threes"),
    "fours": say("Fours"),
    "fives": say("Fives"),
    "sixes": say("Sixes"),
    "choice": say("Choice"),
    "full_house": say("Full house"),
    "four_of_a_kind": say("Four of a kind"),
    "little_straight": say("Little straight"),
    "big_straight": say("Big straight"),
    "yacht": say("Yacht"),
}
"""The rows, as the sheet names them."""

WORDS: dict[str, Text] = {
    "ones": say("ones"),
    "twos": say("twos"),
    "threes": say("threes"),
    "fours": say("fours"),
    "fives": say("fives"),
    "sixes": say("sixes"),
    "choice": say("choice"),
    "full_house": say("full house"),
    "four_of_a_kind": say("four of a kind"),
    "little_straight": say("little straight"),
    "big_straight": say("big straight"),
    "yacht": say("yacht"),
}
"""The rows, as they stand in a sentence."""

SYMBOLS = {
    "choice": "Σ",
    "full_house": "3+2",
    "four_of_a_kind": "4×",
    "little_straight": "1–5",
    "big_straight": "2–6",
    "yacht": "5×",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the sheet, in the order shown. `follows`: the seat whose column stands to the left of it."""

    seat: Seat
    follows: Seat
    mine: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A row in one column: `points` written there, or what the viewer would get by writing there now (`offer`)."""

    points: int | None
    offer: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the sheet; `face` for the six numbers, `symbol` for the combinations; a cell per column."""

    category: str
    label: Text
    face: int | None
    symbol: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One of the two tables the sheet is made of."""

    id: str
    caption: Text
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class SheetContext:
    """The score sheet: columns in turn order, the viewer's own first."""

    columns: tuple[Column, ...]
    parts: tuple[Part, ...]
    choosing: bool


@dataclass(frozen=True, slots=True)
class Die:
    """A die in the tray. `rolling`: it has just been thrown. `kept`: it stayed on the table at the last roll."""

    position: int
    face: int
    rolling: bool
    kept: bool


@dataclass(frozen=True, slots=True)
class TrayContext:
    """The dice and what may be done with them. `roll` names this roll, so that a die thrown again is a new thing."""

    dice: tuple[Die, ...]
    roll: str
    rolls_used: int
    may_roll: bool
    may_score: bool
    over: bool


class YachtBoard(Board):
    """The board of Yacht. Everything is public, so that a view and the viewer's actions are all it needs."""

    def frame(self, view: View, viewer: Viewer, actions: Sequence[Action[Any]], *, fresh: bool) -> Frame:
        """Return the page of a running or finished game for `viewer`."""
        moves = [action.move for action in actions]
        open_rows = frozenset(move.category for move in moves if isinstance(move, Score))
        over = _over(view)
        return Frame(
            where=say("Over after {rounds} rounds", rounds=ROUNDS)
            if over
            else say("Round {n} of {rounds}", n=view.round, rounds=ROUNDS),
            status=_status(view),
            standings=tuple(
                Standing(total, None if over or seat != view.seat else _note(view))
                for seat, total in enumerate(view.totals)
            ),
            sheet=_sheet(view, viewer, open_rows),
            tray=TrayContext(
                dice=_dice(view, fresh=fresh),
                roll=f"{view.round}-{view.seat}-{view.rolls_used}",
                rolls_used=view.rolls_used,
                may_roll=any(isinstance(move, RollDice) for move in moves),
                may_score=bool(open_rows),
                over=over,
            ),
            hint=None if over else _hint(view),
            count=None if over else (view.rolls_used, ROLLS),
        )

    def parse(self, form: Form) -> dict[str, Any]:
        """Return the move a form stands for: a row if one is named, else the dice that are not held."""
        if rows := form.get("category"):
            return {"kind": "score", "category": rows[-1]}
        if "roll" not in form.get("do", ()):
            return {}
        held = form.get("hold", ())
        return {"kind": "roll", "dice": [position for position in POSITIONS if str(position) not in held]}

    def line(self, event: Event, before: Value, after: Value) -> Line | None:
        """Return one line per throw, with its dice, and one per row written."""
        assert isinstance(before, View)
        assert isinstance(after, View)
        if isinstance(event, Moved):
            return _score_line(event, after)
        if event.reason == "first":
            return Line(after.seat, say("begins"))
        return Line(before.seat, _throw(event.faces or (), before, after))

    def done(self, event: Event, after: Value) -> Text | None:
        """Return what the mover has just done, for the offer to undo it; None where there is nothing to undo."""
        assert isinstance(after, View)
        if not isinstance(event, Moved) or not isinstance(event.move, Score):
            return None
        points = after.sheets[event.seat].get(event.move.category) or 0
        row = WORDS[event.move.category]
        return say("Scored {n} in {row}", n=points, row=row) if points else say("Struck {row}", row=row)

    def summary(self, outcome: Outcome, view: View) -> tuple[Text, ...]:  # noqa: ARG002  # the sheets tell more than the totals
        """Return what stood out on each sheet."""
        return tuple(_summary(sheet) for sheet in view.sheets)

    def option_text(self, option: str, choice: Any) -> tuple[Text, Text]:
        """Return (name of the option, name of the choice) for people."""
        match option, choice:
            case "variant", "exercism":
                return say("Four of a kind"), say("counts the four equal dice")
            case "variant", _:
                return say("Four of a kind"), say("counts all five dice")
            case "first_player", "host":
                return say("First player"), say("who opened the table")
            case "first_player", _:
                return say("First player"), say("drawn by lot")
            case _:
                return say("{option}", option=option), say("{choice}", choice=str(choice))

    def pitch(self) -> tuple[Text, ...]:
        """Return the game in one line, then in three sentences."""
        return (
            say("Twelve rows, three rolls, one race."),
            say("You have five dice and up to three rolls."),
            say("Hold what fits and roll the rest again."),
            say("Each round you fill one of twelve rows. The highest sum wins."),
        )


def _over(view: View) -> bool:
    return not any(sheet.free() for sheet in view.sheets)


def _status(view: View) -> Text:
    if _over(view):
        return say("The game is over")
    if view.seat is None:
        return say("The first player is drawn")
    player = Player(view.seat)
    if view.dice is None:
        return say("{player} is up", player=player)
    if view.rolls_used == ROLLS:
        return say("{player} chooses a row", player=player)
    return say("{player} is rolling", player=player)


def _hint(view: View) -> Text:
    if view.rolls_used == 0:
        return say("no roll yet")
    return say("Roll {n} of {rolls}", n=view.rolls_used, rolls=ROLLS)


def _note(view: View) -> Text:
    if view.rolls_used == 0:
        return say("is up")
    return say("rolling, {n} of {rolls}", n=view.rolls_used, rolls=ROLLS)


def _dice(view: View, *, fresh: bool) -> tuple[Die, ...]:
    return tuple(
        Die(
            position=position,
            face=face,
            rolling=fresh and position in view.rolled,
            kept=view.rolls_used > 1 and position not in view.rolled,
        )
        for position, face in enumerate(view.dice or ())
    )


def _sheet(view: View, viewer: Viewer, open_rows: frozenset[str]) -> SheetContext:
    seats = len(view.sheets)
    mine = viewer is not None and viewer < seats
    first = viewer if viewer is not None and mine else 0
    order = [(first + step) % seats for step in range(seats)]
    columns = tuple(Column(seat, order[index - 1], mine=mine and seat == viewer) for index, seat in enumerate(order))
    return SheetContext(
        columns=columns,
        parts=(
            Part("numbers", say("Numbers"), tuple(_row(view, name, columns, open_rows) for name in CATEGORIES[:6])),
            Part("figures", say("Figures"), tuple(_row(view, name, columns, open_rows) for name in CATEGORIES[6:])),
        ),
        choosing=bool(open_rows),
    )


def _row(view: View, category: str, columns: Sequence[Column], open_rows: frozenset[str]) -> Row:
    place = CATEGORIES.index(category)
    return Row(
        category=category,
        label=LABELS[category],
        face=place + 1 if place < 6 else None,
        symbol=SYMBOLS.get(category, ""),
        cells=tuple(
            Cell(view.sheets[column.seat].get(category), _offer(view, category, column, open_rows))
            for column in columns
        ),
    )


def _offer(view: View, category: str, column: Column, open_rows: frozenset[str]) -> int | None:
    if not column.mine or category not in open_rows or view.dice is None:
        return None
    return score(category, view.dice, view.variant)


def _score_line(event: Moved, after: View) -> Line | None:
    if not isinstance(event.move, Score):
        return None  # the throw that follows has its own line
    points = after.sheets[event.seat].get(event.move.category)
    row = WORDS[event.move.category]
    return Line(event.seat, say("scores {row}", row=row) if points else say("strikes {row}", row=row), points)


def _throw(faces: tuple[int, ...], before: View, after: View) -> Text:
    thrown = Dice(faces)
    if before.dice is None:
        return say("rolls {dice}", dice=thrown)
    held = tuple(face for position, face in enumerate(before.dice) if position not in after.rolled)
    if not held:
        return say("rolls all five again: {dice}", dice=thrown)
    return say("holds {held}, rolls {dice}", held=Dice(held), dice=thrown)


def _summary(sheet: Sheet) -> Text:
    points = {category: sheet.get(category) or 0 for category in CATEGORIES}
    if points["yacht"]:
        return say("with a yacht")
    struck = sum(1 for value in points.values() if value == 0)
    if struck > 2:
        return tally("{n} row struck", "{n} rows struck", struck)
    best = max(CATEGORIES, key=lambda category: points[category])
    return say("most in {row}: {points}", row=WORDS[best], points=points[best])


BOARD = YachtBoard()
