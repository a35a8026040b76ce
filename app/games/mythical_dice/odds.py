"""What a bot of Mythical Dice knows by heart: how a trick changes hands, and how likely a die wins one.

A trick that is being rolled is told by its *standing*, one of 14: what the best face is, and what else decides who may
still beat it. Tables over it are made once for each choice of options and depend on nothing but the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from app.games.mythical_dice.dice import COLOURS, COUNTS, FACES, KINDS, Face
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.state import ROUNDS

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

SHOWN: tuple[Face, ...] = ("F", 1, 2, 3, 4, 5, 6, 7, "M", "G", "S")
"""All faces; a face is told by its place here."""

FLAG, MINOTAUR, GRIFFIN, MERMAID = (SHOWN.index(face) for face in "FMGS")

EMPTY, FLAGS, BY_MINOTAUR, BY_GRIFFIN, BY_MERMAID, GRIFFIN_AND_MERMAID, MERMAID_FOR_GOOD = 0, 1, 9, 10, 11, 12, 13
"""Standings, beside 2…8 for a best number 1…7. In the last but one a griffin leads a mermaid, which a minotaur would
give the trick; in the last one only another mermaid can take it."""

STANDINGS = 14
KEPT, TAKEN, TO_MERMAID = 0, 1, 2
"""Who is ahead after a face: who was, who rolled it, or who rolled the last mermaid."""

DICE: Ints = np.array([[SHOWN.index(face) for face in FACES[kind]] for kind in KINDS])
"""The face of each kind, by roll 0…5. All run from the best to the worst."""

COLOUR: Ints = np.array([COLOURS.index(kind) + 1 if kind in COLOURS else 0 for kind in KINDS])
"""The colour of each kind as a number, 0 for none; also of what is to be followed."""

PLAYED: Floats = np.array([COUNTS[kind] for kind in KINDS]) / sum(COUNTS.values())
"""How often a die of each kind comes where nothing is known of it: as in the full bag."""

SHOWS: Floats = np.array([[np.mean(faces == face) for face in range(len(SHOWN))] for faces in DICE])
"""How often each kind shows each face."""


@dataclass(frozen=True, slots=True, eq=False)
class Odds:
    """The tables of one choice of options. Dice that are not rolled yet count as drawn from the full bag each.

    `after[s, f]`: the standing after face f in standing s. `ahead[s, f]`: KEPT, TAKEN or TO_MERMAID. `wins[l, s, k]`:
    the chance that a die of kind k, rolled now in standing s with l more players to come, wins the trick.
    """

    after: Ints
    ahead: Ints
    wins: Floats

    def usual(self, players: int) -> Floats:
        """Return for each kind how often it wins a trick of so many players, from a place in it drawn by lot."""
        before = np.zeros(STANDINGS)
        before[EMPTY] = 1.0
        found = np.zeros(len(KINDS))
        for place in range(players):
            found += before @ self.wins[players - 1 - place] / players
            before = _spread(before, self.after)
        return found


def odds(options: Options) -> Odds:
    """Return the tables for the options of a table."""
    return _odds(options.three_kinds, options.all_flags)


@cache
def _odds(three_kinds: Literal["mermaid", "sequential"], all_flags: Literal["first", "last"]) -> Odds:
    options = Options(three_kinds=three_kinds, all_flags=all_flags)
    steps = np.array(
        [[_step(standing, face, options) for face in range(len(SHOWN))] for standing in range(STANDINGS)],
        dtype=np.int64,
    )
    after, ahead = steps[:, :, 0], steps[:, :, 1]
    faces = np.arange(len(SHOWN))
    # hold[s, mine, m]: the chance to win in standing s; mine: ahead now, m: the last mermaid is one's own
    hold = np.zeros((STANDINGS, 2, 2))
    hold[:, 1, :] = 1.0
    wins = []
    for _ in range(max(ROUNDS)):
        mine = hold[after, (ahead == TAKEN).astype(int), (faces == MERMAID).astype(int)]
        wins.append(mine @ SHOWS.T)
        hold = _outlast(hold, after, ahead)
    return Odds(after, ahead, np.array(wins))


def _outlast(hold: Floats, after: Ints, ahead: Ints) -> Floats:
    """Return the chances of `hold` with one more die of another player to come."""
    later = np.zeros_like(hold)
    for mine, mermaid in product((0, 1), repeat=2):
        still = np.choose(ahead, [mine, 0, mermaid])
        last = [0 if face == MERMAID else mermaid for face in range(len(SHOWN))]
        later[:, mine, mermaid] = hold[after, still, last] @ (PLAYED @ SHOWS)
    return later


def _spread(standings: Floats, after: Ints) -> Floats:
    """Return how likely each standing is after one more die out of the full bag."""
    found = np.zeros(STANDINGS)
    np.add.at(found, after, np.outer(standings, PLAYED @ SHOWS))
    return found


MEETINGS: dict[tuple[int, int], tuple[int, int]] = {
    (BY_MINOTAUR, MERMAID): (MERMAID_FOR_GOOD, TAKEN),
    (BY_MINOTAUR, MINOTAUR): (BY_MINOTAUR, TAKEN),
    (BY_GRIFFIN, MINOTAUR): (BY_MINOTAUR, TAKEN),
    (BY_GRIFFIN, GRIFFIN): (BY_GRIFFIN, TAKEN),
    (BY_GRIFFIN, MERMAID): (GRIFFIN_AND_MERMAID, KEPT),
    (BY_MERMAID, MINOTAUR): (MERMAID_FOR_GOOD, KEPT),
    (BY_MERMAID, GRIFFIN): (GRIFFIN_AND_MERMAID, TAKEN),
    (BY_MERMAID, MERMAID): (BY_MERMAID, TAKEN),
    (GRIFFIN_AND_MERMAID, MINOTAUR): (MERMAID_FOR_GOOD, TO_MERMAID),
    (GRIFFIN_AND_MERMAID, GRIFFIN): (GRIFFIN_AND_MERMAID, TAKEN),
    (MERMAID_FOR_GOOD, MERMAID): (MERMAID_FOR_GOOD, TAKEN),
}
"""What a creature does where all three kinds go to the last mermaid, if anything: (standing, face) to the next."""


def _step(standing: int, face: int, options: Options) -> tuple[int, int]:
    """Return the standing after one more face, and who is ahead then."""
    if face == FLAG:
        first = standing == EMPTY or (standing == FLAGS and options.all_flags == "last")
        return (FLAGS if standing == EMPTY else standing), TAKEN if first else KEPT
    if face < MINOTAUR:
        return (face + 1, TAKEN) if face + 1 >= standing else (standing, KEPT)
    if standing < BY_MINOTAUR:
        return face + BY_MINOTAUR - MINOTAUR, TAKEN
    return _meet(standing, face, three=options.three_kinds == "mermaid")


def _meet(standing: int, face: int, *, three: bool) -> tuple[int, int]:
    """Return the same for a creature that meets others; `three`: all three kinds together go to the last mermaid."""
    if three or standing > BY_MERMAID:  # the two last ones are not there without `three`
        return MEETINGS.get((standing, face), (standing, KEPT))
    beaten_by = {BY_MINOTAUR: MERMAID, BY_GRIFFIN: MINOTAUR, BY_MERMAID: GRIFFIN}[standing]
    same = face - MINOTAUR == standing - BY_MINOTAUR
    return (face + BY_MINOTAUR - MINOTAUR, TAKEN) if same or face == beaten_by else (standing, KEPT)
