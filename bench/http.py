"""A small HTTP/1.1 client on plain sockets, so that the driver costs less than what it measures."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Self

LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_COOKIE = re.compile(rb"set-cookie: (?:__Host-)?sid=([^;]+)", re.IGNORECASE)
_LOCATION = re.compile(rb"location: (\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    head: bytes
    body: bytes

    @property
    def location(self) -> str:
        """Where the answer sends the browser."""
        found = _LOCATION.search(self.head)
        return found[1].decode() if found else ""


async def chunk(reader: asyncio.StreamReader) -> bytes:
    """Return the next piece of a body of unknown length. Raises EOFError at its end."""
    size = int(await reader.readline() or b"0", 16)
    if size == 0:
        raise EOFError
    return (await reader.readexactly(size + 2))[:-2]


class Client:
    """One connection, kept alive; remembers the session it is given."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.session = ""
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        return self._reader, self._writer

    def _head(self, method: str, path: str, extra: str = "") -> bytes:
        cookie = f"Cookie: sid={self.session}\r\n" if self.session else ""
        return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{cookie}{extra}\r\n".encode()

    async def request(self, method: str, path: str, body: bytes = b"", extra: str = "") -> Answer:
        """Send a request and return its answer."""
        reader, writer = await self._connect()
        if method == "POST":
            extra += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        writer.write(self._head(method, path, extra) + body)
        head = await reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(head)
        content = await reader.readexactly(int(length[1])) if length else b""
        if cookie := _COOKIE.search(head):
            self.session = cookie[1].decode()
        return Answer(int(head[9:12]), head, content)

    async def get(self, path: str, extra: str = "") -> Answer:
        """GET."""
        return await self.request("GET", path, extra=extra)

    async def post(self, path: str, fields: str = "", *, htmx: bool = False) -> Answer:
        """POST a form, as htmx does or as a plain browser."""
        return await self.request("POST", path, fields.encode(), "HX-Request: true\r\n" if htmx else "")

    def close(self) -> None:
        """Close the connection."""
        if self._writer is not None:
            self._writer.close()


class Stream:
    """An open event stream; `next` returns (version, message), skipping signs of life."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = b""

    @classmethod
    async def open(cls, client: Client, path: str) -> Self:
        """Open the stream of a table with the session of `client`."""
        reader, writer = await asyncio.open_connection("127.0.0.1", client._port, limit=1 << 20)  # noqa: SLF001  # the two belong together
        writer.write(client._head("GET", path, "Accept: text/event-stream\r\n"))  # noqa: SLF001  # as above
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head[:20]:
            raise RuntimeError(head.decode())
        return cls(reader, writer)

    async def next(self) -> tuple[int, bytes]:
        """Wait for the next state of the table."""
        while True:
            end = self._buffer.find(b"\n\n")
            if end < 0:
                self._buffer += await chunk(self._reader)
                continue
            message, self._buffer = self._buffer[:end], self._buffer[end + 2 :]
            if message.startswith(b"id: "):
                return int(message[4 : message.index(b"\n")]), message

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()
