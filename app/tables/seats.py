"""Commands before and after a game: make a table, sit, leave, start, rematch. Each is one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import orjson
from sqlalchemy import select

from app.core import codec, engine
from app.db.models import Player, SeatRow, Table, TableEvent
from app.games import Entry, find
from app.tables.codes import new_code
from app.tables.errors import (
    AlreadyStarted,
    Invalid,
    NoSuchGame,
    NotEnoughPlayers,
    NotFinished,
    NotFound,
    NotHost,
    NotYourSeat,
    TableFull,
)
from app.tables.names import unique_name
from app.tables.players import Guest
from app.tables.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy.ext.asyncio import AsyncSession

    from app.db.engine import Database


@dataclass(frozen=True, slots=True)
class Change:
    """What a command did: which table, and whether anything is different now."""

    table_id: int
    code: str
    changed: bool = True


async def create(
    db: Database,
    host: Guest,
    slug: str,
    options: Mapping[str, object],
    visibility: Literal["unlisted", "public"] = "unlisted",
) -> Change:
    """Make a table; the host sits on seat 0. Raises NotFound for an unknown game, Invalid for unknown options."""
    entry, chosen = _entry(slug), chosen_options(slug, options)
    async with db.session.begin() as session:
        table = _new_table(slug, entry, chosen, visibility, host.id)
        session.add(table)
        await session.flush()  # the seat refers to the table
        _sit(session, table, 0, host, host.name)
    return Change(table.id, table.code)


def chosen_options(slug: str, options: Mapping[str, object]) -> dict[str, Any]:
    """Return the options of a game as they are stored: defaults filled in, what depends on the day (UTC) settled.

    Raises NotFound, Invalid.
    """
    try:
        game = _entry(slug).game
        today = datetime.now(UTC).date().isoformat()
        chosen: dict[str, Any] = codec.data(game.resolve_options(codec.load_options(game, options), today))
    except codec.Malformed as problem:
        raise Invalid from problem
    return chosen


def _entry(slug: str, rules: int | None = None) -> Entry:
    entry = find(slug, rules)
    if entry is None:
        raise NoSuchGame
    return entry


def _new_table(slug: str, entry: Entry, options: dict[str, Any], visibility: str, host_id: str) -> Table:
    return Table(
        code=new_code(),
        game=slug,
        rules=entry.game.info.rules,
        options=options,
        visibility=visibility,
        status="open",
        version=0,
        host_id=host_id,
    )


def _sit(session: AsyncSession, table: Table, seat: int, guest: Guest, name: str) -> None:
    session.add(SeatRow(table_id=table.id, seat=seat, player_id=guest.id, name=name))
    _log_seat(session, table, seat, guest.id, name, sits=True)


def _log_seat(session: AsyncSession, table: Table, seat: int, player_id: str | None, name: str, *, sits: bool) -> None:
    table.version += 1
    data = {"player": player_id, "name": name, "sits": sits}
    session.add(TableEvent(table_id=table.id, seq=table.version, type="seat", seat=seat, data=data))


@asynccontextmanager
async def _locked(db: Database, code: str) -> AsyncIterator[tuple[AsyncSession, Table, list[SeatRow]]]:
    """Open a transaction that holds the table's row; seats come in order. Raises NotFound."""
    async with db.session.begin() as session:
        table = await session.scalar(select(Table).where(Table.code == code).with_for_update())
        if table is None:
            raise NotFound
        rows = await session.scalars(select(SeatRow).where(SeatRow.table_id == table.id).order_by(SeatRow.seat))
        yield session, table, list(rows)


def check_free(table: Snapshot, me: str | None) -> None:
    """Refuse to sit down where that cannot succeed now. Raises AlreadyStarted, TableFull."""
    if table.seat_of(me) is not None:
        return
    if table.status != "open":
        raise AlreadyStarted(snapshot=table)
    if len(table.seats) >= table.game.info.max_players:
        raise TableFull(snapshot=table)


async def sit(db: Database, code: str, guest: Guest) -> Change:
    """Give somebody the first free seat; nothing changes if they sit there already.

    Somebody who sits down at an empty table becomes its host. Raises NotFound, AlreadyStarted, TableFull.
    """
    async with _locked(db, code) as (session, table, seats):
        if any(row.player_id == guest.id for row in seats):
            return Change(table.id, table.code, changed=False)
        if table.status != "open":
            raise AlreadyStarted
        taken = {row.seat for row in seats}
        free = [seat for seat in range(_entry(table.game, table.rules).game.info.max_players) if seat not in taken]
        if not free:
            raise TableFull
        if table.host_id is None:
            table.host_id = guest.id
        _sit(session, table, free[0], guest, unique_name(guest.name, [row.name for row in seats]))
        table.moved_at = datetime.now(UTC)
        return Change(table.id, table.code)


async def leave(db: Database, code: str, guest: Guest, seat: int) -> Change:
    """Free a seat before the start: one's own, or any as host. The host's role passes to who sat down first.

    Raises NotFound (also for an empty seat), NotYourSeat, AlreadyStarted.
    """
    async with _locked(db, code) as (session, table, seats):
        row = next((row for row in seats if row.seat == seat), None)
        if row is None:
            raise NotFound
        if guest.id not in (row.player_id, table.host_id):
            raise NotYourSeat
        if table.status != "open":
            raise AlreadyStarted
        await session.delete(row)
        _log_seat(session, table, seat, row.player_id, row.name, sits=False)
        if table.host_id == row.player_id:
            others = sorted((other for other in seats if other is not row), key=lambda other: other.joined_at)
            table.host_id = others[0].player_id if others else None
        return Change(table.id, table.code)


async def start(db: Database, dice: engine.Dice, code: str, guest: Guest) -> Change:
    """Begin the game with who sits there; gaps between seats are closed.

    Raises NotFound, NotHost, AlreadyStarted, NotEnoughPlayers.
    """
    async with _locked(db, code) as (session, table, seats):
        if table.host_id != guest.id:
            raise NotHost
        if table.status != "open":
            raise AlreadyStarted
        game = _entry(table.game, table.rules).game
        if len(seats) < game.info.min_players:
            raise NotEnoughPlayers
        options = codec.load(game.options_type, orjson.dumps(table.options))
        state, events = engine.begin(game, options, len(seats), dice, table.version)
        for event in events:
            _log_event(session, table, codec.event_data(event))
        for number, row in enumerate(seats):
            row.seat = number
            row.asked_at = table.version if number in game.to_act(state) else None
        table.status, table.players = "playing", len(seats)
        table.state = codec.data(state)
        table.started_at = table.moved_at = datetime.now(UTC)
        return Change(table.id, table.code)


def _log_event(session: AsyncSession, table: Table, shown: dict[str, Any]) -> None:
    table.version = shown.pop("n")
    kind = shown.pop("type")
    session.add(TableEvent(table_id=table.id, seq=table.version, type=kind, seat=shown.pop("seat", None), data=shown))


async def rematch(db: Database, code: str, guest: Guest) -> Change:
    """Make the one table that follows a finished one: same game, options and people; who asks first is the host.

    `changed` is False for whoever asks later; the table is the same. Raises NotFound, NotYourSeat, NotFinished.
    """
    async with _locked(db, code) as (session, table, seats):
        if all(row.player_id != guest.id for row in seats):
            raise NotYourSeat
        if table.status != "finished":
            raise NotFinished
        if table.rematch_id is not None:
            following = await session.get_one(Table, table.rematch_id)
            return Change(following.id, following.code, changed=False)
        new = _new_table(table.game, _entry(table.game), table.options, table.visibility, guest.id)
        session.add(new)
        await session.flush()  # the seats refer to the table
        people = _rotated([row.player_id for row in seats if row.player_id is not None])
        found = await session.scalars(select(Player).where(Player.id.in_(people)))
        names = {player.id: player.name for player in found}
        taken: list[str] = []
        for number, player_id in enumerate(people):
            name = unique_name(names[player_id], taken)
            taken.append(name)
            _sit(session, new, number, Guest(player_id, names[player_id]), name)
        table.rematch_id = new.id
        return Change(new.id, new.code)


def _rotated(people: list[str]) -> list[str]:
    """Move everybody on by one seat, so that another person is first where the order of seats counts."""
    return [*people[1:], *people[:1]]
