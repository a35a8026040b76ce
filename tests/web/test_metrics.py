"""What Prometheus gets: for whoever has the token, right counts, of all workers, and nothing about anybody."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from app.main import create_app
from app.settings import Settings
from app.tables.queries import load
from tests.support.play import until
from tests.support.server import Server
from tests.test_serve import children, gone, needs_proc
from tests.web.service import API, guest, house_of, running_table

pytestmark = pytest.mark.anyio

TOKEN = "a-long-token-of-the-host"
KEY = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
async def measured(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A service that gives its metrics to whoever has the token."""
    app = create_app(settings.model_copy(update={"metrics_token": SecretStr(TOKEN)}))
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://knobel.test") as one,
    ):
        yield one


def value(text: str, name: str, **labels: str) -> float:
    """Return the sum of all samples of this name with these labels; there must be one."""
    found = [
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]
    assert found, f"{name} {labels} is not in\n{text}"
    return sum(found)


async def scraped(client: httpx.AsyncClient) -> str:
    answer = await client.get("/metrics", headers=KEY)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return answer.text


async def test_for_everybody_without_the_token_there_is_nothing(
    client: httpx.AsyncClient, measured: httpx.AsyncClient
) -> None:
    nothing = await client.get("/metrics", headers=KEY)  # no token is set there
    assert nothing.status_code == 404
    for headers in (
        {},
        {"Authorization": "Bearer "},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Cookie": f"sid={TOKEN}"},
    ):
        refused = await measured.get("/metrics", headers=headers)
        assert refused.status_code == 404
        assert "knobel_" not in refused.text
    assert (await measured.get("/metrics", headers=KEY)).status_code == 200


async def test_moves_refusals_answers_and_tables_are_counted(measured: httpx.AsyncClient) -> None:
    before = await scraped(measured)
    code, (ana, bo) = await running_table(measured, "Anastasia", "Bo")
    assert (await ana.move(code, 2, kind="roll", dice=[0, 1, 2, 3, 4])).status_code == 200
    assert (await ana.move(code, 2, kind="roll", dice=[0, 1, 2, 3, 4])).status_code == 200  # repeated: no move
    assert (await bo.move(code, 2, kind="roll", dice=[0, 1, 2, 3, 4])).status_code == 409
    await guest(measured)
    text = await scraped(measured)
    assert value(text, "knobel_moves_total", game="yacht") == 1
    assert value(text, "knobel_refusals_total", code="not_your_turn") == 1
    moves = {"route": f"{API}/tables/{{code}}/moves", "method": "POST"}
    assert value(text, "knobel_request_seconds_count", **moves, status="200") == 2
    assert value(text, "knobel_request_seconds_count", **moves, status="409") == 1
    assert value(text, "knobel_request_seconds_bucket", **moves, status="200", le="+Inf") == 2
    assert value(text, "knobel_tables", status="playing") == 1
    assert value(before, "knobel_tables", status="playing") == 0
    assert value(text, "knobel_database_up") == 1
    for secret in (code, "Anastasia", str(ana.token), str(ana.player)):
        assert secret not in text


async def test_streams_presence_pools_and_the_loops_lag_are_measured(measured: httpx.AsyncClient) -> None:
    house = house_of(measured)
    for reader in ("ana", "bo"):
        house.hub.open(1, reader, None, evicted=b"")
    await until(lambda: house.metrics.text(None).count(b"knobel_loop_lag_seconds_count 0.0") == 0)
    code, (ana, _) = await running_table(measured, "Ana", "Bo")
    house.presence.enter(((await load(house.db, code, None))[0].id, str(ana.player)))

    async def seen() -> bool:
        return value(await scraped(measured), "knobel_people_present") >= 1

    await until(seen)
    held = [await house.db.pool.acquire() for _ in range(3)]
    text = await scraped(measured)
    for connection in held:
        await house.db.pool.release(connection)
    assert value(text, "knobel_streams") == 2
    assert value(text, "knobel_pool_in_use", pool="moves") >= 3
    assert value(text, "knobel_pool_in_use", pool="commands") == 0
    assert value(text, "knobel_loop_lag_seconds_count") >= 1


async def test_without_the_database_the_rest_is_still_told(measured: httpx.AsyncClient) -> None:
    house_of(measured).db.pool.terminate()
    text = await scraped(measured)
    assert value(text, "knobel_database_up") == 0
    assert "knobel_tables" not in text


@needs_proc
def test_whichever_worker_is_asked_answers_for_all_and_counts_outlive_a_killed_one(
    database_url: str, tmp_path: Path
) -> None:
    each_anew = httpx.Limits(max_keepalive_connections=0)  # so that both workers get some
    with (
        Server(database_url, tmp_path, workers=2, KNOBEL_METRICS_TOKEN=TOKEN) as server,
        httpx.Client(base_url=server.url, limits=each_anew) as client,
    ):
        for _ in range(20):
            client.get(f"{API}/games")

        def counted() -> float:
            text = client.get("/metrics", headers=KEY).text
            return value(text, "knobel_request_seconds_count", route=f"{API}/games")

        assert [counted() for _ in range(6)] == [20] * 6
        workers = [pid for pid in children(server.pid) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        os.kill(min(workers), signal.SIGKILL)
        gone({min(workers)}, 10)
        assert [counted() for _ in range(3)] == [20] * 3


def test_a_token_that_is_too_short_is_refused_without_being_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from app.settings import BadSetting, read_settings

    monkeypatch.setenv("KNOBEL_METRICS_TOKEN", "hunter2")
    with pytest.raises(BadSetting, match=r"^KNOBEL_METRICS_TOKEN ") as caught:
        read_settings()
    assert "hunter2" not in str(caught.value)
