"""People who are away: flags, stand-ins, votes, and coming back. Each is one transaction, as a move is (`writes`).

Nobody loses a seat: a bot stands in, and its person takes it back when they like.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from app.core.bot import Level
from app.core.game import Seat
from app.tables.clocks import is_missing, is_over, newly_asked
from app.tables.errors import Finished, NotAway, NotStarted, PlayedByBot, Unavailable
from app.tables.moves import TRIES, Made, caller
from app.tables.queries import load
from app.tables.snapshot import Seated, Snapshot
from app.tables.writes import Row, note, with_seats, write

if TYPE_CHECKING:
    from app.db.engine import Database

STAND_IN: Level = "normal"
"""How strong a bot plays that stands in for a person."""

Choice: TypeAlias = Literal["wait", "stand_in", "end"]

_Change: TypeAlias = "tuple[Snapshot, list[Row]] | None"


async def flag(db: Database, table: Snapshot, seat: Seat) -> Snapshot | None:
    """Say that a seat's time is over, and ask it anew; None if it is not, or the table has moved on meanwhile."""
    seated = table.seated(seat)
    if table.status != "playing" or not is_over(table, seated):
        return None
    version = table.version + 1
    reserve = 0.0 if table.clock.live else seated.reserve
    late = replace(seated, asked_at=version, flagged_at=version, reserve=reserve, deadline=None)
    after = replace(table, version=version, seats=with_seats(table, {seat: late}))
    return after if await write(db.pool, table, after, [note(version, "flag", seat)]) else None


async def decide(db: Database, code: str, session: bytes | None, seat: Seat, choice: Choice) -> Made:
    """Decide about a seat whose person is away, as somebody else at the table.

    `stand_in` happens at once, since it can be taken back; the game ends without result when all who are there and
    play want that; `wait` takes back one's wish to end. Raises NotFound, Unauthenticated, NotYourSeat, NotStarted,
    Finished, NotAway; PlayedByBot if the caller's own seat is played by a bot.
    """

    def judge(table: Snapshot, mine: Seat) -> _Change:
        missing = next((seated for seated in table.seats if seated.seat == seat), None)
        if missing is None or seat == mine or not is_missing(table, missing):
            raise NotAway(snapshot=table)
        me = table.seated(mine)
        if not me.person:
            raise PlayedByBot(snapshot=table)
        return _replaced(table, missing) if choice == "stand_in" else _voted(table, me, seat, choice)

    return await _change(db, code, session, judge)


async def conclude(db: Database, table: Snapshot) -> Snapshot | None:
    """End a game that all who are there have wanted to end since somebody who did not has gone; None if it is not so."""
    if table.status != "playing" or all(seated.vote != "end" for seated in table.seats):
        return None
    if not any(is_missing(table, seated) and _agreed(table, seated.seat) for seated in table.seats):
        return None
    ended, rows = _ended(table, table.version)
    return ended if await write(db.pool, table, ended, rows) else None


async def step_out(db: Database, code: str, session: bytes | None) -> Made:
    """Leave a running game: a bot stands in at once. Whoever is the only person at the table ends it without result.

    Raises NotFound, Unauthenticated, NotYourSeat, NotStarted, Finished.
    """

    def judge(table: Snapshot, mine: Seat) -> _Change:
        me = table.seated(mine)
        if all(seated.player_id is None or seated is me for seated in table.seats):
            return _ended(table, table.version)
        return None if me.bot is not None else _replaced(table, me)

    return await _change(db, code, session, judge)


async def come_back(db: Database, code: str, session: bytes | None) -> Made:
    """Take the caller's seat back from the bot that stands in; nothing changes where none does.

    Raises NotFound, Unauthenticated, NotYourSeat, NotStarted, Finished.
    """

    def judge(table: Snapshot, mine: Seat) -> _Change:
        me = table.seated(mine)
        if me.bot is None:
            return None
        version = table.version + 1
        back = replace(me, bot=None)
        if back.asked_at is not None:
            back = newly_asked(table.clock, back, version, table.at)
        return _with(table, {mine: back}, version), [
            note(version, "seat", mine, player=me.player_id, name=me.name, sits=True)
        ]

    return await _change(db, code, session, judge)


async def _change(db: Database, code: str, session: bytes | None, judge: Callable[[Snapshot, Seat], _Change]) -> Made:
    for _ in range(TRIES):
        table, me = await load(db, code, session)
        mine = caller(table, me)
        if table.status != "playing":
            raise NotStarted(snapshot=table) if table.status == "open" else Finished(snapshot=table)
        change = judge(table, mine)
        if change is None:
            return Made(table, me, changed=False)
        after, rows = change
        if await write(db.pool, table, after, rows):
            return Made(after, me)
    raise Unavailable(snapshot=table)


def _with(table: Snapshot, changed: dict[Seat, Seated], version: int) -> Snapshot:
    """Return the table with other people: what was wished before no longer counts."""
    cleared = {seated.seat: replace(seated, vote=None) for seated in table.seats if seated.vote is not None}
    return replace(table, version=version, seats=with_seats(table, cleared | changed))


def _replaced(table: Snapshot, seated: Seated) -> tuple[Snapshot, list[Row]]:
    version = table.version + 1
    bot = replace(seated, bot=STAND_IN, deadline=None, vote=None)
    if bot.asked_at is not None:
        bot = newly_asked(table.clock, bot, version, table.at)
    row = note(version, "seat", seated.seat, player=seated.player_id, name=seated.name, sits=True, bot=STAND_IN)
    return _with(table, {seated.seat: bot}, version), [row]


def _voted(table: Snapshot, mine: Seated, about: Seat, choice: Literal["wait", "end"]) -> _Change:
    if mine.vote == choice:
        return _ended(table, table.version) if _agreed(table, about, mine.seat) else None
    version = table.version + 1
    row = note(version, "vote", mine.seat, vote=choice)
    after = replace(table, version=version, seats=with_seats(table, {mine.seat: replace(mine, vote=choice)}))
    if not _agreed(after, about, mine.seat):
        return after, [row]
    ended, rows = _ended(after, version)
    return ended, [row, *rows]


def _agreed(table: Snapshot, about: Seat, mine: Seat | None = None) -> bool:
    """Whether all want to end who play and are there, but for the one it is about. Who asks just now is there."""
    voters = [
        seated
        for seated in table.seats
        if seated.person and seated.seat != about and (seated.present or seated.seat == mine)
    ]
    return bool(voters) and all(seated.vote == "end" for seated in voters)


def _ended(table: Snapshot, after: int) -> tuple[Snapshot, list[Row]]:
    seats = tuple(replace(seated, asked_at=None, deadline=None, vote=None) for seated in table.seats)
    ended = replace(table, version=after + 1, status="abandoned", seats=seats, undo_seat=None, undo_from=None)
    return ended, [note(after + 1, "end", None)]
