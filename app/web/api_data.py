"""Tables and games as the JSON API shows them (contract, section 2)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from app.core import codec
from app.core.events import visible
from app.core.game import Viewer
from app.games import Entry
from app.tables.clocks import is_missing
from app.tables.queries import LogRow
from app.tables.snapshot import Seated, Snapshot


def game_data(entry: Entry) -> dict[str, Any]:
    """Return a `Game`."""
    info = entry.game.info
    return {
        "id": info.slug,
        "title": info.title,
        "min_players": info.min_players,
        "max_players": info.max_players,
        "kind": info.kind,
        "hidden": info.hidden,
        "options": codec.option_choices(entry.game.options_type),
        "bots": [bot.level for bot in entry.bots],
    }


def table_data(table: Snapshot, me: str | None, origin: str) -> dict[str, Any]:
    """Return a `Table` as player `me` (None: a spectator) may see it."""
    viewer = table.seat_of(me)
    return {
        "code": table.code,
        "url": f"{origin}/t/{table.code}",
        "game": table.slug,
        "rules": table.rules,
        "options": codec.data(table.options),
        "visibility": table.visibility,
        "clock": table.clock.id,
        "status": table.status,
        "version": table.version,
        "host": table.host_id,
        "seats": _seats(table),
        "you": _you(table, viewer),
        "state": None if table.state is None else codec.data(table.view(viewer)),
        "outcome": None if table.outcome is None else codec.data(table.outcome),
    }


def _seats(table: Snapshot) -> list[dict[str, Any]]:
    taken = {seated.seat: seated for seated in table.seats}
    places = range(table.game.info.max_players if table.status == "open" else len(table.seats))
    seats = []
    for place in places:
        seated = taken.get(place)
        seats.append(
            {
                "seat": place,
                "name": None if seated is None else seated.name,
                "player": _player(seated),
                "bot": None if seated is None else seated.bot,
                "to_act": table.status == "playing" and seated is not None and seated.asked_at is not None,
                "present": seated is not None
                and (seated.present or (seated.bot is not None and seated.player_id is None)),
                "deadline": None if seated is None else _time(seated.deadline),
                "missing": seated is not None and table.status == "playing" and is_missing(table, seated),
                "vote": None if seated is None else seated.vote,
            }
        )
    return seats


def _player(seated: Seated | None) -> dict[str, Any] | None:
    """Return the person of a seat, also one a bot stands in for; the `id` of somebody who was forgotten is null."""
    if seated is None or (seated.player_id is None and seated.bot is not None):
        return None
    return {"id": seated.player_id, "name": seated.name}


def _time(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def _you(table: Snapshot, viewer: Viewer) -> dict[str, Any] | None:
    if viewer is None:
        return None
    mine = table.seated(viewer)
    return {
        "seat": viewer,
        "turn": None if mine.bot is not None else mine.asked_at,
        "can_undo": table.undo_seat == viewer and mine.bot is None,
        "actions": [codec.action_data(action) for action in table.actions(viewer)],
    }


def summary_data(table: Snapshot, me: str, origin: str) -> dict[str, Any]:
    """Return a `TableSummary`: a table in a list, without its state."""
    viewer = table.seat_of(me)
    return {
        "code": table.code,
        "url": f"{origin}/t/{table.code}",
        "game": table.slug,
        "status": table.status,
        "version": table.version,
        "seats": _seats(table),
        "your_turn": table.is_asked(viewer),
    }


def log_data(table: Snapshot, row: LogRow, viewer: Viewer) -> dict[str, Any]:
    """Return a line of the log as this viewer may see it; what was undone says only that."""
    if row.type == "undo" or row.undone:
        return {"n": row.n, "type": "undo", "seat": row.seat}
    if row.type == "seat":
        person = row.data["sits"] and row.data["player"] is not None
        player = {"id": row.data["player"], "name": row.data["name"]} if person else None
        return {"n": row.n, "type": "seat", "seat": row.seat, "player": player, "bot": row.data.get("bot")}
    if row.event is None:
        return {"n": row.n, "type": row.type, "seat": row.seat, **row.data}
    return codec.event_data(visible(row.event, viewer, over=table.over))
