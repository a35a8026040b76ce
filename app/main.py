"""Wires the service: the only place that knows all parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.routing import Route

from app.db.engine import Database
from app.live.feed import Feed
from app.settings import Settings, read_settings
from app.web import api, api_docs, errors, health, home, live, replays, tables
from app.web.house import House
from app.web.security import Guard


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the service for these settings (else those of the environment), whose database is already migrated."""
    settings = settings or read_settings()
    if settings.database_url is None:
        raise ValueError("the app needs a database; `python -m app` starts one if none is named")
    database = Database(settings.database_url)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await database.connect()
        house: House = app.state.house
        feed = Feed(database.listener, house.hub)
        app.state.feed = feed
        tasks = [
            asyncio.create_task(work)
            for work in (feed.run(), house.presence.run(), house.hub.beat(live.BEAT, live.BEAT_EVERY))
        ]
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(*errors.DATABASE_FAULTS):
            await asyncio.wait_for(house.presence.close(), 1)
        await database.close()

    app = FastAPI(
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
    app.add_middleware(Guard, origin=settings.origin, https=settings.https)
    errors.install(app)
    for part in (home, tables, live, replays, api, api_docs, health):
        app.include_router(part.router)
    app.router.routes.append(Route("/static/{path:path}", app.state.house.assets.serve))
    return app
