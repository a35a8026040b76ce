"""What every game is held to, as plain functions: `for check in CHECKS: check(case)`.

For authors of games, also outside this repository: build the cases with `cases(GAME)` and run every check on each. A
check returns None, or raises AssertionError with a sentence about what is wrong. They play whole random games, so
their word is as good as the games they happen to see; more seeds make it better. Secrecy has its own file, `secrecy`.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import pytest

from app.core import codec, engine
from app.core.engine import AnyGame
from app.core.events import Event, Moved
from app.core.game import Action, IllegalMove, Seat, Value, Viewer
from app.core.text import Text
from tests.support.games import random_game, sample


@dataclass(frozen=True)
class Case:
    """One random game: which, for how many, with which options (a dict as in a preset), and the seed of its chance."""

    game: AnyGame
    players: int
    preset: tuple[tuple[str, object], ...] = ()
    seed: int = 0

    def __str__(self) -> str:
        chosen = "".join(f"-{value}" for _, value in self.preset)
        return f"{self.game.info.slug}-{self.players}{chosen}-{self.seed}"

    @cached_property
    def options(self) -> Value:
        """The options of the preset, defaults filled in."""
        options: Value = codec.load_options(self.game, dict(self.preset))
        return options

    @cached_property
    def history(self) -> tuple[tuple[Any, Event | None], ...]:
        """Every state of the game with the event that led to it; None leads to the first."""
        return tuple(random_game(self.game, self.players, self.options, self.seed))

    @property
    def states(self) -> list[Any]:
        """Every state, in order."""
        return [state for state, _ in self.history]

    @property
    def events(self) -> list[Event]:
        """The whole log."""
        return [event for _, event in self.history if event is not None]

    @property
    def seats(self) -> range:
        """Every seat."""
        return range(self.players)

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """Every seat and the spectator."""
        return (*self.seats, None)

    def some(self, most: int) -> list[Any]:
        """Return at most `most` of the states: the first, the last, and others spread between them."""
        states = self.states
        step = max(1, (len(states) - 1) // max(1, most - 2))
        return [*states[:-1:step], states[-1]]


def cases(game: AnyGame, seeds: int = 2) -> Iterator[Case]:
    """Yield the cases of a game: smallest, 2, 3 and largest table, each preset and the defaults, `seeds` games each."""
    low, high = game.info.min_players, game.info.max_players
    presets = {tuple(preset.items()): None for preset in ({}, *game.presets)}
    for players in sorted({low, high} | ({2, 3} & set(range(low, high + 1)))):
        for preset in presets:
            for seed in range(seeds if players < 6 else 1):
                yield Case(game, players, preset, seed)


def described(action: Action[Any], move: Any) -> bool:
    """Say whether an action describes a move, judged by their JSON alone as the API's contract puts it."""
    return _described(codec.action_data(action), codec.data(move))


def _described(shown: dict[str, Any], made: dict[str, Any]) -> bool:
    if shown.keys() != made.keys():
        return False
    for name, want in shown.items():
        got = made[name]
        if not (isinstance(want, dict) and "pick" in want):
            if got != want:
                return False
            continue
        pick = want["pick"]
        if not (isinstance(got, list) and pick["min"] <= len(got) <= pick["max"] and len(set(got)) == len(got)):
            return False
        if any(member not in pick["from"] for member in got):
            return False
    return True


def moves_of(case: Case, most: int = 30) -> list[Any]:
    """Return at most `most` different moves that were made in this game, in a mixed but fixed order."""
    made = list(dict.fromkeys(event.move for event in case.events if isinstance(event, Moved)))
    random.Random(case.seed).shuffle(made)
    return made[:most]


def facts(case: Case) -> None:
    """`info` is sensible, the declared types are dataclasses of the contract, every move type has its own kind."""
    game, info = case.game, case.game.info
    assert info.slug == info.slug.strip().lower(), "the slug is lower case"
    assert info.title, "the game has no title"
    assert info.rules >= 1, "rules are counted from 1"
    assert 1 <= info.min_players <= info.max_players, "the numbers of players do not fit"
    assert info.minutes > 0, "a game takes some minutes"
    declared: tuple[Any, ...] = (game.options_type, game.state_type, game.view_type, *game.move_types)
    for each in declared:
        assert hasattr(each, "__dataclass_fields__"), f"{each.__name__} is no dataclass"
        assert issubclass(each, Value), f"{each.__name__} does not derive from Value"
        assert not hasattr(each, "__dict__") or "__slots__" in vars(each), f"{each.__name__} has no slots"
    moves: tuple[Any, ...] = game.move_types
    kinds = [next(field.default for field in fields(each) if field.name == "kind") for each in moves]
    assert len(set(kinds)) == len(kinds), f"two move types share a kind: {kinds}"
    for option in codec.option_choices(game.options_type):
        assert option["default"] in option["choices"], f"the default of {option['id']} is not a choice"


def first_state(case: Case) -> None:
    """2: `setup` is deterministic, uses no chance, hides nothing and shows every viewer the same."""
    game = case.game
    with no_chance_at_hand():
        state = game.setup(case.options, case.players)
        assert state == game.setup(case.options, case.players), "two setups differ"
    views = [game.view(state, viewer) for viewer in case.viewers]
    assert all(view == views[0] for view in views), "setup shows the viewers different things"
    for viewer in case.viewers:
        assert game.resample(state, viewer, random.Random(1)) == state, "something in the first state is hidden"


def ends(case: Case) -> None:
    """3: random play ends within `max_decisions`."""
    made = sum(isinstance(event, Moved) for event in case.events)
    assert made <= case.game.info.max_decisions, f"{made} decisions, {case.game.info.max_decisions} declared"


def one_phase(case: Case) -> None:
    """4: exactly one of chance, to act and over; actions iff asked, without duplicates, in a stable order."""
    game, looked_at = case.game, set()
    for state in case.states:
        asked = game.to_act(state)
        phases = (game.chance(state) is not None, bool(asked), game.outcome(state) is not None)
        assert sum(phases) == 1, f"chance, to act, over: {phases}"
        assert asked <= set(case.seats), f"seats {sorted(asked)} are asked, {case.players} play"
        assert game.info.simultaneous or len(asked) <= 1, "several seats are asked in a game that says it never does"
        for seat in case.seats:
            found = list(game.actions(state, seat))
            assert bool(found) == (seat in asked), f"seat {seat}: {len(found)} actions, asked: {seat in asked}"
            assert found == list(game.actions(state, seat)), "the order of the actions changes"
            if (same := tuple(found)) not in looked_at:  # while another seat moves, a seat's actions stay the same
                looked_at.add(same)
                check_actions(found, case.seed)


def check_actions(found: list[Action[Any]], seed: int) -> None:
    """Hold the actions of one seat to the contract: picks that can be made, and no move described twice."""
    for action in found:
        assert (action.field is None) == (action.pick is None), "a field without a pick or a pick without a field"
        if action.pick is not None and action.field is not None:
            pick = action.pick
            assert len(set(pick.options)) == len(pick.options), "a pick offers a member twice"
            assert 0 <= pick.least <= pick.most <= len(pick.options), f"a pick of {pick.least}…{pick.most} cannot be"
            assert getattr(action.move, action.field) == (), "the open field of an action carries something"
    shown = [codec.action_data(action) for action in found]
    # hundreds of complete moves are counted by their JSON, only those with a pick are looked through
    complete = Counter(json.dumps(each) for action, each in zip(found, shown, strict=True) if action.pick is None)
    picks = [each for action, each in zip(found, shown, strict=True) if action.pick is not None]
    for action in found:
        move = sample(action, random.Random(seed))
        made = codec.data(move)
        by = complete[json.dumps(made)] + sum(_described(each, made) for each in picks)
        assert by == 1, f"duplicate actions: {by} describe {move}"


def pure(case: Case) -> None:
    """5: `play` and `settle` leave their argument untouched, use no chance or clock, and repeat themselves."""
    game = case.game
    for (state, _), (after, event) in zip(case.history, case.history[1:], strict=False):
        before = codec.dump(game.state_type, state)
        with no_chance_at_hand():
            again = [_step(game, state, event) for _ in range(2)]
        assert again[0] == again[1] == after, f"event {event and event.n}: the same step came out differently"
        assert codec.dump(game.state_type, state) == before, f"event {event and event.n}: the old state was changed"


def _step(game: AnyGame, state: Any, event: Event | None) -> Any:
    if isinstance(event, Moved):
        return game.play(state, event.seat, event.move)
    assert event is not None
    assert event.faces is not None
    return game.settle(state, event.faces)


class no_chance_at_hand:  # noqa: N801  # used like a function: with no_chance_at_hand()
    """While it lasts, the clock and every source of randomness raise AssertionError.

    What a game had imported by name (`from random import randint`) shows by the state of the shared generator.
    """

    def __enter__(self) -> None:
        """Patch the modules."""
        self._patch = pytest.MonkeyPatch()
        self._state = random.getstate()
        for name in ("random", "randrange", "randint", "choice", "choices", "sample", "shuffle", "getrandbits"):
            self._patch.setattr(random, name, _forbidden)
        self._patch.setattr("random._urandom", _forbidden)  # what SystemRandom draws from
        for name in ("os.urandom", "secrets.randbelow", "secrets.choice", "secrets.token_bytes", "secrets.randbits"):
            self._patch.setattr(name, _forbidden)
        for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"):
            self._patch.setattr(f"time.{name}", _forbidden)

    def __exit__(self, *problem: object) -> None:
        """Take the patches back and look at the shared generator."""
        self._patch.undo()
        assert random.getstate() == self._state, "impure: the shared random generator was used"


def _forbidden(*_: object, **__: object) -> Any:
    raise AssertionError("impure: a game asked for chance or the time by itself")


def refusals(case: Case) -> None:
    """6: exactly the described moves are accepted, from every seat; the rest is refused with a reason, without effect."""
    game, pool = case.game, moves_of(case)
    for state in case.some(25):
        before = codec.dump(game.state_type, state)
        for seat in case.seats:
            shown = [codec.action_data(action) for action in game.actions(state, seat)]
            for move in pool[:12] if seat else pool:
                made = codec.data(move)
                should = any(_described(each, made) for each in shown)
                assert should == _accepted(game, state, seat, move), f"seat {seat}: {move}, described: {should}"
        assert codec.dump(game.state_type, state) == before, "a refused move changed the state"


def _accepted(game: AnyGame, state: Any, seat: Seat, move: Any) -> bool:
    reason: Text | None = None
    try:
        canonical = engine.match(game, state, seat, move)
    except IllegalMove as refusal:
        reason = refusal.reason
    if reason is not None:
        assert isinstance(reason, Text), "explain returns no Text"
        assert reason.key, "a refusal without a reason"
        return False
    assert engine.match(game, state, seat, canonical) == canonical, "the canonical form is not accepted as it is"
    return True


def json_round_trip(case: Case) -> None:
    """7: options, states, views, moves, events and the outcome survive JSON and are hashable."""
    game = case.game
    _survives(game.options_type, case.options)
    for state in case.states:
        _survives(game.state_type, state)
    for state in case.some(40):
        for viewer in case.viewers:
            _survives(game.view_type, game.view(state, viewer))
    for event in case.events:
        again = codec.load_event(game, json.loads(json.dumps(codec.event_data(event))))
        assert again == event, f"event {event.n} does not survive JSON"
        if isinstance(event, Moved):
            assert type(event.move) in game.move_types, f"{type(event.move).__name__} is not declared"
            assert hash(event.move) == hash(again.move)  # type: ignore[union-attr]  # equal to a Moved, just seen
    outcome = game.outcome(case.states[-1])
    assert codec.load_outcome(codec.dump(type(outcome), outcome)) == outcome, "the outcome does not survive JSON"


def _survives(declared: type[Value], value: Any) -> None:
    assert type(value) is declared, f"{type(value).__name__} where {declared.__name__} is declared"
    again = codec.load(declared, codec.dump(declared, value))
    assert again == value, f"{declared.__name__} does not survive JSON"
    assert hash(again) == hash(value), f"{declared.__name__}: equal values with different hashes"


def replays(case: Case) -> None:
    """8: folding the log gives the very state at every step, and playing it by the engine gives the very log."""
    game = case.game
    replayed = list(engine.steps(game, case.options, case.players, case.events))
    assert replayed == [(event, state) for state, event in case.history], "the fold leaves the game that was played"
    assert [event.n for event in case.events] == list(range(1, len(case.events) + 1)), "the numbers have gaps"


def result(case: Case) -> None:
    """13: an outcome exists iff the game is over, has a score per seat, and winners that fit the kind."""
    game = case.game
    assert all(game.outcome(state) is None for state in case.states[:-1]), "an outcome before the end"
    outcome = game.outcome(case.states[-1])
    assert outcome is not None, "no outcome at the end"
    scores, winners = outcome.scores, outcome.winners
    assert len(scores) == case.players, f"{len(scores)} scores for {case.players} seats"
    assert list(winners) == sorted(set(winners) & set(case.seats)), f"winners {winners} are not seats in order"
    if outcome.kind == "ranked":
        assert winners, "a ranked game without a winner"
        worst = min(scores[seat] for seat in winners)
        beside = [score for seat, score in enumerate(scores) if seat not in winners]
        assert all(scores[seat] == worst for seat in winners), "shared winners with different scores"
        assert all(score <= worst for score in beside), "a higher score than the winner's did not win"
    elif outcome.kind == "team":
        assert len(set(scores)) == 1, "a team has one score"
        assert len(winners) in {0, case.players}, "a team wins or loses together"
    else:
        assert case.players == 1, "a solo result at a table of several"
    allowed = {game.info.kind} | ({"solo"} if case.players == 1 else set())
    assert outcome.kind in allowed, f"a {outcome.kind} result of a {game.info.kind} game"


CHECKS: tuple[Callable[[Case], None], ...] = (
    facts,
    first_state,
    ends,
    one_phase,
    pure,
    refusals,
    json_round_trip,
    replays,
    result,
)
"""Run each of these on every case, and those of `secrecy` too."""
