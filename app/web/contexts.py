"""What the shared templates get: frozen values, never database rows.

A game's own templates (`templates/games/<game>/`) get `frame.sheet` or `frame.tray` and the `TableContext`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.core.board import Frame, Line
from app.core.bot import Level
from app.core.text import Text


@dataclass(frozen=True, slots=True)
class Person:
    """Who looks at the page. `name` is None for somebody who has not acted yet; `proposed` then is a friendly name."""

    name: str | None
    proposed: str


@dataclass(frozen=True, slots=True)
class PageContext:
    """What every page gets as `page`. `here`: path and query of this page, for links that only change a setting."""

    lang: Literal["de", "en"]
    theme: Literal["", "light", "dark"]
    sound: bool
    keys: bool
    me: Person
    here: str
    origin: str


@dataclass(frozen=True, slots=True)
class GameTile:
    """A game on the home page."""

    slug: str
    title: str
    line: Text
    min_players: int
    max_players: int
    minutes: int


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a seat's time is over: `iso` and `words` in UTC, and the whole seconds `left` when this was rendered."""

    iso: str
    words: str
    left: int


@dataclass(frozen=True, slots=True)
class Chair:
    """A place at a table. `shape` is 1-based: colour and shape. A free one has no name.

    `bot`: the level of the bot that plays it; `stand_in`, if it does so for a person.
    """

    seat: int
    shape: int
    name: str | None
    you: bool = False
    host: bool = False
    present: bool = False
    to_act: bool = False
    bot: Level | None = None
    stand_in: bool = False
    deadline: Deadline | None = None

    @property
    def letter(self) -> str:
        """The first letter of the name, for the avatar."""
        return self.name[:1].upper() if self.name else ""


@dataclass(frozen=True, slots=True)
class TableCard:
    """One of my tables on the home page. `waiting_for` names who is to act, unless it is me (`your_turn`)."""

    path: str
    title: str
    status: Literal["open", "playing", "finished", "abandoned"]
    chairs: tuple[Chair, ...]
    your_turn: bool
    waiting_for: tuple[str, ...]
    where: Text | None
    free_seats: int
    mine: bool = True
    clock: Text | None = None


@dataclass(frozen=True, slots=True)
class HomeContext:
    """Context of `home.html`. My tables come with "your turn" first; `public` are those anybody may sit down at."""

    tiles: tuple[GameTile, ...]
    tables: tuple[TableCard, ...]
    public: tuple[TableCard, ...]


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """One choice of a table option; `value` is what the form posts."""

    value: str
    label: Text
    default: bool


@dataclass(frozen=True, slots=True)
class OptionField:
    """One table option with its choices."""

    id: str
    label: Text
    choices: tuple[OptionChoice, ...]


@dataclass(frozen=True, slots=True)
class GameContext:
    """Context of `game.html`: the rules of one game and the form that makes a table, also with a clock."""

    tile: GameTile
    pitch: tuple[Text, ...]
    options: tuple[OptionField, ...]
    clocks: tuple[OptionChoice, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above the tray. `bad`: something was refused; then it is an alert."""

    text: Text
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Rank:
    """A row of the final ranking. Equal scores share a `place`."""

    place: int
    chair: Chair
    score: int
    winner: bool
    note: Text


@dataclass(frozen=True, slots=True)
class ResultContext:
    """The end of a game, as shown above the sheets. `gap` is the sentence under the headline."""

    headline: Text
    gap: Text
    ranks: tuple[Rank, ...]


@dataclass(frozen=True, slots=True)
class Absent:
    """A seat about which the others may decide. `over`: its time is over; else its person has been away for long.

    `may_decide`: the viewer is one of the others, who wants `vote` so far. `for_end`: those who want to end the game.
    """

    chair: Chair
    over: bool
    may_decide: bool
    vote: Literal["wait", "end"] | None
    for_end: tuple[Chair, ...]


@dataclass(frozen=True, slots=True)
class Pointed:
    """Somebody points at something on this page. `text` is the whole sentence."""

    chair: Chair
    target: str
    text: Text


@dataclass(frozen=True, slots=True)
class RoomContext:
    """What was chosen for a table, and who may come. `levels`: the bots that can be added. `clock`: None for none."""

    min_players: int
    max_players: int
    options: tuple[tuple[Text, Text], ...]
    standard_options: bool
    public: bool
    clock: Text | None
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class TableContext:
    """Context of `table.html` and of the fragment `_table.html` (root element `#table`), as one viewer may see it.

    `turn` is the token to post with a move (None: you are not asked). `frame` is there once the game has started.
    `undo` says what would be taken back (None: nothing). `log`: (number of the event, line), the newest last. `rematch`: path of the table
    that follows. `points`: who points at what. `title` is the tab's title without the site's name. `resting`: a bot plays for the viewer just now. `late`: the viewer's time is over.
    """

    slug: str
    game_title: str
    path: str
    code: str
    link: str
    status: Literal["open", "playing", "finished", "abandoned"]
    version: int
    title: Text
    chairs: tuple[Chair, ...]
    me: int | None
    host: bool
    room: RoomContext
    pitch: tuple[Text, ...]
    turn: int | None = None
    undo: Text | None = None
    frame: Frame | None = None
    log: tuple[tuple[int, Line], ...] = ()
    notice: Notice | None = None
    result: ResultContext | None = None
    rematch: str | None = None
    watching: bool = False
    points: tuple[Pointed, ...] = ()
    resting: bool = False
    late: bool = False
    absent: tuple[Absent, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether there is at most one person, counting those a bot stands in for."""
        return sum(chair.name is not None and (chair.bot is None or chair.stand_in) for chair in self.chairs) < 2


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the replay's table of contents: the step at which it has just happened."""

    step: int
    line: Line


@dataclass(frozen=True, slots=True)
class ReplayContext:
    """Context of `replay.html`: the game after `step` of `steps` events. `current` is the line of this step, if any.

    `seat`: through whose eyes one looks (None: all is open). `hidden`: the game has something to look behind.
    """

    slug: str
    game_title: str
    path: str
    code: str
    link: str
    seat: int | None
    hidden: bool
    step: int
    steps: int
    playing: bool
    chairs: tuple[Chair, ...]
    frame: Frame
    contents: tuple[Step, ...]
    current: Line | None
    result: ResultContext | None


@dataclass(frozen=True, slots=True)
class ErrorContext:
    """Context of `error.html`. `id` is there for server faults and is found in the log."""

    status: int
    title: Text
    text: Text
    id: str | None = None
