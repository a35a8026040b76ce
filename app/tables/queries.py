"""Reads. `load` is the only way to a table; what may be shown of it is decided by its view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
import structlog

from app.core import codec
from app.core.events import Event
from app.games import find
from app.tables.clocks import CLOCKS
from app.tables.errors import NotFound
from app.tables.names import shown_name
from app.tables.snapshot import Point, Seated, Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    import asyncpg

    from app.db.engine import Database, Executor, Pool

log = structlog.get_logger(__name__)

_FIELDS = {"seat": {"player", "name", "sits"}, "vote": {"vote"}}
"""What rows of the log must have that are neither moves nor chance, by type."""

_TABLE = """
SELECT t.id, t.code, t.game, t.rules, t.options::text AS options, t.visibility, t.status, t.version, t.host_id,
       t.players, t.state::text AS state, t.outcome::text AS outcome, t.undo_seat, t.undo_from, t.started_at,
       t.finished_at, t.clock, t.wake_at, extract(epoch FROM now())::float8 AS at,
       (SELECT r.code FROM tables r WHERE r.id = t.rematch_id) AS rematch,
       (SELECT jsonb_agg(jsonb_build_array(s.seat, s.player_id, s.name, s.asked_at, coalesce(p.until > now(), false),
                 s.bot, extract(epoch FROM s.asked_since), s.reserve, extract(epoch FROM s.deadline), s.flagged_at,
                 s.vote, extract(epoch FROM greatest(s.seen_at, p.until))) ORDER BY s.seat)
          FROM seats s LEFT JOIN LATERAL (SELECT max(p.until) AS until FROM presence p
                 WHERE p.table_id = s.table_id AND p.player_id = s.player_id) p ON true
         WHERE s.table_id = t.id)::text AS seats,
       (SELECT jsonb_agg(jsonb_build_array(p.seat, p.target) ORDER BY p.until)
          FROM points p WHERE p.table_id = t.id AND p.until > now())::text AS points
"""
# what is put together here are constants; values travel as parameters
_BY_CODE = f"""{_TABLE}, (SELECT player_id FROM sessions WHERE token_hash = $2 AND expires_at > now()) AS me
  FROM tables t WHERE t.code = $1"""  # noqa: S608  # as the comment says
_BY_ID = f"{_TABLE} FROM tables t WHERE t.id = $1"
_MINE = f"""{_TABLE} FROM tables t JOIN seats m ON m.table_id = t.id WHERE m.player_id = $1
   AND (t.status IN ('open', 'playing') OR t.moved_at > now() - interval '30 days')
 ORDER BY t.status IN ('open', 'playing') DESC, (t.status = 'playing' AND m.asked_at IS NOT NULL) DESC, t.moved_at DESC
 LIMIT 50"""
_PUBLIC = f"""{_TABLE} FROM tables t
 WHERE t.visibility = 'public' AND t.status = 'open' AND t.moved_at > now() - interval '1 day'
   AND t.host_id IS NOT NULL
 ORDER BY EXISTS (SELECT FROM presence p WHERE p.table_id = t.id AND p.until > now()) DESC, t.moved_at DESC
 LIMIT 30"""
MOST_OPEN = 12
"""Open tables shown on the start page."""

_LOG = """
SELECT seq, type, seat, data::text AS data, undone FROM table_events
WHERE table_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq
"""
_KEPT = """
SELECT seq, type, seat, data::text AS data FROM table_events
WHERE table_id = $1 AND seq <= $2 AND type IN ('move', 'chance') AND NOT undone ORDER BY seq
"""


async def load(db: Database, code: str, token_hash: bytes | None) -> tuple[Snapshot, str | None]:
    """Return the table with this code, and the id of the player whom the session belongs to. Raises NotFound."""
    return await load_on(db.pool, code, token_hash)


async def load_on(on: Executor, code: str, token_hash: bytes | None) -> tuple[Snapshot, str | None]:
    """Do as `load`, on a connection that is at hand."""
    row = await on.fetchrow(_BY_CODE, code, token_hash)
    if row is None:
        raise NotFound
    return snapshot(row), row["me"]


async def load_by_id(db: Database, table_id: int) -> Snapshot:
    """Return the table with this id. Raises NotFound."""
    return await read(db.pool, table_id)


async def read(connection: Pool | asyncpg.Connection[Any], table_id: int) -> Snapshot:
    """Return the table with this id as this connection sees it. Raises NotFound."""
    row = await connection.fetchrow(_BY_ID, table_id)
    if row is None:
        raise NotFound
    return snapshot(row)


async def open_tables(db: Database) -> list[Snapshot]:
    """Return the tables anybody may sit down at: public, waiting, with a free seat and a person; the lively first."""
    found = _readable(await db.pool.fetch(_PUBLIC))
    return [table for table in found if len(table.seats) < table.game.info.max_players][:MOST_OPEN]


async def tables_of(db: Database, player_id: str) -> list[Snapshot]:
    """Return the tables somebody sits at: running ones first, those with their turn before the others."""
    return _readable(await db.pool.fetch(_MINE, player_id))


def _readable(rows: Sequence[asyncpg.Record]) -> list[Snapshot]:
    """Return tables; one that cannot be decoded is told to the log, so that it does not take the others with it."""
    found = []
    for row in rows:
        try:
            found.append(snapshot(row))
        except codec.Malformed:
            log.exception("table_unreadable", number=row["id"])
    return found


def snapshot(row: asyncpg.Record) -> Snapshot:
    """Return a row of the table query, decoded by the rules it was played with. Raises Malformed."""
    entry = find(row["game"], row["rules"])
    if entry is None:
        raise codec.Malformed(f"table {row['id']}: no rules {row['rules']} of such a game here")
    if row["clock"] not in CLOCKS:
        raise codec.Malformed(f"table {row['id']}: no such clock here")
    return Snapshot(
        id=row["id"],
        code=row["code"],
        slug=row["game"],
        rules=row["rules"],
        game=entry.game,
        board=entry.board,
        options=codec.load(entry.game.options_type, row["options"]),
        visibility=row["visibility"],
        status=row["status"],
        version=row["version"],
        host_id=row["host_id"],
        players=row["players"],
        state=None if row["state"] is None else codec.load(entry.game.state_type, row["state"]),
        outcome=None if row["outcome"] is None else codec.load_outcome(row["outcome"]),
        undo_seat=row["undo_seat"],
        undo_from=row["undo_from"],
        rematch=row["rematch"],
        seats=tuple(
            Seated(seat, player, shown_name(name), *rest)
            for seat, player, name, *rest in orjson.loads(row["seats"] or "[]")
        ),
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        at=row["at"],
        clock=CLOCKS[row["clock"]],
        points=tuple(Point(*point) for point in orjson.loads(row["points"] or "[]")),
        wake=row["wake_at"],
    )


async def kept_events(db: Database, table: Snapshot, upto: int | None = None) -> list[Event]:
    """Return the events that make the game, without undone ones, up to number `upto`, numbered as in the log."""
    rows = await db.pool.fetch(_KEPT, table.id, table.version if upto is None else upto)
    return [stored_event(table, row) for row in rows]


def stored_event(table: Snapshot, row: asyncpg.Record) -> Event:
    """Return the move or chance event of a stored row. Raises Malformed."""
    raw = {"n": row["seq"], "type": row["type"], "seat": row["seat"], **_data(row)}
    return codec.load_event(table.game, raw)


def _data(row: asyncpg.Record) -> dict[str, Any]:
    data = orjson.loads(row["data"])
    if not isinstance(data, dict) or not _FIELDS.get(row["type"], set()) <= data.keys():
        raise codec.Malformed(f"event {row['seq']}: not the shape of a {row['type']}")
    return data


@dataclass(frozen=True, slots=True)
class LogRow:
    """A line of the stored log. `event` is there for moves and chance."""

    n: int
    type: str
    seat: int | None
    undone: bool
    data: dict[str, Any]
    event: Event | None


async def log_rows(db: Database, table: Snapshot, after: int) -> list[LogRow]:
    """Return the log behind number `after`, with changes of seats and undone moves. Raises Malformed."""
    rows = await db.pool.fetch(_LOG, table.id, after, table.version)
    return [log_row(table, row) for row in rows]


def log_row(table: Snapshot, row: asyncpg.Record) -> LogRow:
    """Return a stored row of the log, decoded. Raises Malformed."""
    return LogRow(
        n=row["seq"],
        type=row["type"],
        seat=row["seat"],
        undone=row["undone"],
        data=_shown(_data(row)),
        event=stored_event(table, row) if row["type"] in ("move", "chance") else None,
    )


def _shown(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "name": shown_name(data["name"])} if "name" in data else data
