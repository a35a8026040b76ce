"""What other processes commit is heard of, also when the ear was cut off for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.db.engine import Database
from app.live import feed as feeds
from app.live.feed import CHANNEL, Feed, Notifier
from app.live.hub import Hub, Reader, Rendered, Stream
from app.tables import moves, seats
from app.tables.queries import load_by_id
from tests.support.play import Someone, another, present, send, someone, started, until

pytestmark = pytest.mark.anyio

ROLL = {"kind": "roll", "dice": [0, 1, 2, 3, 4]}


@dataclass
class Worker:
    """The live parts of one process: its connections, its streams, its ear and its voice. `renders` counts."""

    db: Database
    renders: int = 0
    hub: Hub = field(init=False)
    feed: Feed = field(init=False)
    voice: Notifier = field(init=False)

    def __post_init__(self) -> None:
        self.hub = Hub(self.render)
        self.feed = Feed(self.db.listener, self.hub)
        self.voice = Notifier(lambda: self.db.pool)

    async def render(self, table_id: int, readers: Collection[Reader], fresh: Any) -> Rendered:
        """Render "version names" of what is in the database."""
        self.renders += 1
        table = await load_by_id(self.db, table_id)
        names = ",".join(seated.name for seated in table.seats)
        message = f"{table.version} {names}".encode()
        return Rendered(table.version, dict.fromkeys(readers, message), sum(seated.present for seated in table.seats))

    def open(self, table_id: int) -> Stream:
        return self.hub.open(table_id, "reader", None, evicted=b"")


@asynccontextmanager
async def working(database: Database) -> AsyncIterator[Worker]:
    """Give a worker that listens."""
    worker = Worker(database)
    listening = asyncio.create_task(worker.feed.run())
    try:
        await until(lambda: worker.feed.backend)
        yield worker
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def reach(stream: Stream, version: int, seconds: float = 10) -> list[int]:
    """Read until the version comes; the versions on the way, which never go down."""
    seen: list[int] = []
    async with asyncio.timeout(seconds):
        while not seen or seen[-1] < version:
            message = await stream.take()
            assert message is not None
            seen.append(int(message.split()[0]))
    assert seen == sorted(seen)
    return seen


async def test_a_commit_of_another_worker_wakes_a_stream_at_once(database: Database) -> None:
    code, (ana, _) = await started(database)
    table = await present(database, code)
    async with working(database) as here, another(database) as second, working(second) as there:
        streams = [worker.open(table.id) for worker in (here, there)]
        for stream in streams:
            await reach(stream, table.version, 7)  # the look at the versions finds that nothing was shown yet
        made = await send(second, code, ana, 2, ROLL)
        there.hub.publish(table.id, made.table)
        there.voice.tell(table.id, made.table.version)
        for stream in streams:
            await reach(stream, made.table.version, 2)


async def test_ones_own_echo_is_not_rendered_again_but_a_change_without_a_version_is(database: Database) -> None:
    code, _ = await started(database)
    table = await present(database, code)
    async with working(database) as worker:
        stream = worker.open(table.id)
        worker.hub.publish(table.id)
        await reach(stream, table.version)
        before = worker.renders
        worker.voice.tell(table.id, table.version)
        await database.pool.execute("UPDATE seats SET name = 'Zoe' WHERE seat = 0 AND table_id = $1", table.id)
        await asyncio.sleep(0.2)  # nothing may come; a deadline cannot show that
        assert worker.renders == before
        worker.voice.tell(table.id, 0)
        async with asyncio.timeout(2):
            assert await stream.take() == b"2 Zoe,Bo"


async def test_a_lost_notification_costs_seconds_and_nothing_else(database: Database) -> None:
    code, (ana, _) = await started(database)
    table = await present(database, code)
    async with working(database) as worker:
        stream = worker.open(table.id)
        worker.hub.publish(table.id)
        await reach(stream, table.version)
        made = await send(database, code, ana, 2, ROLL)  # and its process dies before it can tell
        await reach(stream, made.table.version, feeds.LOOK_EVERY + 3)


async def listening(database: Database, code_of_death: str = "") -> list[int]:
    rows = await database.pool.fetch(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'knobel listen'"
    )
    return [row["pid"] for row in rows]


async def test_after_the_ear_was_killed_all_streams_catch_up_also_with_what_happened_meanwhile(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables: list[tuple[int, str, Someone]] = []
    for _ in range(5):
        code, (ana, _bo) = await started(database)
        tables.append(((await present(database, code)).id, code, ana))
    # no luck by the look every few seconds: it is the listening again that must look
    monkeypatch.setattr(feeds, "LOOK_EVERY", 60.0)
    async with working(database) as worker:
        streams = [worker.open(table_id) for table_id, _, _ in tables]
        for table_id, _, _ in tables:
            worker.hub.publish(table_id)
        for stream in streams:
            await reach(stream, 2)
        first = worker.feed.backend
        for round_ in (1, 2):
            assert worker.feed.backend is not None
            old = worker.feed.backend
            await database.pool.execute("SELECT pg_terminate_backend($1)", old)
            while old in await listening(database):
                await asyncio.sleep(0.01)
            for _, code, ana in tables:
                if round_ == 1:
                    await send(database, code, ana, 2, ROLL)
                else:
                    await send(database, code, ana, 4, {"kind": "score", "category": "ones"})
            for table_id, _, _ in tables:
                worker.voice.tell(table_id, 99)  # nobody hears it
            for stream in streams:
                await reach(stream, 3 + round_, 10)
            await until(lambda old=old: worker.feed.backend not in (None, old))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
        assert worker.feed.backend != first
        # and it hears again
        async with another(database) as second:
            _, code, ana = tables[0]
            undone = await moves.undo(second, code, ana.session, 5)
            Notifier(lambda: second.pool).tell(tables[0][0], undone.table.version)
            await reach(streams[0], 6, 3)


async def test_an_ear_that_cannot_listen_tries_again(database: Database) -> None:
    tries = 0

    async def listener() -> Any:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise OSError("no database here")
        return await database.listener()

    feed = Feed(listener, Hub(Worker(database).render))
    running = asyncio.create_task(feed.run())
    await until(lambda: feed.backend)
    assert tries == 3
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    async with asyncio.timeout(5):
        while await listening(database):
            await asyncio.sleep(0.02)


async def test_many_changes_at_once_are_told_with_the_newest_version_of_each_table(database: Database) -> None:
    heard: list[str] = []
    ear = await database.listener()
    await ear.add_listener(CHANNEL, lambda *told: heard.append(str(told[3])))
    voice = Notifier(lambda: database.pool)
    for version in range(1, 50):
        for table_id in (1, 2):
            voice.tell(table_id, version)
    await until(lambda: {"1 49", "2 49"} <= set(heard))
    assert len(heard) == 2
    voice.tell(1, 0)
    voice.tell(1, 50)  # the wish to have names and presence read again must not be lost behind a version
    await until(lambda: len(heard) == 3)
    assert heard[2] == "1 0"
    await ear.close()


async def test_a_voice_that_failed_speaks_again(database: Database) -> None:
    calls = 0

    def pool() -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OSError("away")
        return database.pool

    heard: list[str] = []
    ear = await database.listener()
    await ear.add_listener(CHANNEL, lambda *told: heard.append(str(told[3])))
    voice = Notifier(pool)
    voice.tell(1, 1)
    await until(lambda: calls == 1)
    await asyncio.sleep(0)
    voice.tell(1, 2)
    await until(lambda: heard)
    assert heard == ["1 2"]
    await ear.close()


async def test_streams_of_many_readers_see_versions_in_order_while_two_workers_play(database: Database) -> None:
    ana = await someone(database, "Ana")
    code = (await seats.create(database, ana.guest, "yacht", {})).code
    table = await present(database, code)
    async with working(database) as here, another(database) as second, working(second) as there:
        streams = [worker.open(table.id) for worker in (here, there) for _ in range(10)]
        readers = [asyncio.create_task(reach(stream, 21, 20)) for stream in streams]
        for n in range(10):
            worker = (here, there)[n % 2]
            bo = await someone(database, "Bo")
            for change in (
                await seats.sit(worker.db, code, bo.guest),
                await seats.leave(worker.db, code, bo.guest, 1),
            ):
                worker.hub.publish(change.table_id)
                worker.voice.tell(change.table_id, 0)
        await asyncio.gather(*readers)
