"""Replay and record of a finished game."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from app.tables import replay as replays
from app.web.deps import CodeDep, HouseDep, VisitorDep
from app.web.presenter import replay_context
from app.web.tables import load_table

router = APIRouter(prefix="/t/{code}", include_in_schema=False)


@router.get("/replay")
async def replay(code: CodeDep, house: HouseDep, who: VisitorDep, step: int = 0, play: int = 0) -> Response:
    """The game after `step` events; the address can be shared. A step beyond the end is the end."""
    table, me = await load_table(house, who, code)
    steps = len(await replays.record_events(house.db, table))
    shown = await replays.replay(house.db, table, min(max(step, 0), steps))
    context = replay_context(table, me, shown, origin=who.origin, playing=bool(play))
    return who.html("replay.html", me=await who.guest(), replay=context)


@router.get("/record")
async def record(code: CodeDep, house: HouseDep, who: VisitorDep) -> Response:
    """The game as a file."""
    table, _ = await load_table(house, who, code)
    name = f"knobel-{table.slug}-{table.code}.json"
    return JSONResponse(
        await replays.record(house.db, table), headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
