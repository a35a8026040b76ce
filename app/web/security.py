"""Rules for every request and answer: no forms from other sites, small bodies, and headers that forbid the rest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlsplit

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.text import say
from app.settings import Settings
from app.tables.errors import ForeignPage, Invalid, Refusal
from app.web.errors import answer

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
)
LARGEST_BODY = 64 * 1024
LARGEST_HEAD = 16 * 1024
MOST_HEADERS = 100
BODY_WITHIN = 30.0
"""Seconds a body may take to come."""

_HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_TABLES = ("/t/", "/api/v1/tables/")
_PORT = re.compile(r":\d*$")
_UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class TooLarge(Refusal):
    """A body that is larger than anything we ask for."""

    status, code = 413, "invalid"
    text = say("That was too large.")


class HeadTooLarge(Refusal):
    """More headers than any browser sends us."""

    status, code = 431, "invalid"
    text = say("That was too large.")


class TooSlow(Refusal):
    """A body that does not come."""

    status, code = 408, "invalid"
    text = say("That took too long.")


class WrongHost(Refusal):
    """A request for another host than the one whose address the settings name."""

    status, code = 421, "invalid"

    def __init__(self, origin: str) -> None:
        super().__init__(say("This is reached at {address} only.", address=origin))


class Guard:
    """ASGI middleware around everything, faults included."""

    def __init__(self, app: ASGIApp, owner: FastAPI, settings: Settings) -> None:
        self.app = app
        self.owner = owner
        self.origin = settings.origin
        self.host = None if settings.public_url is None else urlsplit(settings.public_url).hostname
        headers = dict(_HEADERS)
        if settings.https:
            headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
        self.headers = _encoded(headers)
        # The address of a table opens it. Over plain http the policy stays as it is elsewhere, which tells other sites
        # nothing either: with no-referrer browsers send `Origin: null`, and there they send no Sec-Fetch-Site.
        private = {"X-Robots-Tag": "noindex"} | ({"Referrer-Policy": "no-referrer"} if settings.https else {})
        self.table_headers = _encoded(headers | private)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse what is foreign or too large; add the headers to every answer; answer HEAD like GET, without body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        head = scope["method"] == "HEAD"

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._with_headers(message["headers"], scope["path"])
            await send(message)

        refusal = self._refusal(scope, Headers(scope=scope))
        if refusal is not None:
            response = await answer(Request({**scope, "app": self.owner}), refusal)
            await response(scope, receive, send_guarded)
        elif head:
            inner = {**scope, "method": "GET"}
            await self.app(inner, receive, _bodiless(send_guarded))
            scope.update({key: inner[key] for key in ("route", "path_params") if key in inner})  # for the journal
        else:
            await self.app(scope, _limited(receive), send_guarded)

    def _with_headers(self, given: Iterable[tuple[bytes, bytes]], path: str) -> list[tuple[bytes, bytes]]:
        """Return the headers of an answer with ours behind them, where it does not say otherwise itself."""
        headers = list(given)
        names = {name for name, _ in headers}
        ours = self.table_headers if path.startswith(_TABLES) else self.headers
        headers += [(name, value) for name, value in ours if name not in names]
        if b"cache-control" not in names and not path.startswith("/static/"):
            headers.append((b"cache-control", b"no-store"))
        return headers

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        if len(headers.raw) > MOST_HEADERS or sum(len(name) + len(value) for name, value in headers.raw) > LARGEST_HEAD:
            return HeadTooLarge()
        if not self._here(headers):
            return WrongHost(self.origin)
        if _repeats(scope["query_string"]):
            return Invalid()
        if scope["method"] not in _UNSAFE:
            return None
        if not self._own(headers):
            return ForeignPage()
        length = headers.get("content-length", "0")
        return TooLarge() if not length.isdigit() or int(length) > LARGEST_BODY else None

    def _here(self, headers: Headers) -> bool:
        """Whether a request names our host. This machine's own names will do too: checks of health come by them."""
        if self.host is None:
            return True
        hosts = headers.getlist("host")
        name = _PORT.sub("", hosts[0]).lower() if len(hosts) == 1 else ""
        return name in (self.host, "localhost", "127.0.0.1", "[::1]", f"[{self.host}]")

    def _own(self, headers: Headers) -> bool:
        """Whether a request that changes something comes from our own pages, or from no browser at all.

        Browsers say where a request comes from by `Sec-Fetch-Site`, older ones by `Origin`; neither can be set or left
        out by a page. Programs send neither, and bring no cookie unless they mean to.
        """
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site == "same-origin"
        origin = headers.get("origin")
        return origin is None or origin == self.origin or origin.partition("://")[2] == headers.get("host")


def _bodiless(send: Send) -> Send:
    """Send the head of an answer and end it there, however long its body would go on."""
    ended = False

    async def send_head(message: Message) -> None:
        nonlocal ended
        if message["type"] == "http.response.start":
            await send(message)
        elif not ended:
            ended = True
            await send({"type": "http.response.body", "body": b""})

    return send_head


def _limited(receive: Receive) -> Receive:
    """Stop reading a body of unknown length where it becomes too large, and any body that takes too long."""
    seen = 0
    until: float | None = asyncio.get_running_loop().time() + BODY_WITHIN

    async def receive_limited() -> Message:
        nonlocal seen, until
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError:
            raise TooSlow from None
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > LARGEST_BODY:
                raise TooLarge
            if not message.get("more_body", False):
                until = None  # what comes next is the end of the connection, whenever that may be
        return message

    return receive_limited


def _repeats(query: bytes) -> bool:
    """Whether a query names a parameter twice: the readers of one might not agree which to believe."""
    if b"&" not in query:
        return False
    names = [name for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True)]
    return len(set(names)) < len(names)


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]
