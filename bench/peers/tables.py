"""A table with two clients on each kind of server: opened, moved at, heard."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Protocol

import orjson

from bench.peers.connections import Events, Http, Socket, check
from bench.peers.game import ENTRY

SLUG = ENTRY.game.info.slug

_ID = re.compile(rb"id: (\d+)\n")
_TURN = re.compile(rb'"turn":(\d+)')
_STATE = re.compile(rb'"_stateID":(\d+)')
_EVENTS_A_MOVE = 2  # a move, and the roll that follows it


class Ears(Protocol):
    """Who is told what a table's clients hear."""

    def answered(self, move: int) -> None:
        """The mover of the `move`-th move, counted from 1, has its answer."""

    def seen(self, seat: int, move: int, size: int) -> None:
        """The client in `seat` has a message of `size` bytes with the state after the `move`-th move."""


class Table(Protocol):
    """What the driver needs of a table."""

    async def open(self, ears: Ears) -> None:
        """Make the table and connect both clients."""

    def move(self, seat: int) -> None:
        """Send the move of the seat whose turn it is."""

    def close(self) -> None:
        """Disconnect."""


def http_request(port: int, path: str, body: dict[str, Any] | None = None, extra: str = "") -> bytes:
    """Return a request: GET, or with a body POST of JSON."""
    content = b"" if body is None else orjson.dumps(body)
    sent = "" if body is None else f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    method = "GET" if body is None else "POST"
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{extra}{sent}\r\n".encode() + content


class KnobelTable:
    """A table of this service: moves by POST over a connection kept alive, the state by an event stream."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._path = ""
        self._base = 0
        self._tokens: list[str] = []
        self._turns = [b"", b""]
        self._https: list[Http] = []
        self._streams: list[Events] = []
        self._moves = 0

    async def open(self, ears: Ears) -> None:
        """Make two guests and a table, sit down, start, open both streams and wait for their first messages."""
        self._ears = ears
        self._https = [await Http.open(self._port) for _ in range(2)]
        for http in self._https:
            guest = orjson.loads(await http.answer(http_request(self._port, "/api/v1/guests", {})))
            self._tokens.append(f"Authorization: Bearer {guest['token']}\r\n")
        made = await self._command(0, "/api/v1/tables", {"game": SLUG})
        self._path = f"/api/v1/tables/{made['code']}"
        await self._command(1, f"{self._path}/seats", {})
        begun = await self._command(0, f"{self._path}/start", {})
        self._base = begun["version"]
        first = [asyncio.get_running_loop().create_future() for _ in range(2)]
        for seat in range(2):
            await self._listen(seat, first[seat])
        await asyncio.wait_for(asyncio.gather(*first), 30)

    async def _command(self, seat: int, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self._https[seat].answer(http_request(self._port, path, body, self._tokens[seat]))
        found: dict[str, Any] = orjson.loads(answer)
        return found

    async def _listen(self, seat: int, first: asyncio.Future[None]) -> None:
        stream = await Events.open(self._port)

        def hear(message: bytes) -> None:
            version, turn = _ID.match(message), _TURN.search(message)
            assert version
            self._turns[seat] = turn[1] if turn else b""
            if not first.done():
                first.set_result(None)
            self._ears.seen(seat, (int(version[1]) - self._base) // _EVENTS_A_MOVE, len(message))

        stream.hear = hear
        stream.write(http_request(self._port, f"{self._path}/stream", None, self._tokens[seat]))
        self._streams.append(stream)

    def move(self, seat: int) -> None:
        """Send the move of the seat whose turn it is, under the turn its stream has told."""
        self._moves = number = self._moves + 1

        def hear(answer: bytes) -> None:
            check(answer)
            self._ears.answered(number)

        body = {"turn": int(self._turns[seat]), "move": {"kind": "roll"}}
        self._https[seat].ask(http_request(self._port, f"{self._path}/moves", body, self._tokens[seat]), hear)

    def close(self) -> None:
        """Disconnect."""
        for connection in (*self._https, *self._streams):
            connection.close()


class BoardgameTable:
    """A match of boardgame.io, as its own client plays it: everything over socket.io, the whole state each time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._match = ""
        self._credentials: list[str] = []
        self._sockets: list[Socket] = []
        self._moves = 0

    async def open(self, ears: Ears) -> None:
        """Make a match, join it twice, connect both clients and wait for their first state."""
        self._ears = ears
        http = await Http.open(self._port)
        made = await http.answer(http_request(self._port, f"/games/{SLUG}/create", {"numPlayers": 2}))
        self._match = orjson.loads(made)["matchID"]
        for seat in range(2):
            join = {"playerID": str(seat), "playerName": f"p{seat}"}
            joined = await http.answer(http_request(self._port, f"/games/{SLUG}/{self._match}/join", join))
            self._credentials.append(orjson.loads(joined)["playerCredentials"])
        http.close()
        for seat in range(2):
            await self._connect(seat)

    async def _connect(self, seat: int) -> None:
        socket = await Socket.open(self._port)
        first = asyncio.get_running_loop().create_future()
        update = b'42/%b,["update",' % SLUG.encode()

        def hear(message: bytes) -> None:
            if message.startswith(b"0"):
                socket.say(b"40/%b," % SLUG.encode())
            elif message.startswith(b"40"):
                self._emit(socket, "sync", self._match, str(seat), self._credentials[seat], 2)
            elif message.startswith(update):
                self._heard(seat, message)
            elif b'"sync"' in message[:40]:
                first.set_result(None)

        socket.hear = hear
        socket.greet(self._port)
        await asyncio.wait_for(first, 30)
        self._sockets.append(socket)

    def _heard(self, seat: int, message: bytes) -> None:
        # the log of the last move has the number before it
        move = max(map(int, _STATE.findall(message)))
        if (move - 1) % 2 == seat:
            self._ears.answered(move)
        self._ears.seen(seat, move, len(message))

    def _emit(self, socket: Socket, *words: Any) -> None:
        socket.say(b"42/%b,%b" % (SLUG.encode(), orjson.dumps(words)))

    def move(self, seat: int) -> None:
        """Send the move of the seat whose turn it is."""
        payload = {"type": "roll", "args": [], "playerID": str(seat), "credentials": self._credentials[seat]}
        action = {"type": "MAKE_MOVE", "payload": payload}
        self._emit(self._sockets[seat], "update", action, self._moves, self._match, str(seat))
        self._moves += 1

    def close(self) -> None:
        """Disconnect."""
        for socket in self._sockets:
            socket.close()
