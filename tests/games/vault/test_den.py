"""Several seats at once: the same throws for all, running rounds hidden, nobody held up by more than the round."""

from __future__ import annotations

from typing import Any

from app.core.events import Rolled
from app.games.vault.rules import GAME
from app.games.vault.state import DICE, Charge, Mark, Pass, Reroll
from tests.support.vault import Played, after_v01, position


def test_round_ends_only_when_all_have_ended_it() -> None:
    game = Played(None, 1, 2, 3, 4, 5, players=3)
    game.move(Pass(), seat=1)
    assert GAME.to_act(game.state) == {0, 2}
    words = "You have ended this round. The next begins when all have."
    assert game.refusal(Pass(), seat=1) == words
    game.move(Pass(), seat=0)
    assert GAME.view(game.state, None).round == 1
    game.move(Pass(), 6, 6, 6, 6, 6, seat=2)
    assert GAME.view(game.state, None).round == 2
    assert GAME.to_act(game.state) == {0, 1, 2}


def test_everybody_gets_the_same_roll_in_one_event() -> None:
    game = Played(None, 1, 2, 3, 4, 5, players=12)
    assert game.events == [Rolled(1, "roll", (6,) * 5, (1, 2, 3, 4, 5))]
    assert {game.state.values(seat) for seat in range(12)} == {(1, 2, 3, 4, 5)}


def test_values_somebody_has_uncovered_need_no_dice() -> None:
    game = Played(None, 1, 1, 1, 1, 1, players=3)
    game.move(Reroll(("d0", "d3")), 2, 3, seat=2)
    game.move(Reroll(("d0",)), 4, seat=2)
    assert len(game.move(Reroll(("d0", "d3")), seat=0)) == 1
    assert game.state.values(0) == (2, 1, 1, 3, 1)
    assert len(game.move(Reroll(("d0", "d3")), 6, seat=0)) == 2
    assert game.state.values(0) == (4, 1, 1, 6, 1)


def test_new_round_uncovers_new_values() -> None:
    game = Played(None, 1, 1, 1, 1, 1, players=2)
    game.move(Reroll(("d0",)), 2, seat=0)
    game.move(Pass(), seat=0)
    game.move(Pass(), 3, 3, 3, 3, 3, seat=1)
    game.move(Reroll(("d0",)), 5, seat=1)
    assert (game.state.values(0)[0], game.state.values(1)[0]) == (3, 5)
    assert [game.progress(seat).rerolls_left for seat in (0, 1)] == [2, 2]


def test_witnesses_of_a_round_are_its_seat_until_it_ends() -> None:
    game = Played(None, 1, 1, 4, 4, 4, players=2)
    seen = [game.move(Charge(0, (die,)))[0].seen_by for die in DICE]
    assert seen == [frozenset({0})] * 4 + [None]
    assert game.move(Reroll(("d0",)), 1, seat=1)[0].seen_by == frozenset({1})
    assert game.move(Pass(), 1, 1, 1, 1, 1, seat=1)[0].seen_by is None
    alone = Played(None, 1, 1, 4, 4, 4)
    assert [event.seen_by for event in alone.move(Reroll(("d0",)), 1)] == [None, None]
    assert alone.move(Charge(0, ("d0",)))[0].seen_by is None


def test_others_see_a_round_when_its_seat_has_ended_it() -> None:
    game = Played(None, 4, 3, 1, 1, 2, players=3)
    game.move(Reroll(("d4",)), 6, seat=0)
    game.move(Mark("r3c1", ("d0",), ()), seat=0)
    game.move(Mark("r4c1", ("d1",), ()), seat=0)
    for viewer in (1, 2, None):
        other = GAME.view(game.state, viewer).seats[0]
        assert (other.opened, other.rerolls_left, other.ended, other.gems) == ((), 3, False, 0)
        assert [die.value for die in other.dice] == [4, 3, 1, 1, 2]
        assert not any(die.used for die in other.dice)
    assert [die.value for die in GAME.view(game.state, 0).seats[0].dice] == [4, 3, 1, 1, 6]
    game.move(Pass(), seat=0)
    for viewer in (1, 2, None):
        other = GAME.view(game.state, viewer).seats[0]
        assert (other.opened, other.rerolls_left, other.ended, other.gems) == (("A",), 2, True, 3)
        # the value behind the re-roll stays covered for who has not come to it
        assert [die.value for die in other.dice] == [4, 3, 1, 1, None]
    game.move(Reroll(("d4",)), seat=1)
    assert [die.value for die in GAME.view(game.state, 1).seats[0].dice] == [4, 3, 1, 1, 6]
    assert [die.value for die in GAME.view(game.state, 2).seats[0].dice] == [4, 3, 1, 1, None]


def test_reveal_shows_running_rounds_for_the_replay() -> None:
    game = Played(None, 4, 3, 1, 1, 2, players=2)
    game.move(Reroll(("d4",)), 6, seat=0)
    game.move(Mark("r3c1", ("d0",), ()), seat=0)
    shown = GAME.reveal(game.state).seats[0]
    assert "r3c1" in shown.marked
    assert [die.value for die in shown.dice] == [4, 3, 1, 1, 6]


def test_alone_a_spectator_sees_the_round_as_it_goes() -> None:
    game = after_v01()
    assert GAME.view(game.state, None) == GAME.view(game.state, 0)


def test_dice_in_the_air_have_no_value_yet() -> None:
    state = GAME.play(position([1, 2, 3, 4, 5]), 0, Reroll(("d1",)))
    assert [die.value for die in GAME.view(state, 0).seats[0].dice] == [1, None, 3, 4, 5]
    assert GAME.to_act(state) == frozenset()


def test_what_has_shown_something_is_final() -> None:
    game = Played(None, 1, 1, 4, 4, 4, players=2)

    def final(seat: int, move: Any, *faces: int) -> bool:
        before = game.state
        game.move(move, *faces, seat=seat)
        return GAME.final(before, seat, move, GAME.play(before, seat, move))

    assert not final(0, Charge(0, ("d0",)))
    assert final(0, Reroll(("d1",)), 2)
    assert final(1, Reroll(("d1",)))
    assert final(0, Pass())
    assert final(1, Pass(), 1, 1, 1, 1, 1)
