"""What the log says."""

from __future__ import annotations

from typing import Any

import pytest

from app.core import engine
from app.core.events import Moved, Rolled
from app.core.game import Seat
from app.core.text import Dice, Player, Text
from app.games.five_strolche.board import BOARD
from app.games.five_strolche.rules import GAME
from app.games.five_strolche.state import (
    Crack,
    Draw,
    Effect,
    Give,
    Options,
    Pass,
    Place,
    Reroll,
    Rescue,
    State,
    Take,
    TakeAll,
    Turn,
)
from tests.games.five_strolche.positions import options, position
from tests.support.dice import ScriptedDice, SeededDice


def spoken(part: Any) -> str:
    """Return a sentence with dice as "red 3" and players as "seat 1"."""
    match part:
        case Text():
            return part.key.format(**{name: spoken(inner) for name, inner in part.parts})
        case Dice():
            return f"[{part.color} {' '.join(map(str, part.faces))}]"
        case Player():
            return f"seat {part.seat}"
        case _:
            return str(part)


def told(state: State, move: Any, *faces: int, seat: int = 0) -> list[tuple[Seat | None, str]]:
    """Return the lines of a move and of the chance that follows."""
    _, events = engine.play(GAME, state, seat, move, ScriptedDice(*faces), 0)
    return lines(state, events)


def lines(state: State, events: list[Any]) -> list[tuple[Seat | None, str]]:
    found = []
    for event in events:
        after = engine.advance(GAME, state, event)
        line = BOARD.line(event, GAME.view(state, None), GAME.view(after, None))
        if line is not None:
            found.append((line.seat, spoken(line.text)))
        state = after
    return found


BOTH = options(rotate="john_and_ringo")
VOTE = options(last_rescue="on")
SEEN = (3, 5, 1, 2)

LINES: list[tuple[str, State, Any, tuple[int, ...], list[tuple[Seat | None, str]]]] = [
    ("draw", position("r2", ""), Draw(), (10, 4), [(0, "draws [blue 4]")]),
    ("six", position("r2", ""), Draw(), (1, 6), [(0, "draws [red 6] – half the gate closes")]),
    ("shut", position("r2", "", gate=1), Draw(), (1, 6), [(0, "draws [red 6] – the gate shuts")]),
    (
        "about to shut",
        position("r2", "", gate=1, options=VOTE),
        Draw(),
        (1, 6),
        [(0, "draws [red 6] – the gate is about to shut")],
    ),
    (
        "reroll",
        position("r2 b2 b3", ""),
        Reroll(("r1", "b1", "b2")),
        (1, 2, 3),
        [(0, "rolls again: [red 1] [blue 2 3]")],
    ),
    ("give", position("r2 b2", ""), Give("b1", 1), (), [(0, "gives [blue 2] to seat 1")]),
    ("open", position("k2", "", gate=1), Place("k1", "ringo"), (), [(0, "lays [black 2] on Ringo and opens the gate")]),
    ("in vain", position("k2", ""), Place("k1", "ringo"), (), [(0, "lays [black 2] on Ringo")]),
    (
        "swap",
        position("b2", "", stack=(3, 0)),
        Place("b1", "john"),
        (1,),
        [(0, "lays [blue 2] on John and swaps the lock"), (None, "The lock shows 1")],
    ),
    ("only lock", position("b2", "", stack=(3,)), Place("b1", "john"), (), [(0, "lays [blue 2] on John")]),
    (
        "sweep",
        position("r5 b1", "", boards={"pink": 3}),
        Place("r3", "pink"),
        (),
        [(0, "lays [red 5] on Pink; the full board is cleared")],
    ),
    (
        "draw three",
        position("y1", ""),
        Place("y1", "rihanna"),
        (1, 1, 1, 1, 2, 3),
        [(0, "lays [yellow 1] on Rihanna"), (0, "draws [red 1 2 3]")],
    ),
    (
        "crack",
        position("r1 r3 b3 k3 y3", "", stack=SEEN),
        Place("r1", "paul"),
        (),
        [(0, "lays [red 1] on Paul and cracks lock 3")],
    ),
    (
        "crack by choice",
        position("r3 b3 k3 y3 y3", "", asked="crack", stack=SEEN),
        Crack(("r1", "b1", "k1", "y2")),
        (),
        [(0, "cracks lock 3")],
    ),
    (
        "take",
        position("", "", asked="take", used="ringo"),
        Take(("r0", "b0")),
        (2, 3),
        [(0, "takes and rolls [red 2] [blue 3]")],
    ),
    ("take all", position("", "", asked="take_all"), TakeAll("pink"), (2,), [(0, "takes and rolls [red 2]")]),
    ("turn", position("b2", "", asked="turn"), Turn("b1", 6), (), [(0, "turns [blue 2] to [blue 6]")]),
    (
        "effect open",
        position("", "", asked="effect", options=BOTH),
        Effect("open"),
        (),
        [(0, "lets Ringo open the gate")],
    ),
    (
        "effect rotate",
        position("", "", asked="effect", stack=SEEN, options=BOTH),
        Effect("rotate"),
        (),
        [(0, "lets Ringo swap the lock")],
    ),
    ("pass", position("", "", bag=0), Pass(), (), [(0, "passes")]),
    (
        "rescue",
        position("r6", "", asked="rescue", wishes=(None, None), gate=1, options=VOTE),
        Rescue(accept=True),
        (),
        [(0, "puts all dice back into the bag, the gate opens")],
    ),
    (
        "no rescue",
        position("r6", "", asked="rescue", wishes=(None, None), gate=1, options=VOTE),
        Rescue(accept=False),
        (),
        [(0, "lets the gate shut")],
    ),
]


@pytest.mark.parametrize(("state", "move", "faces", "said"), [case[1:] for case in LINES], ids=[c[0] for c in LINES])
def test_lines_of_a_move(state: State, move: Any, faces: tuple[int, ...], said: list[tuple[Seat | None, str]]) -> None:
    assert told(state, move, *faces) == said


@pytest.mark.parametrize(("accept", "said"), [(True, "is for the rescue"), (False, "is against the rescue")])
def test_wishes_are_told(accept: bool, said: str) -> None:  # noqa: FBT001  # a case of the table
    state = position("r6", "", asked="rescue", wishes=(None, None), gate=1, options=VOTE)
    assert told(state, Rescue(accept=accept), seat=1) == [(1, said)]


def test_set_up_is_told() -> None:
    state = GAME.setup(Options(), 2)
    _, events = engine.begin(GAME, Options(), 2, SeededDice(1))
    found = lines(state, events)
    assert found[0][0] is None
    assert found[0][1].startswith("The lock shows ")
    assert [(seat, said[:12]) for seat, said in found[1:3]] == [(0, "starts with "), (1, "starts with ")]


def test_lot_is_told() -> None:
    state = position("r3", "r3", seat=None)
    after = GAME.settle(state, (2,))
    line = BOARD.line(Rolled(1, "first", (2,), (2,)), GAME.view(state, None), GAME.view(after, None))
    assert line is not None
    assert (line.seat, spoken(line.text)) == (1, "begins")


@pytest.mark.parametrize(
    ("state", "move", "seat", "said"),
    [
        (position("k2", ""), Place("k1", "ringo"), 0, "Laid a die on Ringo"),
        (position("r5 b1", "", boards={"pink": 3}), Place("r3", "pink"), 0, "Laid a die on Pink"),
        (position("b2", "", actions_left=1), Give("b1", 1), 0, "Gave [blue 2] to seat 1"),
        (position("b2", "", asked="turn"), Turn("b1", 6), 0, "Turned a die to 6"),
        (position("", "", asked="effect", options=BOTH), Effect("open"), 0, "Opened the gate"),
        (position("", "", asked="effect", stack=SEEN, options=BOTH), Effect("rotate"), 0, "Swapped the lock"),
        (position("", "", bag=0), Pass(), 0, "Passed"),
        (
            position("r3 b3 k3 y3 y3", "", asked="crack", stack=SEEN),
            Crack(("r1", "b1", "k1", "y2")),
            0,
            "Cracked lock 3",
        ),
        (
            position("r6", "", asked="rescue", wishes=(None, None), actions_left=0, gate=1, options=VOTE),
            Rescue(accept=True),
            0,
            "Put all dice into the bag",
        ),
        (
            position("r6", "", asked="rescue", wishes=(None, None), gate=1, options=VOTE),
            Rescue(accept=True),
            1,
            "Said yes to the rescue",
        ),
        (
            position("r6", "", asked="rescue", wishes=(None, None), gate=1, options=VOTE),
            Rescue(accept=False),
            1,
            "Said no to the rescue",
        ),
        (position("", "", asked="take", used="ringo"), Take(("r0", "b0")), 0, None),
        (position("b2", ""), Draw(), 0, None),
    ],
)
def test_what_can_be_taken_back_is_named(state: State, move: Any, seat: Seat, said: str | None) -> None:
    after = GAME.play(state, seat, move)
    text = BOARD.done(Moved(1, seat, move), GAME.view(after, seat))
    assert (text and spoken(text)) == said
