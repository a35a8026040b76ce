"""Who is there: people with an open page or a request in the last minute, told to all processes through the database.

A row lives a minute unless renewed, so a killed process leaves nothing behind for longer.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import structlog

from app.live.feed import Notifier

if TYPE_CHECKING:
    from app.db.engine import Pool

log = structlog.get_logger(__name__)

Who: TypeAlias = tuple[int, str]
"""(table, player)"""

GRACE = 4.0
"""Seconds a closed page still counts: a reload or a reconnect is no absence."""

LOOK_EVERY = 2.0
_RENEW_EVERY = 20.0
_LIFETIME = 60.0

_ENTER = """
INSERT INTO presence (table_id, player_id, worker, until)
SELECT t, p, $3, now() + $4 * interval '1 second' FROM unnest($1::bigint[], $2::text[]) AS x(t, p)
WHERE EXISTS (SELECT FROM tables WHERE id = t)
ON CONFLICT (table_id, player_id, worker) DO UPDATE SET until = excluded.until
"""
# somebody has come: what waited for people goes on
_WAKE = """
UPDATE tables SET wake_at = now() WHERE id = ANY($1::bigint[]) AND status = 'playing'
AND (wake_at IS NULL OR wake_at > now() + interval '1 second')
AND (clock <> 'none' OR EXISTS (SELECT FROM seats s WHERE s.table_id = tables.id AND s.bot IS NOT NULL AND s.asked_at IS NOT NULL))
"""
# somebody has gone: a minute later the others may have to decide
_GONE = """
, noted AS (
    UPDATE seats SET seen_at = gone.until FROM gone WHERE seats.table_id = t AND seats.player_id = p
)
UPDATE tables SET wake_at = least(coalesce(wake_at, 'infinity'), now() + interval '60 seconds')
FROM gone WHERE tables.id = t AND status = 'playing' RETURNING tables.id
"""
_LEAVE = f"""
WITH gone AS (
    DELETE FROM presence USING unnest($1::bigint[], $2::text[]) AS x(t, p)
    WHERE worker = $3 AND table_id = t AND player_id = p RETURNING t, p, now() AS until
) {_GONE}"""  # noqa: S608  # put together from constants
# what killed workers left
_FORGET = f"""
WITH gone AS (DELETE FROM presence WHERE until < now() RETURNING table_id AS t, player_id AS p, until) {_GONE}"""  # noqa: S608  # as above
_CLOSE = f"""
WITH gone AS (DELETE FROM presence WHERE worker = $1 RETURNING table_id AS t, player_id AS p, now() AS until) {_GONE}"""  # noqa: S608  # as above


class Presence:
    """The people of this process. One per process; `run` until cancelled."""

    def __init__(self, pool: Callable[[], Pool], notifier: Notifier) -> None:
        self._pool = pool
        self._notifier = notifier
        self._worker = secrets.token_hex(6)
        self._streams: Counter[Who] = Counter()
        self._last: dict[Who, float] = {}
        self._shown: set[Who] = set()
        self._wake = asyncio.Event()

    def enter(self, who: Who) -> None:
        """Somebody opened a stream."""
        self._streams[who] += 1
        if who not in self._shown:
            self._wake.set()

    def leave(self, who: Who) -> None:
        """Somebody's stream ended."""
        self._streams[who] -= 1
        self._last[who] = time.monotonic() + GRACE
        if self._streams[who] <= 0:
            del self._streams[who]

    def touch(self, who: Who) -> None:
        """Somebody did or read something without a stream; that counts for a minute."""
        if who not in self._streams:
            self._last[who] = time.monotonic() + _LIFETIME
            if who not in self._shown:
                self._wake.set()

    async def run(self) -> None:
        """Keep the database as we see it, for ever."""
        renewed = time.monotonic()
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            try:
                renew = time.monotonic() - renewed > _RENEW_EVERY
                await self._write(renew=renew)
                renewed = time.monotonic() if renew else renewed
            except Exception as problem:  # noqa: BLE001  # the database may be away; the next round tries again
                log.warning("presence_failed", problem=repr(problem))

    async def _write(self, *, renew: bool) -> None:
        now = time.monotonic()
        self._last = {who: until for who, until in self._last.items() if until > now}
        present = set(self._streams) | set(self._last)
        came, went = present - self._shown, self._shown - present
        if enter := list(present if renew else came):
            await self._pool().execute(_ENTER, [t for t, _ in enter], [p for _, p in enter], self._worker, _LIFETIME)
        if went:
            await self._pool().execute(_LEAVE, [t for t, _ in went], [p for _, p in went], self._worker)
        if came:
            await self._pool().execute(_WAKE, [t for t, _ in came])
        forgotten = await self._pool().fetch(_FORGET) if renew else []
        self._shown = present
        for table_id in {table_id for table_id, _ in came | went} | {row["id"] for row in forgotten}:
            self._notifier.tell(table_id, 0)

    async def close(self) -> None:
        """Take everybody of this process off the list, so that others need not wait for it to run out."""
        await self._pool().execute(_CLOSE, self._worker)
