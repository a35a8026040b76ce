"""Guests, their sessions and their names."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.db.engine import Database
from app.tables import players, queries, seats
from app.tables.dice import SystemDice
from app.tables.errors import Invalid
from app.tables.names import clean_name, folded
from tests.support.play import another, play_to_end, present, someone, started

pytestmark = pytest.mark.anyio


async def session_of(database: Database, player_id: str) -> dict[str, Any]:
    row = await database.pool.fetchrow("SELECT * FROM sessions WHERE player_id = $1", player_id)
    assert row is not None
    return dict(row)


async def shift(database: Database, player_id: str, **ago: timedelta) -> None:
    """Move times of a session into the past."""
    for column, by in ago.items():
        await database.pool.execute(
            f"UPDATE sessions SET {column} = {column} - $2::interval WHERE player_id = $1", player_id, by
        )


async def test_a_new_guest_is_found_by_the_secret_and_by_nothing_else(database: Database) -> None:
    guest, token = await players.new_guest(database, "  Ana ", "de")
    assert guest.name == "Ana"
    assert await players.find_guest(database, token) == guest
    for other in (None, "", token.lower() + "x", token[:-1], token + "=", "a" * 10_000, "\u00e4", guest.id):
        assert await players.find_guest(database, other) is None
    assert await database.pool.fetchval("SELECT language FROM players WHERE id = $1", guest.id) == "de"


async def test_a_guest_without_a_name_gets_a_friendly_one(database: Database) -> None:
    guest, _ = await players.new_guest(database, None, None)
    assert guest.name
    assert clean_name(guest.name) == guest.name


@pytest.mark.parametrize("name", ["", "  ", "x" * 25, "A\u202ena", "\ud800", "A\x00na"], ids=ascii)
async def test_a_bad_name_makes_no_guest(database: Database, name: str) -> None:
    with pytest.raises(Invalid):
        await players.new_guest(database, name, None)
    assert await database.pool.fetchval("SELECT count(*) FROM players") == 0


async def test_only_the_hash_of_a_secret_is_stored_anywhere(database: Database) -> None:
    guest, token = await players.new_guest(database, "Ana", "en")
    row = await session_of(database, guest.id)
    assert row["token_hash"] == hashlib.sha256(token.encode()).digest()
    tables = [
        r["tablename"] for r in await database.pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    ]
    assert "sessions" in tables
    for table in tables:
        rows = await database.pool.fetch(f'SELECT to_jsonb(t)::text AS row FROM "{table}" t')
        assert not any(token in row["row"] or token.encode().hex() in row["row"] for row in rows)


async def test_secrets_and_ids_are_long_and_never_equal(database: Database) -> None:
    made = [await players.new_guest(database, "Ana", None) for _ in range(50)]
    assert len({token for _, token in made}) == len({guest.id for guest, _ in made}) == 50
    assert all(len(token) >= 43 for _, token in made)  # 256 bits
    assert all(guest.id not in token for guest, token in made)


async def test_a_session_lives_at_least_180_days(database: Database) -> None:
    guest, token = await players.new_guest(database, "Ana", None)
    row = await session_of(database, guest.id)
    assert row["expires_at"] - datetime.now(UTC) > timedelta(days=180)
    await shift(
        database, guest.id, created_at=timedelta(days=180), used_at=timedelta(days=180), expires_at=timedelta(days=180)
    )
    assert await players.find_guest(database, token) == guest
    # and again as long from there
    assert (await session_of(database, guest.id))["expires_at"] - datetime.now(UTC) > timedelta(days=399)


async def test_a_session_is_renewed_by_use_but_not_twice_a_day(database: Database) -> None:
    guest, token = await players.new_guest(database, "Ana", None)
    await shift(database, guest.id, used_at=timedelta(hours=23), expires_at=timedelta(hours=23))
    before = await session_of(database, guest.id)
    await players.find_guest(database, token)
    assert await session_of(database, guest.id) == before
    await shift(database, guest.id, used_at=timedelta(hours=2), expires_at=timedelta(hours=2))
    await players.find_guest(database, token)
    after = await session_of(database, guest.id)
    assert after["used_at"] > before["used_at"]
    assert after["expires_at"] > before["expires_at"]


async def test_a_session_that_ran_out_is_unknown_everywhere_and_not_renewed(database: Database) -> None:
    code, (ana, bo) = await started(database)
    await database.pool.execute(
        "UPDATE sessions SET used_at = now() - interval '500 days', expires_at = now() - interval '1 s' WHERE player_id = $1",
        ana.guest.id,
    )
    assert await players.find_guest(database, ana.token) is None
    assert (await queries.load(database, code, ana.session))[1] is None
    assert (await queries.load(database, code, bo.session))[1] == bo.guest.id
    assert (await session_of(database, ana.guest.id))["expires_at"] < datetime.now(UTC)


async def test_another_name_reaches_open_and_running_tables_and_leaves_finished_ones(database: Database) -> None:
    over, people = await started(database)
    await play_to_end(database, over, people)
    ana, bo = people
    running = (await seats.create(database, ana.guest, "yacht", {})).code
    await seats.sit(database, running, bo.guest)
    await seats.start(database, SystemDice(), running, ana.guest)
    waiting = (await seats.create(database, ana.guest, "yacht", {})).code
    await seats.sit(database, waiting, (await someone(database, "zoe")).guest)
    elsewhere = (await seats.create(database, bo.guest, "yacht", {})).code
    changed = await players.rename(database, ana.guest.id, " Zoe ")
    tables = {code: await present(database, code) for code in (over, running, waiting, elsewhere)}
    assert sorted(changed) == sorted((tables[running].id, tables[waiting].id))
    assert {code: [seated.name for seated in table.seats] for code, table in tables.items()} == {
        over: ["Ana", "Bo"],
        running: ["Zoe", "Bo"],
        waiting: ["Zoe 2", "zoe"],
        elsewhere: ["Bo"],
    }
    assert await players.find_guest(database, ana.token) == players.Guest(ana.guest.id, "Zoe")


async def test_ones_own_name_again_gets_no_number(database: Database) -> None:
    code, (ana, _) = await started(database)
    for name in ("Ana", "ana", "Ana"):
        await players.rename(database, ana.guest.id, name)
        assert (await present(database, code)).seats[0].name == name


@pytest.mark.parametrize("name", ["", "x" * 25, "A\u202ena"], ids=ascii)
async def test_a_bad_name_changes_nothing(database: Database, name: str) -> None:
    code, (ana, _) = await started(database)
    before = await present(database, code)
    with pytest.raises(Invalid):
        await players.rename(database, ana.guest.id, name)
    assert await present(database, code) == before
    assert await players.find_guest(database, ana.token) == ana.guest


async def test_everybody_taking_the_same_name_at_once_leaves_names_that_differ(database: Database) -> None:
    names = tuple(f"P{n}" for n in range(6))
    code, people = await started(database, names)
    async with another(database) as second:
        for wanted in ("Max", "Eva", "Kai"):
            await asyncio.gather(
                *(players.rename((database, second)[n % 2], one.guest.id, wanted) for n, one in enumerate(people))
            )
            shown = [seated.name for seated in (await present(database, code)).seats]
            assert len({folded(name) for name in shown}) == 6, shown


async def test_a_name_taken_while_somebody_sits_down_with_it_is_not_there_twice(database: Database) -> None:
    async with another(database) as second:
        for _ in range(15):
            ana, max_ = await someone(database, "Ana"), await someone(database, "Max")
            code = (await seats.create(database, ana.guest, "yacht", {})).code
            await asyncio.gather(players.rename(database, ana.guest.id, "Max"), seats.sit(second, code, max_.guest))
            shown = [seated.name for seated in (await present(database, code)).seats]
            assert len({folded(name) for name in shown}) == 2, shown


async def test_people_at_many_common_tables_taking_names_at_once_do_not_block_each_other(database: Database) -> None:
    people = [await someone(database, f"P{n}") for n in range(4)]
    for turn in range(6):
        order = people[turn % 4 :] + people[: turn % 4]
        code = (await seats.create(database, order[0].guest, "yacht", {})).code
        for one in order[1:]:
            await seats.sit(database, code, one.guest)
    async with asyncio.timeout(10):
        for wanted in ("Max", "Eva"):
            await asyncio.gather(*(players.rename(database, one.guest.id, wanted) for one in people))
