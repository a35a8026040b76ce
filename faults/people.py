"""People at tables who play by the API as fast as told, write down what they sent, and never give up."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson

from faults.http import Answer, Client, Lost, Stream

API = "/api/v1"
PATIENCE = 30.0
"""Seconds in which a request of unknown fate is sent again."""

STALE = 10.0
"""Seconds within which every page shows what there is."""

Key: TypeAlias = tuple[str, int, int, str]
"""(table, seat, turn, move): what makes a move the same move."""


def normal(move: dict[str, Any]) -> str:
    """Return a move as text; what was picked in any order is the same move."""
    return orjson.dumps(
        {name: sorted(part) if isinstance(part, list) else part for name, part in move.items()},
        option=orjson.OPT_SORT_KEYS,
    ).decode()


@dataclass(slots=True)
class Entry:
    """A move that somebody sent, noted before it was sent."""

    code: str
    token: str
    seat: int
    turn: int
    move: dict[str, Any]
    outcome: Literal["ok", "refused", "unknown"] = "unknown"
    tries: int = 0
    version: int = -1

    @property
    def key(self) -> Key:
        """What makes it the same move when it is sent again."""
        return self.code, self.seat, self.turn, normal(self.move)


@dataclass
class Ledger:
    """Everything that was sent and seen in a run."""

    entries: list[Entry] = field(default_factory=list)
    seen: dict[tuple[str, int, int], bytes] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    faults: list[tuple[int, str, bytes]] = field(default_factory=list)
    ends: dict[tuple[str, int], int] = field(default_factory=dict)
    gaps: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    arrived: list[float] = field(default_factory=list)
    sent_at: dict[tuple[str, int], float] = field(default_factory=dict)
    reconnects: int = 0
    resolved: int = 0
    restarts: int = 0
    over: bool = False
    """Whether nobody shall begin anything any more."""

    def counts(self) -> dict[str, int]:
        """Return how many moves came to which end."""
        found = Counter(entry.outcome for entry in self.entries)
        return {name: found[name] for name in ("ok", "refused", "unknown")} | {"unknown_resolved": self.resolved}

    def saw(self, table: dict[str, Any], viewer: int) -> None:
        """Note what somebody saw of a table; the same version must always look the same to the same seat."""
        if table["state"] is None:
            return
        key = (table["code"], table["version"], viewer)
        state = orjson.dumps(table["state"], option=orjson.OPT_SORT_KEYS)
        if self.seen.setdefault(key, state) != state:
            self.contradictions.append(f"I6: version {key[1]} was seen with two different states")

    def fault(self, answer: Answer) -> None:
        """Note an answer with 5xx."""
        self.faults.append((answer.status, answer.request_id, answer.body))


def pick(actions: list[dict[str, Any]], rng: random.Random) -> dict[str, Any]:
    """Return a random move that one of the actions describes."""
    move = dict(rng.choice(actions))
    for name, part in move.items():
        if isinstance(part, dict) and "pick" in part:
            how = part["pick"]
            chosen = set(rng.sample(range(len(how["from"])), rng.randint(how["min"], how["max"])))
            move[name] = [one for place, one in enumerate(how["from"]) if place in chosen]
    return move


class Gone(Exception):
    """Somebody or something that people rely on is not known any more."""


class Person:
    """A guest with a connection and, at a table, a stream."""

    def __init__(self, ledger: Ledger, seed: int, *ports: int, timeout: float = 8.0) -> None:
        self.ledger = ledger
        self.rng = random.Random(seed)
        self.client = Client(*ports, timeout=timeout)
        self.client.turn = seed
        self.listening = Client(*ports, timeout=timeout)
        self.listening.turn = seed + 1
        self.table: dict[str, Any] = {}
        self.news = asyncio.Event()
        self.shown = -1
        self._down: float | None = None
        self.pause = 0.0

    async def surely(self, method: str, path: str, body: object = None) -> Answer:
        """Ask until there is an answer that is not 5xx. Raises Lost after half a minute, Gone for what must be there."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                answer = await self.client.ask(method, API + path, body if method == "GET" or body else b"{}")
                if answer.status in (401, 404):
                    raise Gone(f"{method} {path.partition('/')[0]}: {answer.status}")
                if answer.status < 500:
                    return self._well(answer)
                self._bad(answer)
            except Lost:
                self._bad(None)
                if time.monotonic() > deadline:
                    raise
            await asyncio.sleep(0.1)

    def _well(self, answer: Answer) -> Answer:
        if self._down is not None:
            self.ledger.gaps.append(time.monotonic() - self._down)
            self._down = None
        return answer

    def _bad(self, answer: Answer | None) -> None:
        if answer is not None:
            self.ledger.fault(answer)
        if self._down is None:
            self._down = time.monotonic()

    async def arrive(self, name: str) -> None:
        """Become a guest."""
        self.client.token = ""
        self.client.token = self.listening.token = (await self.surely("POST", "/guests", {"name": name})).json()[
            "token"
        ]

    async def listen(self, code: str) -> None:
        """Hold the stream of a table until cancelled, and open it again whenever it ends."""
        while True:
            stream = None
            try:
                stream = await Stream.open(self.listening, f"{API}/tables/{code}/stream")
                while True:
                    self._heard(await stream.next())
            except Lost:
                self.ledger.reconnects += 1
                self.listening.turn += 1
                await asyncio.sleep(0.2 * self.rng.random())
            finally:
                if stream is not None:
                    stream.close()

    def _heard(self, message: dict[bytes, bytes]) -> None:
        if message.get(b"event") == b"restart":
            self.ledger.restarts += 1
        if message.get(b"event") != b"table":
            return
        table = orjson.loads(message[b"data"])
        version = table["version"]
        sent = self.ledger.sent_at.get((table["code"], version))
        if sent is not None and version > self.shown:
            self.ledger.arrived.append(time.monotonic() - sent)
        self.take(table)
        if version < self.shown:
            self.ledger.contradictions.append(f"I4: a stream went from version {self.shown} down to {version}")
        self.shown = max(self.shown, version)
        self.ledger.ends[table["code"], id(self)] = self.shown

    def take(self, table: dict[str, Any]) -> None:
        """Have a table as it was told, unless a newer one is known."""
        you = table["you"]
        self.ledger.saw(table, -1 if you is None else you["seat"])
        if not self.table or self.table["code"] != table["code"] or table["version"] >= self.table["version"]:
            self.table = table
            self.news.set()

    async def play(self) -> None:
        """Move whenever asked until the game is over or nobody wants to go on."""
        done: set[int] = set()
        while self.table["status"] == "playing" and not self.ledger.over:
            you = self.table["you"]
            if you["turn"] is None or you["turn"] in done:
                self.news.clear()
                await self.news.wait()
                continue
            done.add(you["turn"])
            if self.ledger.over:
                return
            if self.pause:
                await asyncio.sleep(self.pause * self.rng.uniform(0.5, 1.5))
            entry = await self.send(you["turn"], pick(you["actions"], self.rng))
            if entry.outcome == "refused":  # never, unless the server takes back what it has said
                await asyncio.sleep(0.1)
                done.discard(you["turn"])

    async def send(self, turn: int, move: dict[str, Any]) -> Entry:
        """Send a move; while its fate is open, send it again under the same turn."""
        entry = Entry(self.table["code"], self.client.token, self.table["you"]["seat"], turn, move)
        self.ledger.entries.append(entry)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            entry.tries += 1
            begun = time.monotonic()
            try:
                body = {"turn": turn, "move": move}
                answer = await self.client.post(f"{API}/tables/{entry.code}/moves", body)
            except Lost:
                self._bad(None)
                await asyncio.sleep(0.1)
                continue
            if answer.status >= 500:
                self._bad(answer)
                await asyncio.sleep(0.2)
                continue
            self._end(entry, self._well(answer), begun)
            break
        return entry

    def _end(self, entry: Entry, answer: Answer, begun: float) -> None:
        self.ledger.resolved += entry.tries > 1
        body = answer.json()
        table = body if answer.status == 200 else body.get("table")
        entry.outcome = "ok" if answer.status == 200 else "refused"
        if table is not None:
            entry.version = table["version"]
            if answer.status == 200 and entry.tries == 1:
                self.ledger.answered.append(time.monotonic() - begun)
                self.ledger.sent_at.setdefault((entry.code, entry.version), begun)
            self.take(table)

    def close(self) -> None:
        """Close all connections."""
        self.client.close()


class Company:
    """People who play one table after the other."""

    def __init__(
        self,
        ledger: Ledger,
        number: int,
        size: int,
        *ports: int,
        game: str = "yacht",
        pause: float = 0.0,
        bots: int = 0,
        timeout: float = 8.0,
    ) -> None:
        self.ledger = ledger
        self.people = [Person(ledger, number * 100 + seat, *ports, timeout=timeout) for seat in range(size)]
        self.game = game
        self.bots = bots
        self.delay = 0.0
        for person in self.people:
            person.pause = pause

    async def open(self) -> str:
        """Make a table, sit down and start. Returns its code."""
        host = self.people[0]
        for person in self.people:
            if not person.client.token:
                await person.arrive("Ana")
        code: str = (await host.surely("POST", "/tables", {"game": self.game})).json()["code"]
        for person in self.people[1:]:
            await person.surely("POST", f"/tables/{code}/seats")
        for _ in range(self.bots):
            await host.surely("POST", f"/tables/{code}/seats", {"bot": "easy"})
        await host.surely("POST", f"/tables/{code}/start")
        for person in self.people:
            person.shown = -1
            person.take((await person.surely("GET", f"/tables/{code}")).json())
        return code

    async def play(self) -> None:
        """Play game after game until the ledger says that it is over, the first after `delay` seconds."""
        await asyncio.sleep(self.delay)
        try:
            while not self.ledger.over:
                await self.game_of(await self.open())
        except (Gone, Lost) as problem:
            self.ledger.contradictions.append(f"I1: a table or a person is gone ({problem})")

    def wake(self) -> None:
        """Have everybody look whether it is over."""
        for person in self.people:
            person.news.set()

    async def game_of(self, code: str) -> None:
        """Play one game to its end."""
        listening = [asyncio.create_task(person.listen(code)) for person in self.people]
        try:
            await asyncio.gather(*(person.play() for person in self.people))
            await self._all_see(code)
        finally:
            for task in listening:
                task.cancel()
            await asyncio.gather(*listening, return_exceptions=True)

    async def _all_see(self, code: str) -> None:
        """Check that every stream comes to the table's version by itself (I4)."""
        version = (await self.people[0].surely("GET", f"/tables/{code}")).json()["version"]
        deadline = time.monotonic() + STALE
        while (low := min(person.shown for person in self.people)) < version:
            if time.monotonic() > deadline:
                self.ledger.contradictions.append(f"I4: after {STALE} s a page still shows {low}, not {version}")
                return
            await asyncio.sleep(0.05)

    def close(self) -> None:
        """Close all connections."""
        for person in self.people:
            person.close()


async def drive(companies: list[Company], while_: Awaitable[None], patience: float = 90.0) -> None:
    """Have companies play while something else goes on, then let everybody end what they are at."""
    ledger = companies[0].ledger
    playing = [asyncio.create_task(company.play()) for company in companies]
    try:
        await while_
        ledger.over = True
        for company in companies:
            company.wake()
        async with asyncio.timeout(patience):
            await asyncio.gather(*playing)
    except TimeoutError:
        ledger.contradictions.append(f"I4: after {patience} s somebody still waits")
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        for company in companies:
            company.close()
