"""What routes ask for: the house, who asks, in which language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.tables.codes import clean_code
from app.tables.errors import Invalid, NotFound, Unauthenticated
from app.tables.players import LIFETIME, Guest, find_guest, new_guest, token_hash
from app.tables.snapshot import Snapshot
from app.web.contexts import PageContext, Person
from app.web.house import House, TableReader
from app.web.limits import Kind
from app.web.prefs import Prefs, keep_prefs, read_prefs

_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[0-9a-fA-F:]+\](:\d+)?")


async def house_of(request: Request) -> House:
    """Return the parts of this process."""
    house: House = request.app.state.house
    return house


HouseDep = Annotated[House, Depends(house_of)]


@dataclass(slots=True)
class Visitor:
    """Who asks: the secret they brought (if any), their settings, and a session that was made for them just now."""

    request: Request
    house: House
    token: str | None
    _prefs: Prefs | None = None
    made: str | None = None
    typed: str | None = None
    """A name typed into a form, to be shown again if it is refused."""

    @property
    def prefs(self) -> Prefs:
        """The settings of the browser; programs have none, so they are read when first asked for."""
        if self._prefs is None:
            self._prefs = read_prefs(self.request)
        return self._prefs

    @property
    def session(self) -> bytes | None:
        """The hash of the session secret, as the database knows it."""
        token = self.made or self.token
        return None if token is None else token_hash(token)

    @property
    def address(self) -> str:
        """The network address; IPv6 by its /64, which is one household."""
        return household(self.request.client.host if self.request.client else "")

    @property
    def origin(self) -> str:
        """The address people open: the host's setting, else as this request came."""
        host = self.request.headers.get("host", "")
        if self.house.settings.public_url is not None or not _HOST.fullmatch(host):
            return self.house.settings.origin
        return f"{self.request.scope['scheme']}://{host}"

    async def count(self, kind: Kind) -> None:
        """Count one more of a kind for this session and this address. Raises TooManyRequests."""
        await self.house.limits.take(kind, self.address, self.token)

    async def guest(self) -> Guest | None:
        """Return whom the session belongs to."""
        return await find_guest(self.house.db, self.made or self.token)

    async def known(self) -> Guest:
        """Return whom the session belongs to. Raises Unauthenticated."""
        guest = await self.guest()
        if guest is None:
            raise Unauthenticated
        return guest

    async def somebody(self, name: str | None = None) -> Guest:
        """Return whom the session belongs to, or make a guest called `name`, else as proposed. Raises Invalid."""
        known = await self.guest()
        if known is not None:
            return known
        await self.count("guest")
        guest, self.made = await new_guest(self.house.db, name or self.prefs.proposed, self.prefs.language)
        return guest

    def page(self, me: Guest | None) -> PageContext:
        """Return the `page` of a template."""
        query = urlencode([(k, v) for k, v in self.request.query_params.items() if k in {"step", "watch"}])
        # one slash only: "//host" would be another site
        path = "/" + quote(self.request.scope["path"].lstrip("/"))
        return PageContext(
            lang=self.prefs.language,
            theme=self.prefs.theme,
            sound=self.prefs.sound,
            keys=self.prefs.keys,
            me=Person(self.typed or (me.name if me else None), self.prefs.proposed),
            here=path + (f"?{query}" if query else ""),
            origin=self.origin,
        )

    def keep(self, response: Response) -> Response:
        """Put the settings, and a session or its renewal, into the cookies of an answer."""
        secure = self.house.settings.https
        keep_prefs(self.request, response, self.prefs, secure=secure)
        token = self.made or self.token
        if token is not None and (self.made or self.request.method == "GET"):
            response.set_cookie(
                cookie_name(secure=secure),
                token,
                max_age=int(LIFETIME.total_seconds()),
                httponly=True,
                samesite="lax",
                secure=secure,
            )
        return response

    def forget(self, response: Response) -> Response:
        """Have the browser forget its session."""
        secure = self.house.settings.https
        response.delete_cookie(cookie_name(secure=secure), httponly=True, samesite="lax", secure=secure)
        return response

    def html(self, template: str, *, me: Guest | None, status: int = 200, **context: Any) -> Response:
        """Return a page."""
        body = self.house.renderer.page(self.prefs.language, template, page=self.page(me), **context)
        return self.keep(HTMLResponse(body, status, headers={"Cache-Control": "no-store"}))

    def see(self, path: str) -> Response:
        """Send the browser to another page of ours."""
        return self.keep(RedirectResponse(path, 303))


@lru_cache(maxsize=4096)
def household(host: str) -> str:
    """Return what limits count an address by: IPv4 whole, however it is written, and IPv6 by its first 64 bits."""
    try:
        address = ip_address(host)
    except ValueError:
        return host  # the name of a socket, or what a proxy made of it
    if address.version == 4:
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return address.packed[:8].hex()


def cookie_name(*, secure: bool) -> str:
    """Return the name of the session cookie; the prefix makes browsers insist on Secure and on our host."""
    return "__Host-sid" if secure else "sid"


async def visitor(request: Request, house: HouseDep) -> Visitor:
    """Return who asks, by cookie. (A coroutine, as all of these: others are run in a thread, which costs more.)"""
    return visitor_of(request, house)


def visitor_of(request: Request, house: House) -> Visitor:
    """Return who asks, by cookie; once per request."""
    known: Visitor | None = getattr(request.state, "visitor", None)
    if known is not None:
        return known
    token = request.cookies.get(cookie_name(secure=house.settings.https))
    if token is not None and not (20 <= len(token) <= 64 and token.isascii()):
        token = None
    who = Visitor(request, house, token)
    request.state.visitor = who
    return who


def bearer(request: Request) -> str | None:
    """Return the token of an `Authorization: Bearer` header, None if there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return (token.strip() or None) if scheme.lower() == "bearer" else None


VisitorDep = Annotated[Visitor, Depends(visitor)]


async def table_code(code: str) -> str:
    """Return the code in the address, in its one form. Raises NotFound."""
    cleaned = clean_code(code)
    if cleaned is None:
        raise NotFound
    return cleaned


CodeDep = Annotated[str, Depends(table_code)]


async def reader_of(who: Visitor, table: Snapshot, me: str | None) -> TableReader:
    """Return how this visitor sees a table in HTML; people who watch share what does not name them."""
    watching = "watch" in who.request.query_params
    proposed = ""
    if table.status == "open" and table.seat_of(me) is None and not watching:
        guest = await who.guest()
        proposed = who.typed or (guest.name if guest else who.prefs.proposed)
    return TableReader(me, who.prefs.language, "html", who.origin, watching, proposed)


async def posted(request: Request) -> dict[str, list[str]]:
    """Return the fields of a posted form, each with all its values in order; files are not fields."""
    form = await request.form(max_files=0, max_fields=100)
    found: dict[str, list[str]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str):
            found.setdefault(name, []).append(value)
    return found


FormDep = Annotated[dict[str, list[str]], Depends(posted)]


def single(form: dict[str, list[str]], name: str) -> str | None:
    """Return the value of a field, None if it was not posted. Raises Invalid if it was posted more than once."""
    values = form.get(name, [])
    if len(values) > 1:
        raise Invalid
    return values[0] if values else None
