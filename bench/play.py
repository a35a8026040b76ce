"""Many tables at once: two people each, who roll three times and fill the next row, as fast as told."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.games.yacht.scoring import CATEGORIES
from bench.http import Answer, Client, Stream

_TOKEN = re.compile(rb'data-token="(\d+)"')
_VERSION = re.compile(rb'data-version="(\d+)"')


@dataclass
class Tally:
    """What was measured: seconds from sending a move to its answer, and to the other's stream."""

    moves: int = 0
    refused: int = 0
    answered: list[float] = field(default_factory=list)
    streamed: list[float] = field(default_factory=list)


class BenchTable:
    """One table; plays game after game."""

    def __init__(self, port: int, tally: Tally) -> None:
        self._tally = tally
        self._sent: dict[int, float] = {}
        self._mine: set[tuple[int, int]] = set()
        self.path = ""
        self.people = [Client(port), Client(port)]
        self.streams: list[Stream] = []

    async def open(self) -> None:
        """Make the table, sit down, start, open both streams."""
        host, friend = self.people
        self.path = (await host.post("/g/yacht/tables", "first_player=host")).location
        await friend.post(f"{self.path}/sit", "name=Bo")
        await host.post(f"{self.path}/start")
        self.streams = [await Stream.open(person, f"{self.path}/stream") for person in self.people]

    async def play(self, until: float, pause: float) -> None:
        """Play one game, or until the clock shows `until`, `pause` seconds before each move."""
        tokens: list[asyncio.Queue[bytes]] = [asyncio.Queue(), asyncio.Queue()]
        await asyncio.sleep(random.random() * pause)  # tables do not move in step
        listeners = [asyncio.create_task(self._listen(seat, tokens[seat])) for seat in (0, 1)]
        try:
            for category in CATEGORIES:
                for seat in (0, 1):
                    token = await tokens[seat].get()
                    for fields in ("do=roll", "do=roll", "do=roll", f"category={category}"):
                        token = await self._move(seat, token, fields, pause)
                        if time.perf_counter() > until:
                            return
        finally:
            for listener in listeners:
                listener.cancel()

    async def _listen(self, seat: int, tokens: asyncio.Queue[bytes]) -> None:
        last = b""
        while True:
            version, message = await self.streams[seat].next()
            sent = self._sent.get(version)
            if sent is not None and (version, seat) not in self._mine:
                self._tally.streamed.append(time.perf_counter() - sent)
            token = _TOKEN.search(message)
            # a token for a fresh turn, told by the other's move: the roll button is on the page
            if (
                token
                and token[1] != last
                and b'value="roll"' in message
                and b'name="hold"' not in message
                and b"aria-disabled" not in message
            ):
                last = token[1]
                tokens.put_nowait(token[1])

    async def _move(self, seat: int, token: bytes, fields: str, pause: float) -> bytes:
        if pause:
            await asyncio.sleep(pause)
        begun = time.perf_counter()
        version = int(token)
        # a roll makes two events, a row one: the version it will have is known before it is sent
        expected = version + (2 if fields.startswith("do") else 1)
        self._sent[expected] = begun
        self._mine.add((expected, seat))
        answer = await self.people[seat].post(f"{self.path}/moves", f"turn={token.decode()}&{fields}", htmx=True)
        self._tally.answered.append(time.perf_counter() - begun)
        self._tally.moves += 1
        return self._next(answer)

    def _next(self, answer: Answer) -> bytes:
        if answer.status != 200:
            self._tally.refused += 1
            raise RuntimeError(f"refused: {answer.status} {answer.body[:200]!r}")
        token = _TOKEN.search(answer.body)
        return token[1] if token else b"0"

    def close(self) -> None:
        """Close all connections."""
        for connection in (*self.people, *self.streams):
            connection.close()


async def drive(
    port: int, tables: int, seconds: float, pause: float, cpu: Callable[[], float]
) -> tuple[Tally, float, float]:
    """Play at `tables` tables for about `seconds`; a game has 96 moves.

    Returns what was measured, the seconds it took and the seconds of CPU (by `cpu`) used meanwhile. Opening the tables
    is not part of it.
    """
    tally = Tally()
    made = [BenchTable(port, tally) for _ in range(tables)]
    for table in made:
        await table.open()
    used, begun = cpu(), time.perf_counter()
    await asyncio.gather(*(table.play(begun + seconds, pause) for table in made))
    took, used = time.perf_counter() - begun, cpu() - used
    for table in made:
        table.close()
    return tally, took, used
