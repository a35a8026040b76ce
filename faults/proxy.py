"""A TCP proxy on 127.0.0.1 that delays, cuts, holds back and spreads what goes through it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Self, TypeAlias

Pair: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Hook: TypeAlias = Callable[["Link", bytes], Awaitable[bytes]]


async def _as_it_is(_link: Link, data: bytes) -> bytes:
    return data


class Link:
    """One connection through the proxy. `note` is free for the hooks."""

    def __init__(self, near: Pair, far: Pair) -> None:
        self.near = near
        self.far = far
        self.note = b""

    def cut(self) -> None:
        """Reset both sides."""
        for _, writer in (self.near, self.far):
            writer.transport.abort()


class Proxy:
    """`up` and `down` are given what comes from the client and from the server, and return what goes on."""

    def __init__(self, target: Callable[[], Awaitable[Pair]], up: Hook = _as_it_is, down: Hook = _as_it_is) -> None:
        self._target = target
        self._up = up
        self._down = down
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.links: set[Link] = set()
        self.port = 0
        self.closed = False
        """While true every connection is refused by closing it at once."""
        self.made = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=2048)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Cut every connection."""
        for link in list(self.links):
            link.cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.closed:
            writer.transport.abort()
            return
        try:
            far = await self._target()
        except OSError:
            writer.transport.abort()
            return
        link = Link((reader, writer), far)
        self.links.add(link)
        self.made += 1
        ways = [
            asyncio.create_task(self._pump(link, link.near[0], link.far[1], self._up)),
            asyncio.create_task(self._pump(link, link.far[0], link.near[1], self._down)),
        ]
        self._tasks.update(ways)
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
            self._tasks.discard(way)
        self.links.discard(link)
        link.cut()

    async def _pump(self, link: Link, source: asyncio.StreamReader, sink: asyncio.StreamWriter, hook: Hook) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                sink.write(await hook(link, data))
                await sink.drain()
