"""Time at a table: clocks, deadlines, and from when somebody counts as away. Pure: all times are the database's.

Times are seconds since 1970, as floats; the database is the only clock (`Snapshot.at` is when a table was read).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.core.text import Text, say, tally

if TYPE_CHECKING:
    from app.tables.snapshot import Seated, Snapshot

AWAY_AFTER = 60.0
"""Seconds somebody must be away on their own turn before the others may decide."""

BOT_PAUSE = 0.65
"""Seconds from the question to the answer of a bot, at least, so that people can follow."""

CREDIT = 1.0
"""Seconds of each move that a live clock never charges: they are lost on the way."""

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Clock:
    """A table's choice: `move` seconds for each decision, and `reserve` seconds for the whole game beside them.

    No clock has no seconds. `live` clocks stand still while nobody else is there to wait.
    """

    id: str
    move: float = 0.0
    reserve: float = 0.0

    @property
    def runs(self) -> bool:
        """Whether there are deadlines at all."""
        return self.move > 0

    @property
    def live(self) -> bool:
        """Whether it is for people who play at the same time."""
        return 0 < self.move < DAY

    @property
    def text(self) -> Text:
        """Its name, for people."""
        if not self.runs:
            return say("no clock")
        if not self.live:
            return tally("{n} day per move", "{n} days per move", round(self.move / DAY))
        return say(
            "{seconds} s per move, {minutes} min in reserve",
            seconds=str(round(self.move)),
            minutes=str(round(self.reserve / 60)),
        )


CLOCKS = {
    clock.id: clock
    for clock in (
        Clock("none"),
        Clock("live-20", 20, 120),
        Clock("live-45", 45, 180),
        Clock("live-90", 90, 300),
        *(Clock(f"days-{days}", days * DAY) for days in range(1, 8)),
    )
}
"""The clocks a table can have, by id."""


def newly_asked(clock: Clock, seated: Seated, version: int, at: float) -> Seated:
    """Return a seat that is asked at `version`, now: its time begins, unless a bot plays it."""
    reserve = clock.reserve if seated.reserve is None else seated.reserve
    runs = clock.runs and seated.bot is None
    return replace(
        seated,
        asked_at=version,
        asked_since=at,
        reserve=reserve if clock.runs else None,
        deadline=at + clock.move + reserve if runs else None,
    )


def answered(clock: Clock, seated: Seated, at: float) -> Seated:
    """Return a seat that has made its move: what it took beyond its time comes out of the reserve."""
    if not clock.live or seated.asked_since is None or seated.reserve is None or seated.deadline is None:
        return replace(seated, deadline=None)
    over = max(0.0, at - seated.asked_since - clock.move - CREDIT)
    return replace(seated, reserve=max(0.0, seated.reserve - over), deadline=None)


def others_here(table: Snapshot, seated: Seated) -> bool:
    """Whether another person is there to wait for this seat."""
    return any(other.present and other.bot is None and other.seat != seated.seat for other in table.seats)


def goes_on(table: Snapshot) -> bool:
    """Whether bots move now: while a person is there; with days for each move, also until a person is to move."""
    if any(seated.present for seated in table.seats):
        return True
    return table.clock.runs and not table.clock.live and any(seated.person for seated in table.seats)


def is_over(table: Snapshot, seated: Seated) -> bool:
    """Whether the seat's time has run out. A live clock does not run out on somebody for whom nobody waits."""
    if seated.asked_at is None or seated.deadline is None or seated.deadline > table.at:
        return False
    return not table.clock.live or others_here(table, seated)


def away_since(seated: Seated) -> float | None:
    """Return since when an asked person has been away on this turn; None if they are here or not asked."""
    if seated.asked_at is None or seated.player_id is None or seated.bot is not None or seated.present:
        return None
    return max(seated.asked_since or 0.0, seated.seen or 0.0)


def is_missing(table: Snapshot, seated: Seated) -> bool:
    """Whether the others may decide about this seat: its time is over, or it has been away long enough."""
    if seated.asked_at is None or seated.bot is not None:
        return False
    if seated.flagged_at == seated.asked_at:
        return True
    since = away_since(seated)
    return since is not None and not table.clock.runs and table.at - since >= AWAY_AFTER


def bot_due(seated: Seated) -> float | None:
    """Return when a bot in this seat is to answer, None if none is asked."""
    if seated.bot is None or seated.asked_at is None:
        return None
    return (seated.asked_since or 0.0) + BOT_PAUSE


def next_wake(table: Snapshot) -> float | None:
    """Return when the server must next look at a table by itself; None: only when somebody does something.

    It may be in the past: a deadline that nobody has seen to yet stays due, whoever else moves meanwhile.
    """
    if table.status != "playing":
        return None
    times = [due for seated in table.seats if (due := bot_due(seated)) is not None]
    for seated in table.seats:
        if seated.asked_at is not None and seated.deadline is not None:
            times.append(seated.deadline)
        since = away_since(seated)
        if since is not None and not table.clock.runs and since + AWAY_AFTER > table.at:
            times.append(since + AWAY_AFTER)
    return min(times, default=None)
