"""What a position of 5 Strolche II means to the seat that is to act: what is wanted, what is dear, what is dangerous.

All values are in pieces: one die that a set for the lock still lacks is worth about 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.games.five_strolche.counts import BLACK, BLUE, JOHN, PAUL, PINK, RED, RINGO, SHADE, SPACE, YELLOW, Counts
from app.games.five_strolche.material import LOCKS

PACE = {2: 2.6, 3: 2.2, 4: 2.0, 5: 1.9}
"""Turns of each player that a lock takes, by number of players; measured."""

_SETS = ((RED, 0), (RED, 1), (BLUE, 2), (BLACK, 3), (YELLOW, 4))


@dataclass(frozen=True, slots=True)
class Habits:
    """How the careful rules weigh things, in pieces; found by trying other values over thousands of games.

    `loss`: the game lost. `rash`: the least share of it that counts when time is short, `hurry`: turns of each player
    in hand from which on time is not short. `close`: a wing that closes and can be opened at once. `last`: factor of
    the last piece of a set. `helper`: a piece for the seat that collects, `own`: for another. `die`: a die more in a
    hand, `laid`: one less. `opener`: a black 1–3, `pink`: a red 4–6, `free`: a place on a full Paul. `junk`: any die
    given to who collects, `early`: keeping the gift for the second action. `rotate`: a piece less to find for the next
    lock. `lost`: the chance to lose with a closed wing and no opener about, as a share. `seeker`: a die in the choice
    of who collects. `slot`: a place on a board that blocks when full. The others say how well a hand copes with a
    closed gate: `ready` with an opener, `second` with two, and as shares of it `turner` with Pink's help, `calm` with
    something harmless to lay, `dark` with a black die, `some` with any.
    """

    loss: float = 70.0
    rash: float = 0.15
    hurry: float = 6.0
    close: float = 0.35
    last: float = 1.8
    helper: float = 0.7
    own: float = 0.15
    die: float = 0.22
    laid: float = 0.12
    opener: float = 0.6
    pink: float = 0.25
    free: float = 2.5
    junk: float = 0.05
    early: float = 0.4
    rotate: float = 0.8
    lost: float = 0.35
    seeker: float = 0.03
    slot: float = 0.5
    ready: float = 0.8
    second: float = 0.15
    turner: float = 0.8
    calm: float = 0.5
    dark: float = 0.35
    some: float = 0.2


HABITS = Habits()


def lacking(hand: Sequence[int], face: int) -> tuple[bool, bool, bool, bool, bool]:
    """Return which pieces to crack the lock `face` + 1 are missing: a red one, the die for Paul, blue, black, yellow."""
    red = not hand[face]
    paul = hand[0] + hand[5] < (2 - red if face in {0, 5} else 1)
    return red, paul, not hand[BLUE + face], not hand[BLACK + face], not hand[YELLOW + face]


def openers(hand: Sequence[int]) -> int:
    """Return how many black 1–3 a hand has."""
    return hand[BLACK] + hand[BLACK + 1] + hand[BLACK + 2]


class Situation:
    """One decision. `face`: the lock to crack, less 1. `collector`: the seat that is nearest to cracking it.

    `wants`: what each piece, as in `lacking`, would be worth in the hand of who is to act.
    """

    def __init__(self, at: Counts, habits: Habits) -> None:
        self.at, self.habits, self.me = at, habits, at.seat
        self.hand = hand = at.hands[at.seat]
        self.players, self.in_bag = len(at.hands), sum(at.bag)
        self.next = (at.seat + 1) % self.players
        self.blocking = at.options.overflow == "blocked"
        self.no_opening = self.blocking and at.boards[RINGO] == SPACE[RINGO]
        self.may_pass = at.options.pass_ == "allowed"  # noqa: S105  # no password
        slack = at.to_go / self.players - PACE[self.players] * len(at.stack)
        self.stake = habits.loss * min(1.0, max(habits.rash, (slack + 2) / (habits.hurry + 2)))
        self.openers = [0 if self.no_opening else openers(each) for each in at.hands]
        team = sum(self.openers)
        self.opener = habits.opener * (3.0, 1.7, 1.0 if team < self.players else 0.5)[min(team, 2)]
        self.full = at.boards[PAUL] == SPACE[PAUL]
        self.takers = sum(sum(hand[base + 3 : base + 6]) for base in (BLUE, BLACK, YELLOW))
        self.coping = [self.readiness(each) for each in at.hands]
        self.ready = self.coping[at.seat]
        self._plan()

    def _plan(self) -> None:
        """Choose who collects, and what each piece is worth."""
        at, habits = self.at, self.habits
        strict = at.options.right_order == "on"
        self.face = LOCKS - len(at.stack) if strict else at.stack[0] - 1
        self.missing = [lacking(hand, self.face) for hand in at.hands]
        self.gaps = [sum(missing) for missing in self.missing]
        far = [gaps - habits.seeker * sum(hand) for gaps, hand in zip(self.gaps, at.hands, strict=True)]
        self.collector = min(range(self.players), key=lambda seat: (far[seat], (seat - self.me) % self.players))
        mine, theirs = self.missing[self.me], self.missing[self.collector]
        urgency = habits.last if self.gaps[self.collector] == 1 else 1.0
        if self.me == self.collector:
            self.wants = [urgency * piece for piece in mine]
        else:
            help_ = urgency * habits.helper
            self.wants = [habits.own * own + help_ * (own and other) for own, other in zip(mine, theirs, strict=True)]

    def readiness(self, hand: Sequence[int]) -> float:
        """Return how well a hand copes with a closed gate."""
        habits = self.habits
        if not habits.ready:
            return 0.0
        low = hand[BLACK] + hand[BLACK + 1] + hand[BLACK + 2]
        if low and not self.no_opening:
            return habits.ready * (1 + habits.second * (low > 1))
        black = low + hand[BLACK + 3] + hand[BLACK + 4] + hand[BLACK + 5]
        if black and (hand[3] or hand[4] or hand[5]):
            return habits.ready * habits.turner
        dice = sum(hand)
        if dice > 1 and self._harmless(hand):
            return habits.ready * habits.calm
        return habits.ready * (habits.dark if black else habits.some if dice else 0.0)

    def _harmless(self, hand: Sequence[int]) -> int:
        """Return how many dice of a hand can be laid without a throw."""
        boards, count = self.at.boards, 0
        if not self.blocking or boards[JOHN] < SPACE[JOHN]:
            count += hand[BLUE] + hand[BLUE + 1] + hand[BLUE + 2]
        if not self.blocking or boards[PINK] < SPACE[PINK]:
            count += hand[3] + hand[4] + hand[5]
        if not self.in_bag and not self.blocking:
            count += hand[0] + hand[1] + hand[2] + hand[YELLOW] + hand[YELLOW + 1] + hand[YELLOW + 2]
        return count

    def danger(self, left: int, own: int, *, gift: bool, black: int = 0) -> float:
        """Return about how likely the game is lost if a wing is closed, before somebody opens it.

        `left`, `gift`: what remains of the turn. `own`: openers in the hand; `black`: dice that may have become some.
        """
        if own and left:
            return 0.0
        closed, loss = 0.5**black if left else 1.0, 0.0
        if left and gift and not self.may_pass and not self._harmless(self.hand):
            loss, closed = closed / 6, closed * 5 / 6
        for step in range(1, self.players):
            hand = self.at.hands[(self.me + step) % self.players]
            dark = hand[BLACK + 3] + hand[BLACK + 4] + hand[BLACK + 5]
            turner = dark and (hand[3] or hand[4] or hand[5])
            if not self.no_opening and (openers(hand) or turner):
                return loss
            if self._must_throw(hand):
                loss += closed / 6
                closed *= 1 / 3 if dark else 5 / 6
        again = 0.0 if left else 1.0 if own else 1 - 0.5**black
        return loss + closed * (1 - again) * self.habits.lost

    def _must_throw(self, hand: Sequence[int]) -> bool:
        """Say whether a turn with this hand takes a throw: a gift is harmless, the other action may not be."""
        if self.may_pass:
            return False
        return not self._harmless(hand) if any(hand) else bool(self.in_bag)

    def quiet(self, left: int, *, gift: bool) -> float:
        """Return what an action without a throw costs: it leaves a closed gate as it is."""
        return self.stake * self.danger(left, self.openers[self.me], gift=gift) if self.at.gate else 0.0

    def throw(self, shades: Sequence[float], left: int, gain: float, spent: int = 0) -> float:
        """Return what a throw is worth: so many dice of each colour, `spent` of them openers, `gain` on top."""
        wants, (red, blue, black, yellow) = self.wants, shades
        if red:
            gain += wants[0] * (1 - (5 / 6) ** red) + wants[1] * (1 - (2 / 3) ** red)
        if blue:
            gain += wants[2] * (1 - (5 / 6) ** blue)
        if black:
            gain += wants[3] * (1 - (5 / 6) ** black) + self.opener * (black / 2 - spent)
        if yellow:
            gain += wants[4] * (1 - (5 / 6) ** yellow)
        if self.full and not self.takers:
            gain += 0.4 * self.habits.free * (1 - 0.5 ** (blue + black + yellow))
        calm = (5 / 6) ** round(red + blue + black + yellow)
        danger = self.danger(left, self.openers[self.me] - spent, gift=self.at.gift, black=int(black))
        if self.at.gate:
            return gain - self.stake * (1 - calm + calm * danger)
        return gain - (1 - calm) * (self.habits.close + self.stake * danger)

    def worth(self, die: int) -> float:
        """Return what a die is worth where it lies, in the hand."""
        habits, hand = self.habits, self.hand
        shade, face = divmod(die, 6)
        value = habits.laid
        if (face == self.face and hand[die] == 1) or (shade == 0 and face in {0, 5} and self._paul_dice() <= 1):
            value += 1
        if BLACK <= die < BLACK + 3:
            value += self.opener * (1.5 if self.openers[self.me] == 1 else 1.0)
        if PINK_LOW <= die < BLUE:
            value += habits.pink
        if self.full and shade and face >= 3:
            value += 0.2
        return value

    def _paul_dice(self) -> int:
        """Return how many red dice could go on Paul, one that belongs to the set left out."""
        hand = self.hand
        return hand[0] + hand[5] - (self.face in {0, 5} and hand[self.face] > 0)

    def taking(self, boards: Sequence[int], left: int) -> float:
        """Return what it is worth to take and throw a die from each of these boards."""
        habits, at = self.habits, self.at
        shades = [0.0] * 4
        gain = habits.die * len(boards)
        for board in boards:
            shades[SHADE[board]] += 1
        from_paul = boards.count(PAUL)
        if from_paul:
            gain += (habits.free if self.full else 0.3) + 0.3 * (from_paul - 1)
        if self.blocking:
            for place, board in enumerate(boards):
                gain += self.slot(board, at.boards[board] - place - 1) if board != PAUL else 0.0
        return self.throw(shades, left, gain)

    def slot(self, board: int, there: int) -> float:
        """Return what the place of the next die is worth on a board where so many lie, if it blocks when full."""
        return self.habits.slot * (1 + there) * (2 if board == RINGO else 1)

    def swapping(self) -> float:
        """Return what it is worth to have the next lock in front."""
        at, habits = self.at, self.habits
        if len(at.stack) == 1:
            return 0.0
        if at.options.right_order == "on":
            return 2 * habits.rotate * (-1 if at.stack[0] == self.face + 1 else 1)
        faces = [at.stack[1] - 1] if at.stack[1] else [number - 1 for number in at.unseen]
        then = sum(min(sum(lacking(hand, face)) for hand in at.hands) for face in faces) / len(faces)
        ready = at.stack[1] > 0 and not any(lacking(self.hand, faces[0]))
        return habits.rotate * (min(self.gaps) - then) + ready


PINK_LOW = 3
"""The first of the red 4–6."""
