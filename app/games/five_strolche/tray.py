"""The tray of 5 Strolche II: the viewer's dice, what each could do now or why not, and the choice that is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.core.game import Action, Seat, Viewer
from app.core.text import Text, say, tally
from app.games.five_strolche.material import BOARDS, COLOURS, HOME, ROOM, colour
from app.games.five_strolche.odds import percent, six_among
from app.games.five_strolche.placing import drawn, effect, idle, obstacle
from app.games.five_strolche.sheet import ShownDie, shown
from app.games.five_strolche.state import Crack, Draw, Effect, Give, Pass, TakeAll, View
from app.games.five_strolche.words import EFFECT_ACTS, ICONS, TITLES


@dataclass(frozen=True, slots=True)
class Deed:
    """What a die could do on a board: a button, or the reason why not (`why`).

    `half`: which half of the board, "up" or "low". `note`: what is good to know before. `risk`: chance in percent
    that the throw shuts the gate, None if it cannot.
    """

    die: str
    board: str
    half: str
    icon: str
    label: Text
    why: Text | None = None
    note: Text | None = None
    risk: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Own dice of one colour and number, which can all do the same. `gives`: seats that may get one.

    `ids` names them all on a button, "k2,k3"; the one that was chosen is meant.
    """

    id: str
    ids: str
    dice: tuple[ShownDie, ...]
    deeds: tuple[Deed, ...]
    gives: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Risk:
    """What a throw of `dice` dice may bring: the chance of a six in percent. `shuts`: it would shut the gate."""

    dice: int
    percent: int
    shuts: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to an open choice, as a button: `value` is what the form posts."""

    value: str
    label: Text
    icon: str = ""
    risk: int | None = None
    main: bool = False
    dice: tuple[ShownDie, ...] = ()


@dataclass(frozen=True, slots=True)
class TrayContext:
    """The tray. `mode`: "act" for the four actions, the kind of the open choice ("wish" for the others in a vote), else
    "watch" or "over".

    `dice`: the viewer's own, by colour and number. `groups`: what they could do. `draw`, `reroll`, `may_pass`: whether
    it is possible. `draw_risk`: of one die. `risks`: of 1, 2 … own dice. `gift_note`: why nothing can be given. `pool`:
    dice to choose from, `least`…`most` of them. `picked`: all of them are needed. `pay`: for a lock, the dice of each
    colour. `choices`: buttons. `wishes`: (seat, wish) in a vote. `air`: dice that are about to fall, for the replay.
    """

    mode: str
    dice: tuple[ShownDie, ...] = ()
    groups: tuple[Group, ...] = ()
    draw: bool = False
    draw_risk: int | None = None
    reroll: bool = False
    risks: tuple[Risk, ...] = ()
    may_pass: bool = False
    gift_note: Text | None = None
    prompt: Text | None = None
    pool: tuple[ShownDie, ...] = ()
    least: int = 0
    most: int = 0
    picked: bool = False
    pay: tuple[tuple[str, tuple[ShownDie, ...]], ...] = ()
    choices: tuple[Choice, ...] = ()
    wishes: tuple[tuple[Seat, bool | None], ...] = ()
    thrown: tuple[ShownDie, ...] = ()
    throw: str = ""


_RINGO = {"open": say("Open the gate"), "rotate": say("Swap the lock")}


def tray(view: View, viewer: Viewer, actions: Sequence[Action[Any]], *, fresh: bool) -> TrayContext:
    """Return the tray of `viewer`, whose actions these are."""
    own = view.hands[viewer] if viewer is not None and viewer < len(view.hands) else ()
    dice = shown(view, own, fresh=fresh)
    thrown = shown(view, tuple(die for die in view.rolled if die in view.dice), fresh=fresh)
    throw = f"{view.round}-{view.seat}-{view.thrown}"
    if not actions or viewer is None:
        mode = "over" if view.ended else "watch"
        return TrayContext(mode, dice, wishes=_wishes(view), thrown=thrown, throw=throw)
    if view.asked:
        return _asked(view, viewer, actions, TrayContext(view.asked, dice, thrown=thrown, throw=throw))
    moves = [action.move for action in actions]
    gives = {die: tuple(m.to for m in moves if isinstance(m, Give) and m.die == die) for die in own}
    return TrayContext(
        "act",
        dice,
        groups=_groups(view, viewer, dice, gives),
        draw=any(isinstance(move, Draw) for move in moves),
        draw_risk=_risk(view, 1),
        reroll=bool(own),
        risks=tuple(Risk(n, percent(six_among(n)), view.gate == 1) for n in range(1, len(own) + 1)),
        may_pass=any(isinstance(move, Pass) for move in moves),
        gift_note=say("You have given a die away in this turn already.") if view.gift_used else None,
        thrown=thrown,
        throw=throw,
    )


def _risk(view: View, dice: int) -> int | None:
    """Return the chance in percent that a throw of so many dice shuts the gate; None if it cannot."""
    return percent(six_among(dice)) if view.gate == 1 and dice else None


def _groups(
    view: View, seat: Seat, dice: tuple[ShownDie, ...], gives: dict[str, tuple[Seat, ...]]
) -> tuple[Group, ...]:
    together: dict[str, list[ShownDie]] = {}
    for die in dice:
        together.setdefault(f"{die.id[0]}{die.face}", []).append(die)
    return tuple(
        Group(
            name,
            ",".join(die.id for die in same),
            tuple(same),
            tuple(_deed(view, seat, same[0], board) for board in BOARDS if _fits(same[0], board)),
            gives[same[0].id],
        )
        for name, same in together.items()
    )


def _fits(die: ShownDie, board: str) -> bool:
    """Say whether a board is worth a line for a die: its own colour, and Paul only for his two numbers."""
    return HOME[board] == die.colour and (board != "paul" or die.face in {1, 6})


def _deed(view: View, seat: Seat, die: ShownDie, board: str) -> Deed:
    name = effect(board, die.face)
    why = obstacle(view, seat, die.id, board)
    act = EFFECT_ACTS[name]
    if name == "open" and view.options.rotate == "john_and_ringo":
        act = say("open the gate or swap the lock")
    elif name == "draw" and drawn(view, board):
        act = tally("draw {n} die", "draw {n} dice", drawn(view, board))
    half = "up" if die.face < 4 and board != "paul" else "low"
    label = say("{board}: {effect}", board=TITLES[board], effect=act)
    note = _note(view, seat, die.id, board) if why is None else None
    return Deed(die.id, board, half, ICONS[name], label, why, note, _deed_risk(view, board, name))


def _deed_risk(view: View, board: str, name: str) -> int | None:
    match name:
        case "draw":
            return _risk(view, drawn(view, board))
        case "take":
            return _risk(view, min(2, len(view.tableaus.beside(board))))
        case _:
            return None


def _note(view: View, seat: Seat, die: str, board: str) -> Text | None:
    if board == "paul":
        return None
    if (vain := idle(view, seat, die, board)) is not None:
        return say("No effect: {why}", why=vain)
    if len(view.tableaus.on(board)) < ROOM[board]:
        return None
    if view.options.overflow == "old_three":
        return say("The board is full: the three old dice go back into the bag.")
    return say("The board is full: all four dice go back into the bag.")


def _wishes(view: View) -> tuple[tuple[Seat, bool | None], ...]:
    return tuple((seat, wish) for seat, wish in enumerate(view.wishes) if seat != view.seat)


def _asked(view: View, seat: Seat, actions: Sequence[Action[Any]], base: TrayContext) -> TrayContext:
    match view.asked:
        case "take":
            return _take(view, actions, base)
        case "turn":
            return replace(base, prompt=say("Which die, and to which number? Turning is no throw."), pool=base.dice)
        case "crack":
            return _crack(view, actions, base)
        case "take_all":
            prompt = say("Which board do you empty? All its dice are thrown at once.")
            boards = [action.move.from_ for action in actions if isinstance(action.move, TakeAll)]
            return replace(base, prompt=prompt, choices=tuple(_emptying(view, board) for board in boards))
        case "effect":
            names = [action.move.effect for action in actions if isinstance(action.move, Effect)]
            buttons = tuple(Choice(f"effect {name}", _RINGO[name], ICONS[name]) for name in names)
            return replace(base, prompt=say("What does Ringo do?"), choices=buttons)
        case _:
            return _vote(view, seat, base)


def _take(view: View, actions: Sequence[Action[Any]], base: TrayContext) -> TrayContext:
    pick = actions[0].pick
    assert pick is not None  # taking is one action with a pick
    prompt = tally(
        "Take {n} die from the boards and throw it.", "Take {n} dice from the boards and throw them.", pick.most
    )
    if pick.least < pick.most:
        prompt = say("Take one or two dice from the boards and throw them.")
    pool = tuple(str(die) for die in pick.options)
    return replace(
        base,
        prompt=prompt,
        pool=shown(view, pool, fresh=False),
        least=pick.least,
        most=pick.most,
        picked=len(pool) == pick.least,
        risks=tuple(Risk(n, percent(six_among(n)), view.gate == 1) for n in range(pick.least, pick.most + 1)),
    )


def _emptying(view: View, board: str) -> Choice:
    dice = view.tableaus.on(board)
    label = tally("{board}: {n} die", "{board}: {n} dice", len(dice), board=TITLES[board])
    return Choice(
        f"take_all {board}", label, ICONS["take_all"], _risk(view, len(dice)), dice=shown(view, dice, fresh=False)
    )


def _crack(view: View, actions: Sequence[Action[Any]], base: TrayContext) -> TrayContext:
    offered = {die for action in actions if isinstance(action.move, Crack) for die in action.move.dice}
    by_colour = tuple(
        (name, shown(view, tuple(die for die in offered if colour(die) == name), fresh=False)) for name in COLOURS
    )
    return replace(base, prompt=say("Which four dice pay for the lock?"), pay=by_colour)


def _vote(view: View, seat: Seat, base: TrayContext) -> TrayContext:
    halves = say("fully open") if view.options.rescue_opens == "both" else say("half open")
    if seat == view.seat:
        return replace(
            base,
            prompt=say(
                "A six: the gate shuts. All dice of all players into the bag, and it is {halves} again?", halves=halves
            ),
            wishes=_wishes(view),
            choices=(
                Choice("rescue yes", say("All dice into the bag"), "bag", main=True),
                Choice("rescue no", say("Let the gate shut"), "door"),
            ),
        )
    return replace(
        base,
        mode="wish",
        prompt=say("A six: the gate shuts. Shall all dice go into the bag, and it is {halves} again?", halves=halves),
        wishes=_wishes(view),
        choices=(
            Choice("rescue yes", say("I am for it"), "check", main=True),
            Choice("rescue no", say("I am against it"), "x"),
        ),
    )
