"""Pages of Mythical Dice as the service renders them, without a service."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

from app.core import engine
from app.core.board import Line
from app.core.events import Event, visible
from app.core.game import Viewer
from app.games.mythical_dice.board import BOARD
from app.games.mythical_dice.options import Options
from app.games.mythical_dice.rules import GAME
from app.games.mythical_dice.state import State
from app.tables.chronicle import Story
from app.tables.replay import Replay
from app.tables.snapshot import Seated, Snapshot
from app.web.assets import Assets
from app.web.contexts import PageContext, Person
from app.web.language import Language
from app.web.presenter import replay_context, table_context
from app.web.rendering import Renderer
from tests.games.mythical_dice.played import Played
from tests.support.games import random_game

NAMED = ("Mia", "Jonas", "Ayla", "Kasimir", "Ida", "Bo")


PAGE = PageContext("en", "", sound=True, keys=True, me=Person("Mia", "Mia"), here="/t/X", origin="http://x")


@cache
def renderer() -> Renderer:
    return Renderer(Assets())


def lines(events: Iterable[Event], options: Options, players: int, viewer: Viewer) -> list[tuple[int, Line]]:
    """Return the log as the chronicle tells it."""
    state, found = GAME.setup(options, players), []
    for event in events:
        before = GAME.view(state, viewer)
        state = engine.advance(GAME, state, event)
        line = BOARD.line(visible(event, viewer, over=False), before, GAME.view(state, viewer))
        if line is not None:
            found.append((event.n, line))
    return found


def snapshot(state: State) -> Snapshot:
    asked = GAME.to_act(state)
    outcome = GAME.outcome(state)
    return Snapshot(
        id=1,
        code="ABCDEFGHJK",
        slug="mythical-dice",
        rules=1,
        game=GAME,
        board=BOARD,
        options=state.options,
        visibility="unlisted",
        status="playing" if outcome is None else "finished",
        version=9,
        host_id="p0",
        players=state.players,
        state=state,
        outcome=outcome,
        undo_seat=None,
        undo_from=None,
        rematch=None,
        seats=tuple(
            Seated(seat, f"p{seat}", NAMED[seat], 7 if seat in asked else None, present=True)
            for seat in range(state.players)
        ),
        started_at=None,
        finished_at=None,
        at=0.0,
    )


def page(
    state: State,
    viewer: Viewer,
    log: Sequence[tuple[int, Line]] = (),
    *,
    fresh: bool = False,
    language: Language = "en",
) -> str:
    me = None if viewer is None else f"p{viewer}"
    context = table_context(
        snapshot(state), me, Story(9, None, tuple(log)), origin="http://x", fresh=fresh, watching=viewer is None
    )
    return renderer().page(language, "_fragment.html", table=context, page=PAGE)


def replayed(state: State, seat: Viewer = None, *, fresh: bool = False) -> str:
    view = GAME.reveal(state) if seat is None else GAME.view(state, seat)
    shown = Replay(3, 9, None, state, view, None, ())
    context = replay_context(snapshot(state), None, shown, origin="http://x", playing=fresh)
    if seat is not None:  # what a replay through somebody's eyes needs of the shared page: the viewer for `frame`
        context = replace(context, frame=BOARD.frame(view, seat, (), fresh=fresh))
    return renderer().page("en", "replay.html", replay=context, page=PAGE, me=None)


class Forms(HTMLParser):
    """Collects the fields of the form that posts moves, and the labels of all dice."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inside = False
        self.hidden: dict[str, str] = {}
        self.radios: list[tuple[str, bool]] = []
        self.labels: dict[str, str] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = found.get("action", "").endswith("/moves")
        if tag == "input" and self.inside:
            if found["type"] == "hidden":
                self.hidden[found["name"]] = found["value"]
            else:
                self.radios.append((found["value"], "disabled" not in found))
                self.labels[found["value"]] = found.get("aria-label", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False

    def moves(self) -> list[dict[str, Any]]:
        """Return the moves that can be posted."""
        return [
            BOARD.parse({"do": [self.hidden["do"]], "turn": ["7"], "hold": [value]})
            for value, enabled in self.radios
            if enabled
        ]


def by_text(move: dict[str, Any]) -> str:
    return json.dumps(move, sort_keys=True)


def states(players: int, seed: int, preset: dict[str, Any] | None = None) -> list[State]:
    """Return the states of a random game in which people look at it, fewer of the later rounds."""
    history = [state for state, _ in random_game(GAME, players, Options(**(preset or {})), seed)]
    found = [state for state in history if GAME.chance(state) is None]
    return [*found[:24], *found[24::9], found[-1]]


def frame(game: Played, viewer: Viewer = None, *, fresh: bool = False) -> Any:
    actions = () if viewer is None else GAME.actions(game.state, viewer)
    return BOARD.frame(GAME.view(game.state, viewer), viewer, actions, fresh=fresh)
