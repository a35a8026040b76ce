"""Records to check and to tamper with."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson

from app import games
from app.core import codec
from app.core.engine import AnyGame
from app.core.events import Event
from tests.support.games import random_game

Raw = dict[str, Any]


def record_of(game: AnyGame, players: int, raw_options: dict[str, object], seed: int) -> Raw:
    """Return the record of a random game."""
    options = codec.load_options(game, raw_options)
    events: list[Event] = []
    state = None
    for state, event in random_game(game, players, options, seed):  # noqa: B007  # the last state is wanted
        if event is not None:
            events.append(event)
    outcome = game.outcome(state)
    assert outcome is not None
    shown: Raw = orjson.loads(
        orjson.dumps(
            {
                "format": "knobel-record/1",
                "game": game.info.slug,
                "rules": game.info.rules,
                "options": codec.data(options),
                "players": players,
                "seats": [{"name": name, "bot": None} for name in ("Ana", "Bo", "Cy", "Dee")[:players]],
                "started": "2026-01-01T10:00:00+00:00",
                "finished": "2026-01-01T10:10:00+00:00",
                "events": [codec.event_data(event) for event in events],
                "outcome": codec.data(outcome),
            }
        )
    )
    return shown


@cache
def yacht_bytes() -> bytes:
    return orjson.dumps(record_of(games.CURRENT["yacht"].game, 2, {"first_player": "random"}, 1))


def yacht() -> Raw:
    """Return a fresh copy of one good record."""
    found: Raw = orjson.loads(yacht_bytes())
    return found


def another_face(raw: Raw) -> None:
    # a throw that counts: the last before somebody writes its sum
    chosen = next(n for n, event in enumerate(raw["events"]) if event.get("move", {}).get("category") == "choice")
    throw = [event for event in raw["events"][:chosen] if event["type"] == "chance"][-1]
    throw["faces"][0] = throw["faces"][0] % 6 + 1
