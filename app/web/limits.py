"""How much one session or address may do in a while. Counted per process, in memory; over it is 429 with words."""

from __future__ import annotations

import math
import time

from limits import RateLimitItem, parse
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from app.tables.errors import TooManyRequests

_LIMITS: dict[str, RateLimitItem] = {
    "move": parse("100/10 seconds"),
    "write": parse("60/minute"),
    "table": parse("60/hour"),
    "guest": parse("120/hour"),
    "guess": parse("60/minute"),
}


class Limits:
    """`take` one of a kind: move, write (other commands), table, guest, guess (an unknown code)."""

    def __init__(self, *, on: bool) -> None:
        self._on = on
        self._counter = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def take(self, kind: str, who: str) -> None:
        """Count one more for `who`. Raises TooManyRequests."""
        if not self._on:
            return
        limit = _LIMITS[kind]
        if await self._counter.hit(limit, kind, who):
            return
        window = await self._counter.get_window_stats(limit, kind, who)
        raise TooManyRequests(max(1, math.ceil(window.reset_time - time.time())))
