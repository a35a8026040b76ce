from __future__ import annotations

import pytest

from app.core.events import Event, Moved, Rolled, visible
from app.core.game import Viewer
from tests.support.toy import Bid

MOVE = Moved(4, 1, Bid((1,)), frozenset({1}))
DEAL = Rolled(2, "deal", (6, 6), (3, 5), frozenset({0, 2}))
OPEN = (Moved(1, 0, Bid((2,))), Rolled(2, "roll", (6,), (6,)))


@pytest.mark.parametrize("viewer", [0, 1, 7, None])
@pytest.mark.parametrize("event", OPEN)
def test_open_event_is_shown_to_everybody(event: Event, viewer: Viewer) -> None:
    assert visible(event, viewer, over=False) == event


@pytest.mark.parametrize(("event", "viewer"), [(MOVE, 1), (DEAL, 0), (DEAL, 2)])
def test_witness_sees_all_of_it(event: Event, viewer: Viewer) -> None:
    assert visible(event, viewer, over=False) == event


@pytest.mark.parametrize("viewer", [0, 2, None])
def test_secret_move_keeps_number_and_seat(viewer: Viewer) -> None:
    assert visible(MOVE, viewer, over=False) == Moved(4, 1, None, frozenset({1}))


@pytest.mark.parametrize("viewer", [1, 3, None])
def test_secret_roll_keeps_reason_and_number_of_dice(viewer: Viewer) -> None:
    assert visible(DEAL, viewer, over=False) == Rolled(2, "deal", (6, 6), None, frozenset({0, 2}))


@pytest.mark.parametrize("viewer", [0, 1, 9, None])
@pytest.mark.parametrize("event", [MOVE, DEAL])
def test_everything_is_shown_after_the_end(event: Event, viewer: Viewer) -> None:
    assert visible(event, viewer, over=True) == event


def test_event_for_nobody_is_withheld_from_seat_0_too() -> None:
    nobody = Rolled(1, "deal", (6,), (1,), frozenset())
    assert all(visible(nobody, viewer, over=False) != nobody for viewer in (0, 1, None))


@pytest.mark.parametrize("viewer", [0, 2, None])
def test_blind_roll_is_withheld_even_from_those_it_is_for_until_the_end(viewer: Viewer) -> None:
    blind = Rolled(2, "draw", (36, 35), (3, 5), frozenset({0}), blind=True)
    shown = Rolled(2, "draw", (36, 35), None, frozenset({0}), blind=True)
    assert visible(blind, viewer, over=False) == shown
    assert visible(blind, viewer, over=True) == blind
