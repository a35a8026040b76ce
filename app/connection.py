"""One connection of a client: the server's own HTTP protocol, with limits on how long and how large a request's head is.

Without them a client that never ends its head holds a connection, and memory, for as long as it likes.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_WITHIN = 10.0
"""Seconds from the first byte of a request, or from the connection, to the end of its head."""

LARGEST_HEAD = 16 * 1024
"""Bytes of a request's line and headers."""


class Connection(HttpToolsProtocol):
    """Closes a connection whose next request's head does not come whole, in time and small enough."""

    def __init__(self, *parts: Any, **more: Any) -> None:
        super().__init__(*parts, **more)
        self._head: int | None = 0
        self._clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has become too large."""
        if self._head is None:
            super().data_received(data)
            return
        self._start_clock()
        self._head += len(data)
        super().data_received(data)
        if self._head is not None and self._head > LARGEST_HEAD:
            self._refuse(b"431 Request Header Fields Too Large", b"That was too large.")

    def on_message_begin(self) -> None:
        """Wait for the rest of a head, also if its first bytes came behind another request."""
        super().on_message_begin()
        self._head = self._head or 1
        self._start_clock()

    def on_headers_complete(self) -> None:
        """Let the request begin."""
        self._head = None
        self._stop_clock()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait for the next head; how long until its first byte is the keep-alive's matter."""
        super().on_message_complete()
        self._head = 0

    def _start_clock(self) -> None:
        if self._clock is None:
            self._clock = self.loop.call_later(HEAD_WITHIN, self._late)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _late(self) -> None:
        self._clock = None
        self._refuse(b"408 Request Timeout", b"That took too long.")

    def _refuse(self, status: bytes, words: bytes) -> None:
        """Close the connection, with an answer if a request has begun and none is under way.

        One that is only held ready is closed without: a browser would take the answer for that of its next request.
        """
        if self.transport.is_closing():
            return
        if self._head and (self.cycle is None or self.cycle.response_complete):
            head = b"HTTP/1.1 %b\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
            self.transport.write(head % (status, len(words)) + words)
        self.transport.close()
