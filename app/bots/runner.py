"""Does what tables need by themselves: bots move, flags fall, absences are shown. One loop per worker.

What is due stands in the database (`tables.wakes`), so nothing depends on this process living. Thinking happens in
another process, without a lock; a move that comes too late is simply not made (ADR 006).
"""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias

import structlog

from app.bots.thinker import Failure, Thinker
from app.core import codec
from app.core.bot import any_move
from app.core.engine import Dice
from app.core.game import Seat
from app.tables import absence, clocks, moves, wakes
from app.tables.errors import RefusedMove
from app.tables.moves import Made
from app.tables.queries import load_by_id
from app.tables.snapshot import Snapshot

if TYPE_CHECKING:
    from app.db.engine import Database

log = structlog.get_logger(__name__)

AT_ONCE = 16
"""Tables one worker attends to at the same time; the others wait in the database, where any worker finds them."""

LOOK_EVERY = 1.0
_BEAT_EVERY = 2.0

_Job: TypeAlias = tuple[int, Seat, int]
"""(table, seat, turn) that is being thought about."""


class Runner:
    """One per worker. `run` until cancelled, then `close`.

    `made` is awaited for every change that this runner makes; `changed` is told a table that only looks different now.
    """

    def __init__(
        self,
        db: Database,
        dice: Dice,
        made: Callable[[Made], Awaitable[None]],
        changed: Callable[[int], None],
        thinker: Thinker | None = None,
    ) -> None:
        self._db = db
        self._dice = dice
        self._made = made
        self._changed = changed
        self._thinker = thinker or Thinker()
        self._turn_to_think = asyncio.Lock()  # first come, first served: tables share the thinker fairly
        self._soon = asyncio.Event()
        self._attended: set[int] = set()
        self._jobs: set[_Job] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def look(self, after: float = 0.0) -> None:
        """Have the loop look at what is due after so many seconds, besides its own rounds."""
        if after < LOOK_EVERY:
            asyncio.get_running_loop().call_later(max(0.0, after) + 0.002, self._soon.set)

    async def run(self) -> None:
        """Take what is due, for ever."""
        beaten = 0.0
        while True:
            try:
                if time.monotonic() - beaten > _BEAT_EVERY:
                    if gap := await wakes.beat(self._db):
                        log.warning("downtime", seconds=round(gap, 1))
                    beaten = time.monotonic()
                if (free := AT_ONCE - len(self._attended)) > 0:
                    for claimed in await wakes.claim(self._db, free):
                        self._attended.add(claimed.table_id)
                        self._spawn(self._attend(claimed))
            except Exception as problem:  # noqa: BLE001  # the database may be away; the next round tries again
                log.warning("wakes_failed", problem=repr(problem))
            try:
                async with asyncio.timeout(LOOK_EVERY):
                    await self._soon.wait()
            except TimeoutError:
                pass
            self._soon.clear()

    async def close(self) -> None:
        """End what is under way; what was not committed is taken up by another worker."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._thinker.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _attend(self, claimed: wakes.Claim) -> None:
        """Do everything that is due at one table, and say when to look again."""
        try:
            table = await load_by_id(self._db, claimed.table_id)
            if table.status == "playing":
                await self._settle(claimed, table)
            else:
                await wakes.settle(self._db, claimed, table, None)
        except Exception as problem:  # noqa: BLE001  # one table must not stop the others; its lease runs out
            log.warning("attend_failed", table=claimed.table_id, problem=repr(problem))
        finally:
            self._attended.discard(claimed.table_id)

    async def _settle(self, claimed: wakes.Claim, table: Snapshot) -> None:
        if (after := await self._flag_or_end(table)) is not None:
            return await self._made(Made(after, None))  # and with it the table's next time is set
        clocks_moved = await self._mind_clocks(table)
        if any(clocks.is_missing(table, seated) for seated in table.seats) or clocks_moved:
            self._changed(table.id)
        if clocks_moved:
            return self.look()
        due = [seated for seated in table.seats if (at := clocks.bot_due(seated)) is not None and at <= table.at]
        if due and not clocks.goes_on(table):
            return await wakes.pause(self._db, claimed, table)
        for seated in due:
            job = (table.id, seated.seat, seated.asked_at or 0)
            if job not in self._jobs:
                self._spawn(self._play(table, job))
        if not due:
            wake = clocks.next_wake(table)
            await wakes.settle(self._db, claimed, table, wake)
            if wake is not None:
                self.look(wake - table.at)
        return None

    async def _flag_or_end(self, table: Snapshot) -> Snapshot | None:
        for seated in table.seats:
            if (after := await absence.flag(self._db, table, seated.seat)) is not None:
                return after
        return await absence.conclude(self._db, table)

    async def _mind_clocks(self, table: Snapshot) -> bool:
        """Stop live clocks on seats that nobody waits for, start them again for those who came; whether any was."""
        moved = False
        for seated in table.seats if table.clock.live else ():
            if seated.asked_at is None or not seated.person or seated.flagged_at == seated.asked_at:
                continue
            waiting = clocks.others_here(table, seated)
            if seated.deadline is None and waiting:
                await wakes.start_clock(self._db, table, seated.seat)
                moved = True
            elif seated.deadline is not None and seated.deadline <= table.at and not waiting:
                await wakes.stop_clock(self._db, table, seated.seat)
                moved = True
        return moved

    async def _play(self, table: Snapshot, job: _Job) -> None:
        """Think about one question, and make the move."""
        self._jobs.add(job)
        try:
            made = await self._answer(table, *job[1:])
            if made is not None:
                await self._made(made)
        except Exception as problem:  # noqa: BLE001  # the table's lease runs out, and it is tried again
            log.warning("bot_failed", table=table.id, problem=repr(problem))
        finally:
            self._jobs.discard(job)

    async def _answer(self, table: Snapshot, seat: Seat, turn: int) -> Made | None:
        try:
            async with self._turn_to_think:
                chosen = await self._thinker.ask(question(table, seat))
            return await moves.move_bot(self._db, self._dice, table.id, seat, turn, chosen)
        except (Failure, RefusedMove) as problem:
            log.warning("bot_replaced", game=table.slug, level=table.seated(seat).bot, problem=str(problem))
        move = any_move(table.game.actions(table.state, seat), random.SystemRandom())
        return await moves.move_bot(self._db, self._dice, table.id, seat, turn, codec.data(move), failed=True)


def question(table: Snapshot, seat: Seat) -> dict[str, Any]:
    """Return what the process that thinks is asked about a seat."""
    return {
        "game": table.slug,
        "rules": table.rules,
        "level": table.seated(seat).bot,
        "seat": seat,
        "state": codec.dump(table.game.state_type, table.state),
        "seed": secrets.randbits(64),
    }
