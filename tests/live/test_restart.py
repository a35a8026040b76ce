"""Told to stop, the service sends its streams away with a word about when to come back, and not all at the same time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import httpx
import pytest

from app.web.live import farewells
from tests.live.streams import begun
from tests.support.server import Server
from tests.web.service import house_of

pytestmark = pytest.mark.anyio

LAST = re.compile(rb"event: restart\nretry: (\d+)\ndata: (\d+)\n\n$")


def waits(messages: Sequence[bytes]) -> list[int]:
    """Return after how many milliseconds each stream is to come back, soonest first."""
    found = [LAST.search(message) for message in messages]
    assert all(match is not None and match[1] == match[2] for match in found)
    return sorted(int(match[1]) for match in found if match is not None)


def busiest(times: Sequence[int]) -> int:
    """Return how many come back within the worst tenth of a second."""
    return max(sum(begin <= time < begin + 100 for time in times) for begin in times)


@pytest.mark.parametrize("count", [100, 101, 500, 1000, 3000])
def test_many_come_back_over_some_seconds_and_never_a_tenth_of_them_at_once(count: int) -> None:
    given = farewells(count)
    assert waits(given) != [int(LAST.search(one)[1]) for one in given]  # type: ignore[index]  # dealt out at random
    times = waits(given)
    assert busiest(times) <= count / 10
    assert 1900 <= times[-1] <= 10_000


@pytest.mark.parametrize("count", [0, 1, 2, 10])
def test_few_come_back_at_once(count: int) -> None:
    assert all(time < 200 for time in waits(farewells(count)))


async def heard(server: Server, code: str, ready: asyncio.Semaphore) -> bytes:
    """Read a stream to its end; tell when it has begun."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"GET /api/v1/tables/{code}/stream HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    head = await reader.readuntil(b"event: table")
    assert b" 200 OK" in head
    ready.release()
    rest = await reader.read()
    writer.close()
    # what chunked encoding has put around the messages
    return re.sub(rb"\r\n[0-9a-f]+\r\n|\r\n0?\r?\n?", b"", rest)


async def test_streams_of_a_real_server_are_told_and_the_server_ends_within_five_seconds(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url, timeout=10) as client:
        code, _, _ = await begun(client)
    count, ready = 120, asyncio.Semaphore(0)
    reading = [asyncio.create_task(heard(server, code, ready)) for _ in range(count)]
    async with asyncio.timeout(30):
        for _ in range(count):
            await ready.acquire()
    took = await asyncio.to_thread(server.stop)
    async with asyncio.timeout(5):
        times = waits(await asyncio.gather(*reading))
    assert took <= 5
    assert len(times) == count
    assert times[-1] >= 1900
    assert busiest(times) <= count / 10
    assert "Traceback" not in server.log.read_text()


async def test_who_is_stopping_is_not_ready_but_lives(client: httpx.AsyncClient) -> None:
    assert (await client.get("/health/ready")).status_code == 200
    house_of(client).hub.close(farewells)
    stopping = await client.get("/health/ready")
    assert (stopping.status_code, stopping.json()) == (503, {"status": "stopping"})
    assert (await client.get("/health/live")).status_code == 200
