"""The careful rules of 5 Strolche II: every sensible action gets a value, the best one is done.

What decides is the gate: nobody loses but by a throw while a wing is closed. So a throw is weighed by what happens if
it closes one: who has an opener (a black 1–3) at hand, and who would have to throw before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from app.games.five_strolche.counts import (
    BLACK,
    BLUE,
    JOHN,
    PAUL,
    PINK,
    RIHANNA,
    RINGO,
    SHADE,
    SPACE,
    YELLOW,
    Counts,
    Step,
)
from app.games.five_strolche.situation import HABITS, PINK_LOW, Habits, Situation

Valued: TypeAlias = tuple[float, Step]

_LAYS = (PINK, JOHN, RINGO, RIHANNA)
"""Where a die of each colour goes, Paul left out."""

_WANTED = 0.3
"""What a colour must promise, in pieces, before all its spare dice are thrown."""

_PIECE = (0, 2, 3, 4)
"""Which piece of a set a die of each colour is."""


def decide(at: Counts, habits: Habits = HABITS) -> Step:
    """Return what the careful rules do."""
    return sure(at, habits) or max(weighed(at, habits), key=lambda valued: valued[0])[1]


def sure(at: Counts, habits: Habits = HABITS) -> Step | None:
    """Return what is done without a thought: crack a lock, open the gate; None if neither is possible."""
    die = at.paul_die()
    if die >= 0:
        return ("place", (die,), PAUL, ())
    hand = at.hands[at.seat]
    lows = [die for die in range(BLACK, BLACK + 3) if hand[die]]
    if at.gate == 0 or not lows or not at.may_lay(RINGO):
        return None
    needed = BLACK + Situation(at, habits).face
    return ("place", (min(lows, key=lambda die: (die == needed and hand[die] == 1, die)),), RINGO, ())


def weighed(at: Counts, habits: Habits = HABITS) -> list[Valued]:
    """Return the sensible actions with their values; at least one, all legal."""
    here = Situation(at, habits)
    left = at.left - 1
    found: list[Valued] = []
    if here.in_bag:
        shades = [count / here.in_bag for count in at.bag]
        found.append((here.throw(shades, left, habits.die), ("draw", (), 0, ())))
    if any(here.hand):
        found += _rerolls(here, left)
        found += _placements(here, left)
        if not at.gift:
            found += _gifts(here, left)
    if here.may_pass or not found:
        found.append((-here.quiet(0, gift=at.gift), ("pass", (), 0, ())))
    return found


def _rerolls(here: Situation, left: int) -> Iterator[Valued]:
    for dice in _sets(here) or [(die,) for die in range(24) if here.hand[die]]:
        shades = [0.0] * 4
        for die in dice:
            shades[die // 6] += 1
        spent = sum(BLACK <= die < BLACK + 3 for die in dice)
        yield here.throw(shades, left, 0.0, spent), ("reroll", dice, 0, ())


def _sets(here: Situation) -> list[tuple[int, ...]]:
    """Return sets of dice that are not missed in the hand; openers are among them only where a black piece is wanted."""
    spare, (red, paul, blue, black, yellow) = _spare(here), here.wants
    wanted = [red + paul > _WANTED, blue > _WANTED, black > _WANTED, yellow > _WANTED]
    lows, spare[2] = [die for die in spare[2] if die < BLACK + 3], [die for die in spare[2] if die >= BLACK + 3]
    main = [die for shade in range(4) if wanted[shade] for die in spare[shade]]
    sets = [main, main[:1]]
    if not wanted[2]:
        sets.append(main + spare[2])
    elif len(lows) > 2:  # two stay as a reserve
        sets.append(main + lows[2:])
    if here.full and not here.takers:
        sets.append(spare[1] + spare[2] + spare[3])
    sets.append([die for each in spare for die in each])
    for each in spare:
        sets += [each, each[:1]]
    return list(dict.fromkeys(tuple(sorted(dice)) for dice in sets if dice))


def _spare(here: Situation) -> list[list[int]]:
    """Return by colour the dice that are not kept: a set for the lock, a die for Paul, for Pink near the end, a taker."""
    spare, face = here.hand[:], here.face
    for base in (0, BLUE, BLACK, YELLOW):
        spare[base + face] = max(0, spare[base + face] - 1)
    _keep(spare, (5 - face, face) if face in {0, 5} else (0, 5))
    if here.gaps[here.collector] <= 2:  # Pink brings the last pieces
        _keep(spare, range(PINK_LOW, BLUE))
    if here.full and here.takers <= 2:  # more are surely left after a throw
        _keep(spare, (*range(BLUE + 3, BLUE + 6), *range(YELLOW + 3, YELLOW + 6)))
    return [[die for die in range(base, base + 6) for _ in range(spare[die])] for base in (0, BLUE, BLACK, YELLOW)]


def _keep(spare: list[int], dice: Iterable[int]) -> None:
    """Take the first of `dice` that is there out of `spare`."""
    for die in dice:
        if spare[die]:
            spare[die] -= 1
            return


def _placements(here: Situation, left: int) -> Iterator[Valued]:
    at, hand = here.at, here.hand
    for die in range(24):
        board = _LAYS[die // 6]
        if not hand[die] or not at.may_lay(board):
            continue
        cost = here.worth(die) + here.ready
        hand[die] -= 1
        cost -= here.readiness(hand)
        hand[die] += 1
        if here.blocking:
            cost += here.slot(board, at.boards[board])
        for value, choice in _effects(here, die, board, left):
            yield value - cost, ("place", (die,), board, choice)


def _effects(here: Situation, die: int, board: int, left: int) -> Iterator[tuple[float, Sequence[int]]]:
    """Yield what a die brings on a board, with the choice that brings it; nothing where it may not be laid in vain (8)."""
    at, quiet = here.at, here.quiet(left, gift=here.at.gift)
    in_vain = at.options.fizzle == "allowed"
    several = len(at.stack) > 1
    if die % 6 < 3:  # 1–3
        if board == JOHN and (several or in_vain):
            yield here.swapping() - quiet, ()
        elif board == RINGO and several and at.options.rotate == "john_and_ringo":
            yield here.swapping() - quiet, (1,)
        elif board == RINGO and in_vain:
            yield -quiet, ()
        elif board in {RIHANNA, PINK}:
            yield from _drawing(here, board, left, quiet, in_vain=in_vain)
        return
    choice = _turning(here, die, left) if board == PINK else best_take(here, board, left)
    if choice:
        yield choice
    elif in_vain:
        yield -quiet, ()


def _drawing(
    here: Situation, board: int, left: int, quiet: float, *, in_vain: bool
) -> Iterator[tuple[float, Sequence[int]]]:
    at, bag = here.at, here.at.bag[:]
    if at.boards[board] == SPACE[board]:  # swept before the draw (2)
        bag[SHADE[board]] += SPACE[board] + (at.options.overflow == "all_four")
    count = min(3, sum(bag))
    if count:
        shades = [each * count / sum(bag) for each in bag]
        yield here.throw(shades, left, here.habits.die * count), ()
    elif in_vain:
        yield -quiet, ()


def best_take(here: Situation, board: int, left: int) -> tuple[float, Sequence[int]] | None:
    """Return what `board` should take from the others, with its value: boards per die, or the one to empty."""
    there = [other for other in (PINK, PAUL, JOHN, RINGO, RIHANNA) if other != board and here.at.boards[other]]
    if not there:
        return None
    if board == RIHANNA:
        return max((here.taking([other] * here.at.boards[other], left), (other,)) for other in there)
    pairs = [(one, other) for place, one in enumerate(there) for other in there[place + 1 :]]
    pairs += [(one, one) for one in there if here.at.boards[one] > 1]
    singles = [(one,) for one in there] if not pairs or here.at.options.take2 == "up_to_two" else []
    return max((here.taking(boards, left), boards) for boards in (*pairs, *singles))


def _turning(here: Situation, die: int, left: int) -> tuple[float, Sequence[int]] | None:
    """Return the best use of `die` on Pink, with what a closed gate costs after it."""
    here.hand[die] -= 1
    best = best_turn(here)
    here.hand[die] += 1
    if best is None:
        return None
    value, (turned, face) = best
    opens = BLACK <= turned < BLACK + 6 and face <= 3 and not here.no_opening  # 1–3
    if here.at.gate and opens:
        return value - here.stake * here.danger(left, here.openers[here.me] + 1, gift=here.at.gift), best[1]
    return value - here.quiet(left, gift=here.at.gift), best[1]


def best_turn(here: Situation) -> tuple[float, tuple[int, int]] | None:
    """Return which die of the hand to turn to which number, with its value; None for an empty hand."""
    hand, lock = here.hand, here.face
    turns = [
        (here.wants[_PIECE[die // 6]] - here.worth(die) + here.habits.laid, (die, lock + 1))
        for die in range(24)
        if hand[die] and die % 6 != lock and here.wants[_PIECE[die // 6]]
    ]
    if here.wants[1]:
        face = 6 if lock == 0 else 1
        reds = (die for die in range(1, 5) if hand[die] > (die == lock))
        turns += [(here.wants[1] - here.worth(die) + here.habits.laid, (die, face)) for die in reds]
    if not here.no_opening:
        value = here.opener * (1.0 if here.openers[here.me] else 1.5)
        darks = (die for die in range(BLACK + 3, BLACK + 6) if hand[die] > (die == BLACK + lock))
        turns += [(value, (die, 1 if lock == 1 else 2)) for die in darks]
    idle = (die for die in range(24) if hand[die])
    turns += [(here.habits.laid - here.worth(die) - 0.01, (die, 1 if die % 6 else 2)) for die in idle]
    return max(turns, default=None)


def _gifts(here: Situation, left: int) -> Iterator[Valued]:
    at, hand = here.at, here.hand
    for die in range(24):
        if not hand[die]:
            continue
        low = BLACK <= die < BLACK + 3
        worth = here.worth(die) - here.habits.laid
        hand[die] -= 1
        here.openers[here.me] -= low
        loss = here.ready - here.readiness(hand) + (here.habits.early if left else 0.0)
        for seat in _receivers(here, die):
            other = at.hands[seat]
            other[die] += 1
            gain = here.readiness(other) - here.coping[seat] - here.quiet(left, gift=True)
            other[die] -= 1
            yield gain - loss + _given(here, die, seat, worth), ("give", (die,), seat, ())
        here.openers[here.me] += low
        hand[die] += 1


def _receivers(here: Situation, die: int) -> Iterator[int]:
    """Yield to whom a die may be of use: who collects, who is next; of openers and what makes some, everybody."""
    helps = BLACK <= die < YELLOW or PINK_LOW <= die < BLUE
    for seat in range(here.players):
        if seat != here.me and (helps or seat in {here.collector, here.next}):
            yield seat


def _given(here: Situation, die: int, seat: int, worth: float) -> float:
    """Return what a die worth `worth` here is worth more in the hand of another seat."""
    if seat != here.collector:
        return -worth
    habits, missing = here.habits, here.missing[seat]
    shade, face = divmod(die, 6)
    fits = (face == here.face and missing[_PIECE[shade]]) or (shade == 0 and face in {0, 5} and missing[1])
    if not fits:
        return habits.junk - worth
    urgency = habits.last if here.gaps[seat] == 1 else 1.0
    return habits.junk + urgency - max(0.0, worth - 1) - habits.own
