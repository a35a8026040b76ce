"""The sheet of 5 Strolche II: the gate and its locks, the five boards, everybody's dice."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.game import Seat, Viewer
from app.core.text import Player, Text, say, tally
from app.games.five_strolche.material import BOARDS, COLOURS, HOME, LOCKS, ROOM, colour
from app.games.five_strolche.placing import EFFECTS, payment
from app.games.five_strolche.state import View
from app.games.five_strolche.words import EFFECT_LABELS, ICONS, NUMBERS, TITLES, colours, die_words

_GATE = (say("The gate is open"), say("Gate half closed"), say("The gate is shut"))


@dataclass(frozen=True, slots=True)
class ShownDie:
    """A die to look at. `wanted`: the viewer lacks it for the lock. `first`: the first of its colour in a row."""

    id: str
    colour: str
    face: int
    label: Text
    wanted: bool = False
    first: bool = False
    rolling: bool = False


@dataclass(frozen=True, slots=True)
class LockCard:
    """A lock in the row under the gate: cracked, the front one, or one of the rest with its number if it is shown."""

    number: int | None
    cracked: bool = False
    front: bool = False


@dataclass(frozen=True, slots=True)
class Need:
    """One colour of the set for the lock: `have` it, or `seat` has it, or nobody (None)."""

    colour: str
    have: bool
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """What a board does with a range of numbers; `half` is "up" or "low"."""

    half: str
    icon: str
    range: str
    label: Text


@dataclass(frozen=True, slots=True)
class BoardContext:
    """One rogue's board; `full`: the next die sweeps it, or, on Paul, there is no room."""

    id: str
    title: str
    colour: str
    acts: tuple[Act, ...]
    dice: tuple[ShownDie, ...]
    room: int
    full: bool


@dataclass(frozen=True, slots=True)
class Mate:
    """A player's dice for all to see, with how far they reach for the lock."""

    seat: Seat
    active: bool
    progress: Text
    dice: tuple[ShownDie, ...]


@dataclass(frozen=True, slots=True)
class SheetContext:
    """The sheet. `need` is the set of `need_seat`: the viewer, or whose turn it is; () when no lock is left.

    `need_note` says the same in words. `warning`: what a six would do now, None if nothing. `bag`: (colour, dice left).
    `facts`: (label, value) for the end, () while the game runs.
    """

    gate: int
    gate_text: Text
    gate_label: Text
    lock: int | None
    headline: Text
    locks: tuple[LockCard, ...]
    need: tuple[Need, ...]
    need_note: Text | None
    warning: Text | None
    boards: tuple[BoardContext, ...]
    team: tuple[Mate, ...]
    bag: tuple[tuple[str, int], ...]
    bag_note: Text
    facts: tuple[tuple[Text, Text], ...]


def sheet(view: View, viewer: Viewer, *, fresh: bool) -> SheetContext:
    """Return the sheet as `viewer` sees it; others' dice in turn order behind the viewer, all for a spectator and in the end."""
    seats = len(view.hands)
    mine = viewer if viewer is not None and viewer < seats else None
    everybody = mine is None or view.ended  # in the end there is no tray with the own dice
    others = range(seats) if everybody else [((mine or 0) + step) % seats for step in range(1, seats)]
    subject = mine if mine is not None else view.seat or 0
    need = _need(view, subject)
    missing = frozenset(one.colour for one in need if not one.have) if mine is not None else frozenset()
    return SheetContext(
        gate=view.gate,
        gate_text=_GATE[view.gate],
        gate_label=_gate_label(view),
        lock=view.lock,
        headline=_headline(view),
        locks=_locks(view),
        need=need,
        need_note=_need_note(need, Player(subject), own=mine is not None),
        warning=say("The next throw with a 6 shuts the gate.") if view.gate == 1 and not view.ended else None,
        boards=tuple(_board(view, name) for name in BOARDS),
        team=tuple(_mate(view, seat, missing, fresh=fresh) for seat in others),
        bag=tuple((name, getattr(view.bag, name)) for name in COLOURS),
        bag_note=tally("{n} die in the bag", "{n} dice in the bag", view.in_bag),
        facts=_facts(view) if view.ended else (),
    )


def _gate_label(view: View) -> Text:
    halves = (
        say("Gate: both halves open."),
        say("Gate: one half closed, one open."),
        say("Gate: both halves closed."),
    )[view.gate]
    return halves if view.lock is None else say("{gate} The lock shows {n}.", gate=halves, n=view.lock)


def _headline(view: View) -> Text:
    if view.lock is None:
        return say("All six locks are cracked") if view.ended == "won" else say("Six locks")
    if view.options.right_order == "on" and view.lock != len(view.cracked) + 1:
        return say("Lock {n} comes first", n=len(view.cracked) + 1)
    return say("Four {n}s, four colours", n=view.lock)


def _locks(view: View) -> tuple[LockCard, ...]:
    done = [LockCard(number, cracked=True) for number in view.cracked]
    front = [] if view.lock is None else [LockCard(view.lock, front=True)]
    known = [LockCard(number or None) for number in view.stack[1:]]
    rest = [LockCard(None)] * (LOCKS - len(done) - len(front) - len(known))
    return (*done, *front, *known, *rest)


def _need(view: View, subject: Seat) -> tuple[Need, ...]:
    if view.lock is None:
        return ()
    sets = [payment(view, seat) for seat in range(len(view.hands))]

    def holder(name: str) -> Seat | None:
        return next((seat for seat, found in enumerate(sets) if seat != subject and found[name]), None)

    return tuple(Need(name, bool(sets[subject][name]), holder(name)) for name in COLOURS)


def _need_note(need: tuple[Need, ...], who: Player, *, own: bool) -> Text | None:
    have = [one.colour for one in need if one.have]
    if len(have) == len(need):
        if not need:
            return None
        return say("You have all four colours.") if own else say("{player} has all four colours.", player=who)
    missing = colours(one.colour for one in need if not one.have)
    if not have:
        return say("All four colours are missing.")
    found = colours(have)
    if own:
        return say("You have {found}. Missing: {missing}.", found=found, missing=missing)
    return say("{player} has {found}. Missing: {missing}.", player=who, found=found, missing=missing)


def progress(view: View, seat: Seat) -> Text:
    """Say how far a player's dice reach for the lock: "2 of 4 sixes: red, blue"."""
    if view.lock is None:
        return tally("{n} die", "{n} dice", len(view.hands[seat]))
    found = [name for name, dice in payment(view, seat).items() if dice]
    number = NUMBERS[view.lock]
    if not found:
        return say("0 of 4 {number}", number=number)
    return say("{n} of 4 {number}: {colours}", n=len(found), number=number, colours=colours(found))


def ordered(view: View, dice: tuple[str, ...]) -> list[str]:
    """Return dice in the order in which they are shown: by colour and number."""
    return sorted(dice, key=lambda die: (COLOURS.index(colour(die)), view.dice[die], die))


def shown(
    view: View, dice: tuple[str, ...], wanted: frozenset[str] = frozenset(), *, fresh: bool
) -> tuple[ShownDie, ...]:
    """Return dice sorted by colour and number. `wanted`: colours in which the lock's number is looked for."""
    row = ordered(view, dice)
    found = []
    for place, die in enumerate(row):
        face, name = view.dice[die], colour(die)
        lacking = face == view.lock and name in wanted
        words = die_words(die, face)
        found.append(
            ShownDie(
                die,
                name,
                face,
                say("{die}, you lack it", die=words) if lacking else words,
                lacking,
                first=place > 0 and colour(row[place - 1]) != name,
                rolling=fresh and die in view.rolled,
            )
        )
    return tuple(found)


def _mate(view: View, seat: Seat, missing: frozenset[str], *, fresh: bool) -> Mate:
    dice = shown(view, view.hands[seat], missing, fresh=fresh)
    return Mate(seat, seat == view.seat and not view.ended, progress(view, seat), dice)


def _board(view: View, name: str) -> BoardContext:
    upper, lower = EFFECTS[name]
    acts: tuple[Act, ...] = (Act("low", ICONS[lower], "1 · 6", EFFECT_LABELS[lower]),)
    if name != "paul":
        label = EFFECT_LABELS[upper]
        if name == "ringo" and view.options.rotate == "john_and_ringo":
            label = say("Open gate or swap lock")
        acts = (Act("up", ICONS[upper], "1–3", label), Act("low", ICONS[lower], "4–6", EFFECT_LABELS[lower]))
    dice = view.tableaus.on(name)
    return BoardContext(
        name, TITLES[name], HOME[name], acts, shown(view, dice, fresh=False), ROOM[name], len(dice) == ROOM[name]
    )


def _facts(view: View) -> tuple[tuple[Text, Text], ...]:
    cracked = say("no lock") if not view.cracked else say("{locks}", locks=", ".join(map(str, view.cracked)))
    facts = [
        (say("Locks cracked"), cracked),
        (say("Rounds"), say("{n}", n=view.round)),
        (say("Dice thrown"), say("{n}", n=view.thrown)),
        (say("Sixes thrown"), _sixes(view)),
    ]
    if view.rescues:
        facts.append((say("Rescues"), say("{n}", n=view.rescues)))
    return tuple(facts)


def _sixes(view: View) -> Text:
    whole, tenth = divmod(round(view.thrown * 10 / 6), 10)
    return say("{n}, {whole}.{tenth} were to be expected", n=view.sixes, whole=whole, tenth=tenth)
