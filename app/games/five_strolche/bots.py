"""The bots of 5 Strolche II, partners of whoever plays: careless, careful, and most careful with a look ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.core.bot import Bot, Level, Worlds
from app.core.game import Action, Rng, Seat
from app.games.five_strolche.careful import best_take, best_turn, decide
from app.games.five_strolche.counts import PLACES, Counts, Step
from app.games.five_strolche.material import BOARDS
from app.games.five_strolche.situation import HABITS, Habits, Situation
from app.games.five_strolche.state import Draw, Effect, Give, Pass, Place, Reroll, Rescue, State, Take, TakeAll, Turn
from app.games.five_strolche.thinking import Thinking, think

CARELESS = Habits(loss=0.0, close=0.0, opener=0.0, ready=0.0, early=0.0)
"""Habits of who collects sets well and opens a gate, but throws as if there were none."""

BOLD = Habits(loss=10.0, ready=0.0, early=0.0)
"""Habits of who sees what a throw risks and what it may bring, but not how the others will cope later."""


MUCH = Thinking()
"""How much the strongest level thinks."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """Weighs every action by its `habits` and does the best; nothing is left to chance."""

    level: Level
    habits: Habits

    def choose(self, seat: Seat, view: Any, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:  # noqa: ARG002  # a world holds all that is seen
        """Return the best action by the rules, or the answer to the open choice."""
        state: State = worlds(rng)
        if state.asked:
            return answer(state, actions, self.habits)
        return move_of(state, seat, decide(Counts(state), self.habits))


@dataclass(frozen=True, slots=True)
class Farsighted:
    """The most careful rules, left only where paired rollouts show something better."""

    level: Level = "hard"
    habits: Habits = HABITS
    thinking: Thinking = MUCH

    def choose(self, seat: Seat, view: Any, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:  # noqa: ARG002  # as above
        """Return what the rollouts or else the rules say, or the answer to the open choice."""
        state: State = worlds(rng)
        if state.asked:
            return answer(state, actions, self.habits)
        return move_of(state, seat, think(Counts(state), rng, self.thinking, self.habits))


def move_of(state: State, seat: Seat, step: Step) -> Any:
    """Return the move that begins a step; of equal dice the first ones are meant."""
    kind, places, target, _ = step
    match kind:
        case "draw":
            return Draw()
        case "pass":
            return Pass()
        case "reroll":
            return Reroll(dice_at(state, seat, places))
        case "give":
            return Give(dice_at(state, seat, places)[0], target)
        case _:
            return Place(dice_at(state, seat, places)[0], BOARDS[target])


def dice_at(state: State, seat: Seat, places: Sequence[int]) -> tuple[str, ...]:
    """Return dice of a hand that lie at these places of its counts, in the order of the bag."""
    wanted, found = list(places), []
    for die in state.hands[seat]:
        place = PLACES[die] + state.dice[die] - 1
        if place in wanted:
            wanted.remove(place)
            found.append(die)
    return tuple(found)


def answer(state: State, actions: Sequence[Action[Any]], habits: Habits = HABITS) -> Any:
    """Return the answer to the open choice: what the rules had in mind when the die was laid. A rescue is welcome."""
    if state.asked == "rescue":
        return Rescue(accept=True)
    here = Situation(Counts(state), habits)
    match state.asked:
        case "take" | "take_all":
            best = best_take(here, BOARDS.index(state.used), state.actions_left)
            boards = best[1] if best else ()
            return TakeAll(BOARDS[boards[0]]) if state.asked == "take_all" else Take(_lying(state, boards))
        case "turn":
            best_one = best_turn(here)
            place, face = best_one[1] if best_one else (0, 1)
            return Turn(dice_at(state, here.me, (place,))[0], face)
        case "effect":
            wish = Effect("rotate" if state.gate == 0 and here.swapping() > 0 else "open")
            moves = [action.move for action in actions]
            return wish if wish in moves else moves[0]
        case _:
            return actions[0].move


def _lying(state: State, boards: Sequence[int]) -> tuple[str, ...]:
    """Return a die of each of these boards, the first that lie there."""
    return tuple(
        die for place, board in enumerate(BOARDS) for die in state.tableaus.on(board)[: list(boards).count(place)]
    )


BOTS: tuple[Bot, ...] = (Ruled("easy", CARELESS), Ruled("normal", BOLD), Farsighted())
