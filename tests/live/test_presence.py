"""Who is there, as every process sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from app.db.engine import Database
from app.live import presence as presences
from app.live.feed import CHANNEL, Notifier
from app.live.presence import Presence, Who
from tests.support.play import Someone, another, present, started

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time runs ten times as fast; what is compared with what stays the same."""
    monkeypatch.setattr(presences, "GRACE", 0.4)
    monkeypatch.setattr(presences, "LOOK_EVERY", 0.2)
    monkeypatch.setattr(presences, "_RENEW_EVERY", 0.5)


@asynccontextmanager
async def looking(database: Database) -> AsyncIterator[Presence]:
    """Give the presence of a worker that runs, and ends without a word."""
    here = Presence(lambda: database.pool, Notifier(lambda: database.pool))
    running = asyncio.create_task(here.run())
    try:
        yield here
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def there(database: Database, code: str) -> list[bool]:
    return [seated.present for seated in (await present(database, code)).seats]


async def becomes(database: Database, code: str, wanted: list[bool], seconds: float = 5) -> float:
    """Wait until the seats are present as wanted; how long it took."""
    begun = asyncio.get_running_loop().time()
    async with asyncio.timeout(seconds):
        while await there(database, code) != wanted:
            await asyncio.sleep(0.02)
    return asyncio.get_running_loop().time() - begun


async def table(database: Database) -> tuple[str, Who, Who]:
    code, people = await started(database)
    table_id = (await present(database, code)).id
    ana, bo = (who(table_id, person) for person in people)
    return code, ana, bo


def who(table_id: int, person: Someone) -> Who:
    return table_id, person.guest.id


async def test_who_has_the_table_open_is_there_for_every_worker(database: Database) -> None:
    code, ana, bo = await table(database)
    async with another(database) as second, looking(database) as here, looking(second) as elsewhere:
        assert await there(database, code) == [False, False]
        here.enter(ana)
        await becomes(second, code, [True, False])
        elsewhere.enter(bo)
        await becomes(database, code, [True, True])


async def test_who_closes_the_last_page_is_away_after_a_while_but_not_at_once(database: Database) -> None:
    code, ana, _ = await table(database)
    async with looking(database) as here:
        here.enter(ana)
        here.enter(ana)
        await becomes(database, code, [True, False])
        here.leave(ana)
        await asyncio.sleep(0.8)  # longer than the grace: the other page is still open
        assert await there(database, code) == [True, False]
        here.leave(ana)
        assert await becomes(database, code, [False, False]) >= 0.3


async def test_a_reload_is_no_absence(database: Database) -> None:
    code, ana, _ = await table(database)
    heard: list[object] = []
    async with looking(database) as here:
        here.enter(ana)
        await becomes(database, code, [True, False])
        ear = await database.listener()
        await ear.add_listener(CHANNEL, lambda *told: heard.append(told[3]))
        for _ in range(5):
            here.leave(ana)
            await asyncio.sleep(0.1)
            here.enter(ana)
            await asyncio.sleep(0.1)
            assert await there(database, code) == [True, False]
        assert heard == []
        await ear.close()


async def test_a_request_without_a_stream_counts_for_a_while(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presences, "_LIFETIME", 1.0)
    code, ana, _ = await table(database)
    async with looking(database) as here:
        here.touch(ana)
        await becomes(database, code, [True, False])
        assert await becomes(database, code, [False, False]) >= 0.5


async def test_who_stays_is_renewed_and_stays_there(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presences, "_LIFETIME", 1.5)
    code, ana, _ = await table(database)
    async with looking(database) as here:
        here.enter(ana)
        await becomes(database, code, [True, False])
        first = await database.pool.fetchval("SELECT until FROM presence")
        deadline = asyncio.get_running_loop().time() + 2.5
        while asyncio.get_running_loop().time() < deadline:
            assert await there(database, code) == [True, False]
            await asyncio.sleep(0.1)
        assert await database.pool.fetchval("SELECT until FROM presence") > first
        assert await database.pool.fetchval("SELECT count(*) FROM presence") == 1


async def test_the_rows_of_a_killed_worker_run_out_and_those_of_others_count(database: Database) -> None:
    code, ana, bo = await table(database)
    async with looking(database) as killed:
        killed.enter(ana)
        killed.enter(bo)
        await becomes(database, code, [True, True])
    async with looking(database) as here:
        here.enter(bo)
        async with asyncio.timeout(5):
            while await database.pool.fetchval("SELECT count(*) FROM presence") < 3:
                await asyncio.sleep(0.02)
        await database.pool.execute(
            "UPDATE presence SET until = now() - interval '1 s' WHERE worker = $1", killed._worker
        )
        assert await there(database, code) == [False, True]


async def test_who_leaves_one_worker_is_there_as_long_as_another_has_them(database: Database) -> None:
    code, ana, _ = await table(database)
    async with another(database) as second, looking(database) as here, looking(second) as elsewhere:
        here.enter(ana)
        elsewhere.enter(ana)
        async with asyncio.timeout(5):
            while await database.pool.fetchval("SELECT count(*) FROM presence") < 2:
                await asyncio.sleep(0.02)
        here.leave(ana)
        async with asyncio.timeout(5):
            while await database.pool.fetchval("SELECT count(*) FROM presence") > 1:
                await asyncio.sleep(0.02)
        assert await there(database, code) == [True, False]


async def test_a_worker_that_stops_takes_its_people_off_and_leaves_those_of_others(database: Database) -> None:
    code, ana, bo = await table(database)
    async with another(database) as second, looking(second) as elsewhere:
        elsewhere.enter(bo)
        async with looking(database) as here:
            here.enter(ana)
            await becomes(database, code, [True, True])
        await here.close()
        assert await there(database, code) == [False, True]


async def test_coming_and_going_is_told_to_all_workers(database: Database) -> None:
    _, ana, _ = await table(database)
    heard: list[object] = []
    ear = await database.listener()
    await ear.add_listener(CHANNEL, lambda *told: heard.append(told[3]))
    async with looking(database) as here, asyncio.timeout(5):
        here.enter(ana)
        while len(heard) < 1:
            await asyncio.sleep(0.02)
        here.leave(ana)
        while len(heard) < 2:
            await asyncio.sleep(0.02)
    assert heard == [f"{ana[0]} 0"] * 2
    await ear.close()


async def test_somebody_at_a_table_that_is_gone_does_not_keep_others_away(database: Database) -> None:
    code, ana, bo = await table(database)
    async with looking(database) as here:
        here.enter((10**9, ana[1]))
        here.enter(bo)
        await becomes(database, code, [False, True])


async def test_a_database_that_was_away_for_a_moment_is_told_again(database: Database) -> None:
    code, ana, _ = await table(database)
    fails = 2

    def pool() -> object:
        nonlocal fails
        if fails:
            fails -= 1
            raise OSError("away")
        return database.pool

    here = Presence(pool, Notifier(lambda: database.pool))  # type: ignore[arg-type]  # the real pool, or an error
    running = asyncio.create_task(here.run())
    here.enter(ana)
    await becomes(database, code, [True, False])
    assert fails == 0
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
