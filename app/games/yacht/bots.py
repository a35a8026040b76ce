"""The bots of Yacht: the solver, with a softer or harder hand; and near the end the chance to win instead of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, TypeVar

from app.core.bot import Bot, Level, Worlds
from app.core.game import Action, Rng, Seat
from app.games.yacht.endgame import Rival, evaluate_win
from app.games.yacht.rules import POSITIONS, ROLLS, RollDice, Score, View
from app.games.yacht.solver import SURE, Evaluation, Keep, Row, evaluate, mask_of

Choice = TypeVar("Choice", Keep, Row)


@dataclass(frozen=True, slots=True)
class Soft:
    """Chooses with weights exp(value / `tau`), in points, value being exact: the lower `tau`, the stronger.

    First among the keeps; keeping all five is one of them and means to write a row now, which is then chosen the same
    way. The exact means of a game for tau 2 and 0.5 are 121.4885 and 162.0362. (Where such a keep only forgoes one
    roll, as in other programs, they are 122.0850 and 162.0733.)
    """

    level: Level
    tau: float

    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:  # noqa: ARG002  # nothing is hidden
        """Return the first roll, or a keep or row drawn by weight."""
        if view.dice is None:
            return actions[0].move
        evaluation = evaluate(view.sheets[seat].free(), view.dice, ROLLS - view.rolls_used, view.variant)
        if evaluation.keeps:
            keep = self._draw(evaluation.keeps, rng)
            if len(keep.dice) < len(POSITIONS):
                return roll_all_but(keep.dice, view.dice)
        return Score(self._draw(evaluation.rows, rng).category)

    def _draw(self, choices: Sequence[Choice], rng: Rng) -> Choice:
        weights = [exp((choice.value - choices[0].value) / self.tau) for choice in choices]
        left = rng.random() * sum(weights)
        for choice, weight in zip(choices, weights, strict=True):
            left -= weight
            if left < 0:
                return choice
        return choices[0]


@dataclass(frozen=True, slots=True)
class Perfect:
    """Plays for the highest mean, and against others with `to_win` open rows or fewer for the win; points break ties."""

    level: Level = "hard"
    to_win: int = 5

    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:  # noqa: ARG002  # nothing is hidden, nothing left to chance
        """Return the first roll, or the best keep or row."""
        if view.dice is None:
            return actions[0].move
        free, rolls_left = view.sheets[seat].free(), ROLLS - view.rolls_used
        score = _values(evaluate(free, view.dice, rolls_left, view.variant))
        if len(view.sheets) > 1 and len(free) <= self.to_win:
            win = _values(_chances(seat, view, free, view.dice, rolls_left))
            best = max(win, key=lambda choice: (win[choice], score[choice]))
        else:
            best = max(score, key=lambda choice: score[choice])
        return Score(best) if isinstance(best, str) else roll_all_but(best, view.dice)


def _chances(seat: Seat, view: View, free: tuple[str, ...], dice: tuple[int, ...], rolls_left: int) -> Evaluation:
    rivals = [
        Rival(total, mask_of(sheet.free()))
        for other, (sheet, total) in enumerate(zip(view.sheets, view.totals, strict=True))
        if other != seat
    ]
    return evaluate_win(mask_of(free), view.totals[seat], rivals, dice, rolls_left, view.variant)


def _values(evaluation: Evaluation) -> dict[str | tuple[int, ...], float]:
    """Return the value of every move, rows before keeps; keeping all five is none, for it is worth its best row."""
    rows = {row.category: round(row.value, SURE) for row in evaluation.rows}
    return rows | {keep.dice: round(keep.value, SURE) for keep in evaluation.keeps if len(keep.dice) < len(POSITIONS)}


def roll_all_but(kept: Sequence[int], dice: Sequence[int]) -> RollDice:
    """Return the roll that leaves dice with the faces `kept`, the first of equal ones."""
    left, rolled = list(kept), []
    for position, face in enumerate(dice):
        if face in left:
            left.remove(face)
        else:
            rolled.append(position)
    return RollDice(tuple(rolled))


BOTS: tuple[Bot, ...] = (Soft("easy", 2.0), Soft("normal", 0.5), Perfect())
