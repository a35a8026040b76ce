"""What Prometheus may ask for: counts of this process, or of all workers together, and a census of the database.

No label holds anything about a person or a table. With several workers (`app/serve.py` then names a folder to
prometheus-client) each writes its counts there, and whichever is asked adds them up.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from secrets import compare_digest
from typing import TYPE_CHECKING

from fastapi import APIRouter
from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.db.engine import FAULTS, Database
from app.tables.census import Census, census

if TYPE_CHECKING:
    from collections.abc import Callable

router = APIRouter(include_in_schema=False)

LAG_EVERY = 0.25
"""Seconds between two looks at how late the event loop is."""

_PATIENCE = 1.0
_ANSWER_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_LAG_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)

disable_created_metrics()  # type: ignore[no-untyped-call]  # a library without types here


class Metrics:
    """The counts of one process. Cheap to count: a dictionary and an addition."""

    def __init__(self) -> None:
        own = self._own = CollectorRegistry()
        self._answers = Histogram(
            "knobel_request_seconds",
            "From the request to the head of its answer, by address as written in the code",
            ("route", "method", "status"),
            registry=own,
            buckets=_ANSWER_BUCKETS,
        )
        self._children: dict[tuple[str, str, int], Histogram] = {}
        self._moves = Counter("knobel_moves", "Moves that were committed", ("game",), registry=own)
        self._refusals = Counter("knobel_refusals", "Commands refused, by code of the API", ("code",), registry=own)
        self._lag = Histogram(
            "knobel_loop_lag_seconds", "How late the event loop wakes", registry=own, buckets=_LAG_BUCKETS
        )
        self._streams = Gauge("knobel_streams", "Open streams", registry=own, multiprocess_mode="livesum")
        self._pool = Gauge(
            "knobel_pool_in_use", "Connections in use", ("pool",), registry=own, multiprocess_mode="livesum"
        )

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer whose head went out after so many seconds."""
        key = (route, method, status)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = self._answers.labels(route, method, str(status))
        child.observe(seconds)

    def moved(self, game: str) -> None:
        """Count a move, by the game's slug."""
        self._moves.labels(game).inc()

    def refused(self, code: str) -> None:
        """Count a refusal."""
        self._refusals.labels(code).inc()

    def sample(self, streams: int, in_use: dict[str, int]) -> None:
        """Note how many streams are open and how many connections of each pool are in use."""
        self._streams.set(streams)
        for pool, count in in_use.items():
            self._pool.labels(pool).set(count)

    async def run(self, look: Callable[[], tuple[int, dict[str, int]]]) -> None:
        """Measure the lag of the event loop and take samples by `look`, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LAG_EVERY
            await asyncio.sleep(LAG_EVERY)
            self._lag.observe(max(0.0, loop.time() - due))
            self.sample(*look())

    def text(self, found: Census | None) -> bytes:
        """Return everything in Prometheus' text format; `found` is None if the database did not answer."""
        return generate_latest(self._gathered()) + generate_latest(_of_database(found))

    def _gathered(self) -> CollectorRegistry:
        folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        if folder is None:
            return self._own
        for file in Path(folder).glob("gauge_live*_*.db"):
            pid = int(file.stem.rpartition("_")[2])
            try:
                os.kill(pid, 0)
            except ProcessLookupError:  # what it counted stays; that it has streams open is no longer true
                mark_process_dead(pid)  # type: ignore[no-untyped-call]  # as above
            except PermissionError:
                continue
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # as above
        return together


def _of_database(found: Census | None) -> CollectorRegistry:
    registry = CollectorRegistry()
    Gauge("knobel_database_up", "Whether the database has answered this very question", registry=registry).set(
        found is not None
    )
    if found is not None:
        tables = Gauge("knobel_tables", "Tables by status", ("status",), registry=registry)
        for status, count in found.tables.items():
            tables.labels(status).set(count)
        Gauge("knobel_people_present", "People who have a table open", registry=registry).set(found.present)
    return registry


async def _counted(db: Database) -> Census | None:
    with suppress(*FAULTS):
        async with asyncio.timeout(_PATIENCE):
            return await census(db)
    return None


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Answer whoever has the host's token; for everybody else there is nothing here."""
    house = request.app.state.house
    token = house.settings.metrics_token
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if token is None or not compare_digest(given.encode(), token.get_secret_value().encode()):
        raise HTTPException(404)
    found: Metrics = house.metrics
    found.sample(*house.load())
    return Response(found.text(await _counted(house.db)), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})
