from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core import codec
from app.core.codec import Malformed
from app.core.events import Event, Moved, Rolled
from app.core.game import Action, IllegalMove, Outcome, Pick, Value
from tests.support.toy import TOY, Bid, Boast, Options, State, View


def nested(depth: int) -> list[Any]:
    deep: list[Any] = []
    for _ in range(depth):
        deep = [deep]
    return deep


DEEP = nested(100_000)
HUGE = 10**5000  # more digits than Python turns into text

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
move_like = st.fixed_dictionaries(
    {"kind": st.sampled_from(["bid", "boast", "x"])},
    optional={"chips": anything | st.lists(anything), "more": anything},
)
event_like = st.fixed_dictionaries(
    {"type": st.sampled_from(["move", "chance", "undo"])},
    optional={
        name: anything | st.lists(st.integers(0, 7)) | move_like | st.integers(0, 7)
        for name in ("n", "seat", "move", "seen_by", "reason", "sides", "faces")
    },
)


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        (Options, Options(rounds=2, quick=True)),
        (Bid, Bid((1, 2))),
        (Boast, Boast()),
        (State, State(3, (1, None), (None, (7,)), (0, 2))),
        (View, View(1, None, None, (True, False), (0, 0))),
    ],
)
def test_value_survives_json(declared: type[Value], value: Value) -> None:
    text = codec.dump(declared, value)
    assert "\n" not in text
    assert codec.load(declared, text) == codec.load(declared, text.encode()) == value
    assert codec.data(value) == json.loads(text)


@pytest.mark.parametrize("chips", [["1"], [True], [1.0], [None], [[1]], [math.nan], [math.inf], "12", {"1": 1}, 1])
def test_move_is_read_strictly(chips: object) -> None:
    with pytest.raises(IllegalMove, match="wrong shape"):
        codec.load_move(TOY, {"kind": "bid", "chips": chips})


@pytest.mark.parametrize(
    "raw",
    [
        {"kind": "bid"},
        {"kind": "bid", "chips": [1], "more": 1},
        {"kind": "boast", "chips": []},
        {"kind": "boast", "\ud800": 1},
        {"kind": "bid", "chips": ["\ud800"]},
        {"kind": "bid", "chips": DEEP},
        {"kind": "bid", "chips": nested(300)},
        {"kind": "bid", "chips": [HUGE]},
    ],
    ids=["missing", "extra", "extra-empty", "surrogate-key", "surrogate", "very-deep", "deep", "huge"],
)
def test_move_of_a_wrong_shape_is_refused(raw: object) -> None:
    with pytest.raises(IllegalMove, match="wrong shape"):
        codec.load_move(TOY, raw)


@pytest.mark.parametrize("raw", [None, 1, "bid", [], ["bid"], {}, {"kind": None}, {"kind": True}, {"kind": ["bid"]}])
def test_what_is_no_move_at_all_is_refused(raw: object) -> None:
    with pytest.raises(IllegalMove, match="no such kind"):
        codec.load_move(TOY, raw)


@given(anything | move_like)
@example({"kind": "bid", "chips": [math.nan]})
def test_any_json_is_a_move_or_an_illegal_one(raw: object) -> None:
    try:
        move = codec.load_move(TOY, raw)
    except IllegalMove:
        return
    assert type(move) in TOY.move_types
    assert codec.data(move) == raw


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ({"quick": 1}, "quick"),
        ({"quick": "true"}, "quick"),
        ({"quick": None}, "quick"),
        ({"rounds": 4}, "rounds"),
        ({"rounds": "3"}, "rounds"),
        ({"rounds": True}, "rounds"),
        ({"speed": 1}, "speed"),
    ],
)
def test_wrong_option_is_named(raw: dict[str, object], names: str) -> None:
    with pytest.raises(Malformed, match=f"^{names}: "):
        codec.load_options(TOY, raw)


@pytest.mark.parametrize("raw", [{"rounds": DEEP}, {"rounds": HUGE}, {"rounds": "\ud800"}, {"rounds": math.nan}])
def test_option_that_is_hardly_json_is_malformed(raw: dict[str, object]) -> None:
    with pytest.raises(Malformed):
        codec.load_options(TOY, raw)


def test_options_fill_in_the_defaults() -> None:
    assert codec.load_options(TOY, {}) == Options()
    assert codec.load_options(TOY, {"rounds": 2}) == Options(rounds=2)


@given(st.dictionaries(st.text(max_size=6) | st.sampled_from(["rounds", "quick"]), anything, max_size=3))
def test_any_json_is_options_or_malformed(raw: dict[str, object]) -> None:
    try:
        options = codec.load_options(TOY, raw)
    except Malformed:
        return
    assert type(options) is Options


@pytest.mark.parametrize("text", ["", "{", "nul", "[]", "NaN", '{"quick": tru}', b"\xff", '{"quick":"\ud800"}'])
def test_text_that_does_not_load_is_malformed(text: str | bytes) -> None:
    with pytest.raises(Malformed):
        codec.load(Options, text)


def test_action_is_shown_as_the_contract_says() -> None:
    move: dict[str, Any] = {"kind": "bid", "chips": [1, 2]}
    assert codec.action_data(Action(Bid((1, 2)))) == move
    pick = {"pick": {"from": [1, 2, 3], "min": 1, "max": 2}}
    assert codec.action_data(Action(Bid(()), "chips", Pick((1, 2, 3), 1, 2))) == {"kind": "bid", "chips": pick}
    assert codec.action_data(Action(Boast())) == {"kind": "boast"}


def test_option_choices_are_literals_and_switches() -> None:
    assert codec.option_choices(Options) == [
        {"id": "rounds", "default": 3, "choices": [2, 3]},
        {"id": "quick", "default": False, "choices": [False, True]},
    ]


EVENTS: list[tuple[Event, dict[str, Any]]] = [
    (Moved(4, 0, Boast()), {"n": 4, "type": "move", "seat": 0, "move": {"kind": "boast"}}),
    (
        Moved(4, 2, Bid((1, 3)), frozenset({2, 0})),
        {"n": 4, "type": "move", "seat": 2, "move": {"kind": "bid", "chips": [1, 3]}, "seen_by": [0, 2]},
    ),
    (
        Rolled(5, "roll", (6, 6, 6), (3, 1, 6)),
        {"n": 5, "type": "chance", "reason": "roll", "sides": [6, 6, 6], "faces": [3, 1, 6], "seen_by": None},
    ),
    (
        Rolled(5, "deal", (6,), (3,), frozenset({2, 1})),
        {"n": 5, "type": "chance", "reason": "deal", "sides": [6], "faces": [3], "seen_by": [1, 2]},
    ),
    (
        Rolled(5, "draw", (6,), (3,), frozenset({2}), blind=True),
        {"n": 5, "type": "chance", "reason": "draw", "sides": [6], "faces": [3], "seen_by": [2], "blind": True},
    ),
]


@pytest.mark.parametrize(("event", "shown"), EVENTS)
def test_event_is_shown_as_the_contract_says(event: Event, shown: dict[str, Any]) -> None:
    assert codec.event_data(event) == shown
    assert codec.load_event(TOY, json.loads(json.dumps(shown))) == event


def test_withheld_event_shows_null() -> None:
    assert codec.event_data(Moved(4, 2, None, frozenset({2})))["move"] is None
    assert codec.event_data(Rolled(5, "deal", (6,), None, frozenset({2})))["faces"] is None


@pytest.mark.parametrize(
    ("base", "lost"),
    [(0, name) for name in ("type", "n", "seat", "move")]
    + [(2, name) for name in ("type", "n", "reason", "sides", "faces")],
)
def test_event_without_a_field_is_malformed(base: int, lost: str) -> None:
    raw = dict(EVENTS[base][1])
    del raw[lost]
    with pytest.raises(Malformed):
        codec.load_event(TOY, raw)


@pytest.mark.parametrize(
    ("base", "change"),
    [
        (0, {"n": "4"}),
        (0, {"n": True}),
        (0, {"seat": "0"}),
        (0, {"seat": None}),
        (0, {"move": {"kind": "bid", "chips": ["1"]}}),
        (0, {"seen_by": "01"}),
        (0, {"seen_by": [[0]]}),
        (0, {"type": "undo"}),
        (0, {"type": []}),
        (2, {"faces": ["3", 1, 6]}),
        (2, {"faces": [3, True, 6]}),
        (2, {"faces": [3.0, 1, 6]}),
        (2, {"sides": "666"}),
        (2, {"reason": 1}),
        (2, {"seen_by": ["0"]}),
    ],
    ids=str,
)
def test_event_is_read_strictly(base: int, change: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        codec.load_event(TOY, EVENTS[base][1] | change)


@given(anything | event_like)
def test_any_json_is_an_event_or_malformed(raw: Any) -> None:
    try:
        event = codec.load_event(TOY, raw)
    except Malformed:
        return
    assert isinstance(event, (Moved, Rolled))


def test_outcome_survives_json() -> None:
    outcome = Outcome("team", (3, 3), (), {"left": 2, "won": False, "how": "by time", "dice": (1, 2), "who": ("a",)})
    assert codec.load_outcome(codec.dump(Outcome, outcome)) == outcome


@pytest.mark.parametrize(
    "text", ["{}", '{"kind":"draw","scores":[],"winners":[]}', '{"kind":"solo","scores":["1"],"winners":[]}']
)
def test_wrong_outcome_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        codec.load_outcome(text)
