"""The JSON API: the same commands as the pages, other clothes (contract, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal, TypeVar

import orjson
from fastapi import APIRouter, Depends, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request

from app.core import codec
from app.games import CURRENT
from app.tables import absence, moves, queries, seats
from app.tables import replay as replays
from app.tables.players import new_guest
from app.web.api_data import game_data, log_data, summary_data, table_data
from app.web.api_models import (
    PROBLEM,
    Events,
    GameModel,
    GuestMade,
    Me,
    RecordModel,
    ReplayModel,
    TableModel,
)
from app.web.deps import CodeDep, HouseDep, Visitor, VisitorDep, bearer, table_code, visitor_of
from app.web.house import House, TableReader
from app.web.lane import Straight
from app.web.live import open_stream
from app.web.tables import load_table

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {"application/problem+json": {"schema": {"$ref": PROBLEM}}}}
    for status, words in {
        401: "Nobody is known by this token.",
        403: "Not the caller's seat, or not the host.",
        404: "No such table, seat or game.",
        409: "The table is not where the caller thinks it is; `table` is how it stands.",
        422: "Not a move of this position, or not of the wanted shape.",
        429: "Too much at once; see `Retry-After`.",
        503: "The database does not answer, see `Retry-After`; or what is stored of this table cannot be decoded (`unreadable`).",
    }.items()
}

_AGAIN: dict[int | str, dict[str, Any]] = {200: {"model": TableModel, "description": "It was so already."}}

router = APIRouter(prefix="/api/v1", responses=_PROBLEMS)


class Body(BaseModel):
    """Bodies are strict: no unknown field, no "1" for 1."""

    model_config = ConfigDict(extra="forbid", strict=True)


Posted = TypeVar("Posted", bound=Body)


class GuestBody(Body):
    """Somebody new."""

    name: str | None = None
    language: Literal["de", "en"] | None = None


class TableBody(Body):
    """A new table."""

    game: str
    options: dict[str, bool | int | str] = Field(default_factory=dict)
    visibility: Literal["unlisted", "public"] = "unlisted"
    clock: str = Field("none", description="none, live-20, live-45, live-90, days-1 … days-7")


class SeatBody(Body):
    """Who sits down: the caller, or a bot of a level of the game."""

    bot: str | None = None


class AbsenceBody(Body):
    """What to do about a seat whose person is away."""

    seat: Annotated[int, Field(ge=0, lt=100)]
    choice: absence.Choice


class MoveBody(Body):
    """A move, under the turn token it answers."""

    turn: Annotated[int, Field(ge=0, lt=2**31)]
    move: dict[str, Any]


class UndoBody(Body):
    """The version whose last moves are to be taken back."""

    version: Annotated[int, Field(ge=0, lt=2**31)]


async def caller(request: Request, who: VisitorDep) -> Visitor:
    """Return who asks: by bearer token, else by the browser's cookie."""
    who.token = bearer(request) or who.token
    return who


CallerDep = Annotated[Visitor, Depends(caller)]


async def _table(house: House, who: Visitor, code: str, status: int = 200) -> Response:
    table, me = await load_table(house, who, code)
    return _json(table_data(table, me, who.origin), status)


def _json(content: dict[str, Any], status: int = 200) -> Response:
    # made here, so that the declared model documents it and does not validate it a second time; tests do
    return Response(orjson.dumps(content), status, media_type="application/json")


@router.get("/games", response_model=list[GameModel])
async def games() -> list[dict[str, Any]]:
    """All games, with their options."""
    return [game_data(entry) for entry in CURRENT.values()]


@router.post("/guests", status_code=201, response_model=GuestMade)
async def guests(house: HouseDep, who: CallerDep, body: GuestBody | None = None) -> dict[str, Any]:
    """Make a guest; the token is the only proof of who they are."""
    await who.count("guest")
    guest, token = await new_guest(house.db, body.name if body else None, body.language if body else None)
    return {"player": {"id": guest.id, "name": guest.name}, "token": token}


@router.get("/me", response_model=Me)
async def me(house: HouseDep, who: CallerDep) -> dict[str, Any]:
    """Who I am, and my tables."""
    guest = await who.known()
    tables = await queries.tables_of(house.db, guest.id)
    return {
        "player": {"id": guest.id, "name": guest.name},
        "tables": [summary_data(table, guest.id, who.origin) for table in tables],
    }


@router.post("/tables", status_code=201, response_model=TableModel)
async def create(house: HouseDep, who: CallerDep, body: TableBody) -> Response:
    """Make a table; the caller is its host and sits on seat 0."""
    guest = await who.known()
    await who.count("table")
    made = await seats.create(house.db, guest, body.game, body.options, body.visibility, body.clock)
    return await _table(house, who, made.code, 201)


@router.get("/tables/{code}", response_model=TableModel)
async def table(code: CodeDep, house: HouseDep, who: CallerDep) -> Response:
    """A table as the caller may see it."""
    found, player = await load_table(house, who, code)
    return _json(table_data(found, player, who.origin))


async def _changed(house: House, who: Visitor, change: seats.Change, status: int = 200) -> Response:
    if change.changed:
        house.changed(change.table_id)
    return await _table(house, who, change.code, status)


@router.post("/tables/{code}/seats", status_code=201, response_model=TableModel, responses=_AGAIN)
async def sit(code: CodeDep, house: HouseDep, who: CallerDep, body: SeatBody | None = None) -> Response:
    """Take the first free seat, or put a bot there, as host.

    200 if the caller sits there already; a bot that stands in for the caller then gives the seat back.
    """
    guest = await who.known()
    await who.count("write")
    await load_table(house, who, code)
    if body is not None and body.bot is not None:
        return await _changed(house, who, await seats.add_bot(house.db, code, guest, body.bot), 201)
    change = await seats.sit(house.db, code, guest)
    if not change.changed:
        table, _ = await queries.load(house.db, code, who.session)
        if table.status == "playing":
            return await _made(house, who, await absence.come_back(house.db, code, who.session))
    return await _changed(house, who, change, 201 if change.changed else 200)


@router.delete("/tables/{code}/seats/{seat}", response_model=TableModel)
async def leave(code: CodeDep, seat: int, house: HouseDep, who: CallerDep) -> Response:
    """Leave a seat before the start; the host may free any. In a running game a bot stands in for who leaves."""
    guest = await who.known()
    await who.count("write")
    table, me = await load_table(house, who, code)
    if table.status == "playing" and me is not None and table.seat_of(me) == seat:
        return await _made(house, who, await absence.step_out(house.db, code, who.session))
    return await _changed(house, who, await seats.leave(house.db, code, guest, seat))


@router.post("/tables/{code}/absence", response_model=TableModel)
async def decide(code: CodeDep, house: HouseDep, who: CallerDep, body: AbsenceBody) -> Response:
    """Decide about a seat whose person is away: `stand_in` at once; `end` when all who are there want it; or `wait`."""
    await who.count("write")
    return await _made(house, who, await absence.decide(house.db, code, who.session, body.seat, body.choice))


@router.post("/tables/{code}/start", response_model=TableModel)
async def start(code: CodeDep, house: HouseDep, who: CallerDep) -> Response:
    """Begin the game, as host."""
    guest = await who.known()
    await who.count("write")
    return await _changed(house, who, await seats.start(house.db, house.dice, code, guest))


async def make_move(request: Request) -> Response:
    """Read and make a move, and answer with the table after it."""
    code = await table_code(request.path_params["code"])
    house: House = request.app.state.house
    who = await caller(request, visitor_of(request, house))
    await who.count("move")
    body = await _posted(request, MoveBody)
    made = await moves.move(house.db, house.dice, code, who.session, body.turn, lambda _: body.move)
    return await _made(house, who, made)


async def _posted(request: Request, shape: type[Posted]) -> Posted:
    """Return the body of a request. Raises RequestValidationError, as where the framework reads it."""
    raw = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestValidationError([{"loc": ("body",), "msg": "The body must be application/json", "type": "json"}])
    try:
        return shape.model_validate_json(raw)
    except ValidationError as problem:
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in problem.errors()]) from None


async def follow(request: Request) -> Response:
    """Open a stream."""
    code = await table_code(request.path_params["code"])
    house: House = request.app.state.house
    who = await caller(request, visitor_of(request, house))
    found, player = await load_table(house, who, code)
    return await open_stream(house, found, TableReader(player, "en", "json", who.origin), who)


STRAIGHT = (
    Straight("POST", "/api/v1/tables/{code}/moves", make_move),
    Straight("GET", "/api/v1/tables/{code}/stream", follow),
)


class _Described(APIRoute):
    """A call that the framework describes, and that has a straight way (see `lane`)."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler itself, without the framework's reading of arguments."""
        return next(way.handler for way in STRAIGHT if way.path == self.path_format)


async def _move(code: CodeDep, body: MoveBody) -> None:
    """Make a move. The same move under the same turn again is answered with the present table."""


router.add_api_route(
    "/tables/{code}/moves",
    _move,
    name="move",
    methods=["POST"],
    response_model=TableModel,
    route_class_override=_Described,
)


async def _made(house: House, who: Visitor, made: moves.Made, *, rolls: bool = True) -> Response:
    await house.made(made, rolls=rolls)
    return _json(table_data(made.table, made.me, who.origin))


@router.post("/tables/{code}/undo", response_model=TableModel)
async def undo(code: CodeDep, house: HouseDep, who: CallerDep, body: UndoBody) -> Response:
    """Take back my moves since the last chance event, reveal or move of another seat."""
    await who.count("move")
    return await _made(house, who, await moves.undo(house.db, code, who.session, body.version), rolls=False)


@router.post("/tables/{code}/rematch", status_code=201, response_model=TableModel, responses=_AGAIN)
async def rematch(code: CodeDep, house: HouseDep, who: CallerDep) -> Response:
    """Make the one table that follows a finished one; 200 with that table if it is there already."""
    guest = await who.known()
    await who.count("table")
    made = await seats.rematch(house.db, code, guest)
    if made.changed:
        before, _ = await queries.load(house.db, code, None)
        house.changed(before.id)
    return await _table(house, who, made.code, 201 if made.changed else 200)


@router.get("/tables/{code}/events", response_model=Events)
async def events(
    code: CodeDep, house: HouseDep, who: CallerDep, after: Annotated[int, Field(ge=0, lt=2**31)] = 0
) -> dict[str, Any]:
    """The log behind number `after`, as the caller may see it."""
    found, player = await load_table(house, who, code)
    viewer = found.seat_of(player)
    rows = await queries.log_rows(house.db, found, after)
    return {"events": [log_data(found, row, viewer) for row in rows], "version": found.version}


async def _stream(code: CodeDep) -> None:
    """Server-sent events; the first message, with the full present table, comes at once."""


router.add_api_route(
    "/tables/{code}/stream",
    _stream,
    name="stream",
    methods=["GET"],
    response_class=Response,
    responses={
        200: {"description": "`event: table`, `id`: version, `data`: Table", "content": {"text/event-stream": {}}}
    },
    route_class_override=_Described,
)


@router.get("/tables/{code}/replay", response_model=ReplayModel)
async def replay(code: CodeDep, house: HouseDep, who: CallerDep, step: int | None = None) -> dict[str, Any]:
    """A finished game after `step` of its events (all, if not said)."""
    found, _ = await load_table(house, who, code)
    shown = await replays.replay(house.db, found, step)
    return {
        "step": shown.step,
        "steps": shown.steps,
        "event": None if shown.event is None else codec.event_data(shown.event),
        "state": codec.data(shown.view),
        "outcome": None if shown.outcome is None else codec.data(shown.outcome),
    }


@router.get("/tables/{code}/record", response_model=RecordModel)
async def record(code: CodeDep, house: HouseDep, who: CallerDep) -> dict[str, Any]:
    """A finished game as a record, which `python -m app.records verify` can check offline."""
    found, _ = await load_table(house, who, code)
    return await replays.record(house.db, found)
