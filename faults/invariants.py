"""I1 to I8 of the test plan, checked on the real database after a run. Each check returns what is wrong, in words."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg
import orjson

from app.core import codec, engine
from app.tables.check import check as folded
from app.tables.queries import log_row, read
from faults.http import Client
from faults.people import API, Ledger, normal
from faults.service import Service

if TYPE_CHECKING:
    from app.tables.snapshot import Snapshot

_MOVES = """
SELECT t.code, e.seat, e.asked, (e.data->'move')::text AS move FROM table_events e JOIN tables t ON t.id = e.table_id
WHERE e.type = 'move' AND NOT e.undone AND e.asked IS NOT NULL AND t.code = ANY($1)
"""
_QUIET = (
    "SELECT code, version FROM tables t WHERE NOT EXISTS (SELECT FROM seats WHERE table_id = t.id AND bot IS NOT NULL)"
)
_VERSIONS = f"SELECT sum(version) FROM ({_QUIET}) AS quiet"
_ROWS = "SELECT seq, type, seat, data::text AS data, undone FROM table_events WHERE table_id = $1 ORDER BY seq"
_FOUND = re.compile(rb'"id": ?"(\w+)"')


async def holds(url: str, ledger: Ledger | None = None, services: tuple[Service, ...] = ()) -> list[str]:
    """Check everything that can be checked when the people have gone and the database is still there."""
    connection = await asyncpg.connect(url)
    try:
        wrong = await sound(connection)
        if ledger is not None:
            wrong += await _logged(connection, ledger)
            wrong += await _as_seen(connection, ledger)
            wrong += ledger.contradictions
        if ledger is not None and services:
            wrong += await _same_again(connection, ledger, services[0].port)
            wrong += _explained(ledger, [service.log for service in services])
        for service in services:
            wrong += await _at_rest(connection, service)
    finally:
        await connection.close()
    return wrong


async def sound(connection: asyncpg.Connection[Any]) -> list[str]:
    """I2 and I3: the log of every table is numbered 1…n, its version is n, and its state is what the log leads to."""
    return [f"I2/I3: table {mark}: {why}" async for _, mark, why in folded(connection) if why is not None]


async def _logged(connection: asyncpg.Connection[Any], ledger: Ledger) -> list[str]:
    """I1: what was answered is in the log exactly once, what was refused is not, and no turn was answered twice."""
    found: Counter[tuple[str, int, int, str]] = Counter()
    turns: Counter[tuple[str, int, int]] = Counter()
    for row in await connection.fetch(_MOVES, list({entry.code for entry in ledger.entries})):
        turn = (row["code"], row["seat"], row["asked"])
        found[*turn, normal(orjson.loads(row["move"]))] += 1
        turns[turn] += 1
    wrong = [f"I1: {count} moves under one turn" for count in turns.values() if count > 1]
    accepted = {entry.key for entry in ledger.entries if entry.outcome == "ok"}
    for entry in ledger.entries:
        there = found[entry.key]
        if entry.outcome == "ok" and there != 1:
            wrong.append(f"I1: an answered move is in the log {there} times (turn {entry.turn})")
        elif entry.outcome == "refused" and there and entry.key not in accepted:
            wrong.append(f"I1: a refused move is in the log (turn {entry.turn})")
        elif entry.outcome == "unknown":
            wrong.append(f"I1: the fate of a move is still open after half a minute (turn {entry.turn})")
    return wrong


async def _as_seen(connection: asyncpg.Connection[Any], ledger: Ledger) -> list[str]:
    """I3 and I6: what anybody has ever seen of any version is what the log leads to there, dice and all."""
    seen: dict[str, dict[int, list[tuple[int, bytes]]]] = {}
    for (code, version, viewer), state in ledger.seen.items():
        seen.setdefault(code, {}).setdefault(version, []).append((viewer, state))
    wrong = []
    for code, versions in seen.items():
        table_id = await connection.fetchval("SELECT id FROM tables WHERE code = $1", code)
        if table_id is None:
            wrong.append("I1: a table that people played at is gone")
            continue
        table = await read(connection, table_id)
        wrong += _differences(table, [log_row(table, row) for row in await connection.fetch(_ROWS, table_id)], versions)
    return wrong


def _differences(table: Snapshot, rows: list[Any], versions: dict[int, list[tuple[int, bytes]]]) -> list[str]:
    if table.players is None or any(row.undone for row in rows):
        return []
    last = rows[-1].n
    wrong = [f"I6: somebody saw version {one}, which is not in the log" for one in versions if one > last]
    state = table.game.setup(table.options, table.players)
    for row in rows:
        if row.event is not None:
            state = engine.advance(table.game, state, row.event)
        for viewer, shown in versions.get(row.n, ()):
            view = codec.data(table.game.view(state, None if viewer < 0 else viewer))
            if orjson.dumps(view, option=orjson.OPT_SORT_KEYS) != shown:
                wrong.append(f"I6: somebody saw other dice in version {row.n} than the log has")
    return wrong


async def _same_again(connection: asyncpg.Connection[Any], ledger: Ledger, port: int, most: int = 100) -> list[str]:
    """I5: answered moves sent once more are answered alike and change nothing. At tables without bots, which go on."""
    client = Client(port)
    wrong = []
    before = await connection.fetchval(_VERSIONS)
    quiet = {row["code"] for row in await connection.fetch(_QUIET)}
    for entry in [entry for entry in ledger.entries if entry.outcome == "ok" and entry.code in quiet][-most:]:
        client.token = entry.token
        body = {"turn": entry.turn, "move": entry.move}
        path = f"{API}/tables/{entry.code}/moves"
        first, second = await client.post(path, body), await client.post(path, body)
        if first.status != 200 or _lasting(first.json()) != _lasting(second.json()):
            wrong.append(f"I5: an answered move sent again was answered with {first.status}")
    client.close()
    if await connection.fetchval(_VERSIONS) != before:
        wrong.append("I5: answered moves sent again have changed something")
    return wrong


def _lasting(table: dict[str, Any]) -> dict[str, Any]:
    """Return what of a table may not differ between two answers: not who is there just now."""
    seats = [{name: part for name, part in seat.items() if name != "present"} for seat in table.get("seats", ())]
    return table | {"seats": seats}


def _explained(ledger: Ledger, logs: list[Path]) -> list[str]:
    """I7: every 5xx has a number that is in the log, and none shows how the program is made."""
    text = b"".join(log.read_bytes() for log in logs if log.exists())
    named = set(_FOUND.findall(text))
    wrong = []
    for status, request_id, body in ledger.faults:
        if request_id.encode() not in named:
            wrong.append(f"I7: {status} with the id {request_id!r}, which is not in the log")
        if b"Traceback" in body or b'File "' in body:
            wrong.append(f"I7: {status} with a stack trace")
        if status == 500:
            wrong.append(f"I7: 500 ({request_id})")
    return wrong


async def _at_rest(connection: asyncpg.Connection[Any], service: Service, patience: float = 8.0) -> list[str]:
    """I8: when the people have gone, no stream is open and no connection of the pool is in use."""
    deadline = asyncio.get_running_loop().time() + patience
    while True:
        metrics = await asyncio.to_thread(service.metrics)
        held = {name: count for name, count in metrics.items() if name.startswith("knobel_pool_in_use") and count > 1}
        open_ = metrics.get("knobel_streams", 0)
        idle = await connection.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND pid <> pg_backend_pid()"
        )
        if not (held or open_ or idle):
            return []
        if asyncio.get_running_loop().time() > deadline:
            return [f"I8: at rest {open_:.0f} streams, {held} connections in use, {idle} idle in transaction"]
        await asyncio.sleep(0.25)
