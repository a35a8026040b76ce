"""Wires the service: the only place that knows all parts."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from types import FrameType
from typing import Any

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp

from app.bots.runner import Runner
from app.db.engine import FAULTS, Database
from app.live.feed import Feed
from app.settings import Settings, read_settings
from app.web import api, api_docs, errors, health, home, live, metrics, replays, sessions, tables
from app.web.api_models import Problem
from app.web.house import House
from app.web.journal import Journal
from app.web.lane import Lane
from app.web.security import Guard


def _at_signal(stop: Callable[[], None]) -> None:
    """Call `stop` when told to end, before the server waits for open responses: streams never end by themselves."""
    if threading.current_thread() is not threading.main_thread():
        return  # an embedding program, such as a test, has its own way to stop
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        usual = signal.getsignal(number)

        def handle(received: int, frame: FrameType | None, usual: Any = usual) -> None:
            loop.call_soon_threadsafe(stop)
            if callable(usual):
                usual(received, frame)

        signal.signal(number, handle)


class Knobel(FastAPI):
    """The service. Its guard stands around everything, also around the answers to faults."""

    def openapi(self) -> dict[str, Any]:
        """Return the description of the API, with what FastAPI does not know: problem JSON and the bearer token."""
        if self.openapi_schema is None:
            described = super().openapi()
            parts = described["components"]
            problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            problem.pop("$defs", None)
            parts["schemas"]["Problem"] = problem
            parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            # without a token one watches
            described["security"] = [{"token": []}, {}]
        assert self.openapi_schema is not None
        return self.openapi_schema

    def build_middleware_stack(self) -> ASGIApp:
        """Return the stack of FastAPI within the guard, and the guard within the journal."""
        house: House = self.state.house
        lane = Lane(super().build_middleware_stack(), self, (*tables.STRAIGHT, *live.STRAIGHT, *api.STRAIGHT))
        guard = Guard(lane, self, house.settings)
        return Journal(guard, house.metrics)


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the service for these settings (else those of the environment), whose database is already migrated."""
    settings = settings or read_settings()
    if settings.database_url is None:
        raise ValueError("the app needs a database; `python -m app` starts one if none is named")
    database = Database(settings.database_url)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        house: House = app.state.house
        # what was loaded stays, so the collector need not look at it again and again; requests leave few cycles
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        await database.connect()
        _at_signal(lambda: house.hub.close(live.farewells))
        feed = Feed(database.listener, house.hub)
        runner = Runner(database, house.dice, house.made, house.changed)
        house.look = runner.look
        app.state.feed = feed
        tasks = [
            asyncio.create_task(work)
            for work in (
                feed.run(),
                house.presence.run(),
                house.watch.run(),
                house.hub.beat(live.BEAT, live.BEAT_EVERY),
                house.metrics.run(house.load),
                runner.run(),
            )
        ]
        yield
        house.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await runner.close()
        with suppress(*FAULTS):
            await asyncio.wait_for(house.presence.close(), 1)
        await database.close()

    app = Knobel(
        title="Knobel",
        version="1",
        summary="Dice games at a shared table",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.house = House(settings, database)
    errors.install(app)
    for part in (home, sessions, tables, live, replays, api, api_docs, health, metrics):
        app.include_router(part.router)
    app.router.routes.append(Route("/static/{path:path}", app.state.house.assets.serve))
    return app
