"""The straight way to what is asked for most: past the routers and layers that other requests go through.

A move is a form or a few bytes of JSON, a transaction and an answer; the way of a framework to it took as long as all of
these together. A stream is open for minutes, and would keep every layer it came through. What is served here has the same
handlers, guard, journal and refusals as the rest (docs/performance.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.errors import respond

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(frozen=True, slots=True)
class Straight:
    """A request to `path`, in which `{code}` stands for a table, answered by `handler`."""

    method: str
    path: str
    handler: Handler

    @property
    def route(self) -> Route:
        """The same as a route, for what has no straight way: other methods, which are refused."""
        return Route(self.path, self.handler, methods=[self.method])

    @property
    def pattern(self) -> re.Pattern[str]:
        """What an address must look like."""
        return re.compile(re.escape(self.path).replace(r"\{code\}", r"(?P<code>[^/]+)"))


class Lane:
    """ASGI middleware between the guard and the framework."""

    def __init__(self, app: ASGIApp, owner: FastAPI, straight: tuple[Straight, ...]) -> None:
        self.app = app
        self.owner = owner
        self.ways = [(one.path.rpartition("/")[2], one.pattern, one) for one in straight]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request that has a straight way; hand on all others."""
        found = self._way(scope)
        if found is None:
            await self.app(scope, receive, send)
            return
        way, code = found
        scope.update({"app": self.owner, "path_params": {"code": code}, "route": way})
        request = Request(scope, receive)
        try:
            response = await way.handler(request)
        except Exception as problem:  # noqa: BLE001  # as the framework's own layers do
            response = await respond(request, problem)
        del request  # a stream keeps what is here for as long as it is open
        await response(scope, receive, send)

    def _way(self, scope: Scope) -> tuple[Straight, str] | None:
        if scope["type"] != "http":
            return None
        path: str = scope["path"]
        for end, pattern, way in self.ways:
            if path.endswith(end) and way.method == scope["method"] and (match := pattern.fullmatch(path)):
                return way, match["code"]
        return None
