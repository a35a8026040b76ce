"""Moves and undo on a real database."""

from __future__ import annotations

import pytest

from app.db.engine import Database
from app.tables import queries
from tests.support.play import play_to_end, started

pytestmark = pytest.mark.anyio


async def test_a_whole_game_ends_with_a_log_without_gaps(database: Database) -> None:
    code, people = await started(database)
    table = await play_to_end(database, code, people)
    assert table.status == "finished"
    rows = await queries.log_rows(database, table, 0)
    assert [row.n for row in rows] == list(range(1, table.version + 1))
