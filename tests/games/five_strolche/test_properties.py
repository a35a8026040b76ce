"""What holds in every game, whatever is done."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import codec, engine
from app.core.events import Moved, Rolled
from app.games.five_strolche.material import BOARDS, COLOURS, DICE, HOME, ROOM, colour, in_order
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import Options, State
from tests.games.five_strolche.positions import position
from tests.support.dice import SeededDice
from tests.support.games import random_game, random_move

chosen = st.fixed_dictionaries(
    {option["id"]: st.sampled_from(option["choices"]) for option in codec.option_choices(Options)}
)


@settings(max_examples=60, deadline=None)
@given(chosen, st.integers(2, 5), st.integers(0, 10_000))
def test_laws_of_every_game(raw: dict[str, Any], players: int, seed: int) -> None:
    options: Options = codec.load_options(GAME, raw)
    before: State | None = None
    for state, event in random_game(GAME, players, options, seed):
        every_die_lies_in_one_place(state)
        boards_hold_what_fits(state)
        cards_are_all_there(state)
        if before is not None:
            gate_moves_as_it_may(before, state, event)
        before = state
    assert before is not None
    outcome = GAME.outcome(before)
    assert outcome is not None
    assert (before.gate == 2) == (outcome.detail["ended"] == "gate")
    assert (len(before.cracked) == 6) == bool(outcome.winners)
    assert set(outcome.scores) == {len(before.cracked)}


RICH = "r1 r1 r6 r3 r3 r2 b3 b2 b5 k3 k1 k2 k5 y3 y3 y2 y5"


def random_steps(state: State, seed: int, most: int = 60) -> Iterator[tuple[State, Moved | Rolled, State]]:
    """Yield (state before, event, state after) of random play from a position; a lock is cracked where possible."""
    rng, dice = random.Random(seed), SeededDice(seed)
    for _ in range(most):
        if state.ended:
            return
        seat = rng.choice(sorted(GAME.to_act(state)))
        cracks = [action.move for action in GAME.actions(state, seat) if getattr(action.move, "on", "") == "paul"]
        _, events = engine.play(
            GAME, state, seat, cracks[0] if cracks else random_move(GAME, state, seat, rng), dice, 0
        )
        for event in events:
            after = engine.advance(GAME, state, event)
            yield state, event, after
            state = after


def test_laws_of_games_in_which_locks_are_cracked() -> None:
    cracked = 0
    for seed in range(40):
        opened = codec.load_options(GAME, {"last_rescue": "on", "overflow": ("old_three", "all_four")[seed % 2]})
        state = position(RICH, "r3 b4", options=opened, boards={"john": 3, "pink": 2})
        for before, event, after in random_steps(state, seed):
            every_die_lies_in_one_place(after)
            boards_hold_what_fits(after)
            cards_are_all_there(after)
            gate_moves_as_it_may(before, after, event)
            if len(after.cracked) > len(before.cracked):
                cracked += 1
                a_lock_costs_four_dice(before, after)
    assert cracked > 40


def a_lock_costs_four_dice(before: State, after: State) -> None:
    assert before.gate == 0
    assert after.cracked[-1] == before.stack[0]
    assert after.cracked_by[-1] == before.seat
    gone = set(before.dice) - set(after.dice)
    assert sorted(colour(die) for die in gone) == sorted(COLOURS)
    assert {before.dice[die] for die in gone} == {before.stack[0]}


def every_die_lies_in_one_place(state: State) -> None:
    somewhere = [die for hand in state.hands for die in hand]
    somewhere += [die for board in BOARDS for die in state.tableaus.on(board)]
    assert set(somewhere) == set(state.dice)
    assert sorted([*somewhere, *state.air, *state.bag]) == sorted(DICE)
    assert state.in_bag == len(state.bag) == GAME.view(state, None).in_bag
    assert all(hand == in_order(hand) for hand in state.hands)
    assert all(1 <= face <= 6 for face in state.dice.values())


def boards_hold_what_fits(state: State) -> None:
    for board in BOARDS:
        dice = state.tableaus.on(board)
        assert len(dice) <= ROOM[board]
        assert all(colour(die) == HOME[board] for die in dice)


def cards_are_all_there(state: State) -> None:
    known = [*filter(None, state.stack), *state.cracked]
    assert len(set(known)) == len(known)
    assert len(state.stack) + len(state.cracked) == 6
    assert len(state.cracked_by) == len(state.cracked)
    if state.options.right_order == "on":
        assert list(state.cracked) == sorted(state.cracked) == list(range(1, len(state.cracked) + 1))


def gate_moves_as_it_may(before: State, state: State, event: Moved | Rolled | None) -> None:
    closed = state.gate - before.gate
    if before.seat is None:
        assert state.gate == 0
    elif isinstance(event, Rolled) and event.reason == "roll":
        six = 6 in (event.faces or ())
        assert closed == (1 if six and state.asked != "rescue" else 0)
        assert state.thrown == before.thrown + len(event.sides)
        assert state.sixes == before.sixes + (event.faces or ()).count(6)
    elif closed > 0:
        assert isinstance(event, Moved)
        assert event.move.kind == "rescue"
    elif closed < 0:
        assert isinstance(event, Moved)
        assert event.move.kind in {"place", "effect", "rescue"}
