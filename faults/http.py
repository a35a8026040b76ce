"""A small HTTP/1.1 client on plain sockets. Whatever leaves the fate of a request open is `Lost`."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Self

import orjson

from bench import http

_ID = re.compile(rb"x-request-id: (\w+)", re.IGNORECASE)
_RETRY = re.compile(rb"retry-after: (\d+)", re.IGNORECASE)

LIMIT = 1 << 20


class Lost(Exception):
    """No answer came: the request was done or not."""


class Answer(http.Answer):
    """An answer, and what a program wants to know of one that went wrong."""

    __slots__ = ()

    @property
    def request_id(self) -> str:
        """What the host's log calls this request."""
        found = _ID.search(self.head)
        return found[1].decode() if found else ""

    @property
    def retry_after(self) -> bool:
        """Whether the answer says when to try again."""
        return _RETRY.search(self.head) is not None

    def json(self) -> Any:
        """Return the body."""
        return orjson.loads(self.body)


class Client:
    """A connection, kept alive and made anew when it breaks; `ports`: the servers to choose from, the next after each break."""

    def __init__(self, *ports: int, token: str = "", timeout: float = 8.0) -> None:
        self.ports = ports
        self.token = token
        self.timeout = timeout
        self.turn = 0
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    @property
    def port(self) -> int:
        """The server that is asked at present."""
        return self.ports[self.turn % len(self.ports)]

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a fresh connection. Raises OSError."""
        return await asyncio.open_connection("127.0.0.1", self.port, limit=LIMIT)

    def head(self, method: str, path: str, extra: str = "") -> bytes:
        """Return the head of a request."""
        token = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{token}{extra}\r\n".encode()

    async def ask(self, method: str, path: str, body: object = None, extra: str = "") -> Answer:
        """Send a request with a JSON body (or bytes as they are) and return its answer. Raises Lost."""
        content = b"" if body is None else body if isinstance(body, bytes) else orjson.dumps(body)
        if body is not None:
            kind = "" if "content-type" in extra.lower() else "Content-Type: application/json\r\n"
            extra += f"{kind}Content-Length: {len(content)}\r\n"
        try:
            async with asyncio.timeout(self.timeout):
                return await self._exchange(self.head(method, path, extra) + content, bare=method == "HEAD")
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError) as problem:
            self.close()
            self.turn += 1
            raise Lost(repr(problem)) from problem

    async def _exchange(self, request: bytes, *, bare: bool) -> Answer:
        if self._open is None:
            self._open = await self.connect()
        reader, writer = self._open
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = http.LENGTH.search(head)
        body = await reader.readexactly(int(length[1])) if length and not bare else b""
        if b"connection: close" in head.lower():
            self.close()
        return Answer(int(head[9:12]), head, body)

    async def get(self, path: str) -> Answer:
        """GET. Raises Lost."""
        return await self.ask("GET", path)

    async def post(self, path: str, body: object = None) -> Answer:
        """POST JSON. Raises Lost."""
        return await self.ask("POST", path, body if body is not None else b"")

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            self._open[1].close()
            self._open = None


class Stream:
    """An open event stream; `next` returns the name, id and data of each message."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = b""

    @classmethod
    async def open(cls, client: Client, path: str) -> Self:
        """Open a stream. Raises Lost."""
        try:
            async with asyncio.timeout(client.timeout):
                reader, writer = await client.connect()
                writer.write(client.head("GET", path, "Accept: text/event-stream\r\n"))
                head = await reader.readuntil(b"\r\n\r\n")
        except (OSError, EOFError, TimeoutError) as problem:
            raise Lost(repr(problem)) from problem
        if b" 200 " not in head[:20]:
            writer.close()
            raise Lost(head[:20].decode())
        return cls(reader, writer)

    async def next(self, patience: float = 5.0) -> dict[bytes, bytes]:
        """Return the next message, beats too, by the names of its fields. Raises Lost after a silence or at the end."""
        try:
            async with asyncio.timeout(patience):
                while (end := self._buffer.find(b"\n\n")) < 0:
                    self._buffer += await http.chunk(self._reader)
        except (OSError, EOFError, TimeoutError, ValueError) as problem:
            raise Lost(repr(problem)) from problem
        message, self._buffer = self._buffer[:end], self._buffer[end + 2 :]
        fields = (line.partition(b":") for line in message.split(b"\n"))
        return {name: value.strip() for name, _, value in fields}

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()
