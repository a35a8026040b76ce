"""Hears of commits of other processes: LISTEN on a connection of its own, and a look at the versions every 5 s.

A notification carries only "table version" and is a wake-up, nothing more. One that is lost (its sender died, our
connection broke) costs seconds, because versions are compared anyway.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import structlog

from app.live.hub import Hub

if TYPE_CHECKING:
    import asyncpg

    from app.db.engine import Pool

log = structlog.get_logger(__name__)

CHANNEL = "tables"
LOOK_EVERY = 5.0
"""Seconds between two looks at the versions of all watched tables."""

AGAIN_EVERY = 1.0
"""Seconds between two tries to listen."""

_VERSIONS = """
SELECT t.id, t.version, (SELECT count(DISTINCT player_id) FROM presence p WHERE p.table_id = t.id AND p.until > now()) AS present
FROM tables t WHERE t.id = ANY($1::bigint[])
"""


class Feed:
    """One per process. `run` until cancelled."""

    def __init__(self, connect: Callable[[], Awaitable[asyncpg.Connection[Any]]], hub: Hub) -> None:
        self._connect = connect
        self._hub = hub
        self.backend: int | None = None
        """The server's process id of the listening connection, None while there is none."""

    async def run(self) -> None:
        """Listen for ever; on a lost connection listen again first, then look at everything."""
        clock = asyncio.get_running_loop().time
        while True:
            begun = clock()
            try:
                await self._listen()
            except Exception as problem:  # noqa: BLE001  # whatever it was, listening again is the answer
                log.warning("feed_lost", problem=repr(problem))
            self.backend = None
            # one that has lived is replaced at once; while the database is away it is asked once a second
            await asyncio.sleep(max(0.05, AGAIN_EVERY - (clock() - begun)))

    async def _listen(self) -> None:
        connection = await self._connect()
        try:
            lost = asyncio.Event()
            connection.add_termination_listener(lambda _: lost.set())
            await connection.add_listener(CHANNEL, self._heard)
            self.backend = connection.get_server_pid()
            while not lost.is_set():
                await self._look(connection)
                with suppress(TimeoutError):
                    await asyncio.wait_for(lost.wait(), LOOK_EVERY)
        finally:
            connection.terminate()

    def _heard(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        table_id, version = map(int, str(payload).split())
        # version 0: something besides the log has changed, such as who is there
        if version == 0 or version > self._hub.known(table_id)[0]:
            self._hub.publish(table_id)

    async def _look(self, connection: asyncpg.Connection[Any]) -> None:
        watched = self._hub.watched()
        for row in await connection.fetch(_VERSIONS, watched, timeout=2):
            if (row["version"], row["present"]) != self._hub.known(row["id"]):
                self._hub.publish(row["id"])


class Notifier:
    """Tells other processes, after the commit and in statements of its own; what comes together goes together."""

    def __init__(self, pool: Callable[[], Pool]) -> None:
        self._pool = pool
        self._waiting: dict[int, int] = {}
        self._task: asyncio.Task[None] | None = None

    def tell(self, table_id: int, version: int) -> None:
        """Have "table version" sent soon; version 0 says that something besides the log has changed."""
        self._waiting[table_id] = 0 if self._waiting.get(table_id) == 0 else version
        if self._task is None:
            self._task = asyncio.create_task(self._send())

    async def _send(self) -> None:
        try:
            while self._waiting:
                payloads = [f"{table_id} {version}" for table_id, version in self._waiting.items()]
                self._waiting.clear()
                await self._pool().execute("SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p", CHANNEL, payloads)
        except Exception as problem:  # noqa: BLE001  # the others look at the versions by themselves
            log.warning("notify_failed", problem=repr(problem))
        finally:
            self._task = None
