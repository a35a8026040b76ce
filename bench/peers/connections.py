"""Client connections that cost little: HTTP kept alive, an event stream, and socket.io over a WebSocket.

Each looks only for where a message ends; what is in it is searched by whoever gets it.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable
from typing import Self, TypeAlias

Hear: TypeAlias = Callable[[bytes], None]

_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
_TEXT, _CLOSE = 0x81, 0x88
_PING, _PONG = b"2", b"3"  # of engine.io, not of WebSocket


class Connection(asyncio.Protocol):
    """A connection that gathers bytes until `_read` finds whole messages in them."""

    def __init__(self) -> None:
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect to a port of this machine."""
        _, protocol = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return protocol

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvloop's is no subclass
        """Keep the transport."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Add to what has come."""
        self._buffer = self._buffer + data if self._buffer else data
        self._read()

    def write(self, data: bytes) -> None:
        """Send."""
        assert self._transport is not None
        self._transport.write(data)

    def close(self) -> None:
        """Close."""
        if self._transport is not None:
            self._transport.close()

    def _read(self) -> None:
        raise NotImplementedError

    def _cut(self, end: int) -> bytes:
        """Return what lies before `end`, and keep the rest."""
        part, self._buffer = self._buffer[:end], self._buffer[end:]
        return part


class Http(Connection):
    """Requests over one connection, kept alive; answers in the order of the requests."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[Hear] = deque()

    def ask(self, request: bytes, hear: Hear) -> None:
        """Send a request, and have its whole answer heard."""
        self._waiting.append(hear)
        self.write(request)

    async def answer(self, request: bytes) -> bytes:
        """Send a request and return the body of its answer. Raises RuntimeError if that is no success."""
        heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.ask(request, heard.set_result)
        whole = await asyncio.wait_for(heard, 30)
        check(whole)
        return whole.partition(b"\r\n\r\n")[2]

    def _read(self) -> None:
        while (head := self._buffer.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self._buffer, 0, head)
            end = head + 4 + (int(length[1]) if length else 0)
            if len(self._buffer) < end:
                return
            self._waiting.popleft()(self._cut(end))


class Events(Connection):
    """An event stream; hears each message with an id, whole. `hear` is set before it is opened for use."""

    def __init__(self) -> None:
        super().__init__()
        self.hear: Hear = check

    def _read(self) -> None:
        while (end := self._buffer.find(b"\n\n")) >= 0:
            message = self._cut(end + 2)
            begin = message.find(b"\nid: ")
            if begin >= 0:
                self.hear(message[begin + 1 :])


class Socket(Connection):
    """socket.io's text messages over a WebSocket, in one namespace."""

    def __init__(self) -> None:
        super().__init__()
        self._open = False
        self.hear: Hear = check

    def greet(self, port: int) -> None:
        """Ask for a WebSocket. The first message heard is engine.io's greeting."""
        self.write(
            b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
            % port
        )

    def say(self, text: bytes) -> None:
        """Send a text. A client must mask; the mask of zeros leaves the text as it is."""
        length = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
        self.write(bytes([_TEXT]) + length + b"\0\0\0\0" + text)

    def _read(self) -> None:
        if not self._open:
            head = self._buffer.find(b"\r\n\r\n")
            if head < 0:
                return
            answer = self._cut(head + 4)
            if b" 101 " not in answer[:20]:
                raise RuntimeError(answer.decode())
            self._open = True
        while (frame := self._frame()) is not None:
            if frame == _PING:
                self.say(_PONG)
            elif frame:
                self.hear(frame)

    def _frame(self) -> bytes | None:
        """Return the payload of the next whole text frame; None if it has not come yet, b"" for one of another kind."""
        if len(self._buffer) < 2:
            return None
        kind, length, start = self._buffer[0], self._buffer[1], 2
        if length >= 126:
            start = 4 if length == 126 else 10
            if len(self._buffer) < start:
                return None
            length = int.from_bytes(self._buffer[2:start], "big")
        if len(self._buffer) < start + length:
            return None
        payload = self._cut(start + length)[start:]
        if kind == _CLOSE:
            raise EOFError
        return payload if kind == _TEXT else b""


def check(answer: bytes) -> None:
    """Raise RuntimeError if an HTTP answer is no success."""
    if not answer.startswith(b"HTTP/1.1 2"):
        raise RuntimeError(answer[:500].decode(errors="replace"))
