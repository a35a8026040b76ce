"""How many there are: for monitors, and without a word about who or which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from app.db.engine import Database

_STATUSES = ("open", "playing", "finished", "abandoned")
_CENSUS = """
SELECT (SELECT jsonb_object_agg(status, n) FROM (SELECT status, count(*) AS n FROM tables GROUP BY status) AS t)::text
           AS tables,
       (SELECT count(DISTINCT player_id) FROM presence WHERE until > now()) AS present
"""


@dataclass(frozen=True, slots=True)
class Census:
    """Tables by status, and how many people have a table open, over all processes."""

    tables: dict[str, int]
    present: int


async def census(db: Database) -> Census:
    """Count. Reads every table's row, so this is for a question every few seconds, not for every request."""
    row = await db.pool.fetchrow(_CENSUS)
    assert row is not None  # a SELECT without FROM has one row
    return Census(dict.fromkeys(_STATUSES, 0) | orjson.loads(row["tables"] or "{}"), row["present"])
