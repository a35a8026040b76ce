"""Streams and what they are told, within one process."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.live.hub import MOST_PER_BROWSER, Hub, Reader, Rendered, Stream
from tests.support.play import until

pytestmark = pytest.mark.anyio

TABLE = 7
POLL = b"poll"


@dataclass
class Renderer:
    """Renders "reader version": of `version`, or of the fresh table it is handed. Counts, fails and waits as told."""

    version: int = 1
    present: int = 1
    calls: list[frozenset[Reader]] = field(default_factory=list)
    fails: int = 0
    gate: asyncio.Event | None = None

    async def render(self, table_id: int, readers: Collection[Reader], fresh: Any) -> Rendered:
        self.calls.append(frozenset(readers))
        version = self.version if fresh is None else fresh
        if self.gate is not None:
            await self.gate.wait()
        await asyncio.sleep(0)
        if self.fails:
            self.fails -= 1
            raise RuntimeError("told to fail")
        return Rendered(
            version, {reader: b"%b %d" % (str(reader).encode(), version) for reader in readers}, self.present
        )


async def soon(stream: Stream) -> bytes | None:
    async with asyncio.timeout(2):
        return await stream.take()


async def nothing(stream: Stream) -> None:
    """Make sure that nothing is waiting to be sent."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await stream.take()


async def settled(hub: Hub) -> None:
    await until(lambda: not hub._tasks)


async def test_everybody_at_a_table_is_told_and_nobody_elsewhere() -> None:
    hub = Hub(Renderer(version=3).render)
    ana, bo = hub.open(TABLE, "ana", None, evicted=POLL), hub.open(TABLE, "bo", None, evicted=POLL)
    elsewhere = hub.open(8, "cy", None, evicted=POLL)
    hub.publish(TABLE)
    assert (await soon(ana), await soon(bo)) == (b"ana 3", b"bo 3")
    await nothing(elsewhere)
    assert (hub.count, sorted(hub.watched()), hub.known(TABLE), hub.known(8)) == (3, [7, 8], (3, 1), (-1, -1))


async def test_a_table_nobody_looks_at_is_not_rendered() -> None:
    renderer = Renderer()
    hub = Hub(renderer.render)
    hub.publish(TABLE)
    await settled(hub)
    assert renderer.calls == []
    assert hub.watched() == []


async def test_equal_readers_are_rendered_once() -> None:
    renderer = Renderer()
    hub = Hub(renderer.render)
    streams = [hub.open(TABLE, "spectator", None, evicted=POLL) for _ in range(50)]
    hub.publish(TABLE)
    messages = [await soon(stream) for stream in streams]
    assert renderer.calls == [frozenset({"spectator"})]
    assert all(message is messages[0] for message in messages)


async def test_a_slow_reader_gets_the_newest_and_nothing_else() -> None:
    renderer = Renderer()
    hub = Hub(renderer.render)
    stream = hub.open(TABLE, "ana", None, evicted=POLL)
    for version in range(1, 20):
        renderer.version = version
        hub.publish(TABLE)
        await settled(hub)
    assert await soon(stream) == b"ana 19"
    await nothing(stream)


async def test_many_calls_at_once_are_few_renderings_and_end_at_the_newest() -> None:
    renderer = Renderer()
    hub = Hub(renderer.render)
    stream = hub.open(TABLE, "ana", None, evicted=POLL)
    for version in range(1, 100):
        renderer.version = version
        hub.publish(TABLE)
    await settled(hub)
    assert await soon(stream) == b"ana 99"
    assert len(renderer.calls) <= 3


async def test_a_version_never_goes_down_for_a_reader() -> None:
    hub = Hub(Renderer().render)
    stream = hub.open(TABLE, "ana", None, evicted=POLL)
    for fresh in (5, 4, 3):
        hub.publish(TABLE, fresh)
        await settled(hub)
    assert await soon(stream) == b"ana 5"
    hub.publish(TABLE, 4)
    await settled(hub)
    await nothing(stream)
    assert hub.known(TABLE)[0] == 5


async def test_the_same_version_is_sent_again_because_names_and_presence_change_without_one() -> None:
    renderer = Renderer(version=5)
    hub = Hub(renderer.render)
    stream = hub.open(TABLE, "ana", None, evicted=POLL)
    for present in (1, 2):
        renderer.present = present
        hub.publish(TABLE)
        assert await soon(stream) == b"ana 5"
    assert hub.known(TABLE) == (5, 2)


@pytest.mark.parametrize("waiting", [None, 5])
async def test_what_was_committed_earlier_does_not_replace_something_newer_that_waits(waiting: int | None) -> None:
    # another worker's commit 5 was heard of, then our own commit 4 is told late
    hub = Hub(Renderer(version=5).render)
    stream = hub.open(TABLE, "ana", None, evicted=POLL)
    hub.publish(TABLE, waiting)
    hub.publish(TABLE, 4)
    await settled(hub)
    assert await soon(stream) == b"ana 5"


async def test_who_comes_while_a_rendering_is_under_way_gets_that_version_too() -> None:
    renderer = Renderer(version=3, gate=asyncio.Event())
    assert renderer.gate is not None
    hub = Hub(renderer.render)
    ana = hub.open(TABLE, "ana", None, evicted=POLL)
    hub.publish(TABLE, 4)
    await until(lambda: renderer.calls)
    late = hub.open(TABLE, "late", None, evicted=POLL)
    late.version = 3  # as the page was read before the commit
    renderer.version = 4
    renderer.gate.set()
    assert await soon(ana) == b"ana 4"
    assert await soon(late) == b"late 4"


async def test_a_rendering_that_fails_is_not_taken_for_shown_and_the_next_one_goes_on() -> None:
    renderer = Renderer(version=2)
    hub = Hub(renderer.render)
    stream = hub.open(TABLE, "ana", None, evicted=POLL)
    hub.publish(TABLE)
    assert await soon(stream) == b"ana 2"
    renderer.version, renderer.fails = 3, 1
    hub.publish(TABLE)
    await settled(hub)
    assert hub.known(TABLE) == (-1, -1)  # so that the feed's next look tries again
    hub.publish(TABLE)
    assert await soon(stream) == b"ana 3"


async def test_a_sign_of_life_waits_behind_a_message_and_is_dropped_for_it() -> None:
    hub = Hub(Renderer(version=2).render)
    stream = hub.open(TABLE, "ana", None, evicted=POLL)
    beating = asyncio.create_task(hub.beat(b"beat", 0.01))
    assert await soon(stream) == b"beat"
    beating.cancel()
    stream.beat(b"beat")
    stream.put(2, b"ana 2")
    stream.beat(b"beat")
    assert await soon(stream) == b"ana 2"
    await nothing(stream)


async def test_the_oldest_stream_of_a_browser_with_too_many_is_told_to_poll_and_ends() -> None:
    hub = Hub(Renderer(version=9).render)
    streams = [hub.open(TABLE + n, "ana", "browser", evicted=POLL) for n in range(MOST_PER_BROWSER)]
    assert not any(stream.closed for stream in streams)
    hub.open(99, "bo", "another browser", evicted=POLL)
    hub.open(99, "bo", None, evicted=POLL)
    assert not any(stream.closed for stream in streams)
    more = hub.open(TABLE, "ana", "browser", evicted=POLL)
    assert [stream.closed for stream in (*streams, more)] == [True, *[False] * MOST_PER_BROWSER]
    # news that come before it has gone must not take the place of its last word
    hub.publish(TABLE)
    await settled(hub)
    streams[0].beat(b"beat")
    assert await soon(streams[0]) == POLL
    assert await soon(streams[0]) is None
    hub.drop(streams[0])
    assert await soon(more) == b"ana 9"
    assert hub.count == MOST_PER_BROWSER + 2


async def test_a_stream_that_ended_makes_room_in_its_browser() -> None:
    hub = Hub(Renderer().render)
    streams = [hub.open(TABLE, "ana", "browser", evicted=POLL) for _ in range(MOST_PER_BROWSER)]
    hub.drop(streams[2])
    hub.drop(streams[2])
    more = hub.open(TABLE, "ana", "browser", evicted=POLL)
    assert not any(stream.closed for stream in (streams[0], streams[1], streams[3], more))


async def test_a_table_the_last_reader_has_left_is_forgotten() -> None:
    hub = Hub(Renderer(version=4).render)
    streams = [hub.open(TABLE, "ana", "browser", evicted=POLL) for _ in range(2)]
    hub.publish(TABLE)
    await settled(hub)
    hub.drop(streams[0])
    assert hub.known(TABLE) == (4, 1)
    hub.drop(streams[1])
    assert (hub.count, hub.watched(), hub.known(TABLE)) == (0, [], (-1, -1))
    assert not hub._browsers


async def test_who_leaves_while_a_rendering_is_under_way_is_not_missed() -> None:
    renderer = Renderer(version=3, gate=asyncio.Event())
    assert renderer.gate is not None
    hub = Hub(renderer.render)
    stream = hub.open(TABLE, "ana", None, evicted=POLL)
    hub.publish(TABLE)
    await until(lambda: renderer.calls)
    hub.drop(stream)
    renderer.gate.set()
    await settled(hub)
    assert (hub.count, hub.known(TABLE)) == (0, (-1, -1))


async def test_when_the_server_stops_every_stream_ends_also_those_that_still_come() -> None:
    hub = Hub(Renderer().render)
    streams = [hub.open(n, "ana", None, evicted=POLL) for n in range(5)]
    waiting = [asyncio.create_task(soon(stream)) for stream in streams]
    await asyncio.sleep(0)
    hub.close()
    assert await asyncio.gather(*waiting) == [None] * 5
    assert await soon(hub.open(TABLE, "late", "browser", evicted=POLL)) is None


async def test_words_for_everybody_reach_everybody_at_the_table() -> None:
    hub = Hub(Renderer().render)
    ana, bo = (hub.open(TABLE, name, None, evicted=POLL) for name in ("ana", "bo"))
    hub.tell(TABLE, b"hello")
    assert (await soon(ana), await soon(bo)) == (b"hello", b"hello")
    hub.tell(99, b"nobody")
