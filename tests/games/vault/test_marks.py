"""Legal marks: complete, nothing else, and fast enough in the worst position found."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import engine
from app.core.game import IllegalMove
from app.games.vault.marks import all_marks, fits
from app.games.vault.rules import GAME
from app.games.vault.sheets import SHEETS
from app.games.vault.state import DICE, Charge, Mark, Options, Pass, Reroll, Skimmer, State
from tests.support.games import random_game
from tests.support.vault import charged, position, slow_marks

skimmers = st.builds(Skimmer, st.integers(0, 14), st.booleans())


@st.composite
def positions(draw: Any) -> State:
    sheet = draw(st.sampled_from(sorted(SHEETS)))
    printed = SHEETS[sheet]
    free = [box for box, kind in printed.kinds.items() if kind != "#"]
    return position(
        draw(st.lists(st.integers(1, 6), min_size=1, max_size=5)),
        marked=draw(st.lists(st.sampled_from(free), unique=True)),
        skimmers=draw(st.tuples(skimmers, skimmers, skimmers)),
        rerolls=draw(st.integers(0, 3)),
        round=draw(st.integers(1, 12)),
        options=Options(sheet=sheet),
    )


def marks(state: State) -> list[Mark]:
    return [action.move for action in GAME.actions(state, 0) if isinstance(action.move, Mark)]


@settings(max_examples=60, deadline=None)
@given(positions())
def test_marks_are_those_of_brute_force(state: State) -> None:
    found = marks(state)
    assert len(set(found)) == len(found)
    assert set(found) == set(slow_marks(state))


@pytest.mark.parametrize("seed", range(4))
def test_actions_of_reached_positions_are_those_of_brute_force(seed: int) -> None:
    """All kinds of moves, in whole games of two in which charges are frequent."""
    rng = random.Random(seed)
    checked = 0
    for state, event in random_game(GAME, 2, Options(), seed):
        if event is None:
            continue
        for seat in sorted(GAME.to_act(state)):
            if rng.random() < 0.4:
                checked += 1
                check_actions(state, seat)
    assert checked > 15


def check_actions(state: State, seat: int) -> None:
    hand = state.hands[seat]
    unused = [die for die in DICE if die not in hand.used]
    moves: set[Any] = {Pass(), *slow_marks(state, seat)}
    for size in range(1, len(unused) + 1):
        for dice in combinations(unused, size):
            moves |= {Charge(n, dice) for n, skimmer in enumerate(hand.progress.skimmers) if not skimmer.spent}
            if hand.progress.rerolls_left > 0:
                moves.add(Reroll(dice))
    found = set()
    for action in GAME.actions(state, seat):
        if action.pick is None:
            found.add(action.move)
            continue
        assert action.pick.options == tuple(unused)
        for size in range(action.pick.least, action.pick.most + 1):
            found |= {action.fill(chosen) for chosen in combinations(unused, size)}
    assert found == moves


@settings(max_examples=40, deadline=None)
@given(positions(), st.randoms(use_true_random=False))
def test_any_other_mark_is_refused_with_a_reason(state: State, rng: random.Random) -> None:
    names = [*DICE, "s0", "s1", "s2"]
    legal = set(slow_marks(state))
    for _ in range(20):
        chosen = rng.sample(names, rng.randint(1, 4))
        split = rng.randint(0, len(chosen))
        box = rng.choice(list(state.printed.kinds))
        move = Mark(box, tuple(chosen[:split]), tuple(chosen[split:]))
        if move in legal:
            assert engine.match(GAME, state, 0, move) == move
            continue
        with pytest.raises(IllegalMove) as caught:
            engine.match(GAME, state, 0, move)
        assert caught.value.reason.key != "That is not possible now."


@pytest.mark.parametrize("rule", ["no_mix", "two"])
@pytest.mark.parametrize("as_die", ["all", "numbers_only"])
def test_options_only_take_marks_away(rule: Any, as_die: Any) -> None:
    strict = Options(sum_rule=rule, skimmer_as_die=as_die)
    usual = position([1, 2, 3, 3, 6], skimmers=charged(3, 8))
    state = position([1, 2, 3, 3, 6], skimmers=charged(3, 8), options=strict)
    values = dict(zip([*DICE, "s0", "s1"], [1, 2, 3, 3, 6, 3, 8], strict=True))

    def allowed(move: Mark) -> bool:
        kind = state.printed.kinds[move.box]
        names = (*move.plus, *move.minus)
        if not kind.isdigit():
            return as_die == "all" or not any(name[0] == "s" for name in names)
        if len(names) <= 2:
            return True
        return rule == "no_mix" and not move.minus

    assert set(marks(state)) == {move for move in marks(usual) if allowed(move)}
    assert len(marks(state)) < len(marks(usual))
    for move in marks(state):
        up, down = ([values[name] for name in names] for names in (move.plus, move.minus))
        skims = sum(name[0] == "s" for name in (*move.plus, *move.minus))
        assert fits(state.printed.kinds[move.box], up, down, strict, skims)


def test_ways_without_skimmer_and_short_ones_come_first() -> None:
    state = position([1, 5, 6], skimmers=charged(6))
    ways = [(*move.plus, *move.minus) for move in marks(state) if move.box == "r1c5"]
    assert ways[:2] == [("d2",), ("d0", "d1")]
    assert ways.index(("s0",)) == sum("s0" not in way for way in ways)


def worst_positions() -> list[State]:
    """Fresh sheets, five dice and three charged skimmers: the most sums there can be; one family per kind of dice."""
    return [
        position([1, 1, a, 2, b], skimmers=charged(*charges), options=Options(sheet=sheet))
        for sheet in ("s-01", "s-02", "s-03")
        for a in (1, 2, 3)
        for b in (1, 3, 6)
        for charges in ((1, 1, 1), (1, 2, 3), (4, 5, 6), (9, 9, 9))
    ]  # fmt: skip


def test_worst_positions_have_thousands_of_marks_and_all_are_right() -> None:
    state = max(worst_positions(), key=lambda each: len(marks(each)))
    found = marks(state)
    assert len(found) > 3000
    assert set(found) == set(slow_marks(state))


def test_used_dice_and_dead_skimmers_are_no_tokens() -> None:
    printed = SHEETS["s-01"]
    assert list(all_marks(printed, printed.filled, [], [], Options())) == []
    state = position([1, 2], skimmers=(Skimmer(3, spent=True), Skimmer(), Skimmer(9)))
    names = {name for move in marks(state) for name in (*move.plus, *move.minus)}
    assert names == {"d0", "d1", "s2"}
