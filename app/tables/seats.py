"""Commands before and after a game: make a table, sit, add a bot, leave, start, rematch. Each is one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

import orjson
from sqlalchemy import func, select

from app.core import codec, engine
from app.core.bot import Level
from app.db.models import Player, SeatRow, Table, TableEvent
from app.games import Entry, find
from app.tables.clocks import CLOCKS
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
from app.tables.names import bot_name, unique_name
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
    clock: str = "none",
) -> Change:
    """Make a table; the host sits on seat 0. Raises NotFound for an unknown game, Invalid for an unknown option."""
    entry, chosen = _entry(slug), check_choices(slug, options, clock)
    async with db.session.begin() as session:
        table = _new_table(slug, entry, chosen, host.id)
        table.visibility, table.clock = visibility, clock
        session.add(table)
        await session.flush()  # the seat refers to the table
        _sit(session, table, 0, host, host.name)
    return Change(table.id, table.code)


def check_choices(slug: str, options: Mapping[str, object], clock: str) -> dict[str, Any]:
    """Return the options of a game as they are stored: defaults filled in, what depends on the day (UTC) settled.

    Raises NotFound; Invalid, also for an unknown clock.
    """
    if clock not in CLOCKS:
        raise Invalid
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


def _new_table(slug: str, entry: Entry, options: dict[str, Any], host_id: str) -> Table:
    return Table(
        code=new_code(),
        game=slug,
        rules=entry.game.info.rules,
        options=options,
        status="open",
        version=0,
        host_id=host_id,
    )


def _sit(session: AsyncSession, table: Table, seat: int, guest: Guest, name: str) -> SeatRow:
    row = SeatRow(table_id=table.id, seat=seat, player_id=guest.id, name=name)
    return _seat(session, table, row)


def _sit_bot(session: AsyncSession, table: Table, seat: int, level: Level, taken: Sequence[str]) -> SeatRow:
    name = bot_name(taken)
    return _seat(session, table, SeatRow(table_id=table.id, seat=seat, player_id=None, name=name, bot=level))


def _seat(session: AsyncSession, table: Table, row: SeatRow) -> SeatRow:
    session.add(row)
    _log_seat(session, table, row, sits=True)
    return row


def _log_seat(session: AsyncSession, table: Table, row: SeatRow, *, sits: bool) -> None:
    table.version += 1
    seat = row.seat
    data = {"player": row.player_id, "name": row.name, "sits": sits, "bot": row.bot}
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
        if table.host_id is None:
            table.host_id = guest.id
        _sit(session, table, _free_seat(table, seats), guest, unique_name(guest.name, [row.name for row in seats]))
        table.moved_at = datetime.now(UTC)
        return Change(table.id, table.code)


def _free_seat(table: Table, seats: Sequence[SeatRow]) -> int:
    """Return the first free seat. Raises TableFull."""
    taken = {row.seat for row in seats}
    free = [seat for seat in range(_entry(table.game, table.rules).game.info.max_players) if seat not in taken]
    if not free:
        raise TableFull
    return free[0]


async def add_bot(db: Database, code: str, guest: Guest, level: str) -> Change:
    """Put a bot on the first free seat, as host.

    Raises NotFound, NotHost, AlreadyStarted, TableFull; Invalid for a level that the game has not.
    """
    async with _locked(db, code) as (session, table, seats):
        if table.host_id != guest.id:
            raise NotHost
        if table.status != "open":
            raise AlreadyStarted
        known = _level(table, level)
        _sit_bot(session, table, _free_seat(table, seats), known, [row.name for row in seats])
        table.moved_at = datetime.now(UTC)
        return Change(table.id, table.code)


def _level(table: Table, level: str) -> Level:
    found = next((bot.level for bot in _entry(table.game, table.rules).bots if bot.level == level), None)
    if found is None:
        raise Invalid
    return found


async def leave(db: Database, code: str, guest: Guest, seat: int) -> Change:
    """Free a seat before the start: one's own, or any as host. The host's role passes to the person who sat down first.

    Bots leave with the last person. Raises NotFound (also for an empty seat), NotYourSeat, AlreadyStarted.
    """
    async with _locked(db, code) as (session, table, seats):
        row = next((row for row in seats if row.seat == seat), None)
        if row is None:
            raise NotFound
        if guest.id not in (row.player_id, table.host_id):
            raise NotYourSeat
        if table.status != "open":
            raise AlreadyStarted
        people = [other for other in seats if other is not row and other.player_id is not None]
        # bots go with the last person: nobody could free their seats
        for gone in [row] if people else [row, *(other for other in seats if other is not row)]:
            await session.delete(gone)
            _log_seat(session, table, gone, sits=False)
        if table.host_id == row.player_id:
            others = sorted(people, key=lambda other: other.joined_at)
            table.host_id = others[0].player_id if others else None
        return Change(table.id, table.code)


async def start(db: Database, dice: engine.Dice, code: str, guest: Guest, fill: str | None = None) -> Change:
    """Begin the game with who sits there; gaps between seats are closed.

    `fill`: put bots of this level on seats first, as many as it takes, but at least one. Raises NotFound, NotHost,
    AlreadyStarted, NotEnoughPlayers; TableFull and Invalid as `add_bot` does.
    """
    async with _locked(db, code) as (session, table, seats):
        if table.host_id != guest.id:
            raise NotHost
        if table.status != "open":
            raise AlreadyStarted
        game = _entry(table.game, table.rules).game
        if fill is not None:
            _fill(session, table, seats, fill, max(len(seats) + 1, game.info.min_players))
        if len(seats) < game.info.min_players:
            raise NotEnoughPlayers
        options = codec.load(game.options_type, orjson.dumps(table.options))
        state, events = engine.begin(game, options, len(seats), dice, table.version)
        for event in events:
            _log_event(session, table, codec.event_data(event))
        for number, row in enumerate(sorted(seats, key=lambda row: row.seat)):
            row.seat = number
            if number in game.to_act(state):
                _ask(table, row)
        table.status, table.players = "playing", len(seats)
        table.state = codec.data(state)
        table.started_at = table.moved_at = datetime.now(UTC)
        table.wake_at = func.now()  # whoever looks first works out when there is something to do
        return Change(table.id, table.code)


def _fill(session: AsyncSession, table: Table, seats: list[SeatRow], level: str, wanted: int) -> None:
    known = _level(table, level)
    while len(seats) < wanted:
        seats.append(_sit_bot(session, table, _free_seat(table, seats), known, [row.name for row in seats]))


def _ask(table: Table, row: SeatRow) -> None:
    """Ask a seat its first question; its time begins with this transaction, by the database's clock."""
    clock = CLOCKS[table.clock]
    row.asked_at = table.version
    row.asked_since = func.now()
    if clock.runs:
        row.reserve = clock.reserve
    if clock.runs and row.bot is None:
        row.deadline = func.now() + timedelta(seconds=clock.move + clock.reserve)


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
        new = _new_table(table.game, _entry(table.game), table.options, guest.id)
        new.visibility, new.clock = table.visibility, table.clock
        session.add(new)
        await session.flush()  # the seats refer to the table
        await _sit_again(session, new, [row for row in seats if row.player_id is not None or row.bot is not None])
        table.rematch_id = new.id
        return Change(new.id, new.code)


async def _sit_again(session: AsyncSession, new: Table, seats: Sequence[SeatRow]) -> None:
    """Seat everybody one place on, so that another one is first where the order of seats counts; bots come along."""
    found = await session.scalars(select(Player).where(Player.id.in_([row.player_id for row in seats])))
    names = {player.id: player.name for player in found}
    taken: list[str] = []
    for number, row in enumerate([*seats[1:], *seats[:1]]):
        if row.player_id is None:
            sat = _sit_bot(session, new, number, _level(new, row.bot or ""), taken)
        else:
            known = Guest(row.player_id, names[row.player_id])
            sat = _sit(session, new, number, known, unique_name(known.name, taken))
        taken.append(sat.name)
