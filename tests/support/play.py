"""People at tables, by the service's own commands or through its API."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

import httpx
import orjson

from app.core import codec, engine
from app.db.engine import Database
from app.tables import moves, players, queries, seats
from app.tables.dice import SystemDice
from app.tables.players import Guest, token_hash
from app.tables.snapshot import Snapshot
from tests.support.games import random_move


@dataclass(frozen=True)
class Someone:
    """A guest with a session."""

    guest: Guest
    token: str

    @property
    def session(self) -> bytes:
        return token_hash(self.token)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


async def someone(database: Database, name: str) -> Someone:
    return Someone(*await players.new_guest(database, name, "en"))


async def started(
    database: Database, names: tuple[str, ...] = ("Ana", "Bo"), **options: object
) -> tuple[str, list[Someone]]:
    """Return the code of a running Yacht table and its people, host first."""
    people = [await someone(database, name) for name in names]
    made = await seats.create(database, people[0].guest, "yacht", {"first_player": "host", **options})
    for person in people[1:]:
        await seats.sit(database, made.code, person.guest)
    await seats.start(database, SystemDice(), made.code, people[0].guest)
    return made.code, people


async def play_to_end(database: Database, code: str, people: list[Someone], seed: int = 1) -> Snapshot:
    """Play random legal moves until the game is over."""
    chance = random.Random(seed)
    while True:
        table, _ = await queries.load(database, code, None)
        if table.status != "playing":
            return table
        seat = next(seated for seated in table.seats if seated.asked_at is not None)
        move = random_move(table.game, table.state, seat.seat, chance)
        person = next(one for one in people if one.guest.id == seat.player_id)
        await make(database, code, person, table, move)


async def make(database: Database, code: str, person: Someone, table: Snapshot, move: Any) -> moves.Made:
    """Make a move under the person's present turn."""
    turn = table.seated(table.seat_of(person.guest.id) or 0).asked_at
    return await moves.move(database, SystemDice(), code, person.session, turn or -1, lambda _: codec.data(move))


async def api_guest(client: httpx.AsyncClient, name: str) -> dict[str, str]:
    """Make a guest through the API; the headers that prove who they are."""
    answer = await client.post("/api/v1/guests", json={"name": name})
    assert answer.status_code == 201
    return {"Authorization": f"Bearer {answer.json()['token']}"}


async def send(
    database: Database, code: str, person: Someone, turn: int, raw: object, dice: engine.Dice | None = None
) -> moves.Made:
    """Send a move as plain JSON data under a turn of the caller's choice."""
    return await moves.move(database, dice or SystemDice(), code, person.session, turn, lambda _: raw)


async def present(database: Database, code: str) -> Snapshot:
    """Return the table as it is now."""
    return (await queries.load(database, code, None))[0]


@asynccontextmanager
async def another(database: Database) -> AsyncIterator[Database]:
    """Give the connections of a second worker on the same database."""
    second = Database(database.url)
    await second.connect()
    try:
        yield second
    finally:
        await second.close()


async def check_logs(database: Database) -> int:
    """Check all tables of a database; return how many events there are.

    I1: the events are numbered 1…n without gaps. I2: the version is n. I3: state, outcome and who is asked are what
    the kept events lead to.
    """
    seen = 0
    for code in [row["code"] for row in await database.pool.fetch("SELECT code FROM tables ORDER BY id")]:
        table = await present(database, code)
        rows = await database.pool.fetch("SELECT seq FROM table_events WHERE table_id = $1 ORDER BY seq", table.id)
        assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
        assert table.version == len(rows)
        seen += len(rows)
        if table.players is None:
            assert table.state is None
            continue
        events = await queries.kept_events(database, table)
        state = engine.fold(table.game, table.options, table.players, events)
        stored = await database.pool.fetchval("SELECT state::text FROM tables WHERE id = $1", table.id)
        assert state == table.state
        assert orjson.loads(stored) == codec.data(state)
        assert table.outcome == table.game.outcome(state)
        assert (table.status == "finished") == (table.outcome is not None)
        asked = {seated.seat for seated in table.seats if seated.asked_at is not None}
        assert asked == (table.game.to_act(state) if table.status == "playing" else frozenset())
    return seen


async def until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Wait until something holds; it may have to be awaited. Raises AssertionError after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (await held if isawaitable(held := condition()) else held):
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)


async def opened(database: Database, *names: str) -> tuple[str, list[Someone]]:
    """Return the code of a table that is not started yet and its people, host first."""
    people = [await someone(database, name) for name in names]
    made = await seats.create(database, people[0].guest, "yacht", {"first_player": "host"})
    for person in people[1:]:
        await seats.sit(database, made.code, person.guest)
    return made.code, people


def names(table: Snapshot) -> list[str]:
    return [seated.name for seated in table.seats]
