"""Who wins a trick and what a round is worth, as pure functions; the ids (M01 …) are those of the docs page."""

from __future__ import annotations

from collections.abc import Sequence

from app.games.mythical_dice.dice import Face
from app.games.mythical_dice.options import Options

BEATS: dict[Face, Face] = {"M": "G", "G": "S", "S": "M"}
"""Minotaur beats griffin beats mermaid beats minotaur."""


def trick_winner(faces: Sequence[Face], options: Options) -> int:
    """Return the place (0 = rolled first) of the face that wins a trick. Raises ValueError for no faces.

    Characters beat numbers beat flags; among equals the later one wins (M01), but of flags only the one that
    `all_flags` says (M04). Of two kinds of characters the one that beats the other wins (M07), of three the one that
    `three_kinds` says (M09, M10).
    """
    if not faces:
        raise ValueError("nothing was rolled to the trick")
    shown = {face for face in faces if face in BEATS}
    if len(shown) == 3:
        return _last(faces, "S") if options.three_kinds == "mermaid" else _last_that_beat_the_best(faces)
    if shown:
        return _last(faces, next(face for face in shown if not any(BEATS[other] == face for other in shown)))
    numbers = [face for face in faces if isinstance(face, int)]
    if numbers:
        return _last(faces, max(numbers))
    return 0 if options.all_flags == "first" else len(faces) - 1


def bonus(captures: Sequence[Sequence[Face]], options: Options) -> int:
    """Return what the tricks a player won are worth beside the bid, if that was met.

    `captures`: the faces of each of these tricks in rolling order. A mermaid that captured the minotaur gives 50, a
    minotaur 30 for each griffin or once, by `griffin_bonus`; a griffin gives nothing for a mermaid. A die that shows
    its flag is no capture (M26); with `flag_clause` B any flag in a trick forfeits its bonus (M23).
    """
    return 0 if options.scoring == "simplified" else sum(_bonus(faces, options) for faces in captures)


def round_score(bid: int, won: int, round: int, captures: Sequence[Sequence[Face]], options: Options) -> int:  # noqa: A002  # a round of the game; the name is agreed on
    """Return the points of one player for a round of `round` tricks; `captures` as for `bonus` (M19–M27)."""
    if bid == 0:
        return 10 * round if won == 0 else -10 * round
    if bid == won:
        return 20 * bid + bonus(captures, options)
    return 0 if options.scoring == "simplified" else -10 * abs(bid - won)


def _last(faces: Sequence[Face], wanted: Face) -> int:
    return max(place for place, face in enumerate(faces) if face == wanted)


def _last_that_beat_the_best(faces: Sequence[Face]) -> int:
    best = 0
    for place, face in enumerate(faces):
        if face in BEATS and (faces[best] not in BEATS or faces[best] in (face, BEATS[face])):
            best = place
    return best


def _bonus(faces: Sequence[Face], options: Options) -> int:
    if options.flag_clause == "B" and "F" in faces:
        return 0
    winner = faces[trick_winner(faces, options)]
    if winner == "S":
        return 50 if "M" in faces else 0
    if winner == "M":
        griffins = sum(face == "G" for face in faces)
        return 30 * (min(griffins, 1) if options.griffin_bonus == "flat" else griffins)
    return 0
