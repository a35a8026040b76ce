"""Home, the page of one game, and who I am."""

from __future__ import annotations

from typing import Literal

import structlog
from fastapi import APIRouter
from starlette.responses import Response

from app.core.board import Entry
from app.games import find
from app.tables import players, queries, seats
from app.tables.codes import clean_code
from app.tables.errors import NoSuchGame, NotFound
from app.tables.names import clean_name
from app.tables.players import Guest
from app.web.contexts import HomeContext, TableCard
from app.web.deps import FormDep, HouseDep, Visitor, VisitorDep, single
from app.web.house import House
from app.web.presenter import game_context, parse_options, path_of, table_card, tiles

log = structlog.get_logger(__name__)
router = APIRouter(include_in_schema=False)


async def _my_tables(house: House, me: Guest | None) -> tuple[TableCard, ...]:
    if me is None:
        return ()
    cards = []
    for table in await queries.tables_of(house.db, me.id):
        try:
            cards.append(table_card(table, me.id))
        except Exception:  # a state that no game can be in: that table has its own page to say so
            log.exception("table_unreadable", number=table.id)
    return tuple(cards)


@router.get("/")
async def home(house: HouseDep, who: VisitorDep) -> Response:
    """The start page: games to open a table for, my tables, and open ones of others."""
    me = await who.guest()
    mine = await _my_tables(house, me)
    listed = {card.path for card in mine}
    found = [table_card(table, None) for table in await queries.open_tables(house.db)]
    public = tuple(card for card in found if card.path not in listed)
    return who.html("home.html", me=me, home=HomeContext(tiles(), mine, public))


@router.get("/g/{slug}")
async def game(slug: str, who: VisitorDep) -> Response:
    """The page of one game: its rules and the form that makes a table."""
    return who.html("game.html", me=await who.guest(), game=game_context(_game(slug)))


def _game(slug: str) -> Entry:
    entry = find(slug)
    if entry is None:
        raise NoSuchGame
    return entry


@router.post("/g/{slug}/tables")
async def create(slug: str, house: HouseDep, who: VisitorDep, form: FormDep) -> Response:
    """Make a table and go there."""
    entry = _game(slug)
    await who.count("table")
    chosen = {name: single(form, name) or "" for name in form}
    visibility: Literal["unlisted", "public"] = "public" if chosen.pop("visibility", "") == "public" else "unlisted"
    clock = chosen.pop("clock", "none")
    options = parse_options(entry.game, chosen)
    seats.check_choices(slug, options, clock)  # refused before anybody is made
    made = await seats.create(house.db, await who.somebody(), slug, options, visibility, clock)
    return who.see(path_of(made.code))


@router.get("/join")
async def join(who: VisitorDep, code: str = "") -> Response:
    """Go to the table with a typed code."""
    await who.count("guess")
    cleaned = clean_code(code)
    if cleaned is None:
        raise NotFound
    return who.see(path_of(cleaned))


@router.get("/me")
async def me(house: HouseDep, who: VisitorDep) -> Response:
    """My name, my settings, my tables."""
    guest = await who.guest()
    return who.html("me.html", me=guest, tables=await _my_tables(house, guest))


@router.post("/me")
async def rename(house: HouseDep, who: VisitorDep, form: FormDep) -> Response:
    """Take another name, also at the tables that are not over."""
    await who.count("write")
    name, path = clean_name(single(form, "name") or ""), _own_path(single(form, "next"))
    await _rename(house, who, name)
    return who.see(path)


async def _rename(house: House, who: Visitor, name: str) -> None:
    guest = await who.somebody(name)
    for table_id in await players.rename(house.db, guest.id, name):
        house.changed(table_id)


def _own_path(wanted: str | None) -> str:
    """Return where to go next: a path of ours, never another site."""
    if wanted is None or not wanted.startswith("/") or wanted.startswith(("//", "/\\")):
        return "/me"
    return wanted if wanted.isascii() and wanted.isprintable() and "\\" not in wanted and " " not in wanted else "/me"
