"""What nobody may learn: non-interference of hidden dice and bids, and worlds that are shared out fairly."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import pytest

from app.core import codec
from app.core.events import Rolled, visible
from app.core.game import Viewer
from app.games.mythical_dice import worlds
from app.games.mythical_dice.dice import BAG, in_order
from app.games.mythical_dice.rules import GAME
from app.games.mythical_dice.state import Bid
from tests.games import conformance, secrecy
from tests.games.conformance import Case
from tests.games.mythical_dice.played import Played, second_round

PRESETS = [tuple(preset.items()) for preset in GAME.presets]


@pytest.mark.parametrize("check", [*conformance.CHECKS, *secrecy.CHECKS], ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", [Case(GAME, n, preset, 5) for n in (4, 5) for preset in PRESETS], ids=str)
def test_player_counts_that_the_suite_leaves_out(case: Case, check: Callable[[Case], None]) -> None:
    check(case)


def everything(game: Played, viewer: Viewer) -> str:
    """Return all that a viewer is sent about a game, as bytes would carry it: log, view, who is asked, own actions."""
    log = [codec.event_data(visible(event, viewer, over=False)) for event in game.events]
    own = [] if viewer is None else game.moves(viewer)
    return json.dumps([log, game.view(viewer), sorted(GAME.to_act(game.state)), own])


HIDDEN: list[tuple[int, Sequence[Sequence[str]]]] = [
    # the seat whose hand differs, and the hands; all else is the same
    (0, [["gray"], ["yellow"], ["purple"]]),
    (0, [["minotaur"], ["yellow"], ["purple"]]),
    (1, [["red"], ["minotaur"], ["purple"]]),
    (2, [["red"], ["yellow"], ["griffin"]]),
]


@pytest.mark.parametrize(("seat", "hands"), HIDDEN)
def test_two_games_that_differ_in_one_hand_are_the_same_for_everybody_else(
    seat: int, hands: Sequence[Sequence[str]]
) -> None:
    games = [Played(dealt) for dealt in ([["red"], ["yellow"], ["purple"]], hands)]
    assert games[0].state != games[1].state
    for bids in ((), (1, 0), (1, 0, 1)):
        for game in games:
            for bidder, bid in enumerate(bids):
                if GAME.to_act(game.state) >= {bidder}:
                    game.move(bidder, Bid(bid))
        for viewer in {0, 1, 2, None} - {seat}:
            assert everything(games[0], viewer) == everything(games[1], viewer), (viewer, bids)


def test_two_games_that_differ_in_unopened_bids_are_the_same_for_everybody_else() -> None:
    games = [Played([["red"], ["yellow"], ["purple"]]) for _ in range(2)]
    for game, bid in zip(games, (0, 1), strict=True):
        game.move(1, Bid(bid))
    for viewer in (0, 2, None):
        assert everything(games[0], viewer) == everything(games[1], viewer)
    assert everything(games[0], 1) != everything(games[1], 1)


def test_the_faces_of_a_draw_are_told_to_nobody_until_the_end() -> None:
    """A griffin by a first face is a minotaur that somebody else holds: a face counts in what is left."""
    game = Played([["minotaur"], ["griffin"], ["purple"]])
    draw = game.events[2]
    assert isinstance(draw, Rolled)
    assert draw.faces == (1,)
    for viewer in (0, 1, 2, None):
        shown = visible(draw, viewer, over=False)
        assert isinstance(shown, Rolled)
        assert (shown.faces, shown.sides) == (None, (35,))
        assert visible(draw, viewer, over=True) == draw
    assert game.view(1)["hand"] == ["griffin"]


def void_in_red() -> Played:
    """Seat 0 led red; seat 1 rolled purple to it and so has no red; seat 2 rolled a griffin, which tells nothing."""
    game = second_round([["red", "gray"], ["purple", "purple"], ["griffin", "yellow"]], lead="winner")
    game.bids(1, 1, 1)
    game.roll(0, "red", 7)
    game.roll(1, "purple", 1)
    game.roll(2, "griffin", "F")
    return game


def test_who_could_not_follow_is_known_to_have_none_of_the_colour() -> None:
    game = void_in_red()
    assert game.state.voids() == (frozenset(), frozenset({"red"}), frozenset())
    rng = random.Random(1)
    worlds_seen = [GAME.resample(game.state, None, rng) for _ in range(300)]
    assert all("red" not in world.hands[1] for world in worlds_seen)
    assert any("red" in world.hands[2] for world in worlds_seen)
    assert {world.hands[1][0] for world in worlds_seen} == {
        "minotaur",
        "griffin",
        "mermaid",
        "yellow",
        "purple",
        "gray",
    }


def test_a_die_in_the_air_counts_as_rolled_and_tells_of_a_void() -> None:
    game = second_round([["red", "gray"], ["purple", "purple"], ["griffin", "yellow"]], lead="winner")
    game.bids(1, 1, 1)
    game.roll(0, "red", 7)
    state = GAME.play(game.state, 1, codec.load_move(GAME, {"kind": "roll", "die": "purple"}))
    assert state.voids()[1] == {"red"}
    assert state.rolled() == ["red", "purple"]


def test_own_hand_and_open_bids_stay_in_every_world_and_the_bag_is_never_overdrawn() -> None:
    game = void_in_red()
    rng = random.Random(2)
    for _ in range(200):
        world = GAME.resample(game.state, 0, rng)
        assert world.hands[0] == game.state.hands[0]
        assert world.bids == game.state.bids
        held = [*world.rolled(), *(die for hand in world.hands for die in hand)]
        assert not Counter(held) - Counter(BAG)


def test_what_was_rolled_in_this_round_is_in_no_hand() -> None:
    game = second_round([["red", "gray"], ["minotaur", "purple"], ["griffin", "yellow"]], lead="winner")
    game.bids(1, 1, 1)
    game.roll(0, "red", 7)
    before, rng = game.state, random.Random(5)
    assert any("minotaur" in GAME.resample(before, 0, rng).hands[2] for _ in range(300))
    game.roll(1, "minotaur", "F")
    for viewer in (0, None):
        assert not any("minotaur" in hand for _ in range(300) for hand in GAME.resample(game.state, viewer, rng).hands)


def test_unopened_bids_of_others_take_every_value_alike() -> None:
    game = second_round([["red", "gray"], ["purple", "purple"], ["griffin", "yellow"]])
    game.move(1, Bid(2))
    rng = random.Random(3)
    found = Counter(GAME.resample(game.state, 0, rng).bids for _ in range(3000))
    assert set(found) == {(None, bid, None) for bid in range(3)}
    assert all(850 < count < 1150 for count in found.values())
    assert GAME.resample(game.state, 1, rng).bids == (None, 2, None)


class Tickets:
    """An Rng whose `randrange` goes through all its answers over many calls, one path a run; shuffles keep order."""

    def __init__(self, path: list[int]) -> None:
        self.path, self.stops = path, list[int]()

    def random(self) -> float:
        raise AssertionError("not used")

    def randrange(self, stop: int, /) -> int:
        self.stops.append(stop)
        place = len(self.stops) - 1
        return self.path[place] if place < len(self.path) else 0

    def shuffle(self, x: list[Any], /) -> None:
        """Fisher and Yates, by tickets."""
        for last in range(len(x) - 1, 0, -1):
            other = self.randrange(last + 1)
            x[last], x[other] = x[other], x[last]


def all_draws(unseen: dict[str, int], sizes: Sequence[int], voids: Sequence[frozenset[str]]) -> dict[Any, float]:
    """Return the exact chance of each deal: every path of the dice that the sampler may take, with its weight."""
    found: dict[Any, float] = defaultdict(float)
    path: list[int] = []
    while True:
        rng = Tickets(path)
        dealt = tuple(worlds.deal(unseen, sizes, voids, rng))
        weight = 1.0
        for stop in rng.stops:
            weight /= stop
        found[dealt] += weight
        path = (path + [0] * len(rng.stops))[: len(rng.stops)]
        while path and path[-1] + 1 == rng.stops[len(path) - 1]:
            path.pop()
        if not path:
            return found
        path[-1] += 1


def by_hand(unseen: dict[str, int], sizes: Sequence[int], voids: Sequence[frozenset[str]]) -> dict[Any, float]:
    """Return the same by dealing the single dice in every order and leaving out what cannot be."""
    dice = [die for die, count in unseen.items() for _ in range(count)]
    deals: Counter[Any] = Counter()
    for order in permutations(dice):
        hands, left = [], list(order)
        for size in sizes:
            hands.append(in_order(left[:size]))
            del left[:size]
        if not any(void & set(hand) for void, hand in zip(voids, hands, strict=True)):
            deals[tuple(hands)] += 1
    return {deal: count / sum(deals.values()) for deal, count in deals.items()}


DEALS = [
    ({"red": 2, "gray": 2}, [1, 1], [frozenset({"red"}), frozenset()]),
    ({"red": 2, "gray": 1, "griffin": 1}, [1, 2], [frozenset({"gray"}), frozenset()]),
    ({"red": 1, "yellow": 2, "gray": 1}, [2, 1], [frozenset({"red"}), frozenset({"yellow"})]),
    ({"red": 2, "yellow": 1, "purple": 1}, [1, 1], [frozenset(), frozenset()]),
    ({"red": 2, "yellow": 2, "purple": 1}, [2, 2], [frozenset({"red", "purple"}), frozenset({"yellow"})]),
]


@pytest.mark.parametrize(("unseen", "sizes", "voids"), DEALS)
def test_every_deal_that_fits_is_as_likely_as_another(
    unseen: dict[str, int], sizes: Sequence[int], voids: Sequence[frozenset[str]]
) -> None:
    assert all_draws(unseen, sizes, voids) == pytest.approx(by_hand(unseen, sizes, voids))


def test_a_deal_that_cannot_be_is_no_deal() -> None:
    with pytest.raises(ValueError, match="no deal"):
        worlds.deal({"red": 2}, [1], [frozenset({"red"})], random.Random(1))


def test_worlds_are_found_fast_even_when_much_is_known() -> None:
    """Five others, each without another two colours: the count of splits stays small."""
    voids = [frozenset(pair) for pair in (("red", "gray"), ("red",), ("yellow",), ("purple", "gray"), ("gray",))]
    unseen = {"griffin": 2, "red": 5, "yellow": 5, "purple": 6, "gray": 4}
    dealt = worlds.deal(unseen, [4] * 5, voids, random.Random(4))
    assert [len(hand) for hand in dealt] == [4] * 5
    assert not any(void & set(hand) for void, hand in zip(voids, dealt, strict=True))
