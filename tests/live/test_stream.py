"""Streams of the service as people run it: real connections, real signals, real kills."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.live.streams import ROLL, begun, call, reading, table
from tests.support.play import api_guest
from tests.support.server import Server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def people(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url, timeout=10) as client:
        yield client


async def test_the_first_message_is_the_full_present_table_as_its_reader_may_see_it(people: httpx.AsyncClient) -> None:
    code, ana, _ = await begun(people)
    await call(people, ana, f"/{code}/moves", turn=2, move=ROLL)
    for who in (ana, None):
        async with reading(people, code, who) as seen:
            first = await seen.reach(0)
            now = await table(people, code, who)
            if who is not None:  # whoever has the stream open is there
                now["seats"][0]["present"] = first["seats"][0]["present"]
            assert first == now
            assert seen.ids[0] == first["version"] == 4
    async with reading(people, code.lower(), ana) as seen:
        assert (await seen.reach(0))["you"]["turn"] == 4


async def test_a_stream_of_a_table_that_is_not_there_is_not_found(people: httpx.AsyncClient) -> None:
    answer = await people.get("/api/v1/tables/K7QMX2PA3D/stream")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_what_one_does_arrives_at_the_others_at_once(people: httpx.AsyncClient) -> None:
    code, ana, bo = await begun(people)
    async with reading(people, code, ana) as hers, reading(people, code, bo) as his, reading(people, code) as nobodys:
        for one in (hers, his, nobodys):
            await one.reach(2)
        rolled = await call(people, ana, f"/{code}/moves", turn=2, move=ROLL)
        for one in (hers, his, nobodys):
            seen = await one.reach(4, 2)
            assert seen["state"] == rolled["state"]
        await call(people, ana, f"/{code}/moves", turn=4, move={"kind": "score", "category": "choice"})
        seen = await his.reach(5, 2)
        assert seen["you"]["turn"] == 5
        assert (await nobodys.reach(5, 2))["you"] is None
        await call(people, ana, f"/{code}/undo", version=5)
        assert (await his.reach(6, 2))["you"]["turn"] is None
        assert (await hers.reach(6, 2))["state"] == rolled["state"]
        for one in (hers, his, nobodys):
            assert one.ids == sorted(one.ids)


async def test_everybody_who_waits_sees_the_start_without_doing_anything(people: httpx.AsyncClient) -> None:
    ana, bo = await api_guest(people, "Ana"), await api_guest(people, "Bo")
    code = (await call(people, ana, "", game="yacht", options={"first_player": "host"}))["code"]
    async with reading(people, code, ana) as hers, reading(people, code, bo) as his:
        await hers.reach(1)
        assert (await his.reach(1))["you"] is None
        await call(people, bo, f"/{code}/seats")
        taken = [seat["player"] for seat in (await hers.reach(2, 2))["seats"]]
        assert [player["name"] for player in taken if player is not None] == ["Ana", "Bo"]
        assert (await his.reach(2, 2))["you"]["seat"] == 1
        await call(people, ana, f"/{code}/start")
        async with asyncio.timeout(2):
            while his.tables[-1]["status"] != "playing" or hers.tables[-1]["status"] != "playing":
                await asyncio.sleep(0.02)


async def test_who_opens_and_closes_the_table_is_shown_to_the_others(people: httpx.AsyncClient) -> None:
    code, ana, bo = await begun(people)
    async with reading(people, code, ana) as hers:

        async def shown(present: bool, seconds: float) -> None:  # noqa: FBT001  # a value to wait for
            async with asyncio.timeout(seconds):
                while not hers.tables or hers.tables[-1]["seats"][1]["present"] is not present:
                    await asyncio.sleep(0.02)

        async with reading(people, code, bo):
            await shown(present=True, seconds=3)
        await shown(present=False, seconds=10)


async def test_signs_of_life_come_while_nothing_happens(people: httpx.AsyncClient) -> None:
    code, ana, _ = await begun(people)
    async with asyncio.timeout(5), people.stream("GET", f"/api/v1/tables/{code}/stream", headers=ana) as response:
        beats = 0
        async for line in response.aiter_lines():
            beats += line == "event: beat"
            if beats == 2:
                break


async def test_told_to_stop_with_open_streams_the_server_ends_them_and_itself_within_five_seconds(
    server: Server, people: httpx.AsyncClient
) -> None:
    code, ana, _ = await begun(people)
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(reading(people, code, ana)) for _ in range(10)]
        for stream in streams:
            await stream.reach(2)
        took = await asyncio.to_thread(server.stop)
        for stream in streams:
            await stream.end(1)
    assert took < 5


async def test_after_kill_9_and_restart_everything_answered_is_there_and_streams_work_again(
    server: Server, people: httpx.AsyncClient
) -> None:
    code, ana, bo = await begun(people)
    async with reading(people, code, bo) as before:
        rolled = await call(people, ana, f"/{code}/moves", turn=2, move=ROLL)
        await before.reach(4)
        await asyncio.to_thread(server.kill)
        await before.end(5)
    await asyncio.to_thread(server.start)
    async with httpx.AsyncClient(base_url=server.url, timeout=10) as again:
        now = await table(again, code, ana)
        assert now["state"] == rolled["state"]
        assert (now["version"], now["you"]["turn"], now["you"]["actions"]) == (4, 4, rolled["you"]["actions"])
        # the answer may have been lost with the server: the same move again draws no new dice
        assert (await call(again, ana, f"/{code}/moves", turn=2, move=ROLL))["state"] == rolled["state"]
        async with reading(again, code, bo) as his:
            assert (await his.reach(4))["state"] == rolled["state"]
            await call(again, ana, f"/{code}/moves", turn=4, move={"kind": "score", "category": "choice"})
            assert (await his.reach(5, 2))["you"]["turn"] == 5


async def test_a_move_under_way_while_the_server_is_killed_is_done_wholly_or_not_at_all(
    server: Server, people: httpx.AsyncClient
) -> None:
    code, ana, _ = await begun(people)
    sending = [
        asyncio.create_task(people.post(f"/api/v1/tables/{code}/moves", json={"turn": 2, "move": ROLL}, headers=ana))
        for _ in range(10)
    ]
    await asyncio.sleep(0.005)
    await asyncio.to_thread(server.kill)
    answers = await asyncio.gather(*sending, return_exceptions=True)
    await asyncio.to_thread(server.start)
    async with httpx.AsyncClient(base_url=server.url, timeout=10) as again:
        now = await table(again, code, ana)
        assert now["version"] in (2, 4)
        for answer in answers:
            if isinstance(answer, httpx.Response):
                assert answer.status_code == 200
                assert answer.json()["state"] == now["state"]
        log = (await again.get(f"/api/v1/tables/{code}/events")).json()
        assert [event["n"] for event in log["events"]] == list(range(1, now["version"] + 1))
        after = await call(again, ana, f"/{code}/moves", turn=2, move=ROLL)
        assert after["version"] == 4


async def test_two_workers_both_deliver_to_all_their_streams(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path, workers=2) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=10) as client:
            code, ana, _ = await begun(client)
        async with AsyncExitStack() as stack:
            # the kernel spreads connections over the workers; with twelve, both have some
            streams = [await stack.enter_async_context(reading(client, code)) for _ in range(12)]
            for stream in streams:
                await stream.reach(2)
            version = 2
            for _ in range(3):
                async with httpx.AsyncClient(base_url=server.url, timeout=10) as fresh:
                    made = await call(
                        fresh,
                        ana,
                        f"/{code}/moves",
                        turn=version,
                        move=ROLL if version == 2 else {"kind": "roll", "dice": [0]},
                    )
                version = made["version"]
                for stream in streams:
                    assert (await stream.reach(version, 3))["state"] == made["state"]
            for stream in streams:
                assert stream.ids == sorted(stream.ids)
            await asyncio.to_thread(server.stop)
            for stream in streams:
                await stream.end(1)


async def test_twenty_equal_moves_at_once_through_two_workers_are_one_move(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path, workers=2) as server:
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(httpx.AsyncClient(base_url=server.url, timeout=10)) for _ in range(20)
            ]
            code, ana, _ = await begun(clients[0])
            answers = await asyncio.gather(
                *(
                    client.post(f"/api/v1/tables/{code}/moves", json={"turn": 2, "move": ROLL}, headers=ana)
                    for client in clients
                )
            )
            assert [answer.status_code for answer in answers] == [200] * 20
            assert len({answer.content for answer in answers}) == 1
            log = (await clients[0].get(f"/api/v1/tables/{code}/events")).json()
            assert [event["type"] for event in log["events"]] == ["seat", "seat", "move", "chance"]


async def test_no_line_of_the_log_holds_a_code_a_secret_or_a_trace(server: Server, people: httpx.AsyncClient) -> None:
    code, ana, _ = await begun(people)
    async with reading(people, code, ana) as hers:
        await hers.reach(2)
    await people.get("/api/v1/tables/K7QMX2PA3D")
    await asyncio.to_thread(server.stop)
    written = server.log.read_text()
    assert "Traceback" not in written
    assert code not in written
    assert ana["Authorization"].removeprefix("Bearer ") not in written
