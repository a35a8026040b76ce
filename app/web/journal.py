"""The outermost layer: gives each request an id, writes its line in the log, counts it, and answers when all else fails."""

from __future__ import annotations

import secrets
from time import perf_counter

import structlog
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.logs import REQUEST
from app.tables.codes import code_mark
from app.web.metrics import Metrics

log = structlog.get_logger(__name__)

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_QUIET = ("/static/", "/health/", "/metrics")
"""What browsers and monitors ask for all the time: logged at `debug` only, unless it goes wrong."""


class Journal:
    """ASGI middleware around everything, the guard and its refusals included."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request under an id of its own, which goes out as `X-Request-Id`."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = secrets.token_hex(6)
        before = REQUEST.set(name)
        began = perf_counter()
        status, seconds = 0, 0.0

        async def send_named(message: Message) -> None:
            nonlocal status, seconds
            if message["type"] == "http.response.start":
                status, seconds = message["status"], perf_counter() - began
                message["headers"] = [*message["headers"], (b"x-request-id", name.encode())]
            await send(message)

        try:
            await self.app(scope, receive, send_named)
        except Exception:  # the last resort: nothing may go out without words and a line in the log
            if not status:  # what has an answer was logged where that was made
                log.exception("fault", id=name)
                answer = PlainTextResponse(f"Something went wrong here. It is noted under {name}.\n", 500)
                await answer(scope, receive, send_named)
        finally:
            if status:  # else the other side has gone, or we are stopping
                self._note(scope, status, seconds, perf_counter() - began)
            REQUEST.reset(before)

    def _note(self, scope: Scope, status: int, seconds: float, lasted: float) -> None:
        route = route_of(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self.metrics.answered(route, method, status, seconds)
        write = log.debug if route.startswith(_QUIET) and status < 400 else log.info
        table = code_mark(str(scope.get("path_params", {}).get("code", "")))
        write(
            "request",
            method=method,
            route=route,
            status=status,
            ms=round(lasted * 1000, 1),
            **({"table": table} if table else {}),
        )


def route_of(scope: Scope) -> str:
    """Return which address was asked for, without what was filled in: the code of a table opens it."""
    route = scope.get("route")
    if route is not None:
        return str(route.path)
    return "/static/{path}" if scope["path"].startswith("/static/") else "none"
