"""JSON in and out for the declared types. The only module of the core that knows pydantic.

Validation is strict (no "1" for 1, no true for 1, no unknown fields), so what loads is what was dumped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

from app.core.engine import AnyGame
from app.core.events import Event, Moved, Rolled
from app.core.game import Action, IllegalMove, Outcome, spelled
from app.core.text import say


class Malformed(Exception):
    """Data that does not have the declared shape; `args[0]` says where, for people."""


_EVENT = Annotated[Moved | Rolled, Field(discriminator="type")]
_adapters: dict[Any, TypeAdapter[Any]] = {}


def adapter(declared: Any) -> TypeAdapter[Any]:
    """Return the (cached) converter of a declared type."""
    if declared not in _adapters:
        _adapters[declared] = TypeAdapter(declared)
    return _adapters[declared]


def dump(declared: Any, value: Any) -> str:
    """Return `value` of the declared type as one line of JSON."""
    return adapter(declared).dump_json(value).decode()


def data(value: Any) -> Any:
    """Return a contract value as plain JSON data (dicts, lists, numbers, strings)."""
    return adapter(type(value)).dump_python(value, mode="json")


def load(declared: Any, text: str | bytes) -> Any:
    """Return the value in a JSON text. Raises Malformed."""
    try:
        return adapter(declared).validate_json(text, strict=True)
    except ValidationError as problem:
        raise Malformed(_first(problem)) from problem


@cache
def _kinds(game: AnyGame) -> dict[str, type[Any]]:
    return {kind: each for each in game.move_types for kind in get_args(get_type_hints(each)["kind"])}


def load_move(game: AnyGame, raw: object) -> Any:
    """Return the move in plain JSON data. Raises IllegalMove where it has not the shape of any move of the game."""
    try:
        text = json.dumps(raw)
        kind = raw.get("kind") if isinstance(raw, Mapping) else None
        move_type = _kinds(game).get(kind) if isinstance(kind, str) else None
        if move_type is not None:
            return adapter(move_type).validate_json(text, strict=True)
    except (ValidationError, TypeError, ValueError, RecursionError) as problem:
        raise IllegalMove(say("That move has a wrong shape.")) from problem
    raise IllegalMove(say("There is no such kind of move here."))


def same_move(one: Any, other: Any) -> bool:
    """Return whether two moves say the same; the order of what was picked does not matter."""
    return type(one) is type(other) and all(
        sorted(mine) == sorted(theirs) if isinstance(mine, tuple) else mine == theirs
        for mine, theirs in ((getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    )


def load_options(game: AnyGame, raw: object) -> Any:
    """Return the options in plain JSON data, defaults filled in. Raises Malformed, naming the option."""
    return load(game.options_type, _text(raw))


def action_data(action: Action[Any]) -> dict[str, Any]:
    """Return an action as the API shows it: the move, an open field as {"pick": {"from", "min", "max"}}."""
    shown: dict[str, Any] = data(action.move)
    if action.field is not None and action.pick is not None:
        pick = action.pick
        shown[action.field] = {"pick": {"from": list(pick.options), "min": pick.least, "max": pick.most}}
    return shown


def event_data(event: Event) -> dict[str, Any]:
    """Return an event as API and records show it."""
    if isinstance(event, Moved):
        return {
            "n": event.n,
            "type": "move",
            "seat": event.seat,
            "move": None if event.move is None else data(event.move),
        } | ({} if event.seen_by is None else {"seen_by": sorted(event.seen_by)})
    return {
        "n": event.n,
        "type": "chance",
        "reason": event.reason,
        "sides": list(event.sides),
        "faces": None if event.faces is None else list(event.faces),
        "seen_by": None if event.seen_by is None else sorted(event.seen_by),
    } | ({"blind": True} if event.blind else {})


def load_event(game: AnyGame, raw: object) -> Event:
    """Return the event in plain JSON data. Raises Malformed."""
    event: Event = load(_EVENT, _text(raw))
    if isinstance(event, Rolled):
        return event
    try:
        return replace(event, move=load_move(game, event.move))
    except IllegalMove as refusal:
        raise Malformed(f"event {event.n}: {refusal}") from refusal


def _text(raw: object) -> str:
    try:
        return json.dumps(raw)
    except (TypeError, ValueError, RecursionError) as problem:
        raise Malformed(f"no JSON data: {problem}") from problem


def load_outcome(text: str | bytes) -> Outcome:
    """Return an outcome from JSON. Raises Malformed."""
    outcome: Outcome = load(Outcome, text)
    return outcome


def option_choices(options_type: type[Any]) -> list[dict[str, Any]]:
    """Return [{"id", "default", "choices"}] for the fields of an options type (Literal or bool fields)."""
    hints = get_type_hints(options_type)
    found = []
    for option in fields(options_type):
        hint = hints[option.name]
        choices = list(get_args(hint)) if get_origin(hint) is Literal else [False, True]
        found.append({"id": spelled(option.name), "default": option.default, "choices": choices})
    return found


def _first(problem: ValidationError) -> str:
    error = problem.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg']}" if where else str(error["msg"])
