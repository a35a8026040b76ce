"""Signing out: this browser, or every other one."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from app.tables import players
from app.web.deps import HouseDep, VisitorDep

router = APIRouter(prefix="/me", include_in_schema=False)


@router.post("/sign-out")
async def sign_out(house: HouseDep, who: VisitorDep) -> Response:
    """End the session of this browser, and have it forget what it kept for a page."""
    await who.count("write")
    await players.sign_out(house.db, who.token)
    response = who.forget(who.see("/"))
    response.headers["Clear-Site-Data"] = '"storage"'
    return response


@router.post("/sign-out-others")
async def sign_out_others(house: HouseDep, who: VisitorDep) -> Response:
    """End every other session of this person; this browser goes on with a new secret."""
    await who.count("write")
    who.made = await players.sign_out_elsewhere(house.db, who.token)
    return who.see("/me")
