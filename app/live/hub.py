"""The open streams of this process. A stream holds at most one message: the newest wins, nothing queues up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import structlog

log = structlog.get_logger(__name__)

Reader: TypeAlias = Hashable
"""What decides how a table looks to somebody: made and understood by whoever renders."""

MOST_PER_BROWSER = 4
"""Streams of one browser on HTTP/1.1, where a browser opens six connections to a host and then waits."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A table as rendered for its readers at one version. `present` counts who has it open."""

    version: int
    messages: Mapping[Reader, bytes]
    present: int


Render: TypeAlias = Callable[[int, Collection[Reader], Any], Awaitable[Rendered]]
"""Renders table `id` for some readers, from what has just been committed (or None: read it)."""


class Stream:
    """One open page. `take` waits for something to send; `put` replaces what was not sent yet."""

    __slots__ = ("_beat", "_message", "_waiter", "browser", "closed", "reader", "table_id", "version")

    def __init__(self, table_id: int, reader: Reader, browser: Hashable | None) -> None:
        self.table_id = table_id
        self.reader = reader
        self.browser = browser
        self.version = -1
        self.closed = False
        self._message: bytes | None = None
        self._beat: bytes | None = None
        self._waiter: asyncio.Future[None] | None = None

    def put(self, version: int, message: bytes) -> None:
        """Have `message` sent next, unless a newer version was or the stream has ended."""
        if version >= self.version and not self.closed:
            self.version = version
            self._message = message
            self._wake()

    def beat(self, message: bytes) -> None:
        """Have a sign of life sent, unless something better is waiting."""
        self._beat = message
        self._wake()

    def close(self, last: bytes | None = None) -> None:
        """End the stream, after `last` if given."""
        if last is not None:
            self._message = last
        self.closed = True
        self._wake()

    async def take(self) -> bytes | None:
        """Return the next thing to send; None when the stream has ended."""
        while self._message is None and self._beat is None and not self.closed:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        message, self._message, self._beat = self._message or self._beat, None, None
        return message

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Hub:
    """All streams of one process, and the rendering for them: once per table, version and kind of reader."""

    def __init__(self, render: Render) -> None:
        self._render = render
        self._streams: dict[int, set[Stream]] = {}
        self._known: dict[int, tuple[int, int]] = {}
        self._due: dict[int, Any] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._browsers: dict[Hashable, list[Stream]] = {}
        self.closing = False

    @property
    def count(self) -> int:
        """How many streams are open."""
        return sum(len(streams) for streams in self._streams.values())

    def watched(self) -> list[int]:
        """Return the tables somebody here looks at."""
        return list(self._streams)

    def known(self, table_id: int) -> tuple[int, int]:
        """Return (version, present) of a table as last shown here; (-1, -1) if never."""
        return self._known.get(table_id, (-1, -1))

    def open(self, table_id: int, reader: Reader, browser: Hashable | None, *, evicted: bytes) -> Stream:
        """Add a stream. With `browser`, its oldest streams beyond the limit are closed with the message `evicted`."""
        stream = Stream(table_id, reader, browser)
        self._streams.setdefault(table_id, set()).add(stream)
        if browser is not None:
            mine = self._browsers.setdefault(browser, [])
            mine.append(stream)
            for oldest in mine[:-MOST_PER_BROWSER]:
                oldest.close(evicted)
        if self.closing:
            stream.close()
        return stream

    def drop(self, stream: Stream) -> None:
        """Remove a stream that has ended."""
        streams = self._streams.get(stream.table_id, set())
        streams.discard(stream)
        if not streams:
            self._streams.pop(stream.table_id, None)
            self._known.pop(stream.table_id, None)
        if stream.browser is not None:
            mine = self._browsers.get(stream.browser, [])
            if stream in mine:
                mine.remove(stream)
            if not mine:
                self._browsers.pop(stream.browser, None)

    def publish(self, table_id: int, fresh: Any = None) -> None:
        """Show a table anew to everybody here. `fresh`: what was just committed, else it is read.

        Returns at once; calls for one table are served in order, and only the newest if they come faster.
        """
        if table_id not in self._streams:
            return
        # of two that wait one may be older than the other; reading is always right
        self._due[table_id] = None if table_id in self._due else fresh
        if table_id not in self._tasks:
            self._tasks[table_id] = asyncio.create_task(self._serve(table_id))

    async def _serve(self, table_id: int) -> None:
        try:
            while table_id in self._due:
                fresh = self._due.pop(table_id)
                streams = self._streams.get(table_id, set())
                readers = {stream.reader for stream in streams}
                rendered = await self._render(table_id, readers, fresh)
                self.show(table_id, rendered)
        except Exception as problem:  # noqa: BLE001  # the next poll of the feed tries again; nobody awaits this task
            log.warning("publish_failed", table=table_id, problem=repr(problem))
            self._known.pop(table_id, None)
        finally:
            del self._tasks[table_id]
            if table_id in self._due:
                self.publish(table_id)

    def show(self, table_id: int, rendered: Rendered) -> None:
        """Hand rendered messages to the streams they are for."""
        if table_id not in self._streams:
            return
        if rendered.version >= self.known(table_id)[0]:
            self._known[table_id] = (rendered.version, rendered.present)
        missed = False
        for stream in self._streams[table_id]:
            message = rendered.messages.get(stream.reader)
            if message is not None:
                stream.put(rendered.version, message)
            missed = missed or (message is None and stream.version < rendered.version)
        if missed:  # it came while this was rendered for the others
            self.publish(table_id)

    def tell(self, table_id: int, message: bytes) -> None:
        """Send the same message to everybody at a table, in place of what is waiting."""
        for stream in self._streams.get(table_id, set()):
            stream.put(stream.version, message)

    async def beat(self, message: bytes, every: float) -> None:
        """Send a sign of life to every stream, again and again: one task per process, not a timer per stream."""
        while True:
            await asyncio.sleep(every)
            for streams in list(self._streams.values()):
                for stream in streams:
                    stream.beat(message)

    def close(self, farewells: Callable[[int], Iterable[bytes]] | None = None) -> None:
        """End all streams, and those that still come: the server is stopping.

        `farewells`: gives, for the number of open streams, the last message of each.
        """
        self.closing = True
        streams = [stream for streams in self._streams.values() for stream in streams]
        last = farewells(len(streams)) if farewells else [None] * len(streams)
        for stream, message in zip(streams, last, strict=True):
            stream.close(message)
