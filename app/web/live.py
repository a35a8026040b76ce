"""The stream of a table: one response per open page, the newest state and nothing else."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Hashable

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.live.hub import Stream
from app.tables.snapshot import Snapshot
from app.web.deps import Visitor, reader_of, table_code, visitor_of
from app.web.house import House, TableReader
from app.web.lane import Straight
from app.web.tables import load_table

router = APIRouter(include_in_schema=False)

LONGEST = 600.0
"""Seconds after which a stream ends and the browser comes again."""

STUCK = 15.0
"""Seconds to wait for a reader who does not read."""

BEAT = b"event: beat\ndata:\n\n"
BEAT_EVERY = 1.0
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_APART = 0.02
"""Seconds between two browsers that come back after a restart, while there are few."""

_AT_LEAST, _APART_IF_MANY, _AT_MOST = 2.0, 0.004, 10.0
"""Seconds over which a hundred streams or more come back: at least, for each of them, and at most."""

_POLL = b"event: poll\ndata:\n\n"


class StreamResponse(Response):
    """An ASGI response that sends what its stream is given, until either side ends it."""

    def __init__(
        self, house: House, stream: Stream, start: bytes, who: Visitor, seated: tuple[int, str] | None
    ) -> None:
        super().__init__(headers=_HEADERS, media_type="text/event-stream")
        del self.headers["content-length"]
        self._house = house
        self._stream = stream
        self._start = start
        self._address = who.address
        self._seated = seated

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the stream."""
        scope["state"].pop("visitor", None)  # what was read of the request is not needed for the minutes to come
        presence, seated = self._house.presence, self._seated
        if seated is not None:
            presence.enter(seated)
        gone = asyncio.create_task(self._gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._send(send, b"retry: 1000\n\n" + self._start)
            self._start = b""  # a whole page, which nobody needs for the minutes to come
            async with asyncio.timeout(LONGEST):
                while (message := await self._stream.take()) is not None:
                    await self._send(send, message)
        except TimeoutError:
            pass
        finally:
            gone.cancel()
            leave_stream(self._house, self._stream, self._address)
            if seated is not None:
                presence.leave(seated)
        await send({"type": "http.response.body", "body": b""})

    async def _send(self, send: Send, body: bytes) -> None:
        async with asyncio.timeout(STUCK):
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def _gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._stream.close()


def farewells(count: int) -> list[bytes]:
    """Return the last message for each of so many streams when the server stops: when to come back.

    Every browser gets a time of its own, the times are evenly far apart and go to the browsers at random: so that
    they do not come back all at once. Few of them come back at once.
    """
    over = min(count * _APART, max(_AT_LEAST, min(count * _APART_IF_MANY, _AT_MOST)))
    waits = [int(1000 * over * (n + random.random()) / count) for n in range(count)]  # noqa: S311  # no secret
    random.shuffle(waits)
    return [b"event: restart\nretry: %d\ndata: %d\n\n" % (wait, wait) for wait in waits]


async def open_stream(
    house: House, table: Snapshot, reader: TableReader, who: Visitor, browser: Hashable | None = None
) -> StreamResponse:
    """Return the stream of a table for a reader; it starts with the full present state. Raises Crowded.

    It ends with the session it was opened by.
    """
    house.limits.enter(who.address)
    stream = house.hub.open(table.id, reader, browser, evicted=_POLL)
    try:
        first = await house.first_message(table, reader)
    except BaseException:
        leave_stream(house, stream, who.address)
        raise
    if who.session is not None and reader.player is not None:
        house.watch.add(stream, who.session)
    stream.version = max(stream.version, table.version)
    if house.hub.known(table.id)[0] > stream.version:  # a commit between reading the table and joining its streams
        house.hub.publish(table.id)
    sits = reader.player is not None and table.seat_of(reader.player) is not None
    return StreamResponse(house, stream, first, who, (table.id, reader.player) if sits and reader.player else None)


def leave_stream(house: House, stream: Stream, address: str) -> None:
    """Forget a stream that has ended, wherever it was noted."""
    house.hub.drop(stream)
    house.watch.drop(stream)
    house.limits.leave(address)


async def stream(request: Request) -> StreamResponse:
    """The stream for the page of a table. Browsers hold few connections by plain HTTP/1.1, so those are counted."""
    code = await table_code(request.path_params["code"])
    house: House = request.app.state.house
    who = visitor_of(request, house)
    table, me = await load_table(house, who, code)
    plain = request.scope["scheme"] == "http" and request.scope.get("http_version") == "1.1"
    return await open_stream(house, table, await reader_of(who, table, me), who, who.prefs.browser if plain else None)


STRAIGHT = (Straight("GET", "/t/{code}/stream", stream),)
router.routes.extend(way.route for way in STRAIGHT)
