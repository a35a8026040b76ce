"""Ends the streams that were opened with a session that is no more."""

from __future__ import annotations

import asyncio

from app.db.engine import FAULTS, Database
from app.live.hub import Stream
from app.tables import players

LOOK_EVERY = 3.0
"""Seconds between two looks at the sessions of all open streams."""


class Watch:
    """Which open stream belongs to which session. One per process."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._open: dict[Stream, bytes] = {}

    def add(self, stream: Stream, session: bytes) -> None:
        """Have `stream` end when the session with this hash does."""
        self._open[stream] = session

    def drop(self, stream: Stream) -> None:
        """Forget a stream that has ended."""
        self._open.pop(stream, None)

    async def run(self) -> None:
        """Look again and again. Without its database nothing can be signed out, and nothing new be shown."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self.look()
            except FAULTS:
                continue

    async def look(self) -> None:
        """End the streams whose session was ended or has expired, whichever process did it."""
        asked = dict(self._open)
        if not asked:
            return
        alive = await players.alive(self._db, asked.values())
        for stream, session in asked.items():
            if session not in alive:
                stream.close()
