"""People at tables, by the service's own commands or through its API."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import httpx

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
    from app.core import codec

    turn = table.seated(table.seat_of(person.guest.id) or 0).asked_at
    return await moves.move(database, SystemDice(), code, person.session, turn or -1, lambda _: codec.data(move))


async def api_guest(client: httpx.AsyncClient, name: str) -> dict[str, str]:
    """Make a guest through the API; the headers that prove who they are."""
    answer = await client.post("/api/v1/guests", json={"name": name})
    assert answer.status_code == 201
    return {"Authorization": f"Bearer {answer.json()['token']}"}
