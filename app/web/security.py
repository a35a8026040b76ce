"""Rules for every request and answer: no forms from other sites, small bodies, and headers that forbid the rest."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.text import say
from app.tables.errors import ForeignPage, Refusal
from app.web.errors import answer

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
)
LARGEST_BODY = 64 * 1024

_HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class TooLarge(Refusal):
    """A body that is larger than anything we ask for."""

    status, code = 413, "invalid"
    text = say("That was too large.")


class Guard:
    """ASGI middleware around everything, faults included."""

    def __init__(self, app: ASGIApp, owner: FastAPI, *, origin: str, https: bool) -> None:
        self.app = app
        self.owner = owner
        self.origin = origin
        headers = dict(_HEADERS)
        if https:
            headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
        self.headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

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
        headers += [(name, value) for name, value in self.headers if name not in names]
        if b"cache-control" not in names and not path.startswith("/static/"):
            headers.append((b"cache-control", b"no-store"))
        return headers

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        if scope["method"] not in _UNSAFE:
            return None
        if not self._own(headers):
            return ForeignPage()
        length = headers.get("content-length", "0")
        return TooLarge() if not length.isdigit() or int(length) > LARGEST_BODY else None

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
    """Stop reading a body of unknown length where it becomes too large."""
    seen = 0

    async def receive_limited() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > LARGEST_BODY:
                raise TooLarge
        return message

    return receive_limited
