"""Reads a record and replays it by the rules it was played with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from app.core import codec, engine
from app.core.board import Entry
from app.core.events import Event
from app.core.game import Outcome, Value
from app.games import find

FORMAT = "knobel-record/1"


class BadRecord(Exception):
    """A record that does not hold; `args[0]` says why."""


@dataclass(frozen=True, slots=True)
class Record:
    """A decoded record. `outcome` is the stated one; `verify` compares it with the true one."""

    entry: Entry
    options: Value
    players: int
    names: tuple[str, ...]
    events: tuple[Event, ...]
    outcome: Outcome


def read(content: bytes) -> Record:
    """Return the record in a file. Raises BadRecord."""
    try:
        raw = orjson.loads(content)
    except orjson.JSONDecodeError as problem:
        raise BadRecord(f"not JSON: {problem}") from problem
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise BadRecord(f"not a record of format {FORMAT}")
    try:
        return _decode(raw)
    except KeyError as missing:
        raise BadRecord(f"the field {missing} is missing") from missing
    except (TypeError, AttributeError) as problem:
        raise BadRecord(f"a field has a wrong shape: {problem}") from problem
    except codec.Malformed as problem:
        raise BadRecord(str(problem)) from problem


def _decode(raw: dict[str, Any]) -> Record:
    slug, rules = raw["game"], raw["rules"]
    entry = find(slug, rules) if isinstance(slug, str) and type(rules) is int else None
    if entry is None:
        raise BadRecord(f"unknown game {slug!r:.40} with rules {rules!r:.40}")
    info = entry.game.info
    players, names = raw["players"], tuple(seat["name"] for seat in raw["seats"])
    if not all(isinstance(name, str) and name.isprintable() for name in names):
        raise BadRecord("a name is not one line of text")
    if type(players) is not int or not info.min_players <= players <= info.max_players or len(names) != players:
        raise BadRecord(f"{players} players and {len(names)} seats do not fit the game")
    events = tuple(codec.load_event(entry.game, event) for event in raw["events"])
    if [event.n for event in events] != list(range(1, len(events) + 1)):
        raise BadRecord("the events are not numbered 1, 2, 3 …")
    return Record(
        entry=entry,
        options=codec.load_options(entry.game, raw["options"]),
        players=players,
        names=names,
        events=events,
        outcome=codec.load_outcome(orjson.dumps(raw["outcome"])),
    )


def verify(record: Record) -> Outcome:
    """Replay a record and return its outcome.

    Raises BadRecord if a move was illegal, a roll was not asked for, an event who may see what is misstated, events
    are missing, or the outcome is another than stated.
    """
    game = record.entry.game
    before, state = None, None
    try:
        for event, state in engine.steps(game, record.options, record.players, record.events):
            if event is not None and engine.watchers(game, before, event) != event.seen_by:
                raise BadRecord(f"event {event.n}: it was seen by other seats than stated")
            before = state
    except engine.BrokenLog as problem:
        raise BadRecord(str(problem)) from problem
    outcome = game.outcome(state)
    if outcome is None:
        raise BadRecord(f"the game is not over after event {len(record.events)}")
    if outcome != record.outcome:
        raise BadRecord(
            f"the outcome is {list(outcome.scores)}, not {list(record.outcome.scores)}, or its details differ"
        )
    return outcome


def view_at(record: Record, step: int) -> tuple[Event | None, Any]:
    """Return (event, view of everybody) after `step` events. Raises BadRecord if there is no such step."""
    if not 0 <= step <= len(record.events):
        raise BadRecord(f"there are {len(record.events)} steps")
    game = record.entry.game
    found: tuple[Event | None, Any] = (None, None)
    try:
        for found in engine.steps(game, record.options, record.players, record.events[:step]):  # noqa: B007  # the last one is wanted
            pass
    except engine.BrokenLog as problem:
        raise BadRecord(str(problem)) from problem
    return found[0], game.view(found[1], None)
