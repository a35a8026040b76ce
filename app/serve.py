"""Serves: the embedded database if none is named, migrations, then one or several workers."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from app.connection import Connection
from app.db.embedded import EmbeddedError, EmbeddedPostgres
from app.db.engine import FAULTS, is_away
from app.db.migrate import upgrade
from app.logs import configure
from app.main import create_app
from app.settings import BadSetting, Settings, read_settings

GRACE = 3
"""Seconds requests under way may still take after the signal to stop."""


def worker_app() -> FastAPI:
    """Return the service in a worker process, which ends when its parent does."""
    if sys.platform == "linux":
        # the kernel tells us when our parent was killed, so that no orphan keeps the port
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
        parent = multiprocessing.parent_process()
        if parent is not None and parent.pid != os.getppid():  # it was killed before we asked
            os.kill(os.getpid(), signal.SIGTERM)
    settings = read_settings()
    configure(settings.log_level)
    return create_app(settings)


def listen(settings: Settings) -> socket.socket:
    """Return the bound socket. Raises BadSetting if the port is taken or the host is not ours."""
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        bound = socket.socket(family)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((settings.host, settings.port))
        bound.listen(2048)  # so that of two servers started at once the second fails here, with a sentence
    except (OSError, UnicodeError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise BadSetting(
            f"KNOBEL_HOST, KNOBEL_PORT: {settings.host}:{settings.port} cannot be used: {reason}."
        ) from None
    bound.set_inheritable(True)
    return bound


def serve(settings: Settings) -> None:
    """Serve until told to stop."""
    configure(settings.log_level)
    bound = listen(settings)
    database = None
    try:
        if settings.database_url is None:
            database = EmbeddedPostgres(Path(settings.data_dir) / "postgres")
            url = database.start()
            _keep(database)
        else:
            url = settings.database_url
        _migrate(url)
        port = bound.getsockname()[1]
        settings = settings.model_copy(update={"database_url": url, "port": port})
        sys.stdout.write(f"Knobel is open: {settings.origin}\n")
        sys.stdout.flush()
        _run(settings, bound)
    finally:
        bound.close()
        if database is not None:
            database.stop()


def _migrate(url: str) -> None:
    try:
        upgrade(url)
    except FAULTS as problem:
        refused = str(getattr(getattr(problem, "orig", problem), "sqlstate", "")).startswith(("28", "3D"))
        if not refused and not is_away(problem):
            raise
        reason = str(getattr(problem, "orig", None) or problem).splitlines()[0]
        raise BadSetting(f"KNOBEL_DATABASE_URL: the database does not answer: {reason}") from None


def _keep(database: EmbeddedPostgres) -> None:
    """Start the embedded database again if it dies."""

    def watch() -> None:
        while not threading.Event().wait(1.0):
            try:
                database.ensure()
            except EmbeddedError as problem:
                sys.stderr.write(f"{problem}\n")

    threading.Thread(target=watch, daemon=True).start()


def _run(settings: Settings, bound: socket.socket) -> None:
    options: dict[str, Any] = {
        "log_config": None,
        "access_log": False,
        "timeout_graceful_shutdown": GRACE,
        "server_header": False,
        "timeout_keep_alive": 65,
        "date_header": False,
        "http": Connection,
        "ws": "none",
    }
    if settings.workers == 1:
        uvicorn.Server(uvicorn.Config(lambda: create_app(settings), factory=True, **options)).run([bound])
        return
    # workers are fresh processes: they read the same environment, completed by what we found out
    os.environ["KNOBEL_DATABASE_URL"] = str(settings.database_url)
    os.environ["KNOBEL_PORT"] = str(settings.port)
    config = uvicorn.Config("app.serve:worker_app", factory=True, workers=settings.workers, **options)
    with tempfile.TemporaryDirectory(prefix="knobel-metrics-") as folder:
        if settings.metrics_token is not None:  # whichever worker is asked then adds up what all have counted
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        Multiprocess(config, sockets=[bound]).run()


def main() -> int:
    """Run `python -m app`; returns the exit code."""
    try:
        serve(read_settings())
    except (BadSetting, EmbeddedError) as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
