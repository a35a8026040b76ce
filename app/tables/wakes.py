"""What the server must do by itself, as times in the database: any worker takes what is due, and a dead one delays it
by a lease at most. Downtime is found by a heartbeat, and given back to everybody whose clock runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from app.core.game import Seat
from app.tables.clocks import newly_asked
from app.tables.snapshot import Snapshot

if TYPE_CHECKING:
    from app.db.engine import Database

LEASE = 5.0
"""Seconds after which another worker takes a table that was taken and not settled."""

DOWN_AFTER = 6.0
"""Seconds without any worker that count as downtime; workers give a sign of life every two."""

_CLAIM = """
WITH due AS (SELECT id FROM tables WHERE wake_at <= now() ORDER BY wake_at LIMIT $1 FOR UPDATE SKIP LOCKED)
UPDATE tables t SET wake_at = now() + make_interval(secs => $2) FROM due WHERE t.id = due.id
RETURNING t.id, t.wake_at
"""
_SETTLE = "UPDATE tables SET wake_at = to_timestamp($4::float8) WHERE id = $1 AND version = $2 AND wake_at = $3"
_PAUSE = """
UPDATE tables SET wake_at = least(to_timestamp($4::float8), now() + greatest(interval '30 seconds', (now() - moved_at) / 2))
WHERE id = $1 AND version = $2 AND wake_at = $3
"""
_TIME = """
WITH timed AS (
    UPDATE seats SET asked_since = to_timestamp($3::float8), deadline = to_timestamp($4::float8)
    FROM tables t WHERE t.id = $1 AND seats.table_id = $1 AND seats.seat = $2 AND t.version = $5 AND asked_at = $6
    RETURNING t.id
)
UPDATE tables SET wake_at = now() FROM timed WHERE tables.id = timed.id
"""
_BEAT = """
WITH old AS (SELECT at FROM heartbeats WHERE id = 1 FOR UPDATE), beaten AS (
    INSERT INTO heartbeats (id, at) VALUES (1, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET at = excluded.at
), down AS (SELECT clock_timestamp() - at AS gap, at FROM old WHERE clock_timestamp() - at > make_interval(secs => $1)
), shifted AS (
    UPDATE seats s SET asked_since = asked_since + gap, deadline = deadline + gap, seen_at = seen_at + gap
    FROM down, tables t WHERE t.id = s.table_id AND t.status = 'playing' AND s.asked_at IS NOT NULL
    RETURNING s.table_id, s.deadline
), counted AS (
    UPDATE tables SET version = version + 1, wake_at = now()
    WHERE id IN (SELECT table_id FROM shifted WHERE deadline IS NOT NULL) RETURNING id, version
), logged AS (
    INSERT INTO table_events (table_id, seq, type, data)
    SELECT id, version, 'clock', jsonb_build_object('seconds', (SELECT extract(epoch FROM gap) FROM down)) FROM counted
)
SELECT (SELECT extract(epoch FROM gap)::float8 FROM down) AS gap
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A table that this worker looks after until `lease`."""

    table_id: int
    lease: datetime


async def claim(db: Database, most: int) -> list[Claim]:
    """Take at most so many tables that are due, the longest waiting first."""
    return [Claim(row["id"], row["wake_at"]) for row in await db.pool.fetch(_CLAIM, most, LEASE)]


async def settle(db: Database, claimed: Claim, table: Snapshot, wake: float | None) -> None:
    """Say when to look at a table again, unless it has moved on or was claimed anew."""
    await db.pool.execute(_SETTLE, table.id, table.version, claimed.lease, wake)


async def pause(db: Database, claimed: Claim, table: Snapshot) -> None:
    """Look at a table more and more rarely until a deadline: nobody is there. Whoever comes wakes it at once."""
    ends = [seated.deadline for seated in table.seats if seated.deadline is not None and seated.deadline > table.at]
    await db.pool.execute(_PAUSE, table.id, table.version, claimed.lease, min(ends, default=None))


async def stop_clock(db: Database, table: Snapshot, seat: Seat) -> None:
    """Take a seat's deadline away, because nobody waits for it; `start_clock` gives it a fresh one."""
    seated = table.seated(seat)
    await db.pool.execute(_TIME, table.id, seat, seated.asked_since, None, table.version, seated.asked_at)


async def start_clock(db: Database, table: Snapshot, seat: Seat) -> None:
    """Give a seat whose clock stands still its full time from now."""
    seated = table.seated(seat)
    fresh = newly_asked(table.clock, seated, seated.asked_at or 0, table.at)
    await db.pool.execute(_TIME, table.id, seat, fresh.asked_since, fresh.deadline, table.version, seated.asked_at)


async def beat(db: Database) -> float | None:
    """Give a sign of life; returns the seconds for which there was none, if those were downtime, now given back."""
    gap: float | None = await db.pool.fetchval(_BEAT, DOWN_AFTER)
    return gap
