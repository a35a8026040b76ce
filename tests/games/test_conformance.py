"""Every registered game, and the toy, passes the suite; and toys that are broken in one way each do not."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from app import games
from app.core.engine import AnyGame
from app.core.game import Action, GameInfo, Outcome, Pick, Rng, Roll, Seat, Value, Viewer
from app.core.text import Text, say
from tests.games import conformance, secrecy
from tests.games.conformance import Case, cases
from tests.support.pig import PIG
from tests.support.toy import TOY, Bid, Boast, Move, Options, Sealed, State, View

ROOT = Path(__file__).parents[2]
CHECKS = (*conformance.CHECKS, *secrecy.CHECKS)
GAMES: list[AnyGame] = [TOY, PIG, *(entry.game for entry in games.CURRENT.values())]
CASES = {game.info.slug: list(cases(game)) for game in GAMES}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", [case for found in CASES.values() for case in found], ids=str)
def test_game_conforms(case: Case, check: Callable[[Case], None]) -> None:
    check(case)


@pytest.mark.parametrize("slug", CASES)
def test_game_says_honestly_whether_it_is_hidden_and_simultaneous(slug: str) -> None:
    secrecy.honest(CASES[slug])


def folder(game: AnyGame) -> str:
    return type(game).__module__.split(".")[2]


@pytest.mark.parametrize("entry", games.CURRENT.values(), ids=list(games.CURRENT))
def test_game_is_complete(entry: games.Entry) -> None:
    name, info = folder(entry.game), entry.game.info
    assert games.CURRENT[info.slug] is entry
    assert games.find(info.slug) is games.find(info.slug, info.rules) is entry
    wanted = [
        "app/games/{}/__init__.py",
        "app/games/{}/rules.py",
        "app/games/{}/board.py",
        *(f"templates/games/{{}}/{page}.html" for page in ("board", "options", "rules", "result", "log")),
        "static/games/{}.css",
    ]
    missing = [path.format(name) for path in wanted if not (ROOT / path.format(name)).is_file()]
    assert not missing


def test_nothing_unregistered_lies_beside_the_games() -> None:
    registered = {folder(entry.game) for entry in (*games.CURRENT.values(), *games.EARLIER.values())}
    beside = {path.name for path in (ROOT / "app/games").iterdir() if path.name not in {"__init__.py", "__pycache__"}}
    assert beside == registered


def test_find_knows_no_other_game_and_no_other_rules() -> None:
    assert games.find("no-such-game") is None
    assert all(games.find(slug, entry.game.info.rules + 1000) is None for slug, entry in games.CURRENT.items())


def test_cases_are_the_smallest_two_three_and_the_largest_table_with_every_preset() -> None:
    assert {case.players for case in cases(TOY)} == {2, 3, 4}
    assert {case.preset for case in cases(TOY)} == {(), (("rounds", 2), ("quick", True))}


# Toys broken in one way each, and the check that must see it.


class LeakyView(Sealed):
    def view(self, state: State, viewer: Viewer) -> View:
        return replace(super().view(state, viewer), die=state.dice[0])


class LeakyActions(Sealed):
    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        found = super().actions(state, seat)
        return found and ((*found[:1], Action(Boast())) if (state.dice[seat - 1] or 0) >= 4 else found[:1])


class LeakyRefusal(Sealed):
    def explain(self, state: State, seat: Seat, move: Move) -> Text:
        return say("Your neighbour has {die}.", die=state.dice[seat - 1] or 0)


class LeakyDoneBehindALazyResample(Sealed):
    """Shows everybody's bids, and its `resample` looks away: only the log's other move tells."""

    def view(self, state: State, viewer: Viewer) -> View:
        return replace(super().view(state, viewer), bid=tuple(chip for bid in state.bids for chip in bid or ()))

    def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:
        return replace(super().resample(state, viewer, rng), bids=state.bids) if viewer is None else state


class PublicDeal(Sealed):
    """Deals in the open by the log, though the view hides it."""

    def chance(self, state: State) -> Roll | None:
        wanted = super().chance(state)
        return wanted and replace(wanted, seen_by=None)


class PublicBids(Sealed):
    def witnesses(self, state: State, seat: Seat, move: Move) -> frozenset[Seat] | None:
        return None


class TellingWitnesses(Sealed):
    """Who sees a bid depends on somebody else's die."""

    def witnesses(self, state: State, seat: Seat, move: Move) -> frozenset[Seat] | None:
        return frozenset({seat, seat - 1 if seat and state.dice[seat - 1] == 6 else seat})


class BlindMover(Sealed):
    def witnesses(self, state: State, seat: Seat, move: Move) -> frozenset[Seat] | None:
        return frozenset()


class SaysOpen(Sealed):
    info: ClassVar[GameInfo] = replace(Sealed.info, hidden=False)


class SaysOneAtATime(Sealed):
    info: ClassVar[GameInfo] = replace(Sealed.info, simultaneous=False)


class LazyResample(Sealed):
    def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:
        return state


class RandomResample(Sealed):
    def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:
        return super().resample(state, viewer, random.Random())


class StuckWorlds(Sealed):
    """Resamples into a state that no game reaches: rounds left below zero never end."""

    def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:
        return replace(super().resample(state, viewer, rng), rounds=-1)


class TakesTheTime(Sealed):
    def play(self, state: State, seat: Seat, move: Move) -> State:
        time.time()
        return super().play(state, seat, move)


class RollsItself(Sealed):
    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        random.randint(1, 6)
        return super().settle(state, faces)


imported_by_name = random.random


class RollsByAnImportedName(Sealed):
    def settle(self, state: State, faces: tuple[int, ...]) -> State:
        imported_by_name()
        return super().settle(state, faces)


class Forgets(Sealed):
    """Counts its plays outside the state."""

    count = 0

    def play(self, state: State, seat: Seat, move: Move) -> State:
        type(self).count += 1
        after = super().play(state, seat, move)
        return replace(after, points=(self.count, *after.points[1:]))


class DuplicateActions(Sealed):
    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        return (*super().actions(state, seat), *super().actions(state, seat)[:1])


class OverlappingActions(Sealed):
    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        found = super().actions(state, seat)
        single: tuple[Action[Move], ...] = (Action(Bid((1,))), Action(Bid((2,))))
        return found and (*found, *single)


class ActionsForOthers(Sealed):
    def actions(self, state: State, seat: Seat) -> Sequence[Action[Move]]:
        return super().actions(state, seat) or (Action(Boast()),)


class AsksAndRolls(Sealed):
    def to_act(self, state: State) -> frozenset[Seat]:
        return super().to_act(state) or (frozenset({0}) if state.rounds else frozenset())


class TooFewScores(Sealed):
    def outcome(self, state: State) -> Outcome | None:
        outcome = super().outcome(state)
        return outcome and replace(outcome, scores=outcome.scores[1:])


class WrongWinner(Sealed):
    def outcome(self, state: State) -> Outcome | None:
        outcome = super().outcome(state)
        return outcome and replace(outcome, winners=(outcome.scores.index(min(outcome.scores)),))


class NeverSaysWhy(Sealed):
    def explain(self, state: State, seat: Seat, move: Move) -> Text:
        return say("")


class TooManyDecisions(Sealed):
    info: ClassVar[GameInfo] = replace(Sealed.info, max_decisions=5)


class HidesFromTheStart(Sealed):
    def view(self, state: State, viewer: Viewer) -> View:
        return replace(super().view(state, viewer), points=(viewer or 0,))


class Undeclared(Sealed):
    state_type: ClassVar[type[Value]] = View


class SharedKind(Sealed):
    move_types: ClassVar[tuple[type[Value], ...]] = (Bid, Bid)


BROKEN: list[tuple[type[Sealed], Callable[[Case], None], str]] = [
    (LeakyView, secrecy.views_hide, "tell two worlds apart"),
    (LeakyActions, secrecy.views_hide, "tell two worlds apart"),
    (LeakyRefusal, secrecy.views_hide, "a refusal tells"),
    (RandomResample, secrecy.views_hide, "not deterministic"),
    (StuckWorlds, secrecy.worlds_go_on, "does not come to an end|stuck"),
    (LeakyDoneBehindALazyResample, secrecy.log_hides, "withheld from viewer .* but the view tells it"),
    (PublicDeal, secrecy.log_hides, "the log shows .* what the view keeps back"),
    (PublicBids, secrecy.log_hides, "the log shows .* what the view keeps back"),
    (BlindMover, secrecy.log_hides, "not shown to who made it"),
    (SaysOpen, secrecy.log_hides, "an open game keeps an event"),
    (TellingWitnesses, secrecy.worlds_ask_alike, "the witnesses of seat"),
    (TakesTheTime, conformance.pure, "impure"),
    (RollsItself, conformance.pure, "impure"),
    (RollsByAnImportedName, conformance.pure, "shared random generator"),
    (Forgets, conformance.pure, "came out differently"),
    (DuplicateActions, conformance.one_phase, "duplicate actions"),
    (OverlappingActions, conformance.one_phase, "duplicate actions"),
    (ActionsForOthers, conformance.one_phase, "actions, asked: False"),
    (AsksAndRolls, conformance.one_phase, "chance, to act, over"),
    (SaysOneAtATime, conformance.one_phase, "several seats are asked"),
    (TooFewScores, conformance.result, "scores for"),
    (WrongWinner, conformance.result, "did not win"),
    (NeverSaysWhy, conformance.refusals, "without a reason"),
    (TooManyDecisions, conformance.ends, "5 declared"),
    (HidesFromTheStart, conformance.first_state, "different things"),
    (Undeclared, conformance.json_round_trip, "where View is declared"),
    (SharedKind, conformance.facts, "share a kind"),
]


@pytest.mark.parametrize(("broken", "check", "says"), BROKEN, ids=[broken.__name__ for broken, _, _ in BROKEN])
def test_broken_game_is_caught(broken: type[Sealed], check: Callable[[Case], None], says: str) -> None:
    def all_cases() -> None:
        for case in cases(broken(), seeds=4):
            check(case)

    with pytest.raises(AssertionError, match=says):
        all_cases()


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (SaysOpen, "hidden is False"),
        (LazyResample, "resample changed something: False"),
    ],
)
def test_dishonest_game_is_caught(broken: type[Sealed], says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        secrecy.honest(cases(broken()))


@pytest.mark.parametrize(
    ("action", "says"),
    [
        (Action(Bid(()), "chips", Pick((1, 1), 1, 1)), "a member twice"),
        (Action(Bid(()), "chips", Pick((1, 2), 2, 1)), "cannot be"),
        (Action(Bid(()), "chips", Pick((1, 2), 1, 3)), "cannot be"),
        (Action(Bid((1,)), "chips", Pick((1, 2), 1, 2)), "carries something"),
        (Action(Bid((1,)), "chips"), "a field without a pick"),
    ],
)
def test_action_that_cannot_be_is_caught(action: Action[Bid], says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        conformance.check_actions([action], 0)


def test_game_that_only_says_simultaneous_is_caught() -> None:
    class OneByOne(Sealed):
        def to_act(self, state: State) -> frozenset[Seat]:
            return frozenset(sorted(super().to_act(state))[:1])

    with pytest.raises(AssertionError, match="simultaneous is True"):
        secrecy.honest(cases(OneByOne()))


def test_view_that_differs_in_an_open_game_is_caught() -> None:
    class OpenButDiffers(Sealed):
        info: ClassVar[GameInfo] = replace(Sealed.info, hidden=False)

        def resample(self, state: State, viewer: Viewer, rng: Rng) -> State:
            return state

    with pytest.raises(AssertionError, match="shows viewers different things"):
        secrecy.honest(cases(OpenButDiffers()))


def test_every_check_of_the_suite_has_a_game_it_catches() -> None:
    without: set[Any] = {conformance.replays}  # what it sees, `pure` sees first: the driver plays by the same engine
    assert {check for _, check, _ in BROKEN} | without == set(CHECKS)


def test_replay_that_leaves_the_game_is_caught() -> None:
    case = Case(TOY, 2)
    state, event = case.history[-1]
    changed = Case(TOY, 2)
    vars(changed)["history"] = (*case.history[:-1], (replace(state, points=(9, 9)), event))
    with pytest.raises(AssertionError, match="the fold leaves"):
        conformance.replays(changed)


def test_toy_options_reach_the_game() -> None:
    assert TOY.setup(Options(quick=True), 2).rounds == 1
