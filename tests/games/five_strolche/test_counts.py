"""Positions as counts go where the rules go, move by move, under every option."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from app.core import codec, engine
from app.core.bot import any_move, choose
from app.core.engine import Dice
from app.core.game import Action
from app.games.five_strolche.bots import BOTS
from app.games.five_strolche.counts import PAUL, PLACES, Counts, Step
from app.games.five_strolche.material import BOARDS
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import (
    Crack,
    Effect,
    Give,
    Move,
    Pass,
    Place,
    Reroll,
    Rescue,
    State,
    Take,
    TakeAll,
    Turn,
)
from tests.games.five_strolche.positions import position

PRESETS = [{}, *GAME.presets, {"overflow": "old_three", "turn_limit": 20}, {"fizzle": "forbidden"}]


class Heard:
    """Dice that fall by chance and remember how."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.fallen: list[tuple[int, int]] = []

    def roll(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        faces = tuple(self.rng.randint(1, most) for most in sides)
        self.fallen += [(most, face - 1) for most, face in zip(sides, faces, strict=True)]
        return faces


def place_of(state: State, die: str) -> int:
    return PLACES[die] + state.dice[die] - 1


def choice_of(state: State, move: Move) -> tuple[int, ...]:
    """Return what a step says of the answer to an open choice."""
    match move:
        case Take(dice=dice):
            return tuple(next(n for n, board in enumerate(BOARDS) if die in state.tableaus.on(board)) for die in dice)
        case TakeAll(from_=board):
            return (BOARDS.index(board),)
        case Turn(die=die, face=face):
            return (place_of(state, die), face)
        case Effect(effect="rotate"):
            return (1,)
        case _:
            return ()


def step_of(state: State, move: Move, choice: tuple[int, ...]) -> Step:
    match move:
        case Place(die=die, on=board):
            return ("place", (place_of(state, die),), BOARDS.index(board), choice)
        case Reroll(dice=dice):
            return ("reroll", sorted(place_of(state, die) for die in dice), 0, ())
        case Give(die=die, to=to):
            return ("give", (place_of(state, die),), to, ())
        case _:
            return ("pass" if isinstance(move, Pass) else "draw", (), 0, ())


def decided(state: State, rng: random.Random) -> Move:
    """Return now what a bot does, now anything; placements often."""
    seat = state.seat or 0
    if rng.random() < 0.6:
        move: Move = choose(BOTS[1], GAME, state, seat, rng)
        return move
    actions = list(GAME.actions(state, seat))
    lays: list[Action[Move]] = [action for action in actions if isinstance(action.move, Place)]
    found: Move = any_move(lays if lays and rng.random() < 0.5 else actions, rng)
    return found


def steps(state: State, dice: Dice, rng: random.Random) -> Iterator[tuple[State, Step, State]]:
    """Yield position, step and the position after it until the end of the game."""
    while not state.ended:
        before, seat = state, state.seat or 0
        move = decided(state, rng)
        state, _ = engine.play(GAME, state, seat, move, dice, 0)
        choice: tuple[int, ...] = ()
        if (
            move == Place(getattr(move, "die", ""), "ringo")
            and before.dice[move.die] < 4
            and state.stack != before.stack
        ):
            choice = (1,)
        while state.asked and state.asked != "rescue":
            answer = any_move(GAME.actions(state, seat), rng)
            choice = () if isinstance(answer, Crack) else choice_of(state, answer)
            state, _ = engine.play(GAME, state, seat, answer, dice, 0)
        while state.asked == "rescue":
            state, _ = engine.play(GAME, state, seat, Rescue(accept=True), dice, 0)
        yield before, step_of(before, move, choice), state


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: "-".join(map(str, preset.values())) or "plain")
def test_counts_follow_the_rules(preset: dict[str, object], players: int) -> None:
    cracked = 0
    for seed in range(4):
        rng = random.Random(f"{seed}/{players}")
        dice = Heard(rng)
        first, _ = engine.begin(GAME, codec.load_options(GAME, dict(preset)), players, dice)
        dice.fallen.clear()
        for before, step, after in steps(first, dice, rng):
            counts, told = Counts(before), iter(dice.fallen)
            twin = counts.copy()

            def pick(sides: int, told: Iterator[tuple[int, int]] = told) -> int:
                most, fell = next(told)
                assert most == sides, "another die than the rules roll"
                return fell

            counts.play(step, pick)
            assert next(told, None) is None, "the rules roll more"
            assert counts.facts() == Counts(after).facts(), step
            assert twin.facts() == Counts(before).facts(), "the copy shares something"
            dice.fallen.clear()
            cracked += step[0] == "place" and step[2] == PAUL
    assert cracked or preset, "no lock was cracked in any game"


def test_the_die_for_paul_is_beside_the_set() -> None:
    assert Counts(position("r3 b3 k3 y3 r6", "")).paul_die() == 5
    assert Counts(position("r3 b3 k3 y3", "")).paul_die() == -1
    ones = (1, 0, 0, 0, 0, 0)
    assert Counts(position("r1 b1 k1 y1", "", stack=ones)).paul_die() == -1  # S14
    assert Counts(position("r1 r1 b1 k1 y1", "", stack=ones)).paul_die() == 0
    assert Counts(position("r3 b3 k3 y3 r6", "", gate=1)).paul_die() == -1  # S16
    assert Counts(position("r3 b3 k3 y3 r6", "", boards={"paul": 2})).paul_die() == -1  # S15
