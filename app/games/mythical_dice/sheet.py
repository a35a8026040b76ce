"""What the templates of Mythical Dice show of a view: the trick, the score sheet, the dice behind the screens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.core.game import Seat, Viewer
from app.core.text import Player, Text, say, tally
from app.games.mythical_dice.dice import COUNTS, FACES, KINDS, Face
from app.games.mythical_dice.state import Thrown, Trick, View
from app.games.mythical_dice.words import ASKED, faces, look, name, shown


@dataclass(frozen=True, slots=True)
class Piece:
    """A rolled die: what it looks like, what it shows (1…7, F for a flag, else the creature), and words for the ear.

    `key` is its own for each roll of a game, so that a new roll is a new thing on the page. `rolling`: just thrown.
    """

    look: str
    face: Face
    label: Text
    key: str
    rolling: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A seat in the trick, in rolling order.

    `bid` is None while it is hidden. `how`: over, under or exact. `piece`: its die, None if it has not rolled.
    `best`: this die wins the trick as it lies; `crown`: and the note says so. `turn`: whether the seat is asked.
    `note`: a word below the die.
    """

    seat: Seat
    won: int
    bid: int | None
    has_bid: bool
    how: Text | None
    over: int
    piece: Piece | None
    best: bool
    crown: bool
    turn: bool
    note: Text | None


@dataclass(frozen=True, slots=True)
class Cell:
    """A seat in a round: its points (None while it runs), tricks won and bid (None: hidden), bonus, and whether the
    bid was missed.
    """

    points: int | None
    won: int
    bid: int | None
    bonus: int = 0
    missed: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A round of the score sheet, a cell per column."""

    number: int
    cells: tuple[Cell, ...]
    now: bool


@dataclass(frozen=True, slots=True)
class HandDie:
    """A kind of die behind a screen, with how many there are, its faces, and words for the ear.

    `span`: the range of a number die, "0–7"; "" for a special one. `why`: the reason why it may not be rolled now. `only`: nothing else may be.
    """

    kind: str
    look: str
    name: Text
    count: int
    faces: tuple[Face, ...]
    span: str
    label: Text
    why: Text | None = None
    only: bool = False


@dataclass(frozen=True, slots=True)
class Hand:
    """The dice behind the screen of a seat."""

    seat: Seat
    dice: tuple[HandDie, ...]


@dataclass(frozen=True, slots=True)
class SheetContext:
    """The trick, a sentence about it, the trick before, the score sheet, the open hands of a replay, and the help card.

    `order`: the columns of the score sheet, the viewer's own first. `taken`: the cards show a finished trick.
    `before`: the trick before this one, in rolling order, while a new one is played, with the place of its winner.
    """

    skin: Literal["mythical", "pirate"]
    cards: tuple[Card, ...]
    taken: bool
    sentence: Text | None
    balance: Text | None
    before: tuple[Piece, ...]
    before_text: Text | None
    before_best: int
    order: tuple[Seat, ...]
    rows: tuple[Row, ...]
    totals: tuple[int, ...]
    hands: tuple[Hand, ...]
    help: tuple[HandDie, ...]


def sheet(view: View, viewer: Viewer, *, fresh: bool) -> SheetContext:
    """Return the sheet for a viewer. `fresh`: show the last die rolling, if it is the newest thing."""
    seats = len(view.totals)
    first = viewer if viewer is not None and viewer < seats else 0
    order = tuple((first + step) % seats for step in range(seats))
    before = view.last_trick if view.trick or view.rolling else ()
    return SheetContext(
        skin=view.skin,
        cards=_cards(view, fresh=fresh),
        taken=not view.trick and view.rolling is None and bool(view.last_trick),
        sentence=_sentence(view),
        balance=_balance(view),
        before=tuple(_piece(view, thrown, "before") for thrown in before),
        before_text=_before(view, running=bool(before)),
        before_best=next((place for place, thrown in enumerate(before) if thrown.seat == view.taken_by), 0),
        order=order,
        rows=_rows(view, order),
        totals=tuple(view.totals[seat] for seat in order),
        hands=_hands(view, viewer),
        help=tuple(hand_die(kind, COUNTS[kind], view.skin) for kind in KINDS),
    )


def hand_die(kind: str, count: int, skin: str, why: Text | None = None, *, only: bool = False) -> HandDie:
    """Return a kind of die as it lies behind a screen."""
    label = faces(kind, skin)
    if count > 1:
        label = say("{label}, {n} dice", label=label, n=count)
    if why is not None:
        label = say("{label}. Not now. {why}", label=label, why=why)
    return HandDie(kind, look(kind, skin), name(kind, skin), count, FACES[kind], _span(kind), label, why, only)


def _span(kind: str) -> str:
    numbers = [face for face in FACES[kind] if isinstance(face, int)]
    if not numbers:
        return ""
    return f"{0 if 'F' in FACES[kind] else min(numbers)}–{max(numbers)}"


def hand(dice: Sequence[str], skin: str) -> tuple[HandDie, ...]:
    """Return dice behind a screen, by kind."""
    return tuple(hand_die(kind, dice.count(kind), skin) for kind in dict.fromkeys(dice))


def _cards(view: View, *, fresh: bool) -> tuple[Card, ...]:
    seats = len(view.totals)
    open_trick = bool(view.trick) or view.rolling is not None
    lying: Trick = view.trick if open_trick else view.last_trick
    lead = view.last_trick[0].seat if view.last_trick and not open_trick else view.lead or 0
    best = view.ahead if open_trick else view.taken_by
    newest = lying[-1].seat if lying and fresh and _is_newest(view) else None
    cards = []
    for seat in ((lead + step) % seats for step in range(seats)):
        thrown = next((each for each in lying if each.seat == seat), None)
        bid, won = view.bids[seat], view.tricks_won[seat]
        cards.append(
            Card(
                seat=seat,
                won=won,
                bid=bid,
                has_bid=view.has_bid[seat],
                how=_how(bid, won, over=view.phase == "over") if view.phase in ("playing", "over") else None,
                over=0 if bid is None else max(won - bid, 0),
                piece=None if thrown is None else _piece(view, thrown, "trick", rolling=seat == newest),
                best=seat == best,
                crown=seat == best and view.phase != "bidding",
                turn=_is_asked(view, seat),
                note=_note(view, seat, best, lead, taken=not open_trick),
            )
        )
    return tuple(cards)


def _is_newest(view: View) -> bool:
    """Say whether a roll is the newest thing that happened: not a bid, and not the last one that opened them."""
    if view.phase == "bidding":
        return not any(view.has_bid)
    return bool(view.trick) or sum(view.tricks_won) > 0


def _is_asked(view: View, seat: Seat) -> bool:
    return not view.has_bid[seat] if view.phase == "bidding" else view.seat == seat


def _note(view: View, seat: Seat, best: Seat | None, lead: Seat, *, taken: bool) -> Text | None:
    if view.phase == "bidding":
        return say("has bid") if view.has_bid[seat] else say("is choosing")
    if seat == best:
        return say("wins the trick") if taken else say("is ahead")
    if seat == view.seat:
        return say("is up")
    return say("led") if seat == lead and (view.trick or taken) else None


def _how(bid: int | None, won: int, *, over: bool) -> Text | None:
    if bid is None:
        return None
    if won > bid:
        return say("{n} over", n=won - bid)
    if won == bid:
        return say("exact")
    return say("{n} short", n=bid - won) if over else say("{n} to go", n=bid - won)


def _piece(view: View, thrown: Thrown, where: str, *, rolling: bool = False) -> Piece:
    number = len(view.past) * 100 + sum(view.tricks_won) + bool(view.trick)
    return Piece(
        look=look(thrown.die, view.skin),
        face=thrown.face,
        label=shown(thrown.die, thrown.face, view.skin),
        key=f"{where}-{number}-{thrown.seat}",
        rolling=rolling,
    )


def _sentence(view: View) -> Text | None:
    if view.phase == "bidding":
        return tally(
            "Round {round}: {n} die each. How many tricks will it win?",
            "Round {round}: {n} dice each. How many tricks will they win?",
            view.round,
            round=view.round,
        )
    if view.phase != "playing" or view.seat is None:
        return None
    if view.colour is not None:
        return ASKED[look(view.colour, view.skin)]
    if view.trick:
        return say("No colour is set yet: any die may be rolled.")
    return say("{player} leads with any die.", player=Player(view.seat))


def _before(view: View, *, running: bool) -> Text | None:
    """Say who won the latest finished trick where the cards do not say it themselves."""
    if view.taken_by is None or not (running or view.phase == "bidding"):
        return None
    return say("{player} won the last trick", player=Player(view.taken_by))


def _balance(view: View) -> Text | None:
    bids = [bid for bid in view.bids if bid is not None]
    if view.phase != "playing" or len(bids) < len(view.bids):
        return None
    extra = sum(bids) - view.round
    if extra > 0:
        return say("Bids in all: {bids}, tricks: {tricks}, {n} too many.", bids=sum(bids), tricks=view.round, n=extra)
    if extra < 0:
        return say("Bids in all: {bids}, tricks: {tricks}, {n} too few.", bids=sum(bids), tricks=view.round, n=-extra)
    return say("Bids in all: {bids}, tricks: {tricks}.", bids=sum(bids), tricks=view.round)


def _rows(view: View, order: Sequence[Seat]) -> tuple[Row, ...]:
    rows = [
        Row(
            number,
            tuple(
                Cell(
                    past.points[seat],
                    past.tricks_won[seat],
                    past.bids[seat],
                    past.bonuses[seat],
                    missed=past.bids[seat] != past.tricks_won[seat],
                )
                for seat in order
            ),
            now=False,
        )
        for number, past in enumerate(view.past, 1)
    ]
    if view.phase != "over":
        cells = tuple(Cell(None, view.tricks_won[seat], view.bids[seat]) for seat in order)
        rows.append(Row(view.round, cells, now=True))
    return tuple(rows)


def _hands(view: View, viewer: Viewer) -> tuple[Hand, ...]:
    if view.hands is not None:
        return tuple(Hand(seat, hand(dice, view.skin)) for seat, dice in enumerate(view.hands))
    return () if viewer is None else (Hand(viewer, hand(view.hand, view.skin)),)
