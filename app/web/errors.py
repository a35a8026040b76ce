"""Refusals and faults as answers: problem JSON for the API, a page or the table with a notice for people."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from app.core import codec
from app.core.engine import BrokenLog
from app.core.text import Text, say
from app.db.engine import FAULTS, is_away
from app.logs import REQUEST
from app.tables.codes import clean_code, code_mark
from app.tables.errors import (
    Invalid,
    NotFound,
    NotHost,
    NotYourSeat,
    Refusal,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    Unreadable,
)
from app.tables.queries import load
from app.tables.snapshot import Snapshot
from app.web.api_data import table_data
from app.web.contexts import ErrorContext, Notice
from app.web.deps import Visitor, bearer, reader_of, visitor_of
from app.web.journal import route_of
from app.web.language import negotiate
from app.web.limits import TooManyGuesses

log = structlog.get_logger(__name__)

_TITLES = {
    401: say("Who are you?"),
    403: say("Not allowed"),
    404: say("Not found"),
    405: say("Not possible here"),
    408: say("Not understood"),
    413: say("Too large"),
    421: say("Not possible here"),
    422: say("Not understood"),
    429: say("A little slower, please"),
    431: say("Too large"),
    503: say("Not possible right now"),
}


def install(app: FastAPI) -> None:
    """Register the handlers."""
    for kind, handle in _handlers().items():
        app.add_exception_handler(kind, handle)


def _handlers() -> dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]]:
    return {
        Refusal: _refused,
        RequestValidationError: _malformed,
        HTTPException: _http,
        **dict.fromkeys(FAULTS, _database),
        codec.Malformed: _unreadable,
        BrokenLog: _unreadable,
        Exception: _broken,
    }


async def respond(request: Request, problem: Exception) -> Response:
    """Return what the service answers to a problem, as it does where the framework calls the handlers."""
    handlers = _handlers()
    handle = next(handlers[kind] for kind in type(problem).__mro__ if kind in handlers)
    try:
        return await handle(request, problem)
    except Exception as worse:  # noqa: BLE001  # such as a fault of the database that is none of its being away
        return await _broken(request, worse)


async def _refused(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    try:
        await _count_guess(request, refusal)
    except TooManyRequests as limit:
        refusal = limit
    return await answer(request, refusal)


async def _count_guess(request: Request, refusal: Refusal) -> None:
    """Count a code that opens nothing, and let other refusals tell a guesser no more. Raises TooManyRequests."""
    if "code" not in request.path_params:
        return
    who = visitor_of(request, request.app.state.house)
    if isinstance(refusal, NotFound):
        await who.count("guess")
    elif isinstance(refusal, Unauthenticated | NotYourSeat | NotHost):
        await who.house.limits.check("guess", who.address)


async def _malformed(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    if not _is_api(request.scope):
        return await answer(request, Invalid())
    where = ".".join(str(part) for part in first["loc"][1:] if not isinstance(part, int)) or "body"
    return await answer(request, Invalid(say("{field}: {problem}", field=where, problem=first["msg"])))


async def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    if isinstance(problem.__cause__, Refusal):
        return await answer(request, problem.__cause__)
    refusal = _known_status(problem.status_code)
    # what cannot be read at all is as invalid as what has the wrong shape
    status = refusal.status if problem.status_code == 400 else problem.status_code
    response = await answer(request, refusal, status=status)
    for name, value in (problem.headers or {}).items():
        response.headers[name] = value
    return response


def _known_status(status: int) -> Refusal:
    if status == 404:
        return NotFound(say("There is nothing at this address."))
    if status == 405:
        return Invalid(say("This address does not do that."))
    return Invalid()


async def _database(request: Request, fault: Exception) -> Response:
    if not is_away(fault):
        raise fault
    log.error("database_away", id=REQUEST.get(), route=route_of(request.scope), problem=repr(fault))
    return await answer(request, Unavailable())


async def _unreadable(request: Request, fault: Exception) -> Response:
    """What people send is refused where it is read, so this is about what is stored."""
    log.error(
        "table_unreadable", id=REQUEST.get(), route=route_of(request.scope), table=_table(request), exc_info=fault
    )
    return await answer(request, Unreadable())


async def _broken(request: Request, fault: Exception) -> Response:
    fault_id = REQUEST.get()
    log.error("fault", id=fault_id, route=route_of(request.scope), table=_table(request), exc_info=fault)
    if _is_api(request.scope):
        return problem_response(500, "fault", say("Our fault"), f"Fault {fault_id}", fault_id=fault_id)
    return _page(
        visitor_of(request, request.app.state.house),
        500,
        say("Our fault"),
        say("Something went wrong here. It is noted."),
        fault_id,
    )


def _table(request: Request) -> str:
    return code_mark(str(request.path_params.get("code", "")))


def _is_api(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.startswith("/api/")


async def answer(request: Request, refusal: Refusal, status: int | None = None) -> Response:
    """Return a refusal in the form the asker reads: problem JSON, the table with a notice, or a page."""
    house = request.app.state.house
    who = visitor_of(request, house)
    status = refusal.status if status is None else status
    house.metrics.refused(refusal.code)
    if _is_api(request.scope):
        response = await _problem(request, who, refusal, status)
    else:
        response = await _for_people(request, who, refusal, status)
    if isinstance(refusal, TooManyRequests):
        response.headers["Retry-After"] = str(refusal.retry_after)
    if isinstance(refusal, Unavailable):
        response.headers["Retry-After"] = "2"
    return response


async def _problem(request: Request, who: Visitor, refusal: Refusal, status: int) -> Response:
    house = who.house
    who.token = bearer(request) or who.token
    language = negotiate(request.headers.get("accept-language", ""))
    title, detail = _title(status), house.renderer.plain(language, refusal.reason)
    found = await _table_of(request, who, refusal)
    table = None if found is None else table_data(found[0], found[1], who.origin)
    return problem_response(status, refusal.code, title, detail, table=table, fault_id=_fault_id(status))


def problem_response(
    status: int,
    code: str,
    title: Text,
    detail: str,
    table: dict[str, Any] | None = None,
    fault_id: str | None = None,
) -> JSONResponse:
    """Return RFC 9457 problem JSON; `table` is the table as it is now, `fault_id` is found in the log."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": title.key,
        "status": status,
        "detail": detail,
        "code": code,
    }
    if fault_id is not None:
        body["id"] = fault_id
    if table is not None:
        body["table"] = table
    return JSONResponse(body, status, media_type="application/problem+json")


async def _table_of(request: Request, who: Visitor, refusal: Refusal) -> tuple[Snapshot, str | None] | None:
    """Return the table a refusal is about as it is now, with the id of who asks; None if there is none to be had."""
    code = clean_code(str(request.path_params.get("code", "")))
    if code is None or isinstance(refusal, NotFound | Unavailable | Unreadable | TooManyGuesses):
        return None
    try:
        return await load(who.house.db, code, who.session)
    except (NotFound, codec.Malformed, *FAULTS):
        return None


async def _for_people(request: Request, who: Visitor, refusal: Refusal, status: int) -> Response:
    found = None if request.method in ("GET", "HEAD") else await _table_of(request, who, refusal)
    if found is None:
        return _page(who, status, _title(status), refusal.reason, _fault_id(status))
    table, me = found
    notice = Notice(refusal.reason, bad=True)
    reader = await reader_of(who, table, me)
    if request.headers.get("hx-request"):
        body = await who.house.fragment(table, reader, notice=notice)
        return who.keep(Response(body, status, media_type="text/html"))
    context = await who.house.context(table, reader, notice=notice)
    return who.html("table.html", me=await who.guest(), status=status, table=context)


def _fault_id(status: int) -> str | None:
    return REQUEST.get() if status >= 500 else None


def _title(status: int) -> Text:
    return _TITLES.get(status, say("That did not work"))


def _page(who: Visitor, status: int, title: Text, text: Text, fault_id: str | None = None) -> Response:
    return who.html("error.html", me=None, status=status, error=ErrorContext(status, title, text, fault_id))
