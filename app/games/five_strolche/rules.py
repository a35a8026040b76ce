"""The rules of 5 Strolche II. Source: the German rule sheet; ids (S01 …) and numbers (1 …) are those of the rules page.

What may be done stands in `choices`, what a die does on a board in `placing`; here is what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from app.core.game import Action, Game, GameInfo, Outcome, Roll, Seat, Value, Viewer
from app.core.text import Text
from app.games.five_strolche.choices import asked_seats, choices, effects, payments
from app.games.five_strolche.material import ACTIONS, HANDS, LOCKS, ROOM, Faces, in_order
from app.games.five_strolche.placing import drawn, effect
from app.games.five_strolche.refusals import refusal
from app.games.five_strolche.state import (
    MOVES,
    UNLIMITED,
    Crack,
    Draw,
    Effect,
    Give,
    Move,
    Options,
    Pass,
    Place,
    Reroll,
    Rescue,
    State,
    Take,
    TakeAll,
    Turn,
    View,
    view_of,
)


class FiveStrolche(Game[Options, State, Move, View]):
    """5 Strolche II for 2 to 5 players, who win or lose together."""

    info: ClassVar[GameInfo] = GameInfo(
        slug="five-strolche",
        title="5 Strolche II",
        rules=1,
        min_players=2,
        max_players=5,
        kind="team",
        # an action, its follow-up, and a vote of five on the throw that may come of it
        max_decisions=5 * UNLIMITED * ACTIONS * (2 + 5),
        minutes=45,
        simultaneous=True,  # a rescue vote asks all
    )
    options_type: ClassVar[type[Value]] = Options
    state_type: ClassVar[type[Value]] = State
    view_type: ClassVar[type[Value]] = View
    move_types: ClassVar[tuple[type[Value], ...]] = MOVES
    presets: ClassVar[tuple[Mapping[str, object], ...]] = (
        {
            "rotate": "john_and_ringo",
            "overflow": "old_three",
            "fizzle": "forbidden",
            "take2": "up_to_two",
            "pass": "allowed",
            "turn_limit": 20,
            "last_rescue": "on",
            "rescue_opens": "one",
            "right_order": "on",
            "memory_aid": "on",
        },
        {"overflow": "blocked", "turn_limit": 25, "last_rescue": "once"},
        {"rotate": "john_and_ringo", "turn_limit": 30, "last_rescue": "on"},
    )

    def setup(self, options: Options, players: int) -> State:
        """Return four boards with a die each, a face-down stack of locks and empty hands (S01)."""
        return State(options, ((),) * players)

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the active seat, and in a rescue vote also who has not said a wish; nobody while chance is due."""
        return frozenset() if _due(state) else asked_seats(state)

    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        """Return draw, re-roll, placements by die, gifts by die, pass; or the answers to the open choice."""
        return choices(state, seat) if seat in self.to_act(state) else ()

    def play(self, state: State, seat: Seat, move: Move) -> State:
        """Return the state after a move: dice about to be drawn or rolled, an open choice, or the next to act."""
        state = replace(state, rolled=())
        if state.asked:
            return _onward(_answered(state, seat, move))
        state = replace(state, actions_left=state.actions_left - 1)
        match move:
            case Draw():
                state = replace(state, draws=1, cause="draw")
            case Reroll(dice=dice):
                state = replace(_lifted(state, seat, dice), cause="reroll")
            case Place(die=die, on=board):
                state = _laid(state, seat, die, board)
            case Give(die=die, to=to):
                kept = _hand(state, seat, (one for one in state.hands[seat] if one != die))
                state = replace(_hand(kept, to, (*kept.hands[to], die)), gift_used=True)
            case Pass():
                state = replace(state, actions_left=0)
        return _onward(state)

    def chance(self, state: State) -> Roll | None:
        """Return the draw, the roll, the lock card or the lot among equal sums that is due."""
        match _due(state):
            case "draw":
                left, wanted = state.in_bag, state.draws or HANDS[state.players]
                return Roll(tuple(range(left, left - wanted, -1)), "draw")
            case "roll":
                return Roll((6,) * len(state.air), "roll")
            case "lock":
                return Roll((len(_unseen(state)),), "lock")
            case "first":
                return Roll((len(_highest(state)),), "first")
            case _:
                return None

    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        """Return the state after the chance that was due came out as `faces`."""
        match _due(state):
            case "draw":
                bag = list(state.bag)
                cause = state.cause or "deal"
                return replace(state, draws=0, air=tuple(bag.pop(face - 1) for face in faces), cause=cause)
            case "roll":
                return _onward(_landed(state, faces))
            case "lock":
                return _onward(replace(state, stack=(_unseen(state)[faces[0] - 1], *state.stack[1:])))
            case _:
                return replace(state, seat=_highest(state)[faces[0] - 1])

    def view(self, state: State, viewer: Viewer) -> View:  # noqa: ARG002  # nothing is hidden from some players only (24)
        """Return what everybody sees."""
        return view_of(state)

    def outcome(self, state: State) -> Outcome | None:
        """Return the common result: the score of each seat is the number of locks cracked together."""
        if not state.ended:
            return None
        won = state.ended == "won"
        return Outcome(
            "team",
            (len(state.cracked),) * state.players,
            tuple(range(state.players)) if won else (),
            {
                "won": won,
                "ended": state.ended,
                "rounds": state.round,
                "cracked": state.cracked,
                "cracked_by": state.cracked_by,
                "rescues": state.rescues,
                "dice_thrown": state.thrown,
                "sixes": state.sixes,
                "sixes_expected": f"{state.thrown / 6:.1f}",
            },
        )

    def final(self, before: State, seat: Seat, move: Move, after: State) -> bool:  # noqa: ARG002  # the contract's form
        """Say whether a card that only memory knew was turned up: then there is no way back (27)."""
        turned = after.stack[:1] not in {before.stack[:1], (0,), ()}
        return turned and after.options.memory_aid == "off"

    def explain(self, state: State, seat: Seat, move: Move) -> Text:
        """Say which rule the move breaks."""
        return refusal(state, seat, move)


def _due(state: State) -> str:
    """Return the reason of the chance that must come next, "" if none."""
    if state.ended:
        return ""
    if state.air:
        return "roll"
    if state.draws:
        return "draw"
    if state.stack[0] == 0:
        return "lock"
    if state.seat is None:
        return "first" if all(state.hands) else "draw"
    return ""


def _onward(state: State) -> State:
    """Pass the turn on when both actions are used up and nothing is left to be settled."""
    if state.seat is None or state.actions_left or state.asked or state.ended or _due(state):
        return state
    if state.turns_left == 1:  # (28)
        return replace(state, turns=state.turns + 1, ended="turns")
    seat = (state.seat + 1) % state.players
    return replace(state, seat=seat, turns=state.turns + 1, actions_left=ACTIONS, gift_used=False)


def _unseen(state: State) -> tuple[int, ...]:
    """Return the lock cards nobody has seen, ascending."""
    seen = {*state.stack, *state.cracked}
    return tuple(number for number in range(1, LOCKS + 1) if number not in seen)


def _highest(state: State) -> tuple[Seat, ...]:
    """Return the seats with the highest sum of dice, ascending."""
    sums = [sum(state.dice[die] for die in hand) for hand in state.hands]
    return tuple(seat for seat, total in enumerate(sums) if total == max(sums))


def _hand(state: State, seat: Seat, dice: Iterable[str]) -> State:
    hands = (*state.hands[:seat], in_order(dice), *state.hands[seat + 1 :])
    return replace(state, hands=hands)


def _lifted(state: State, seat: Seat, dice: tuple[str, ...]) -> State:
    """Take dice from a hand into the air."""
    kept = _hand(state, seat, (one for one in state.hands[seat] if one not in dice))
    return replace(kept, air=dice, dice=state.dice.without(dice))


def _taken(state: State, dice: tuple[str, ...]) -> State:
    """Take dice from the boards into the air."""
    return replace(state, tableaus=state.tableaus.without(dice), air=dice, dice=state.dice.without(dice))


def _landed(state: State, faces: tuple[int, ...]) -> State:
    """Let the dice in the air fall into the hand they are for, and the gate with them."""
    dealt = state.seat is None
    seat = state.hands.index(()) if state.seat is None else state.seat
    shown = Faces(dict(zip(state.air, faces, strict=True)))
    state = replace(
        _hand(state, seat, (*state.hands[seat], *state.air)), dice=state.dice.showing(shown), air=(), cause=""
    )
    if dealt:  # S02, S03: sixes and sets of the set-up do not count
        return _begun(state)
    sixes = faces.count(6)
    state = replace(state, thrown=state.thrown + len(faces), sixes=state.sixes + sixes, rolled=tuple(shown))
    return _pushed(state) if sixes else state  # S05: several sixes of a throw close one wing


def _begun(state: State) -> State:
    """Name who begins once all are dealt, unless the highest sum is shared."""
    if not all(state.hands) or len(_highest(state)) > 1:
        return state
    return replace(state, seat=_highest(state)[0])


def _pushed(state: State) -> State:
    """Close a wing; the second one ends the game (S06), unless the team may still save itself (25)."""
    if state.gate == 0:
        return replace(state, gate=1)
    mode = state.options.last_rescue
    if mode == "on" or (mode == "once" and state.rescues == 0):
        return replace(state, asked="rescue", wishes=(None,) * state.players)
    return replace(state, gate=2, ended="gate")


def _laid(state: State, seat: Seat, die: str, board: str) -> State:
    """Lay a die from the hand on a board: sweep the board if it was full (2), then the effect (S17)."""
    state = _hand(state, seat, (one for one in state.hands[seat] if one != die))
    face, count = state.dice[die], drawn(state, board)
    there = (*state.tableaus.on(board), die)
    kept, back = there, tuple[str, ...]()
    if len(there) > ROOM[board]:
        kept, back = ((), there) if state.options.overflow == "all_four" else (there[-1:], there[:-1])
    state = replace(state, tableaus=state.tableaus.put(board, kept), dice=state.dice.without(back))
    return _effected(replace(state, used=board), seat, effect(board, face), count)


def _effected(state: State, seat: Seat, name: str, count: int) -> State:
    """Carry out an effect as far as it goes without a choice; one that finds nothing to do does nothing (8)."""
    match name:
        case "rotate":
            return _rotated(state)
        case "open":
            return _ringo(state)
        case "draw":
            return replace(state, draws=count, cause="draw_three" if count else "")
        case "take" | "take_all" | "turn":
            wanted = state.hands[seat] if name == "turn" else state.tableaus.beside(state.used)
            return replace(state, asked=name) if wanted else state
        case _:
            possible = payments(state, seat)
            return _cracked(state, seat, possible[0]) if len(possible) == 1 else replace(state, asked="crack")


def _ringo(state: State) -> State:
    """Open the gate, unless the table lets Ringo rotate, too (1): then it is a choice where both are possible."""
    match effects(state):
        case ("open", "rotate"):
            return replace(state, asked="effect")
        case ("rotate",):
            return _rotated(state)
        case _:
            return _opened(state)


def _answered(state: State, seat: Seat, move: Move) -> State:
    """Carry out the answer to the open choice."""
    if isinstance(move, Rescue):
        return _voted(state, seat, accept=move.accept)
    state = replace(state, asked="")
    match move:
        case Take(dice=dice):
            return replace(_taken(state, dice), cause="take")
        case TakeAll(from_=board):
            return replace(_taken(state, in_order(state.tableaus.on(board))), cause="take_all")
        case Turn(die=die, face=face):  # no throw: S19, (18)
            return replace(state, dice=state.dice.showing({die: face}))
        case Crack(dice=dice):
            return _cracked(state, seat, dice)
        case _:
            return _opened(state) if move == Effect("open") else _rotated(state)


def _opened(state: State) -> State:
    """Open the closed wing; an open gate stays as it is (S07, S08)."""
    return replace(state, gate=0)


def _rotated(state: State) -> State:
    """Put the front card to the back (S10); a single card stays (22)."""
    return replace(state, stack=(*state.stack[1:], *state.stack[:1]))


def _cracked(state: State, seat: Seat, dice: tuple[str, ...]) -> State:
    """Pay four dice into the bag and take the lock away (S13); the last one wins at once (S24)."""
    state = _hand(state, seat, (one for one in state.hands[seat] if one not in dice))
    return replace(
        state,
        dice=state.dice.without(dice),
        cracked=(*state.cracked, state.stack[0]),
        cracked_by=(*state.cracked_by, seat),
        stack=state.stack[1:],
        ended="won" if len(state.stack) == 1 else "",
    )


def _voted(state: State, seat: Seat, *, accept: bool) -> State:
    """Note a wish, or carry out what the active seat decides: all hands into the bag, the gate open (25; S25)."""
    if seat != state.seat:
        return replace(state, wishes=(*state.wishes[:seat], accept, *state.wishes[seat + 1 :]))
    state = replace(state, asked="", wishes=())
    if not accept:
        return replace(state, gate=2, ended="gate")
    thrown_in = [die for hand in state.hands for die in hand]
    return replace(
        state,
        hands=((),) * state.players,
        dice=state.dice.without(thrown_in),
        gate=0 if state.options.rescue_opens == "both" else 1,
        rescues=state.rescues + 1,
    )


GAME = FiveStrolche()
