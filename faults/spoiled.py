"""`python -m faults.spoiled`: the service with one thing wrong in it, named by FAULTS_SPOILED. A program must notice.

Workers import this module as well when they are spawned, so what is wrong is wrong in all of them.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import app.tables.moves

moves: Any = app.tables.moves

_LATE: set[asyncio.Task[Any]] = set()


def early() -> None:
    """Answer before the commit."""
    write = moves.write

    async def soon(*parts: Any) -> bool:
        async def later() -> None:
            await asyncio.sleep(0.05)
            await write(*parts)

        task = asyncio.create_task(later())
        _LATE.add(task)
        task.add_done_callback(_LATE.discard)
        return True

    moves.write = soon


def turnless() -> None:
    """Take every move for an answer to the present question, whatever turn it was sent under."""
    load = moves.load

    async def load_any(*parts: Any) -> Any:
        table, me = await load(*parts)
        seats = tuple(
            replace(seated, asked_at=_Any(seated.asked_at)) if seated.asked_at else seated for seated in table.seats
        )
        return replace(table, seats=seats), me

    moves.load = load_any


class _Any(int):
    """A turn that is equal to every other."""

    def __eq__(self, _: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def seat_from_body() -> None:
    """Let everybody act for whoever is asked."""

    def caller(table: Any, _me: str | None) -> int:
        return next((seated.seat for seated in table.seats if seated.asked_at is not None), 0)

    moves.caller = caller


def lawless() -> None:
    """Let the rules of the game take whatever has the shape of a move."""
    from app.core import engine

    spoil: Any = engine
    spoil.match = lambda _game, _state, _seat, move: move


def careless_cookie() -> None:
    """Decode a session as signed cookies are decoded, without minding what it is."""
    from base64 import b64decode

    import app.web.deps

    deps: Any = app.web.deps

    class Long(str):
        __slots__ = ()

        def __len__(self) -> int:
            return 32

        def isascii(self) -> bool:
            return True

    deps.token_hash = lambda token: b64decode(token.encode("ascii"), validate=True)
    visitor_of = deps.visitor_of

    def careless(request: Any, house: Any) -> Any:
        who = visitor_of(request, house)
        raw = request.cookies.get(deps.cookie_name(secure=False))
        who.token = raw if raw is None else Long(raw)
        return who

    deps.visitor_of = careless


def deaf() -> None:
    """Listen as a beginner would: no look at the versions, no sign of life, the connection taken for granted."""
    from app.live import feed

    async def listen(self: Any) -> None:
        connection = await self._connect()
        await connection.add_listener(feed.CHANNEL, self._heard)
        self.backend = connection.get_server_pid()
        await asyncio.Event().wait()

    spoil: Any = feed.Feed
    spoil._listen = listen


def held() -> None:
    """Keep a connection of the pool for every open stream."""
    from app.web import live

    response: Any = live.StreamResponse
    call = response.__call__

    async def holding(self: Any, scope: Any, receive: Any, send: Any) -> None:
        async with self._house.db.pool.acquire():
            await call(self, scope, receive, send)

    response.__call__ = holding


def endless() -> None:
    """Wait for ever for a page that does not read, and queue everything up for it."""
    from app.live import hub
    from app.web import live

    live.STUCK = 1e9
    put = hub.Stream.put

    def pile(self: Any, version: int, message: bytes) -> None:
        _PILES.setdefault(id(self), []).append(bytes(bytearray(message)))
        put(self, version, message)

    spoil: Any = hub.Stream
    spoil.put = pile


_PILES: dict[int, list[bytes]] = {}


def patient() -> None:
    """Wait for the database as long as it takes."""
    from app.db import engine

    class Slow(engine.Database):
        async def connect(self) -> None:
            import asyncpg

            self._pool = await asyncpg.create_pool(self.url, min_size=0, max_size=self._pool_size, timeout=600)

    import app.main

    spoil: Any = app.main
    spoil.Database = Slow


def unreadable_is_fault() -> None:
    """Do not mind rows that cannot be decoded."""
    from app.web import errors

    async def raise_(_request: Any, fault: Exception) -> Any:
        raise fault

    spoil: Any = errors
    spoil._unreadable = raise_


KINDS: dict[str, Callable[[], None]] = {
    kind.__name__: kind
    for kind in (
        early, turnless, seat_from_body, lawless, careless_cookie, deaf, held, endless, patient, unreadable_is_fault
    )
}  # fmt: skip

if spoiled := os.environ.get("FAULTS_SPOILED"):
    KINDS[spoiled]()

if __name__ == "__main__":
    from app.serve import main

    sys.exit(main())
