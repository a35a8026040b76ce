"""The hidden toy game as a game people can sit down to, for as long as a test lasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from app import games
from app.core.board import Board, Entry, Form, Frame, Line, Standing
from app.core.events import Event, Moved
from app.core.game import Action, Outcome, Value, Viewer
from app.core.text import Text, say
from app.db.engine import Database
from app.tables import seats
from app.tables.dice import SystemDice
from tests.support.play import Someone, someone
from tests.support.toy import TOY, Bid


class SealedBoard(Board):
    """Says in the log what is visible of an event, and nothing else."""

    def frame(self, view: Any, viewer: Viewer, actions: Sequence[Action[Any]], *, fresh: bool) -> Frame:
        return Frame(say("Sealed"), say("Sealed"), (Standing(0),) * len(view.points), None, None)

    def parse(self, form: Form) -> dict[str, Any]:
        return {"kind": "bid", "chips": [int(chip) for chip in form.get("chips", ())]}

    def line(self, event: Event, before: Value, after: Value) -> Line | None:
        if isinstance(event, Moved):
            if event.move is None:
                return Line(event.seat, say("bids in secret"))
            chips = event.move.chips if isinstance(event.move, Bid) else (7,)
            return Line(event.seat, say("bids"), sum(chips))
        return Line(None, say("deals in secret") if event.faces is None else say("deals"), sum(event.faces or ()))

    def summary(self, outcome: Outcome, view: Any) -> tuple[Text, ...]:
        return (say("Sealed"),) * len(outcome.scores)

    def option_text(self, option: str, choice: Any) -> tuple[Text, Text]:
        return say("Sealed"), say("Sealed")

    def pitch(self) -> tuple[Text, ...]:
        return (say("Sealed"),)


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the toy into the registry until the test ends."""
    monkeypatch.setitem(games.CURRENT, "sealed", Entry(TOY, SealedBoard()))


async def started_sealed(
    database: Database, names: Sequence[str] = ("Ana", "Bo", "Cy"), options: Mapping[str, object] | None = None
) -> tuple[str, list[Someone]]:
    """Return the code of a running table of the toy and its people, host first."""
    people = [await someone(database, name) for name in names]
    made = await seats.create(database, people[0].guest, "sealed", options or {})
    for person in people[1:]:
        await seats.sit(database, made.code, person.guest)
    await seats.start(database, SystemDice(), made.code, people[0].guest)
    return made.code, people
