"""`python -m bench.journal`: what the id, the log line and the metrics of a request cost, in microseconds of CPU.

The layer around an app that does nothing, against that app alone; log lines go nowhere, as into a pipe that is read.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from types import SimpleNamespace
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.logs import configure
from app.web.journal import Journal
from app.web.metrics import Metrics

ROUNDS, TIMES = 5, 10_000
START: Message = {"type": "http.response.start", "status": 200, "headers": []}


async def nothing(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001  # ASGI's signature
    """Answer as an app does."""
    await send(dict(START))


async def sent(_: Message) -> None:
    """Take what is sent."""


async def received() -> Message:
    """Give an empty request."""
    return {"type": "http.request"}


async def cost(app: ASGIApp) -> float:
    """Return microseconds of CPU a request: the best of some rounds."""
    best = float("inf")
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/tables/K7QMX2PA3D/moves",
        "path_params": {"code": "K7QMX2PA3D"},
        "route": SimpleNamespace(path="/api/v1/tables/{code}/moves"),
    }
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(TIMES):
            await app(scope, received, sent)
        best = min(best, time.process_time() - begun)
    return best / TIMES * 1e6


async def main() -> None:
    """Measure in this process and print a line for each figure."""
    sys.stderr = open(os.devnull, "w")  # noqa: ASYNC230, PTH123, SIM115  # for the whole run
    bare = await cost(nothing)
    kind = "several workers" if "PROMETHEUS_MULTIPROC_DIR" in os.environ else "one worker"
    for level in ("warning", "info"):
        configure(level)
        metrics = Metrics()
        whole = await cost(Journal(nothing, metrics)) - bare
        sys.stdout.write(f"{kind}, log level {level:8} {whole:5.1f} µs a request\n")
    begun = time.process_time()
    for _ in range(TIMES):
        metrics.answered("/t/{code}", "POST", 200, 0.003)
        metrics.moved("a game")
    each = (time.process_time() - begun) / TIMES * 1e6
    sys.stdout.write(f"{kind}, of this the metrics of a move {each:5.1f} µs\n")


if __name__ == "__main__":
    asyncio.run(main())
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        with tempfile.TemporaryDirectory() as folder:
            again = [sys.executable, "-m", "bench.journal"]
            subprocess.run(again, env=os.environ | {"PROMETHEUS_MULTIPROC_DIR": folder}, check=True)
