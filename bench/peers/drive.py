"""Plays at many tables at once and measures: one move under way at each, the next by whoever has seen the last."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.peers.game import MOVES
from bench.peers.tables import Table

SETTLE = 0.5
"""Seconds between opening the tables and the first move."""

MOST_GAMES = 12
"""Games one after the other at a table, however quick they are: to open tables takes longer than to play there."""

STUCK = 20.0
"""Seconds after the end by which every last move must have been seen."""


@dataclass
class Tally:
    """What was measured, in seconds: from sending a move to its answer, and to its sight by the other client.

    `cpu`: of each group of processes asked for, `own` of the driver.
    """

    moves: int = 0
    took: float = 0.0
    own: float = 0.0
    cpu: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    streamed: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


class Play:
    """One game at one table, until it is over or the clock shows `until`."""

    def __init__(self, table: Table, tally: Tally) -> None:
        self.table = table
        self._tally = tally
        self._sent: list[float] = []
        self._until = self._pause = 0.0
        self._loop = asyncio.get_running_loop()
        self._last = 0
        self.done: asyncio.Future[None] = self._loop.create_future()

    def start(self, until: float, pause: float) -> None:
        """Have seat 0 move, with a pause at a moment of its own."""
        self._until, self._pause = until, pause
        self._loop.call_later(random.random() * pause, self._send, 0)

    def _send(self, seat: int) -> None:
        now = time.perf_counter()
        if now > self._until or len(self._sent) == MOVES:
            self.done.set_result(None)
            return
        self._sent.append(now)
        self.table.move(seat)

    def answered(self, move: int) -> None:
        """Note when the mover has its answer."""
        self._tally.answered.append(time.perf_counter() - self._sent[move - 1])

    def seen(self, seat: int, move: int, size: int) -> None:
        """Note when the other one sees a move, who then moves; what is seen again (who is there) is no move."""
        if move <= self._last or (move - 1) % 2 == seat:
            return
        self._last = move
        self._tally.streamed.append(time.perf_counter() - self._sent[move - 1])
        self._tally.sizes.append(size)
        self._tally.moves += 1
        if self._pause:
            self._loop.call_later(self._pause * random.uniform(0.5, 1.5), self._send, seat)
        else:
            self._send(seat)


async def drive(
    make: Callable[[], Table], tables: int, seconds: float, pause: float, clocks: Sequence[Callable[[], float]]
) -> Tally:
    """Play at `tables` tables for about `seconds`, `pause` seconds between the moves of a table, and return the tally.

    Where games end before that, others are opened, up to `MOST_GAMES`. Opening and closing them is not measured.
    `clocks` give the seconds of CPU used by groups of processes.
    """
    tally = Tally(cpu=[0.0] * len(clocks))
    for _ in range(MOST_GAMES):
        games = [Play(make(), tally) for _ in range(tables)]
        for game in games:
            await game.table.open(game)
        await asyncio.sleep(SETTLE)
        await _measure(games, tally, seconds - tally.took, pause, clocks)
        for game in games:
            game.table.close()
        if tally.took >= seconds:
            break
    return tally


async def _measure(
    games: Sequence[Play], tally: Tally, seconds: float, pause: float, clocks: Sequence[Callable[[], float]]
) -> None:
    used, own, begun = [clock() for clock in clocks], time.process_time(), time.perf_counter()
    for game in games:
        game.start(begun + seconds, pause)
    await asyncio.wait_for(asyncio.gather(*(game.done for game in games)), seconds + STUCK)
    tally.took += time.perf_counter() - begun
    tally.own += time.process_time() - own
    for place, clock in enumerate(clocks):
        tally.cpu[place] += clock() - used[place]


async def idle(make: Callable[[], Table], tables: int, memory: Callable[[], int]) -> float:
    """Open so many tables, with two clients each, and return the bytes of memory a client takes in a server in use."""
    tally = Tally()
    warm = [Play(make(), tally) for _ in range(20)]
    games = [Play(make(), tally) for _ in range(tables)]
    for game in warm:
        await game.table.open(game)
    await asyncio.sleep(2)
    before = memory()
    for game in games:
        await game.table.open(game)
    await asyncio.sleep(3)
    held = memory() - before
    for game in (*warm, *games):
        game.table.close()
    return held / (2 * tables)
