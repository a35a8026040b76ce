"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse

from app.db.engine import FAULTS
from app.web.deps import HouseDep

router = APIRouter(prefix="/health", include_in_schema=False)


@router.get("/live")
async def live() -> JSONResponse:
    """The process answers."""
    return JSONResponse({"status": "live"})


@router.get("/ready")
async def ready(house: HouseDep) -> JSONResponse:
    """The database answers too, and we are not stopping."""
    if house.hub.closing:
        return JSONResponse({"status": "stopping"}, 503)
    try:
        await house.db.pool.fetchval("SELECT 1", timeout=2)
    except FAULTS:
        return JSONResponse({"status": "database away"}, 503, headers={"Retry-After": "2"})
    return JSONResponse({"status": "ready"})
