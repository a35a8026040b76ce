"""Duplicate games between the levels of a game: who sits where and which dice fall.

A deal is one stream of dice, played several times with the players moved round the table, so that every level has
every seat under the same luck. Deals are independent of each other; a standard error is that of their means.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import combinations
from multiprocessing import get_context
from statistics import fmean, stdev
from typing import Any

from app import games
from app.core import codec, engine
from app.core.board import Entry
from app.core.bot import Bot, choose
from app.core.engine import AnyGame
from app.core.game import Outcome, Seat


@dataclass(frozen=True, slots=True)
class Match:
    """What is played: a game by its slug, with `options` as a form or the API would give them.

    `lineups`: the levels at the table, seat by seat; each is played in every rotation. Equal seeds give equal games.
    """

    slug: str
    players: int
    lineups: tuple[tuple[str, ...], ...]
    seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def games_per_deal(self) -> int:
        """How many games one deal is."""
        return sum(len(rotations(lineup)) for lineup in self.lineups)


@dataclass(slots=True)
class Tally:
    """What one level did in the seats it had: `scores`, `wins` (shares), `ranks` (1 is best), `seconds` a decision."""

    scores: list[float] = field(default_factory=list)
    wins: list[float] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


Deal = dict[str, Tally]
"""What one deal brought, by level."""


class DealtDice:
    """Dice of one deal, the same whenever it is played.

    Each seat has a stream of its own and starts afresh at each roll, so that one player's rolls move nobody else's,
    and a roll of fewer dice moves not its own next one. `mover` is the seat whose move asks. Only the first roll after
    a move is the mover's: what the table rolls by itself, at the start or for a new round, has its own stream, so that
    hands drawn for a seat are the same whoever moved last.
    """

    def __init__(self, deal: str) -> None:
        self.mover: Seat | None = None
        self._deal = deal
        self._rolls: dict[Seat | None, int] = {}

    def roll(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Return one result 1…s for each s in `sides`."""
        mover, self.mover = self.mover, None
        number = self._rolls[mover] = self._rolls.get(mover, 0) + 1
        stream = random.Random(f"{self._deal}/{mover}/{number}")  # noqa: S311  # games that repeat, no secrets
        return tuple(stream.randrange(most) + 1 for most in sides)


def lineups(levels: Sequence[str], players: int, *, together: bool) -> tuple[tuple[str, ...], ...]:
    """Return who plays whom, so that every level sits equally often.

    `together`: everybody at a table wins or loses alike, so each level has a table of its own, as it has alone.
    Otherwise the levels share one table in turn; where they do not all fit, every choice of them has one.
    """
    if together or players == 1:
        return tuple((level,) * players for level in levels)
    if players < len(levels):
        return tuple(combinations(levels, players))
    starts = range(1 if players % len(levels) == 0 else len(levels))
    return tuple(tuple(levels[(seat + start) % len(levels)] for seat in range(players)) for start in starts)


def rotations(lineup: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the different tables that come of moving everybody round."""
    return tuple(dict.fromkeys(lineup[shift:] + lineup[:shift] for shift in range(len(lineup))))


def play_deal(match: Match, number: int) -> Deal:
    """Play all games of one deal. Raises IllegalMove where a bot makes one, Malformed for options that are none."""
    entry = games.CURRENT[match.slug]
    bots = {bot.level: bot for bot in entry.bots}
    found = {level: Tally() for lineup in match.lineups for level in lineup}
    for lineup in match.lineups:
        for table in rotations(lineup):
            seated = [bots[level] for level in table]  # type: ignore[index]  # any string may be asked for
            outcome = play_game(entry.game, match.options, seated, f"{match.seed}/{number}", found)
            for seat, level in enumerate(table):
                tally = found[level]
                tally.scores.append(outcome.scores[seat])
                tally.wins.append((seat in outcome.winners) / _sharers(outcome))
                tally.ranks.append(_rank(outcome, seat))
    return found


def _sharers(outcome: Outcome) -> int:
    """Return among how many a win is shared: a team has it whole."""
    return len(outcome.winners) or 1 if outcome.kind == "ranked" else 1


def _rank(outcome: Outcome, seat: Seat) -> float:
    """Return the place of a seat, 1 the best; equal ones share the mean of theirs."""
    if outcome.kind != "ranked":
        return 1.0
    keys = [(other in outcome.winners, score) for other, score in enumerate(outcome.scores)]
    return sum(key > keys[seat] for key in keys) + (sum(key == keys[seat] for key in keys) + 1) / 2


def play_game(
    game: AnyGame, options: Mapping[str, object], seated: Sequence[Bot], deal: str, tallies: Mapping[str, Tally]
) -> Outcome:
    """Play one game to its end, noting the core's seconds of each decision under the level's tally."""
    dice = DealtDice(deal)
    chances = [random.Random(f"{deal}/{bot.level}/{seat}") for seat, bot in enumerate(seated)]  # noqa: S311  # as above
    state, events = engine.begin(game, codec.load_options(game, dict(options)), len(seated), dice)
    n = len(events)
    while (outcome := game.outcome(state)) is None:
        seat = dice.mover = min(game.to_act(state))
        begun = time.process_time()
        move = choose(seated[seat], game, state, seat, chances[seat])
        tallies[seated[seat].level].seconds.append(time.process_time() - begun)
        state, events = engine.play(game, state, seat, move, dice, n)
        n += len(events)
    return outcome


def run(match: Match, deals: int, processes: int, report: Callable[[int], None] = lambda _: None) -> list[Deal]:
    """Play `deals` deals in so many processes; the result does not depend on how many. `report` hears what is done."""
    if processes == 1:
        found = []
        for number in range(deals):
            found.append(play_deal(match, number))
            report(number + 1)
        return found
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(play_deal, match, number) for number in range(deals)]
        try:
            for done, job in enumerate(as_completed(jobs), 1):
                job.result()
                report(done)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        return [job.result() for job in jobs]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over all seats with the standard error of the deals (nan for a single deal)."""

    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class Strength:
    """How one level did. `games`: seats played. `p50`, `p99`: seconds of one core for a decision."""

    level: str
    games: int
    score: Figure
    wins: Figure
    rank: float
    p50: float
    p99: float


def strengths(deals: Iterable[Deal]) -> list[Strength]:
    """Return what the levels did, the best first: by wins, then by points."""
    by_level: dict[str, list[Tally]] = {}
    for deal in deals:
        for level, tally in deal.items():
            by_level.setdefault(level, []).append(tally)
    found = [_strength(level, tallies) for level, tallies in by_level.items()]
    return sorted(found, key=lambda strength: (-strength.wins.mean, -strength.score.mean))


def _strength(level: str, tallies: list[Tally]) -> Strength:
    seconds = sorted(_all(tally.seconds for tally in tallies))
    return Strength(
        level=level,
        games=sum(len(tally.scores) for tally in tallies),
        score=figure([fmean(tally.scores) for tally in tallies]),
        wins=figure([fmean(tally.wins) for tally in tallies]),
        rank=fmean(_all(tally.ranks for tally in tallies)),
        p50=_at(seconds, 0.5),
        p99=_at(seconds, 0.99),
    )


def _all(lists: Iterable[list[float]]) -> Iterator[float]:
    for each in lists:
        yield from each


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def figure(values: Sequence[float]) -> Figure:
    """Return the mean of independent values and its standard error."""
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return Figure(fmean(values), error)


def levels_of(entry: Entry) -> tuple[str, ...]:
    """Return the levels of a game's bots, weakest first."""
    return tuple(bot.level for bot in entry.bots)


def seats_for(entry: Entry, levels: int) -> int:
    """Return the smallest table that has room for all levels, or the largest there is."""
    info: Any = entry.game.info
    return int(min(max(info.min_players, levels), info.max_players))
