"""Logs: one JSON line per event, without addresses, cookies or codes that open a table."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(level: str) -> None:
    """Set the level (debug, info, warning, error) and the form of all logs of this process."""
    number = getattr(logging, level.upper())
    logging.basicConfig(stream=sys.stderr, level=number, format="%(levelname)s %(name)s %(message)s", force=True)
    for noisy in ("alembic", "uvicorn.error", "asyncio"):
        logging.getLogger(noisy).setLevel(max(number, logging.WARNING))
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
