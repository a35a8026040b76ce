"""A reader of a table's stream over a real connection, and people who play by the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import httpx
import orjson

from tests.support.play import api_guest

Headers: TypeAlias = dict[str, str]
ROLL = {"kind": "roll", "dice": [0, 1, 2, 3, 4]}


@dataclass
class Reading:
    """What has come through an open stream: the tables, in order. `ended` when the server has closed it."""

    tables: list[dict[str, Any]] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    ended: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def read(self, response: httpx.Response) -> None:
        event, number = "", -1
        try:
            async for line in response.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    event = value
                elif name == "id":
                    number = int(value)
                elif name == "data" and event == "table":
                    self.ids.append(number)
                    self.tables.append(orjson.loads(value))
                    self._news.set()
        except httpx.TransportError:
            pass  # the other side was killed
        finally:
            self.ended = True
            self._news.set()

    async def reach(self, version: int, seconds: float = 5) -> dict[str, Any]:
        """Return the first table of this version or a later one."""
        async with asyncio.timeout(seconds):
            while not self.ids or self.ids[-1] < version:
                assert not self.ended
                self._news.clear()
                await self._news.wait()
        return next(table for table in self.tables if table["version"] >= version)

    async def end(self, seconds: float) -> None:
        async with asyncio.timeout(seconds):
            while not self.ended:
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def reading(client: httpx.AsyncClient, code: str, headers: Headers | None = None) -> AsyncIterator[Reading]:
    """Open the API's stream of a table, on a connection of its own."""
    found = Reading()
    async with (
        httpx.AsyncClient(base_url=client.base_url, timeout=httpx.Timeout(10, read=30)) as own,
        own.stream("GET", f"/api/v1/tables/{code}/stream", headers=headers) as response,
    ):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        task = asyncio.create_task(found.read(response))
        try:
            yield found
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def call(client: httpx.AsyncClient, who: Headers, path: str, **body: Any) -> dict[str, Any]:
    """Do something by the API; the table after it."""
    answer = await client.post(f"/api/v1/tables{path}", json=body or None, headers=who)
    assert answer.status_code in (200, 201), answer.text
    table: dict[str, Any] = answer.json()
    return table


async def table(client: httpx.AsyncClient, code: str, who: Headers | None = None) -> dict[str, Any]:
    answer = await client.get(f"/api/v1/tables/{code}", headers=who)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def begun(client: httpx.AsyncClient) -> tuple[str, Headers, Headers]:
    """Return the code of a running game of Ana, who is first, and Bo."""
    ana, bo = await api_guest(client, "Ana"), await api_guest(client, "Bo")
    made = await call(client, ana, "", game="yacht", options={"first_player": "host"})
    await call(client, bo, f"/{made['code']}/seats")
    await call(client, ana, f"/{made['code']}/start")
    return made["code"], ana, bo
