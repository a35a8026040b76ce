"""What every bot is held to, as plain functions: `for check in CHECKS: check(trial)`, and `stronger` for two levels.

For authors of games, also outside this repository. A check returns None, or raises AssertionError with a sentence
about what is wrong. They play whole games; a bot that thinks long gets fewer.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from math import ceil
from typing import Any

from app.bots import arena
from app.core import codec, engine
from app.core.board import Entry
from app.core.bot import LEVELS, Bot, Worlds, worlds_for
from app.core.engine import AnyGame
from app.core.game import IllegalMove, Seat, Value
from tests.games.conformance import no_chance_at_hand
from tests.support.dice import SeededDice

SECONDS = 1.0
"""What 99 of 100 decisions may take of one core. The checks allow twice that, for a slow machine."""


@dataclass(frozen=True)
class Asked:
    """One decision of a game: the state, who was asked, the seed of the bot's chance, what it chose, and how long."""

    state: Any
    seat: Seat
    seed: str
    move: Any
    seconds: float


@dataclass(frozen=True)
class Trial:
    """One game in which the same bot plays all seats."""

    entry: Entry
    bot: Bot
    players: int
    preset: tuple[tuple[str, object], ...] = ()
    seed: int = 0

    def __str__(self) -> str:
        chosen = "".join(f"-{value}" for _, value in self.preset)
        return f"{self.game.info.slug}-{self.bot.level}-{self.players}{chosen}-{self.seed}"

    @property
    def game(self) -> AnyGame:
        return self.entry.game

    @cached_property
    def played(self) -> tuple[tuple[Asked, ...], Any]:
        """The decisions of the game, and the state in which it came to rest: the end, or where a move was illegal."""
        game, dice, found = self.game, SeededDice(self.seed), list[Asked]()
        options: Value = codec.load_options(game, dict(self.preset))
        state, _ = engine.begin(game, options, self.players, dice)
        while game.outcome(state) is None:
            assert len(found) < game.info.max_decisions, "the bot does not come to an end"
            seat = min(game.to_act(state))
            seed = f"{self.seed}/{len(found)}"
            begun = time.process_time()
            move = ask(self, state, seat, seed)
            found.append(Asked(state, seat, seed, move, time.process_time() - begun))
            try:
                state, _ = engine.play(game, state, seat, move, dice, 0)
            except IllegalMove:
                break
        return tuple(found), state

    @property
    def decisions(self) -> tuple[Asked, ...]:
        return self.played[0]

    def some(self, most: int) -> list[Asked]:
        """Return at most `most` of the decisions, in a mixed but fixed order."""
        found = list(self.decisions)
        random.Random(self.seed).shuffle(found)
        return found[:most]


def trials(entry: Entry) -> Iterator[Trial]:
    """Yield for each bot a game at the smallest table, at one of three, and at the largest, presets in turn."""
    info = entry.game.info
    presets = list({tuple(preset.items()): None for preset in ({}, *entry.game.presets)})
    tables = sorted({info.min_players, min(3, info.max_players), info.max_players})
    for bot in entry.bots:
        for place, players in enumerate(tables):
            yield Trial(entry, bot, players, presets[place % len(presets)], place)


def ask(trial: Trial, state: Any, seat: Seat, seed: str, worlds: Worlds | None = None) -> Any:
    """Ask the bot as the service does."""
    game = trial.game
    return trial.bot.choose(
        seat,
        game.view(state, seat),
        game.actions(state, seat),
        worlds or worlds_for(game, state, seat),
        random.Random(seed),
    )


def legal(trial: Trial) -> None:
    """Every move is one that the engine accepts, from the first to the end of the game."""
    decisions, last = trial.played
    assert trial.game.outcome(last) is not None, f"illegal: {decisions[-1].move} of seat {decisions[-1].seat}"


def deterministic(trial: Trial) -> None:
    """The same question under the same seed has the same answer, in any order of questions, without other chance."""
    ask(trial, trial.decisions[0].state, trial.decisions[0].seat, "")  # tables that are made once are there now
    for asked in trial.some(40):
        with no_chance_at_hand():
            again = ask(trial, asked.state, asked.seat, asked.seed)
        assert again == asked.move, f"asked again, the bot plays {again} for {asked.move}"


def in_time(trial: Trial) -> None:
    """99 of 100 decisions take no longer than a second of one core, measured generously."""
    seconds = sorted(asked.seconds for asked in trial.decisions[1:])
    if seconds:
        slow = seconds[ceil(0.99 * (len(seconds) - 1))]
        assert slow <= 2 * SECONDS, f"a decision takes {slow:.1f} s"


def blind(trial: Trial) -> None:
    """The bot is the same where only what its seat may not know is different, and changes nothing it is given.

    It is asked in the true state and in one made up for its seat, with the same worlds to think in.
    """
    game = trial.game
    for asked in trial.some(15):
        made_up = game.resample(asked.state, asked.seat, random.Random(asked.seed))
        before = codec.dump(game.state_type, made_up)
        worlds = worlds_for(game, made_up, asked.seat)
        moves = [ask(trial, state, asked.seat, asked.seed, worlds) for state in (asked.state, made_up)]
        assert moves[0] == moves[1], f"{moves[0]} or {moves[1]}, by what the seat cannot know"
        assert codec.dump(game.state_type, made_up) == before, "the bot changed a world"


def keeps_nothing(trial: Trial) -> None:
    """A bot is a frozen value: nothing of a table can stay in it."""
    bot = trial.bot
    assert is_dataclass(type(bot)), "a bot is a dataclass"
    try:
        hash(bot)
    except TypeError:
        raise AssertionError("a bot is frozen, and so is what it holds") from None


def complete(entry: Entry) -> None:
    """A game has the three levels, weakest first, or no bots at all."""
    assert [bot.level for bot in entry.bots] in ([], list(LEVELS)), "the levels are easy, normal and hard"


def stronger(entry: Entry, weak: str, strong: str, deals: int, margin: float = 2.0, players: int = 2) -> None:
    """`strong` beats `weak` over so many duplicate deals: the difference is `margin` standard errors above nothing.

    Counted in points, or, where the levels share a table and points are not all, in wins if those say it. At a table
    of `players`, or as near to it as the game allows: one at which the weak level leaves room for a better one.
    """
    info = entry.game.info
    players = min(max(players, info.min_players), info.max_players)
    lineups = arena.lineups((weak, strong), players, together=info.kind != "ranked")
    found = arena.run(arena.Match(info.slug, players, lineups), deals, 1)
    points = arena.figure([_mean(deal[strong].scores) - _mean(deal[weak].scores) for deal in found])
    wins = arena.figure([_mean(deal[strong].wins) - _mean(deal[weak].wins) for deal in found])
    says = (
        f"{strong} over {weak}: {points.mean:.2f} ± {points.error:.2f} points, {wins.mean:.3f} ± {wins.error:.3f} wins"
    )
    assert any(each.mean >= margin * each.error and each.mean > 0 for each in (points, wins)), says


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


CHECKS: tuple[Callable[[Trial], None], ...] = (legal, deterministic, in_time, blind, keeps_nothing)
"""Run each of these on every trial, `complete` on every game, and `stronger` on neighbouring levels."""
