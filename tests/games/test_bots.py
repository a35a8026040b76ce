"""The bots of every registered game pass the suite; and bots that are broken in one way each do not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest

from app import games
from app.core.board import Entry
from app.core.bot import Bot, Level, Worlds, any_move
from app.core.game import Action, Rng, Seat
from tests.games import bots
from tests.games.bots import Trial, trials
from tests.support.games import random_game
from tests.support.toy import TOY, Options, Sealed, State, View
from tests.tables.sealed import SealedBoard

PLAYED = {slug: entry for slug, entry in games.CURRENT.items() if entry.bots}
TRIALS = [trial for entry in PLAYED.values() for trial in trials(entry)]
DEALS: dict[tuple[str, str], int] = {
    ("yacht", "hard"): 80,
    ("vault", "normal"): 6,
    ("vault", "hard"): 10,
    ("mythical-dice", "normal"): 8,
    ("mythical-dice", "hard"): 12,
    ("five-strolche", "normal"): 10,
    ("five-strolche", "hard"): 40,
}
"""Duplicate deals that show a level above the one below it; 30 where nothing is said."""
SEATS: dict[str, int] = {"five-strolche": 5}
"""The table at which levels differ most, where that is not the smallest one: two win nearly always."""


@pytest.mark.parametrize("check", bots.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("trial", TRIALS, ids=str)
def test_bot_conforms(trial: Trial, check: Callable[[Trial], None]) -> None:
    check(trial)


@pytest.mark.parametrize("entry", games.CURRENT.values(), ids=list(games.CURRENT))
def test_game_has_all_levels_or_none(entry: Entry) -> None:
    bots.complete(entry)


@pytest.mark.parametrize(
    ("slug", "weak", "strong"),
    [(slug, *pair) for slug, entry in PLAYED.items() for pair in pairwise(bot.level for bot in entry.bots)],
)
def test_level_beats_the_one_below(slug: str, weak: str, strong: str) -> None:
    bots.stronger(PLAYED[slug], weak, strong, DEALS.get((slug, strong), 30), players=SEATS.get(slug, 2))


@pytest.mark.parametrize("slug", PLAYED)
def test_the_weakest_level_beats_chance(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = PLAYED[slug]
    field = replace(entry, bots=(AtRandom("normal"), entry.bots[0]))
    monkeypatch.setitem(games.CURRENT, slug, field)
    bots.stronger(field, "normal", "easy", 10)


def test_a_random_move_is_one_that_an_action_describes() -> None:
    for state, _ in random_game(TOY, 3, Options(), 1):
        for seat in TOY.to_act(state):
            actions = TOY.actions(state, seat)
            move = any_move(actions, random.Random(seat))
            assert any(action.accept(move) == move for action in actions)
    with pytest.raises(ValueError, match="nobody"):
        any_move((), random.Random(1))


# Bots of the toy, sound and broken in one way each, and the check that must see it.


@dataclass(frozen=True, slots=True)
class AtRandom:
    level: Level = "easy"

    def choose(self, seat: Seat, view: Any, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        return any_move(actions, rng)


class Thinking(AtRandom):
    """Looks into a world, as one may."""

    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        world: State = worlds(rng)
        return any_move(actions[-1:] if world.dice[seat - 1] == 6 else actions, rng)


class Illegal(AtRandom):
    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        return actions[0].fill((1, 2, 3) if view.rounds == 1 else (1,))


class Own(AtRandom):
    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        return any_move(actions, random)  # that is what is wrong with it


class Slow(AtRandom):
    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        import time

        end = time.process_time() + 0.05
        while view.rounds == 1 and time.process_time() < end:
            pass
        return any_move(actions, rng)


MEMORY: list[Seat] = []


class Remembering(AtRandom):
    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        MEMORY.append(seat)
        return actions[0].fill((1 + len(MEMORY) % 3,))


class Peeping(AtRandom):
    """Knows where the state is kept: in the worlds of a game that gives itself away."""

    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        return actions[0].fill((1 + view.die % 3,)) if view.die else any_move(actions, rng)


class Open(Sealed):
    """Shows each seat its neighbour's die for its own."""

    def view(self, state: State, viewer: Seat | None) -> View:
        die = None if viewer is None else state.dice[viewer - 1]
        return replace(super().view(state, viewer), die=die)


class Undeclared:
    level: Level = "easy"
    choose = AtRandom.choose


@dataclass
class Thawed:
    level: Level = "easy"
    choose = AtRandom.choose


def toy_trial(bot: Bot, game: Sealed = TOY) -> Trial:
    return Trial(Entry(game, SealedBoard(), (bot,)), bot, 2, (), 1)


@pytest.mark.parametrize("check", bots.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("bot", [AtRandom(), Thinking()], ids=lambda bot: type(bot).__name__)
def test_a_sound_bot_of_a_hidden_game_conforms(bot: Bot, check: Callable[[Trial], None]) -> None:
    check(toy_trial(bot))


@pytest.mark.parametrize(
    ("check", "bot", "game", "reason"),
    [
        (bots.legal, Illegal(), TOY, "illegal"),
        (bots.deterministic, Own(), TOY, "impure"),
        (bots.deterministic, Remembering(), TOY, "asked again"),
        (bots.in_time, Slow(), TOY, "takes"),
        (bots.blind, Peeping(), Open(), "cannot know"),
        (bots.keeps_nothing, Undeclared(), TOY, "dataclass"),
        (bots.keeps_nothing, Thawed(), TOY, "frozen"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, AtRandom | Undeclared | Thawed) else None,
)
def test_a_broken_bot_is_seen(
    check: Callable[[Trial], None], bot: Bot, game: Sealed, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "SECONDS", 0.02)
    with pytest.raises(AssertionError, match=reason):
        check(toy_trial(bot, game))


def test_a_game_with_some_of_the_levels_is_seen() -> None:
    with pytest.raises(AssertionError, match="levels"):
        bots.complete(Entry(TOY, SealedBoard(), (AtRandom("easy"), AtRandom("hard"))))


def test_a_level_that_is_no_stronger_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Entry(TOY, SealedBoard(), (AtRandom("easy"), AtRandom("normal")))
    monkeypatch.setitem(games.CURRENT, "sealed", entry)
    with pytest.raises(AssertionError, match="normal over easy"):
        bots.stronger(entry, "easy", "normal", 30)
