from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import engine
from app.core.engine import BrokenLog
from app.core.events import Event, Moved, Rolled
from app.core.game import Action, IllegalMove, Pick, Value
from tests.support.dice import ScriptedDice, SeededDice, WrongScript
from tests.support.games import random_game, sample
from tests.support.toy import TOY, Bid, Boast, Options, State

QUICK = Options(quick=True)


def deal(n: int, seat: int, face: int) -> Rolled:
    return Rolled(n, "deal", (6,), (face,), frozenset({seat}))


def bid(n: int, seat: int, *chips: int) -> Moved:
    return Moved(n, seat, Bid(chips), frozenset({seat}))


def begun(*faces: int) -> State:
    state: State
    state, _ = engine.begin(TOY, Options(), len(faces), ScriptedDice(*faces))
    return state


TO_0 = frozenset({0})

WHOLE: list[Event] = [deal(1, 0, 6), deal(2, 1, 2), bid(3, 1, 1, 3), Moved(4, 0, Boast(), frozenset({0}))]


def test_begin_settles_every_roll_before_the_first_decision() -> None:
    state, events = engine.begin(TOY, Options(), 3, ScriptedDice(6, 1, 4))
    assert state.dice == (6, 1, 4)
    assert events == [deal(1, 0, 6), deal(2, 1, 1), deal(3, 2, 4)]


def test_begin_numbers_from_after() -> None:
    _, events = engine.begin(TOY, Options(), 2, ScriptedDice(6, 1), after=5)
    assert [event.n for event in events] == [6, 7]


def test_play_logs_the_move_with_its_witnesses() -> None:
    state, events = engine.play(TOY, begun(6, 1), 1, Bid((2,)), ScriptedDice(), 2)
    assert state.bids == (None, (2,))
    assert events == [bid(3, 1, 2)]


def test_play_settles_the_chance_that_follows() -> None:
    state, _ = engine.play(TOY, begun(6, 1), 1, Bid((2,)), ScriptedDice(), 2)
    state, events = engine.play(TOY, state, 0, Boast(), ScriptedDice(3, 5), 3)
    assert events == [Moved(4, 0, Boast(), frozenset({0})), deal(5, 0, 3), deal(6, 1, 5)]
    assert (state.dice, state.points) == ((3, 5), (1, 0))


def test_play_brings_the_pick_into_the_order_of_its_options() -> None:
    state, events = engine.play(TOY, begun(6, 1), 0, Bid((3, 1)), ScriptedDice(), 2)
    assert state.bids[0] == (1, 3)
    assert events == [bid(3, 0, 1, 3)]


@pytest.mark.parametrize(
    ("seat", "move"),
    [
        (1, Boast()),
        (0, Bid(())),
        (0, Bid((4,))),
        (0, Bid((1, 1))),
        (0, Bid((1, 2, 3))),
        (2, Bid((1,))),
        (-1, Bid((1,))),
    ],
)
def test_play_refuses_what_no_action_describes(seat: int, move: Any) -> None:
    state = begun(6, 1)
    dice = ScriptedDice(1, 2)
    with pytest.raises(IllegalMove) as caught:
        engine.play(TOY, state, seat, move, dice, 2)
    assert caught.value.reason.key == "That is not possible now."
    assert state == begun(6, 1)
    assert dice.left == [1, 2], "a refused move rolls nothing"


def test_match_returns_the_canonical_move() -> None:
    assert engine.match(TOY, begun(4, 1), 0, Bid((2, 1))) == Bid((1, 2))
    assert engine.match(TOY, begun(4, 1), 0, Boast()) == Boast()


def test_steps_yields_the_first_state_and_the_state_after_each_event() -> None:
    found = list(engine.steps(TOY, QUICK, 2, WHOLE))
    assert [event for event, _ in found] == [None, *WHOLE]
    states = [state for _, state in found]
    assert states[0] == TOY.setup(QUICK, 2)
    assert [state.dice for state in states] == [(None, None), (6, None), (6, 2), (6, 2), (None, None)]
    assert states[-1].points == (1, 0)


def test_fold_is_the_last_of_the_steps() -> None:
    assert engine.fold(TOY, QUICK, 2, WHOLE) == list(engine.steps(TOY, QUICK, 2, WHOLE))[-1][1]
    assert engine.fold(TOY, QUICK, 2, []) == TOY.setup(QUICK, 2)


def test_fold_of_a_part_stops_there() -> None:
    assert engine.fold(TOY, QUICK, 2, WHOLE[:3]).bids == (None, (1, 3))


@given(st.integers(2, 4), st.integers(0, 10_000))
def test_fold_of_any_game_is_its_last_state(players: int, seed: int) -> None:
    history = list(random_game(TOY, players, Options(), seed))
    assert engine.fold(TOY, Options(), players, [event for _, event in history if event]) == history[-1][0]


@pytest.mark.parametrize(
    ("log", "says"),
    [
        pytest.param(
            [Moved(1, 0, Bid((1,)))], "event 1: a move while a roll for 'deal' is pending", id="move-too-early"
        ),
        pytest.param([*WHOLE[:2], deal(3, 0, 1)], "event 3: a roll for 'deal' .* was not asked for", id="unasked-roll"),
        pytest.param([*WHOLE, deal(5, 0, 1)], "event 5: a roll .* not asked for", id="roll-after-the-end"),
        pytest.param([Rolled(1, "deal", (8,), (1,))], "not asked for", id="wrong-sides"),
        pytest.param([Rolled(1, "deal", (6, 6), (1, 1))], "not asked for", id="too-many-dice"),
        pytest.param([Rolled(1, "roll", (6,), (1,))], "not asked for", id="wrong-reason"),
        pytest.param([Rolled(1, "deal", (6,), (1, 2), TO_0)], "the faces do not fit the dice", id="too-many-faces"),
        pytest.param([Rolled(1, "deal", (6,), (), TO_0)], "the faces do not fit the dice", id="no-face"),
        pytest.param([Rolled(1, "deal", (6,), None, TO_0)], "the faces do not fit the dice", id="withheld-faces"),
        pytest.param([Rolled(1, "deal", (6,), (7,), TO_0)], "a face outside", id="face-too-high"),
        pytest.param([Rolled(1, "deal", (6,), (0,), TO_0)], "a face outside", id="face-too-low"),
        pytest.param([*WHOLE[:2], Moved(3, 1, Boast())], "event 3: illegal move of seat 1", id="illegal-move"),
        pytest.param([*WHOLE[:2], Moved(3, 7, Bid((1,)))], "illegal move of seat 7", id="no-such-seat"),
        pytest.param([*WHOLE[:3], bid(4, 1, 1)], "event 4: illegal move of seat 1", id="not-asked-any-more"),
        pytest.param([*WHOLE[:2], Moved(3, 1, None)], "illegal move", id="withheld-move"),
        pytest.param([*WHOLE, bid(5, 0, 1)], "event 5: illegal move", id="move-after-the-end"),
    ],
)
def test_log_that_does_not_fit_is_broken(log: list[Event], says: str) -> None:
    with pytest.raises(BrokenLog, match=says):
        engine.fold(TOY, QUICK, 2, log)


OPEN_PICK = Action(Bid(()), "chips", Pick((3, 1, 2), 1, 2))


@pytest.mark.parametrize(
    ("chips", "accepted"),
    [
        ((3,), (3,)),
        ((1, 3), (3, 1)),
        ((2, 3), (3, 2)),
        ((3, 1), (3, 1)),
        ((), None),
        ((1, 2, 3), None),
        ((1, 1), None),
        ((4,), None),
        ((1, 4), None),
    ],
)
def test_open_action_accepts_picks_in_its_own_order(chips: tuple[int, ...], accepted: tuple[int, ...] | None) -> None:
    assert OPEN_PICK.accept(Bid(chips)) == (None if accepted is None else Bid(accepted))


def test_action_accepts_no_other_type() -> None:
    anything: Any = Boast()
    assert OPEN_PICK.accept(anything) is None
    assert Action(anything).accept(Bid((1,))) is None
    assert Action(Boast()).accept(Boast()) == Boast()
    assert Action(Bid((1, 2))).accept(Bid((2, 1))) is None, "without a pick the move stands as it is"


@dataclass(frozen=True, slots=True)
class Charge(Value):
    skimmer: int
    dice: tuple[str, ...]
    kind: Literal["charge"] = "charge"


def test_fixed_fields_beside_a_pick_must_be_as_they_are() -> None:
    action = Action(Charge(1, ()), "dice", Pick(("d0", "d1", "s0"), 2, 2))
    assert action.accept(Charge(1, ("s0", "d0"))) == Charge(1, ("d0", "s0"))
    assert action.accept(Charge(2, ("s0", "d0"))) is None


def test_fill_makes_the_pick() -> None:
    assert OPEN_PICK.fill([1, 2]) == Bid((1, 2))
    with pytest.raises(ValueError, match="no open pick"):
        Action(Boast()).fill([1])


@given(st.integers(0, 1000))
def test_sampled_move_is_accepted_as_it_is(seed: int) -> None:
    move = sample(OPEN_PICK, random.Random(seed))
    assert OPEN_PICK.accept(move) == move


def test_scripted_dice_say_when_the_script_does_not_fit() -> None:
    with pytest.raises(WrongScript, match=r"\[1\] left"):
        ScriptedDice(1).roll((6, 6))
    with pytest.raises(WrongScript, match="cannot fall"):
        ScriptedDice(7).roll((6,))


def test_seeded_dice_repeat_and_keep_to_their_sides() -> None:
    first, second = SeededDice(3), SeededDice(3)
    rolls = [first.roll((6, 2, 1)) for _ in range(200)]
    assert rolls == [second.roll((6, 2, 1)) for _ in range(200)]
    assert [{roll[die] for roll in rolls} for die in range(3)] == [{1, 2, 3, 4, 5, 6}, {1, 2}, {1}]
