"""Logs: one JSON line per event, of our own and of the libraries, without addresses, cookies or codes that open a table.

What a fault says goes through `described`, because drivers and validators like to quote the values they stumbled over.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import structlog
from pydantic import ValidationError
from structlog.typing import EventDict, Processor

REQUEST: ContextVar[str] = ContextVar("request", default="")
"""The id of the request that is being served, which every line of the log then carries; "" outside of requests."""

# PostgreSQL repeats the row or key in a detail, asyncpg the argument: there are codes, names and dice in them
_QUOTED = re.compile(r"(?s)\s*\bDETAIL:.*|(?<=invalid input for query argument \$)(\d+):.*")


def configure(level: str) -> None:
    """Set the level (debug, info, warning, error) and the form of all logs of this process."""
    number = getattr(logging, level.upper())
    steps: list[Processor] = [
        _request,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _exception,
        _unquoted,
    ]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *steps],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _line],
        )
    )
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for noisy in ("alembic", "uvicorn.error", "asyncio"):
        logging.getLogger(noisy).setLevel(max(number, logging.WARNING))
    structlog.configure(
        processors=[*steps, _line],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def described(fault: BaseException) -> str:
    """Return what went wrong and where, with what caused it, as lines of text, without the values it was about."""
    told: list[str] = []
    link: BaseException | None = fault
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        told.append(f"{type(link).__qualname__}: {_words(link)}")
        told += [
            f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(link.__traceback__)
        ]
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return "\n".join(told)


def _words(fault: BaseException) -> str:
    if isinstance(fault, ValidationError):
        errors = fault.errors(include_url=False, include_context=False, include_input=False)
        return "; ".join(f"{_place(error['loc'])}: {error['msg']}" for error in errors)
    return _QUOTED.sub(r"\1", str(fault))


def _place(parts: Sequence[object]) -> str:
    return ".".join(map(str, parts))


def _request(_logger: object, _method: str, event: EventDict) -> EventDict:
    if current := REQUEST.get():
        event.setdefault("request", current)
    return event


def _exception(_logger: object, _method: str, event: EventDict) -> EventDict:
    given: Any = event.pop("exc_info", None)
    fault = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    if isinstance(fault, BaseException):
        event["exception"] = described(fault)
    return event


def _unquoted(_logger: object, _method: str, event: EventDict) -> EventDict:
    for name, value in event.items():
        if isinstance(value, str) and ("DETAIL" in value or "query argument" in value):
            event[name] = _QUOTED.sub(r"\1", value)
    return event


# ASCII only: line ends, terminal codes and signs that turn the text round come out as \uXXXX
_line = structlog.processors.JSONRenderer(ensure_ascii=True)
