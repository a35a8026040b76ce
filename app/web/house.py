"""What one process of the service is made of, wired once, and the rendering of a table for its readers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import orjson

from app.db.engine import Database
from app.live.feed import Notifier
from app.live.hub import Hub, Reader, Rendered
from app.live.presence import Presence
from app.settings import Settings
from app.tables.chronicle import UNDONE, Chronicle
from app.tables.clocks import next_wake
from app.tables.dice import SystemDice
from app.tables.moves import Made
from app.tables.queries import load_by_id
from app.tables.snapshot import Snapshot
from app.web.api_data import table_data
from app.web.assets import Assets
from app.web.contexts import Notice, PageContext, Person, TableContext
from app.web.language import Language
from app.web.limits import Limits
from app.web.metrics import Metrics
from app.web.presenter import path_of, table_context
from app.web.rendering import Renderer
from app.web.watch import Watch


@dataclass(frozen=True, slots=True)
class TableReader:
    """What decides how a table looks: two readers that are equal get the same bytes.

    `player` is the id, not the seat, so that sitting down and leaving need no special case. `proposed` is a name for
    somebody who has none; "" where it is not shown.
    """

    player: str | None
    language: Language
    form: Literal["html", "json"]
    origin: str
    watching: bool = False
    proposed: str = ""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A table as it was just committed, and what was already rendered of it."""

    table: Snapshot
    rolls: bool
    done: dict[Reader, bytes] = field(default_factory=dict)


@lru_cache(maxsize=1)
def _looks() -> tuple[Assets, Renderer]:
    """Return what pages are made with: the same for every house of a process, since it comes from the files alone."""
    assets = Assets()
    return assets, Renderer(assets)


class House:
    """The parts of one process."""

    def __init__(self, settings: Settings, db: Database) -> None:
        self.settings = settings
        self.db = db
        self.dice = SystemDice()
        self.metrics = Metrics()
        self.assets, self.renderer = _looks()
        self.limits = Limits(on=settings.rate_limits == "on")
        self.chronicle = Chronicle(db)
        self.hub = Hub(self.render)
        self.watch = Watch(db)
        self.notifier = Notifier(lambda: db.pool)
        self.presence = Presence(lambda: db.pool, self.notifier)
        self.look: Callable[[float], None] = lambda _: None
        """Has this process look, in so many seconds, at what tables need by themselves."""
        self.closed = False

    async def render(self, table_id: int, readers: Collection[Reader], fresh: object) -> Rendered:
        """Render a table for the readers of its streams; `fresh` as `Fresh`, or None to read it."""
        if isinstance(fresh, Fresh):
            table, rolls, done = fresh.table, fresh.rolls, fresh.done
        else:
            table, rolls, done = await load_by_id(self.db, table_id), None, {}
        known = self.hub.known(table_id)[0]
        messages: dict[Reader, bytes] = {}
        for reader in readers:
            assert isinstance(reader, TableReader)
            if reader.form == "json":
                messages[reader] = self._json_message(table, reader)
                continue
            html = done.get(reader)
            if html is None:
                moving = await self._rolls(table, reader, known) if rolls is None else rolls
                html = await self.fragment(table, reader, fresh=moving)
            messages[reader] = sse(html, table.version)
        return Rendered(table.version, messages, sum(seated.present for seated in table.seats))

    async def first_message(self, table: Snapshot, reader: TableReader) -> bytes:
        """Return what a new stream starts with: the full present state, at rest."""
        if reader.form == "json":
            return self._json_message(table, reader)
        return sse(await self.fragment(table, reader), table.version)

    def _json_message(self, table: Snapshot, reader: TableReader) -> bytes:
        data = table_data(table, reader.player, reader.origin)
        return b"event: table\nid: %d\ndata: %b\n\n" % (table.version, orjson.dumps(data))

    async def _rolls(self, table: Snapshot, reader: TableReader, known: int) -> bool:
        """Whether dice are to be shown rolling: something new has come, and it was not an undo."""
        if table.version <= known or known < 0:
            return False
        lines = (await self.chronicle.tell(table, table.seat_of(reader.player))).lines
        return not lines or lines[-1][1].text != UNDONE

    async def context(
        self, table: Snapshot, reader: TableReader, *, fresh: bool = False, notice: Notice | None = None
    ) -> TableContext:
        """Return the context of the table's templates for a reader."""
        story = await self.chronicle.tell(table, table.seat_of(reader.player))
        return table_context(
            table,
            reader.player,
            story,
            origin=reader.origin,
            fresh=fresh,
            watching=reader.watching,
            notice=notice,
        )

    async def fragment(
        self, table: Snapshot, reader: TableReader, *, fresh: bool = False, notice: Notice | None = None
    ) -> bytes:
        """Return the root element `#table` for a reader: the one rendering for page, post and stream."""
        context = await self.context(table, reader, fresh=fresh, notice=notice)
        page = self.page_context(reader.language, table, reader)
        return self.renderer.page(reader.language, "_fragment.html", table=context, page=page).encode()

    def page_context(self, language: Language, table: Snapshot, reader: TableReader) -> PageContext:
        """Return the `page` of a fragment, which knows no settings: nothing in it depends on them."""
        seat = table.seat_of(reader.player)
        name = None if seat is None else table.seated(seat).name
        return PageContext(
            lang=language,
            theme="",
            sound=True,
            keys=True,
            me=Person(name, reader.proposed),
            here=path_of(table.code),
            origin=reader.origin,
        )

    async def tell(self, table: Snapshot, *, rolls: bool, done: dict[Reader, bytes] | None = None) -> None:
        """Tell everybody about a table that was just committed: our own streams at once, other processes by NOTIFY.

        Returns before anybody is told. A coroutine, because it must run in the event loop.
        """
        self.hub.publish(table.id, Fresh(table, rolls, done or {}))
        self.notifier.tell(table.id, table.version)
        wake = next_wake(table)
        if wake is not None:
            self.look(wake - table.at)

    def saw(self, table: Snapshot, me: str | None) -> None:
        """Note that somebody has just asked for a table or done something there: a person at it is present."""
        if me is not None and table.seat_of(me) is not None:
            self.presence.touch((table.id, me))

    async def made(self, made: Made, *, rolls: bool = True, done: dict[Reader, bytes] | None = None) -> None:
        """Tell everybody about a command that was just committed, if it changed anything."""
        self.saw(made.table, made.me)
        if made.events:
            self.metrics.moved(made.table.slug)
            self.chronicle.extend(made.table, made.events)
        if made.changed:
            await self.tell(made.table, rolls=rolls and bool(made.events), done=done)

    def changed(self, table_id: int) -> None:
        """Tell everybody to read a table anew: seats, names or presence changed."""
        self.hub.publish(table_id)
        self.notifier.tell(table_id, 0)
        self.look(0)

    def changes(self, table_id: int, until: float) -> None:
        """Tell everybody of something that is over after so many seconds: now, and then again."""
        self.changed(table_id)
        asyncio.get_running_loop().call_later(until, self._over, table_id)

    def _over(self, table_id: int) -> None:
        if not self.closed:
            self.changed(table_id)

    def load(self) -> tuple[int, dict[str, int]]:
        """Return how many streams are open, and how many connections of each pool are in use."""
        return self.hub.count, self.db.in_use

    def close(self) -> None:
        """Tell nobody anything any more: the database is about to go."""
        self.closed = True


def sse(html: bytes, version: int) -> bytes:
    """Return an unnamed event-stream message."""
    return b"id: %d\ndata: %b\n\n" % (version, html.replace(b"\n", b"\ndata: "))
