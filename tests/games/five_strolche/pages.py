"""The table's page for a position, and what can be posted from it."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from itertools import combinations, product
from typing import Any

from app.core.game import Viewer
from app.games.five_strolche.board import BOARD
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import State
from app.web.assets import Assets
from app.web.contexts import Chair, RoomContext, TableContext
from app.web.language import Language
from app.web.presenter import _ranked
from app.web.rendering import Renderer

NAMES = ("Ana", "Jonas", "Ayla", "Mo", "Bea")


@cache
def renderer() -> Renderer:
    """Return the one renderer of these tests."""
    return Renderer(Assets())


def chairs(state: State, viewer: Viewer) -> tuple[Chair, ...]:
    """Return the taken seats."""
    asked = GAME.to_act(state)
    return tuple(
        Chair(seat, seat + 1, NAMES[seat], you=seat == viewer, present=True, to_act=seat in asked)
        for seat in range(state.players)
    )


def context(state: State, viewer: Viewer, *, fresh: bool = False) -> TableContext:
    """Return the context of the page of a table in this state."""
    actions = () if viewer is None else GAME.actions(state, viewer)
    view, outcome = GAME.view(state, viewer), GAME.outcome(state)
    seats = chairs(state, viewer)
    return TableContext(
        slug="five-strolche",
        game_title="5 Strolche II",
        path="/t/AAAA",
        code="AAAA",
        link="http://x/t/AAAA",
        status="finished" if outcome else "playing",
        version=7,
        title=BOARD.pitch()[0],
        chairs=seats,
        me=viewer,
        host=False,
        room=RoomContext(2, 5, (), standard_options=True, public=False, clock=None, levels=()),
        pitch=(),
        turn=7 if actions else None,
        frame=BOARD.frame(view, viewer, actions, fresh=fresh),
        result=None if outcome is None else _ranked(BOARD, outcome, view, seats),
    )


def page(state: State, viewer: Viewer, language: Language = "en", *, fresh: bool = False) -> str:
    """Return the fragment that a stream sends to `viewer`."""
    return renderer().page(language, "_fragment.html", table=context(state, viewer, fresh=fresh))


class _Controls(HTMLParser):
    """The controls of the tray's form: values by name for boxes, choices of one, hidden fields; buttons called "do"."""

    def __init__(self) -> None:
        super().__init__()
        self.within = False
        self.boxes: list[str] = []
        self.radios: dict[str, list[str]] = {}
        self.buttons: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a control."""
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.within = has.get("id") == "tray"
        if not self.within or "disabled" in has:
            return
        if tag == "button" and has.get("name") == "do":
            self.buttons.append(has["value"])
        elif has.get("type") == "checkbox":
            assert has["name"] == "hold"
            self.boxes.append(has["value"])
        elif has.get("type") == "radio":
            self.radios.setdefault(has["name"], []).append(has["value"])

    def handle_endtag(self, tag: str) -> None:
        """Leave the form."""
        if tag == "form":
            self.within = False


def postable(html: str, most: int = 2) -> list[dict[str, Any]]:
    """Return the moves that can be posted from a page, as the board reads them; of boxes at most `most` or all."""
    controls = _Controls()
    controls.feed(html)
    names = list(controls.radios)
    sizes = {*range(most + 1), len(controls.boxes)}
    ticked = [list(chosen) for size in sizes for chosen in combinations(controls.boxes, size)]
    moves = []
    for button in controls.buttons:
        boxes = ticked if button in {"reroll", "take"} or "," in button else [[]]
        radios = product(*controls.radios.values()) if button.split(" ")[0] in {"turn", "crack"} else [()]
        for hold, picked in product(boxes, radios):
            form = {"do": [button], "hold": hold} | {name: [value] for name, value in zip(names, picked, strict=False)}
            moves.append(BOARD.parse(form))
    return moves
