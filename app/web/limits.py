"""How much one session or address may do in a while. Counted per process, in memory; over it is 429 with words."""

from __future__ import annotations

import math
import time
from collections import Counter
from typing import Literal, TypeAlias

from limits import RateLimitItem, parse
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from app.core.text import say
from app.tables.errors import TooManyRequests, Unavailable

Kind: TypeAlias = Literal["move", "write", "table", "guest", "guess"]
"""What is counted. write: other commands; guess: a code of no table."""

LIMITS: dict[Kind, tuple[RateLimitItem, RateLimitItem | None]] = {
    "move": (parse("600/10 seconds"), parse("100/10 seconds")),
    "write": (parse("600/minute"), parse("60/minute")),
    "table": (parse("300/hour"), parse("60/hour")),
    "guest": (parse("120/hour"), None),
    "guess": (parse("60/minute"), None),
}
"""For one address, behind which a school class may sit, and for one session, if that has a share of its own."""

MOST_STREAMS = 2_000
"""Live streams of one process."""

MOST_STREAMS_EACH = 100
"""Live streams of one address."""


class Crowded(Unavailable):
    """As many streams are open as there may be."""

    text = say("Too many live tables are open here just now. Close one, or try again soon.")


class TooManyGuesses(TooManyRequests):
    """Too many codes of no table; the answer may not tell whether this one was of one."""


class Limits:
    """`take` one of a kind, or `enter` and `leave` with a stream."""

    def __init__(self, *, on: bool) -> None:
        self._on = on
        self._counter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._streams: Counter[str] = Counter()

    async def take(self, kind: Kind, address: str, session: str | None = None) -> None:
        """Count one more for an address, and for a session if one was brought. Raises TooManyRequests.

        A made-up session is nobody's, but saves nothing: its address is counted whatever it brings.
        """
        if not self._on:
            return
        for_address, for_session = LIMITS[kind]
        await self._hit(for_address, kind, address)
        if for_session is not None:
            await self._hit(for_session, kind, f"{address} alone" if session is None else f"session {session}")

    async def _hit(self, limit: RateLimitItem, kind: Kind, who: str) -> None:
        if not await self._counter.hit(limit, kind, who):
            raise await self._over(limit, kind, who)

    async def _over(self, limit: RateLimitItem, kind: Kind, who: str) -> TooManyRequests:
        window = await self._counter.get_window_stats(limit, kind, who)
        refusal = TooManyGuesses if kind == "guess" else TooManyRequests
        return refusal(max(1, math.ceil(window.reset_time - time.time())))

    async def check(self, kind: Kind, address: str) -> None:
        """Refuse an address that has used up its share, without counting. Raises TooManyRequests."""
        limit = LIMITS[kind][0]
        if self._on and not await self._counter.test(limit, kind, address):
            raise await self._over(limit, kind, address)

    def enter(self, address: str) -> None:
        """Count a stream that opens; whoever succeeds must `leave`. Raises Crowded."""
        if self._on and (self._streams.total() >= MOST_STREAMS or self._streams[address] >= MOST_STREAMS_EACH):
            raise Crowded
        self._streams[address] += 1

    def leave(self, address: str) -> None:
        """Count a stream that has ended."""
        self._streams[address] -= 1
        if not self._streams[address]:
            del self._streams[address]
