"""What holds in every game, whatever is done."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import codec
from app.core.events import Moved, Rolled
from app.games.five_strolche.material import BOARDS, DICE, HOME, ROOM, colour, in_order
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import Options, State
from tests.support.games import random_game

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
