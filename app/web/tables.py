"""The page of a table for its whole life, and everything one can post to it."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import get_args

import segno
from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from app.tables import absence, moves, players, points, queries, seats
from app.tables.errors import Invalid, NotFound, NotYourSeat
from app.tables.names import clean_name
from app.tables.players import Guest
from app.tables.snapshot import Snapshot
from app.web.deps import (
    CodeDep,
    FormDep,
    HouseDep,
    Visitor,
    VisitorDep,
    posted,
    reader_of,
    single,
    table_code,
    visitor_of,
)
from app.web.house import House, TableReader
from app.web.lane import Straight
from app.web.presenter import path_of

router = APIRouter(prefix="/t/{code}", include_in_schema=False)


@router.get("")
async def page(code: CodeDep, house: HouseDep, who: VisitorDep) -> Response:
    """Waiting room, play, result."""
    table, me = await load_table(house, who, code)
    guest = await who.guest()
    context = await house.context(table, await reader_of(who, table, me))
    return who.html("table.html", me=guest, table=context)


async def load_table(house: House, who: Visitor, code: str) -> tuple[Snapshot, str | None]:
    """Return a table and the id of who asks. Raises NotFound.

    Raises TooManyRequests for an address that has asked for many tables that are not there, unless the caller has a
    seat at this one: what is found would otherwise tell a guesser more than the limit hides.
    """
    table, me = await queries.load(house.db, code, who.session)
    if table.seat_of(me) is None:
        await house.limits.check("guess", who.address)
    house.saw(table, me)
    return table, me


@router.get("/live")
async def poll(code: CodeDep, house: HouseDep, who: VisitorDep) -> Response:
    """The table alone, for pages that cannot hold a stream; somebody who opens it by itself is sent to the page."""
    if who.request.headers.get("sec-fetch-dest") == "document":
        return who.see(path_of(code))
    table, me = await load_table(house, who, code)
    return _fragment(await house.fragment(table, await reader_of(who, table, me)))


def _fragment(body: bytes) -> Response:
    return Response(body, media_type="text/html", headers={"Cache-Control": "no-store"})


@router.get("/qr.svg")
async def qr(code: CodeDep, who: VisitorDep) -> Response:
    """The link to the table as a picture to scan."""
    picture = _qr(who.origin + path_of(code))
    return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=86400"})


@lru_cache(maxsize=256)
def _qr(link: str) -> bytes:
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", border=2, xmldecl=False, svgclass=None, lineclass=None, scale=4)
    return out.getvalue()


async def _after_seats(house: House, who: Visitor, change: seats.Change, to: str | None = None) -> Response:
    """Answer a command about seats: the table alone to htmx if its stream still knows who looks, else a redirect."""
    if change.changed:
        house.changed(change.table_id)
    path = to or path_of(change.code)
    if not who.request.headers.get("hx-request"):
        return who.see(path)
    if to is not None or who.made is not None:
        return who.keep(Response(status_code=204, headers={"HX-Redirect": path}))
    table, me = await queries.load(house.db, change.code, who.session)
    return who.keep(_fragment(await house.fragment(table, await reader_of(who, table, me))))


@router.post("/sit")
async def sit(code: CodeDep, house: HouseDep, who: VisitorDep, form: FormDep) -> Response:
    """Take the first free seat, under the name in the form."""
    await who.count("write")
    table, me = await load_table(house, who, code)
    # refused before anybody is made
    seats.check_free(table, me)
    who.typed = single(form, "name")
    name = who.prefs.proposed if who.typed is None else clean_name(who.typed)
    guest = await who.somebody(name)
    if who.typed is not None and name != guest.name:
        for table_id in await players.rename(house.db, guest.id, name):
            house.changed(table_id)
        guest = Guest(guest.id, name)
    return await _after_seats(house, who, await seats.sit(house.db, code, guest))


@router.post("/leave")
async def leave(code: CodeDep, house: HouseDep, who: VisitorDep) -> Response:
    """Give my seat back before the start; in a running game a bot stands in for me from now on."""
    await who.count("write")
    guest = await who.known()
    table, me = await queries.load(house.db, code, who.session)
    seat = table.seat_of(me)
    if seat is None:
        raise NotYourSeat
    if table.status == "playing":
        await house.made(await absence.step_out(house.db, code, who.session))
        return await _after_seats(house, who, seats.Change(table.id, code, changed=False), to="/")
    return await _after_seats(house, who, await seats.leave(house.db, code, guest, seat), to="/")


@router.post("/bots")
async def add_bot(code: CodeDep, house: HouseDep, who: VisitorDep, form: FormDep) -> Response:
    """Put a bot on the first free seat, as host."""
    await who.count("write")
    level = single(form, "level") or ""
    return await _after_seats(house, who, await seats.add_bot(house.db, code, await who.known(), level))


@router.post("/back")
async def back(code: CodeDep, house: HouseDep, who: VisitorDep) -> Response:
    """Take my seat back from the bot that stands in for me."""
    await who.count("write")
    return await _after_move(house, who, await absence.come_back(house.db, code, who.session), rolls=False)


@router.post("/absence")
async def decide(code: CodeDep, house: HouseDep, who: VisitorDep, form: FormDep) -> Response:
    """Decide about a seat whose person is away."""
    await who.count("write")
    await load_table(house, who, code)
    choice = next((one for one in get_args(absence.Choice) if one == single(form, "choice")), None)
    if choice is None:
        raise Invalid
    made = await absence.decide(house.db, code, who.session, _number(form, "seat"), choice)
    return await _after_move(house, who, made, rolls=False)


@router.post("/seats/{seat}/free")
async def free(code: CodeDep, seat: int, house: HouseDep, who: VisitorDep) -> Response:
    """Free somebody's seat, as host. One that is free by now is what was wanted."""
    await who.count("write")
    guest = await who.known()
    try:
        change = await seats.leave(house.db, code, guest, seat)
    except NotFound:
        table, _ = await load_table(house, who, code)
        change = seats.Change(table.id, code, changed=False)
    return await _after_seats(house, who, change)


@router.post("/start")
async def start(code: CodeDep, house: HouseDep, who: VisitorDep, form: FormDep) -> Response:
    """Begin the game, as host; with `fill`, against bots of that level."""
    await who.count("write")
    fill = single(form, "fill")
    return await _after_seats(house, who, await seats.start(house.db, house.dice, code, await who.known(), fill))


@router.post("/rematch")
async def rematch(code: CodeDep, house: HouseDep, who: VisitorDep) -> Response:
    """Make the table that follows, or find it, and go there."""
    await who.count("table")
    made = await seats.rematch(house.db, code, await who.known())
    if made.changed:
        table, _ = await queries.load(house.db, code, None)
        house.changed(table.id)
    return await _after_seats(house, who, made, to=path_of(made.code))


async def move(request: Request) -> Response:
    """Make a move; answer with the table after it. It comes by a straight way, see `lane`."""
    code, form = await table_code(request.path_params["code"]), await posted(request)
    house: House = request.app.state.house
    who = visitor_of(request, house)
    await who.count("move")
    turn = _number(form, "turn")
    made = await moves.move(house.db, house.dice, code, who.session, turn, lambda table: table.board.parse(form))
    return await _after_move(house, who, made)


@router.post("/undo")
async def undo(code: CodeDep, house: HouseDep, who: VisitorDep, form: FormDep) -> Response:
    """Take my last moves back."""
    await who.count("move")
    made = await moves.undo(house.db, code, who.session, _number(form, "version"))
    return await _after_move(house, who, made, rolls=False)


@router.post("/point")
async def point(code: CodeDep, house: HouseDep, who: VisitorDep, form: FormDep) -> Response:
    """Point at something on the page, for the others to see for a while."""
    await who.count("write")
    table_id = await points.point(house.db, code, who.session, single(form, "target") or "")
    house.changes(table_id, points.LIFETIME + 0.1)
    if not who.request.headers.get("hx-request"):
        return who.see(path_of(code))
    table, me = await queries.load(house.db, code, who.session)
    return _fragment(await house.fragment(table, await reader_of(who, table, me)))


def _number(form: dict[str, list[str]], name: str) -> int:
    """Return a number from a form; -1, which no turn and no version is, for anything else."""
    text = single(form, name) or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


async def _after_move(house: House, who: Visitor, made: moves.Made, *, rolls: bool = True) -> Response:
    """Answer what was committed, and tell the others behind the answer."""
    table = made.table
    if not who.request.headers.get("hx-request"):
        await house.made(made, rolls=rolls)
        return who.see(path_of(table.code))
    if made.events:
        house.chronicle.extend(table, made.events)
    reader = TableReader(made.me, who.prefs.language, "html", who.origin)
    body = await house.fragment(table, reader, fresh=rolls and bool(made.events))
    response = _fragment(body)
    response.background = BackgroundTask(house.made, made, rolls=rolls, done={reader: body})
    return response


STRAIGHT = (Straight("POST", "/t/{code}/moves", move),)
router.routes.extend(way.route for way in STRAIGHT)
