"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.responses import JSONResponse

from app.db.engine import FAULTS
from app.db.migrate import revisions
from app.web.deps import HouseDep

router = APIRouter(prefix="/health", include_in_schema=False)

PATIENCE = 1.0
"""Seconds the database has to answer in."""

_OURS = revisions()


@router.get("/live")
async def live() -> JSONResponse:
    """The process answers."""
    return JSONResponse({"status": "live"})


@router.get("/ready")
async def ready(house: HouseDep) -> JSONResponse:
    """We are not stopping, the database answers soon, and no migration of ours is missing in it.

    One that we do not know is no hindrance: a newer version has just been started beside us and will take over.
    """
    if house.hub.closing:
        return _not("stopping")
    try:
        async with asyncio.timeout(PATIENCE):
            found = await house.db.revision()
    except FAULTS as fault:
        return _not("not migrated" if getattr(fault, "sqlstate", None) == "42P01" else "database away")
    if found is None or found in _OURS[1:]:
        return _not("not migrated")
    return JSONResponse({"status": "ready"})


def _not(status: str) -> JSONResponse:
    return JSONResponse({"status": status}, 503, headers={"Retry-After": "2"})
