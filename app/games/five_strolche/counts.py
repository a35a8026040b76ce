"""A position of 5 Strolche II as mere counts, fast to play forward in thought; a test proves it equal to the rules.

Dice of one colour and number are alike, so a hand is 24 counts: red 1…6, blue, black, yellow. Numbers in brackets are
those of the rules page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from app.games.five_strolche.material import ACTIONS, BOARDS, COLOURS, DICE, HOME, LOCKS, ROOM, colour
from app.games.five_strolche.state import State

Pick: TypeAlias = Callable[[int], int]
"""Chance: for n an int in [0, n)."""

Step: TypeAlias = tuple[str, Sequence[int], int, Sequence[int]]
"""An action with all that follows from it: its kind, the dice as places in a hand, a board or seat, and a choice.

`draw`, `pass`: nothing else. `reroll`: the dice, ascending. `give`: the die and the seat. `place`: the die, the board,
and as choice for "take 2" the board of each die, for "take all" the board, for "turn" the place of the die and its new
number, for Ringo 1–3 (1,) to rotate.
"""

RED, BLUE, BLACK, YELLOW = 0, 6, 12, 18
JOHN, RINGO, RIHANNA, PINK, PAUL = range(5)
SPACE = tuple(ROOM[board] for board in BOARDS)
SHADE = tuple(COLOURS.index(HOME[board]) for board in BOARDS)

PLACES = {die: 6 * COLOURS.index(colour(die)) for die in DICE}
"""Where the six counts of a die's colour begin."""

RUNNING, WON, SHUT, LATE = range(4)
_ENDS = {"": RUNNING, "won": WON, "gate": SHUT, "turns": LATE}


class Counts:
    """A position in which an action is due, or the end: one of RUNNING, WON, SHUT, LATE.

    `boards`: dice on each of BOARDS. `bag`: dice of each of COLOURS. `lock`: the front card, 0 after the last one.
    `left`: actions of this turn. `gift`: whether it had its gift. `to_go`: turns of all until the game is lost.
    `unseen`: the lock cards nobody has seen, ascending.
    """

    __slots__ = (
        "bag",
        "boards",
        "end",
        "gate",
        "gift",
        "hands",
        "left",
        "options",
        "rescues",
        "seat",
        "stack",
        "to_go",
        "unseen",
    )

    def __init__(self, state: State) -> None:
        """Count the dice of a state whose set-up is over; its open choice, if any, is not part of it."""
        self.options = state.options
        self.hands = [_counted(state, hand) for hand in state.hands]
        self.boards = [len(state.tableaus.on(board)) for board in BOARDS]
        bag = [colour(die) for die in state.bag]
        self.bag = [bag.count(name) for name in COLOURS]
        self.gate = state.gate
        self.stack = list(state.stack)
        self.unseen = [number for number in range(1, LOCKS + 1) if number not in {*state.stack, *state.cracked}]
        self.seat = state.seat or 0
        self.left = state.actions_left
        self.gift = state.gift_used
        self.to_go = state.turns_left
        self.rescues = state.rescues
        self.end = _ENDS[state.ended]

    def copy(self) -> Counts:
        """Return an equal position that shares nothing that changes."""
        new = Counts.__new__(Counts)
        new.options = self.options
        new.hands = [hand[:] for hand in self.hands]
        new.boards, new.bag, new.stack = self.boards[:], self.bag[:], self.stack[:]
        new.unseen = self.unseen[:]
        new.gate, new.seat, new.left, new.gift = self.gate, self.seat, self.left, self.gift
        new.to_go, new.rescues, new.end = self.to_go, self.rescues, self.end
        return new

    def facts(self) -> dict[str, object]:
        """Return all that makes two positions equal."""
        return {name: getattr(self, name) for name in Counts.__slots__}

    @property
    def lock(self) -> int:
        """The number of the front card, 0 after the last one."""
        return self.stack[0] if self.stack else 0

    def play(self, step: Step, pick: Pick) -> None:
        """Make a legal step and settle what chance follows it; a rescue is always taken."""
        kind, dice, target, choice = step
        hand = self.hands[self.seat]
        self.left -= 1
        match kind:
            case "draw":
                self._draw(1, pick)
            case "reroll":
                for die in dice:
                    hand[die] -= 1
                self._throw([die // 6 for die in dice], pick)
            case "place":
                hand[dice[0]] -= 1
                self._place(dice[0], target, choice, pick)
            case "give":
                hand[dice[0]] -= 1
                self.hands[target][dice[0]] += 1
                self.gift = True
            case _:
                self.left = 0
        if self.left <= 0 and not self.end:
            self._hand_on()

    def _hand_on(self) -> None:
        self.to_go -= 1
        if self.to_go == 0:  # (28)
            self.end = LATE
            return
        self.seat = (self.seat + 1) % len(self.hands)
        self.left = ACTIONS
        self.gift = False

    def _draw(self, count: int, pick: Pick) -> None:
        drawn = []
        left = sum(self.bag)
        for _ in range(min(count, left)):
            place, shade = pick(left), 0
            while place >= self.bag[shade]:
                place -= self.bag[shade]
                shade += 1
            self.bag[shade] -= 1
            left -= 1
            drawn.append(shade)
        self._throw(drawn, pick)

    def _throw(self, shades: Sequence[int], pick: Pick) -> None:
        hand, six = self.hands[self.seat], False
        for shade in shades:
            face = pick(6)
            hand[6 * shade + face] += 1
            six = six or face == 5
        if six:  # S05: several sixes of a throw close one wing
            self._push()

    def _push(self) -> None:
        if self.gate == 0:
            self.gate = 1
            return
        mode = self.options.last_rescue
        if mode == "off" or (mode == "once" and self.rescues):
            self.gate, self.end = 2, SHUT
            return
        self.rescues += 1  # (25)
        self.gate = 0 if self.options.rescue_opens == "both" else 1
        for hand in self.hands:
            for die, count in enumerate(hand):
                self.bag[die // 6] += count
            hand[:] = [0] * 24

    def _place(self, die: int, board: int, choice: Sequence[int], pick: Pick) -> None:
        if board == PAUL:
            self._crack(pick)
            return
        self._lay(board)
        low = die % 6 < 3
        if low and (board == JOHN or (board == RINGO and choice == (1,))):
            self._rotate(pick)
        elif board == RINGO and low:
            self.gate = 0
        elif low:
            self._draw(3, pick)
        elif board == PINK and choice:
            hand = self.hands[self.seat]
            hand[choice[0]] -= 1
            hand[choice[0] - choice[0] % 6 + choice[1] - 1] += 1
        elif board == RIHANNA and choice:
            self._take([choice[0]] * self.boards[choice[0]], pick)
        elif choice:
            self._take(choice, pick)

    def _lay(self, board: int) -> None:
        """Lay a die; a full board is swept first (2)."""
        if self.boards[board] < SPACE[board]:
            self.boards[board] += 1
            return
        kept = self.options.overflow == "old_three"
        self.bag[SHADE[board]] += SPACE[board] + (not kept)
        self.boards[board] = int(kept)

    def _take(self, boards: Sequence[int], pick: Pick) -> None:
        for board in boards:
            self.boards[board] -= 1
        self._throw(sorted(SHADE[board] for board in boards), pick)

    def _rotate(self, pick: Pick) -> None:
        self.stack.append(self.stack.pop(0))
        self._turn_up(pick)

    def _turn_up(self, pick: Pick) -> None:
        if self.stack and self.stack[0] == 0:
            self.stack[0] = self.unseen.pop(pick(len(self.unseen)))

    def _crack(self, pick: Pick) -> None:
        """Pay four dice and take the lock away; the last one wins at once (S13, S24)."""
        hand, face = self.hands[self.seat], self.stack.pop(0) - 1
        self.boards[PAUL] += 1
        for shade in range(4):
            hand[6 * shade + face] -= 1
            self.bag[shade] += 1
        if not self.stack:
            self.end = WON
        self._turn_up(pick)

    def crackable(self) -> bool:
        """Say whether nothing at the table stands against cracking the front lock (4, 26; S15, S16)."""
        if not self.stack or self.gate or self.boards[PAUL] == SPACE[PAUL]:
            return False
        return self.options.right_order == "off" or self.stack[0] == LOCKS + 1 - len(self.stack)

    def paul_die(self) -> int:
        """Return the place of the red die with which the active seat can crack the lock now, -1 if none (7; S14)."""
        if not self.crackable():
            return -1
        hand, face = self.hands[self.seat], self.stack[0] - 1
        if not (hand[face] and hand[BLUE + face] and hand[BLACK + face] and hand[YELLOW + face]):
            return -1
        for die in (0, 5):
            if hand[die] > (die == face):
                return die
        return -1

    def may_lay(self, board: int) -> bool:
        """Say whether a die may be laid on a full or open `board` at all, Paul left out (2)."""
        return self.options.overflow != "blocked" or self.boards[board] < SPACE[board]


def _counted(state: State, hand: tuple[str, ...]) -> list[int]:
    counts = [0] * 24
    for die in hand:
        counts[PLACES[die] + state.dice[die] - 1] += 1
    return counts
