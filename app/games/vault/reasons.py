"""Why a move of Vault is refused, in a few words. Knows no more than the seat that asks."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.game import Seat
from app.core.text import Text, say
from app.games.vault.marks import lawful
from app.games.vault.sheets.format import FILLED
from app.games.vault.state import DICE, SKIMMERS, Charge, Hand, Mark, Move, Reroll, State


def explain(state: State, seat: Seat, move: Move, *, asked: bool) -> Text | None:
    """Return the rule that `move` breaks; None where none can be named. `asked`: the seat may act now."""
    if not asked:
        return _not_asked(state, seat)
    if isinstance(move, Mark):
        return _mark(state, seat, move)
    if isinstance(move, Charge):
        return _charge(state, seat, move)
    return _reroll(state, seat, move) if isinstance(move, Reroll) else None


def _not_asked(state: State, seat: Seat) -> Text:
    if state.over:
        return say("The game is over.")
    if seat in range(len(state.hands)) and state.hands[seat].ended:
        return say("You have ended this round. The next begins when all have.")
    return say("It is not your turn.")


def _mark(state: State, seat: Seat, move: Mark) -> Text | None:
    hand, kinds = state.hands[seat], state.printed.kinds
    kind = kinds.get(move.box)
    if kind is None:
        return say("There is no such box on this sheet.")
    if kind == FILLED:
        return say("That box was filled from the start. Choose another.")
    if move.box in hand.progress.marked:
        return say("That box is already crossed. Choose another.")
    names = (*move.plus, *move.minus)
    if not names:
        return say("Choose at least one die or skimmer.")
    return _tokens(hand, names) or _sum(state, seat, move, kind)


def _tokens(hand: Hand, names: Sequence[str]) -> Text | None:
    """Name the first token that is not there, not usable, or named twice."""
    for name in names:
        if name in DICE:
            if name in hand.used:
                return say("Die {n} is used up for this round.", n=DICE.index(name) + 1)
        elif name in SKIMMERS:
            skimmer, n = hand.progress.skimmers[SKIMMERS.index(name)], SKIMMERS.index(name) + 1
            if skimmer.spent:
                return say("Skimmer {n} is spent: each works once.", n=n)
            if not skimmer.charge:
                return say("Skimmer {n} is empty. Charge it first.", n=n)
        else:
            return say("There are the dice d0 to d4 and the skimmers s0 to s2.")
    if len(set(names)) < len(names):
        return say("Each die and each skimmer counts once.")
    return None


def _sum(state: State, seat: Seat, move: Mark, kind: str) -> Text | None:
    up, down = (_values(state, seat, names) for names in (move.plus, move.minus))
    skimmers = [name for name in (*move.plus, *move.minus) if name in SKIMMERS]
    if kind in {"E", "O", "X2"}:
        return _special(state, kind, up, down, skimmers) or _order(move)
    total = sum(up) - sum(down)
    if total != int(kind) and len(up) + len(down) == 1 and up:
        return say("{n} does not fit the {number}.", n=total, number=int(kind))
    if total != int(kind):
        return say("{sum} is {total}, not {number}.", sum=_written(up, down), total=_signed(total), number=int(kind))
    if not lawful(len(up), len(down), state.options):
        if state.options.sum_rule == "two":
            return say("At this table a sum has two parts at most.")
        return say("At this table a sum only adds, or takes one number from one other.")
    return _order(move)


def _special(state: State, kind: str, up: Sequence[int], down: Sequence[int], skimmers: Sequence[str]) -> Text | None:
    if kind == "X2" and (down or len(up) != 2):
        return say("X2 takes two single dice that show the same, no sum and no difference.")
    if kind != "X2" and (down or len(up) != 1):
        return say("E and O take one single die, no sum and no difference.")
    if skimmers and state.options.skimmer_as_die == "numbers_only":
        return say("At this table skimmers count in number boxes only.")
    if kind == "X2":
        return None if up[0] == up[1] else say("{a} and {b} are not the same.", a=up[0], b=up[1])
    if up[0] % 2 != (kind == "O"):
        return say("{n} is not even.", n=up[0]) if kind == "E" else say("{n} is not odd.", n=up[0])
    return None


def _order(move: Mark) -> Text | None:
    order = (*DICE, *SKIMMERS)
    for names in (move.plus, move.minus):
        if list(names) != sorted(names, key=order.index):
            return say("Name dice before skimmers, each in their order.")
    return None


def _charge(state: State, seat: Seat, move: Charge) -> Text | None:
    hand = state.hands[seat]
    if move.skimmer not in range(len(SKIMMERS)):
        return say("There are three skimmers.")
    if hand.progress.skimmers[move.skimmer].spent:
        return say("Skimmer {n} is spent: each works once.", n=move.skimmer + 1)
    if any(name in SKIMMERS for name in move.dice):
        return say("Only dice charge a skimmer.")
    if not move.dice:
        return say("Choose the dice to charge with.")
    return _tokens(hand, move.dice)


def _reroll(state: State, seat: Seat, move: Reroll) -> Text | None:
    hand = state.hands[seat]
    if not hand.progress.rerolls_left:
        return say("Your three re-rolls are used up.")
    if state.options.reroll_timing == "before_first" and hand.begun:
        return say("At this table dice are re-rolled before the first cross or charge of a round.")
    if any(name in SKIMMERS for name in move.dice):
        return say("Only dice can be re-rolled.")
    if not move.dice:
        return say("Choose the dice to re-roll.")
    return _tokens(hand, move.dice)


def _values(state: State, seat: Seat, names: Sequence[str]) -> list[int]:
    dice, skimmers = state.values(seat), state.hands[seat].progress.skimmers
    return [
        (dice[DICE.index(name)] or 0) if name in DICE else skimmers[SKIMMERS.index(name)].charge for name in names
    ]  # fmt: skip


def _written(up: Sequence[int], down: Sequence[int]) -> str:
    return (" + ".join(map(str, up)) or "0") + "".join(f" − {value}" for value in down)


def _signed(total: int) -> str:
    return str(total) if total >= 0 else f"−{-total}"
