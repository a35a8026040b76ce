"""Connections: a SQLAlchemy engine for the rare commands, an asyncpg pool for moves and reads (ADR 002)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import asyncpg
import orjson
from sqlalchemy import QueuePool
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

if TYPE_CHECKING:
    Pool: TypeAlias = asyncpg.Pool[asyncpg.Record]
    Executor: TypeAlias = Pool | asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]
    """Whatever runs a statement."""
else:
    Pool: TypeAlias = asyncpg.Pool

PATIENCE = 3.0
"""Seconds a request waits for a connection, and then for a statement."""

# a statement that hangs must not hold a request for ever; F3 wants answers within 3 s
_SERVER_SETTINGS = {"application_name": "knobel", "statement_timeout": "5000", "lock_timeout": "2000"}


def sqlalchemy_url(url: str) -> str:
    """Return a libpq-style URL (`?host=/socket/folder` allowed) as SQLAlchemy and asyncpg want it."""
    parts = urlsplit(url)
    # the driver calls it by another name
    query = urlencode([("ssl" if key == "sslmode" else key, value) for key, value in parse_qsl(parts.query)])
    return urlunsplit(("postgresql+asyncpg", parts.netloc, parts.path, query, ""))


FAULTS = (asyncpg.PostgresError, asyncpg.InterfaceError, SQLAlchemyError, OSError, TimeoutError)
"""Everything the database can make go wrong."""

# classes of SQLSTATE that mean trouble over there, not a mistake of ours: connection, resources, locks held too long,
# shutdown or cancelled, system, internal
_AWAY = ("08", "53", "55", "57", "58", "XX")


def is_away(fault: BaseException) -> bool:
    """Return whether a fault means that the database is away, restarting or overloaded, so that trying again helps."""
    if isinstance(fault, PoolTimeout):
        return True
    if isinstance(fault, DBAPIError):
        return fault.connection_invalidated or (fault.orig is not None and is_away(fault.orig))
    if isinstance(fault, SQLAlchemyError):
        return False
    state = getattr(fault, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_AWAY)
    return isinstance(fault, asyncpg.InterfaceError | OSError | TimeoutError)


async def _leave_as_it_is(_connection: object) -> None:
    """Give a connection back without the usual clean-up, which is a round trip of its own.

    What runs on the pool are single statements: no locks, cursors, settings or LISTEN are left behind.
    """


async def connect(url: str) -> asyncpg.Connection[Any]:
    """Return a connection for a long job of the host's, without limits of time."""
    return await asyncpg.connect(url, timeout=10, server_settings={"application_name": "knobel admin"})


class _Pool(asyncpg.Pool):  # type: ignore[misc]  # a library without types
    """A pool for a free connection of which nobody waits, nor for a cancelled statement to end, longer than `timeout`.

    Else requests pile up behind those that wait for a database which takes connections and does not answer.
    """

    def acquire(self, *, timeout: float | None = None) -> Any:
        """Return what can be awaited, or entered, for a connection; also for the statements of the pool itself."""
        return super().acquire(timeout=PATIENCE if timeout is None else timeout)


class Database:
    """The connections of one process. Open with `connect`, close with `close`."""

    def __init__(self, url: str, pool_size: int = 8) -> None:
        self.url = url
        self._pool_size = pool_size
        self._pool: Pool | None = None
        self.engine: AsyncEngine = create_async_engine(
            sqlalchemy_url(url),
            pool_size=4,
            max_overflow=4,
            pool_timeout=2,
            pool_pre_ping=True,
            hide_parameters=True,  # a fault quotes its statement into the log; the values are nobody's business
            json_serializer=lambda value: orjson.dumps(value).decode(),
            json_deserializer=orjson.loads,
            connect_args={"server_settings": _SERVER_SETTINGS, "timeout": 3},
        )
        self.session: async_sessionmaker[AsyncSession] = async_sessionmaker(self.engine, expire_on_commit=False)

    @property
    def pool(self) -> Pool:
        """The asyncpg pool; `connect` must have been awaited."""
        if self._pool is None:
            raise RuntimeError("the database is not connected yet")
        return self._pool

    @property
    def in_use(self) -> dict[str, int]:
        """How many connections are taken: by moves and reads, and by the rare commands."""
        taken = 0 if self._pool is None else self._pool.get_size() - self._pool.get_idle_size()
        commands = self.engine.pool
        return {"moves": taken, "commands": commands.checkedout() if isinstance(commands, QueuePool) else 0}

    async def revision(self) -> str | None:
        """Return which migration the schema has; None if none was run. Raises what a database can raise."""
        row = await self.pool.fetchrow("SELECT version_num FROM alembic_version")
        return None if row is None else row["version_num"]

    async def connect(self) -> None:
        """Open the pool; connections are made when first needed, so a database that is away is no error here."""
        self._pool = await _Pool(
            self.url,
            connection_class=asyncpg.Connection,
            record_class=asyncpg.Record,
            init_size=None,
            min_size=0,
            max_size=self._pool_size,
            max_queries=50_000,
            max_inactive_connection_lifetime=300,
            connect=None,
            setup=None,
            init=None,
            reset=_leave_as_it_is,
            loop=None,
            timeout=PATIENCE,
            command_timeout=PATIENCE,
            server_settings=_SERVER_SETTINGS,
        )

    async def listener(self) -> asyncpg.Connection[Any]:
        """Return a connection of its own, outside the pool, for LISTEN."""
        return await asyncpg.connect(
            self.url, timeout=3, command_timeout=3, server_settings={"application_name": "knobel listen"}
        )

    async def close(self) -> None:
        """Close everything; open transactions are rolled back by the server."""
        if self._pool is not None:
            self._pool.terminate()
        await self.engine.dispose()
