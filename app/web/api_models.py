"""The shapes of the API's answers, for OpenAPI and its readers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """An answer: exactly these fields."""

    model_config = ConfigDict(extra="forbid")


class OptionModel(Shape):
    """A table option; `choices` are all its values."""

    id: str
    default: bool | int | str
    choices: list[bool | int | str]


class GameModel(Shape):
    """A game. `bots`: levels, weakest first. `hidden`: not everything is for everybody."""

    id: str
    title: str
    min_players: int
    max_players: int
    kind: Literal["ranked", "solo", "team"]
    hidden: bool
    options: list[OptionModel]
    bots: list[str]


class PlayerModel(Shape):
    """A person; `id` is public."""

    id: str | None
    name: str


class GuestMade(Shape):
    """A new guest and their secret."""

    player: PlayerModel
    token: str


class SeatModel(Shape):
    """A seat; `player` and `bot` are null while it is free. A bot with a `player` stands in for that person.

    `present`: has the table open. `deadline`: when its time is over (ISO 8601, UTC). `missing`: its time is over or it
    has been away for long, so the others may decide; `vote` is what this seat wants to do about another one.
    """

    seat: int
    name: str | None
    player: PlayerModel | None
    bot: str | None
    to_act: bool
    present: bool
    deadline: str | None
    missing: bool
    vote: Literal["wait", "end"] | None


class YouModel(Shape):
    """The caller's seat. `turn` is the token to send with a move; null if the seat is not asked.

    An action is a move, or a move with one field as `{"pick": {"from": […], "min": a, "max": b}}`: replace it by a
    list of distinct members of `from`.
    """

    seat: int
    turn: int | None
    can_undo: bool
    actions: list[dict[str, Any]]


class OutcomeModel(Shape):
    """The result; `scores` by seat."""

    kind: Literal["ranked", "solo", "team"]
    scores: list[int]
    winners: list[int]
    detail: dict[str, Any]


class TableModel(Shape):
    """A table as the caller may see it. `state` has the form of its game; null before the start."""

    code: str
    url: str
    game: str
    rules: int
    options: dict[str, Any]
    visibility: Literal["unlisted", "public"]
    clock: str
    status: Literal["open", "playing", "finished", "abandoned"]
    version: int = Field(description="Number of the last event; also counts seat changes before the start.")
    host: str | None
    seats: list[SeatModel]
    you: YouModel | None
    state: dict[str, Any] | None
    outcome: OutcomeModel | None


class TableSummary(Shape):
    """A table in a list."""

    code: str
    url: str
    game: str
    status: Literal["open", "playing", "finished", "abandoned"]
    version: int
    seats: list[SeatModel]
    your_turn: bool


class Me(Shape):
    """Who I am; tables where it is my turn come first."""

    player: PlayerModel
    tables: list[TableSummary]


class EventModel(BaseModel):
    """A line of the log. A caller who may not see it gets it with `move` or `faces` null; numbers have no gaps.

    `move`: seat, move. `chance`: reason, sides, faces (1…sides), seen_by. `seat`: somebody sat down (`player`, or
    `bot`) or left (both null) before the start; later a bot stands in (`bot`) or the person is back. `undo`: something
    was taken back. `flag`: a seat's time is over. `vote`: somebody wants to wait or to end. `end`: without result.
    `fault`: a bot failed and made a random move. `clock`: so many `seconds` of downtime were given back.
    """

    n: int
    type: Literal["move", "chance", "seat", "undo", "flag", "vote", "end", "fault", "clock"]
    model_config = ConfigDict(extra="allow")


class Events(Shape):
    """The log behind a number."""

    events: list[EventModel]
    version: int


class ReplayModel(Shape):
    """A finished game after `step` of `steps` events; `event` is the one that has just happened."""

    step: int
    steps: int
    event: EventModel | None
    state: dict[str, Any]
    outcome: OutcomeModel | None


class RecordSeat(Shape):
    """Who sat there."""

    name: str
    bot: str | None


class RecordModel(Shape):
    """A finished game: everything needed to replay it offline."""

    format: Literal["knobel-record/1"]
    game: str
    rules: int
    options: dict[str, Any]
    players: int
    seats: list[RecordSeat]
    started: str
    finished: str
    events: list[EventModel]
    outcome: OutcomeModel


PROBLEM = "#/components/schemas/Problem"


class Problem(BaseModel):
    """RFC 9457, with our `code`, and the table as it is now where one is concerned."""

    model_config = ConfigDict(extra="forbid")

    type: str
    title: str
    status: int
    detail: str
    code: str
    id: str | None = None
    """With status 500 and 503: what this answer is called in the host's log."""
    table: TableModel | None = None
