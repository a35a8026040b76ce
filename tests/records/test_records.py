"""Records as files: what holds, what does not, and what the two commands say."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import games
from app.records.record import BadRecord, read, verify, view_at
from tests.records.samples import another_face, record_of, yacht, yacht_bytes
from tests.support.toy import TOY
from tests.tables.sealed import register

Raw = dict[str, Any]


def judge(raw: object) -> str:
    """Return why a record does not hold, "" if it does."""
    try:
        verify(read(raw if isinstance(raw, bytes) else orjson.dumps(raw)))
    except BadRecord as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("seed", range(5))
def test_the_record_of_any_game_holds(seed: int) -> None:
    for entry in games.CURRENT.values():
        for preset in entry.game.presets:
            assert judge(record_of(entry.game, max(entry.game.info.min_players, 2), dict(preset), seed)) == ""


def first(raw: Raw, kind: str) -> Raw:
    found: Raw = next(event for event in raw["events"] if event["type"] == kind and event.get("reason") != "first")
    return found


def renumber(raw: Raw) -> None:
    for n, event in enumerate(raw["events"], start=1):
        event["n"] = n


def drop(place: int) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        del raw["events"][place]
        renumber(raw)

    return change


def add(raw: Raw) -> None:
    raw["events"].insert(3, copy.deepcopy(first(raw, "chance")))
    renumber(raw)


def swap_numbers(raw: Raw) -> None:
    raw["events"][2]["n"], raw["events"][3]["n"] = raw["events"][3]["n"], raw["events"][2]["n"]


def swap_events(raw: Raw) -> None:
    raw["events"][2], raw["events"][3] = raw["events"][3], raw["events"][2]
    renumber(raw)


def put(*path: str | int, value: object) -> Callable[[Raw], None]:
    """Return a change that sets one field; a path may begin with the name of a kind of event."""

    def change(raw: Raw) -> None:
        place: Any = first(raw, str(path[0])) if path[0] in ("move", "chance") else raw[str(path[0])]
        for step in path[1:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


def top(name: str, value: object) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        raw[name] = value

    return change


def without(name: str) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        del raw[name]

    return change


def swap_winner(raw: Raw) -> None:
    raw["outcome"]["winners"] = [1 - raw["outcome"]["winners"][0]]


def swap_scores(raw: Raw) -> None:
    raw["outcome"]["scores"].reverse()


def another_seat(raw: Raw) -> None:
    move = first(raw, "move")
    move["seat"] = 1 - move["seat"]


TAMPERED: dict[str, tuple[Callable[[Raw], None], str]] = {
    "a changed face": (another_face, "outcome"),
    "a face of no die": (put("chance", "faces", 0, value=7), "face"),
    "a face too many": (put("chance", "faces", value=[1] * 6), "faces"),
    "a face withheld": (put("chance", "faces", value=None), "faces"),
    "other dice": (put("chance", "sides", 0, value=8), "was not asked for"),
    "another reason": (put("chance", "reason", value="luck"), "was not asked for"),
    "the first event dropped": (drop(0), "event 1"),
    "an event dropped": (drop(4), "event"),
    "the last event dropped": (drop(-1), "not over"),
    "all events dropped": (top("events", []), "not over"),
    "an event added": (add, "event 4"),
    "numbers reordered": (swap_numbers, "numbered"),
    "events reordered": (swap_events, "event"),
    "the move of another seat": (another_seat, "illegal move"),
    "a seat that is not there": (put("move", "seat", value=9), "illegal move"),
    "a seat below 0": (put("move", "seat", value=-1), "illegal move"),
    "an illegal move": (put("move", "move", value={"kind": "score", "category": "yacht"}), "illegal move"),
    "a move without sense": (put("move", "move", value={"kind": "fly"}), "event"),
    "a move withheld": (put("move", "move", value=None), "event"),
    "a move said to be secret": (put("move", "seen_by", value=[0]), "seen by"),
    "a throw said to be secret": (put("chance", "seen_by", value=[0, 1]), "seen by"),
    "another winner": (swap_winner, "outcome"),
    "other scores": (swap_scores, "outcome"),
    "another kind of outcome": (put("outcome", "kind", value="team"), "outcome"),
    "details that were made up": (put("outcome", "detail", "bonus", value=35), "outcome"),
    "no outcome": (top("outcome", None), ""),
    "more players": (top("players", 3), "players"),
    "fewer players": (top("players", 1), "players"),
    "players as yes": (top("players", True), "players"),  # noqa: FBT003  # JSON data
    "players as text": (top("players", "2"), "players"),
    "players as a fraction": (top("players", 2.0), "players"),
    "too many players": (top("players", 11), "players"),
    "a seat too few": (lambda raw: raw["seats"].pop(), "seats"),
    "an unknown game": (top("game", "chess"), "chess"),
    "a game as a list": (top("game", ["yacht"]), ""),
    "unknown rules": (top("rules", 99), "99"),
    "rules as nothing": (top("rules", None), "rules"),
    "rules as yes": (top("rules", True), "rules"),  # noqa: FBT003  # JSON data
    "rules as a fraction": (top("rules", 1.0), "rules"),
    "another format": (top("format", "knobel-record/2"), "format"),
    "no format": (without("format"), "format"),
    "unknown options": (put("options", "speed", value=1), "speed"),
    "options of another type": (put("options", "variant", value=1), "variant"),
    "options as a list": (top("options", []), ""),
    "the other first player": (put("options", "first_player", value="host"), "was not asked for"),
    "a name that is no text": (put("seats", 0, "name", value=5), "name"),
    "a name as nothing": (put("seats", 0, "name", value=None), "name"),
    "a name of two lines": (put("seats", 0, "name", value="Ana\nother.json: ok: Yacht"), "name"),
    "a name that moves the cursor": (put("seats", 0, "name", value="\x1b[2J"), "name"),
    "events as an object": (top("events", {"a": 1}), ""),
    "events as a number": (top("events", 5), ""),
    "events of numbers": (top("events", [1]), ""),
    "seats as text": (top("seats", "ab"), ""),
    "seats without names": (top("seats", [{}, {}]), "name"),
    **{f"no {name}": (without(name), name) for name in ("game", "rules", "options", "players", "seats", "events")},
}


def test_the_record_that_is_tampered_with_below_holds_as_it_is() -> None:
    assert judge(yacht()) == ""


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_record_is_refused_with_the_reason(name: str) -> None:
    change, reason = TAMPERED[name]
    raw = yacht()
    change(raw)
    said = judge(raw)
    assert said
    assert reason in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b'"knobel-record/1"',
        b"{",
        b"\xff\xfe\x00",
        b"\x00" * 100,
        b"[" * 100_000,
        b'{"format":"knobel-record/1"}',
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b"9" * 10_000,
        '{"format":"knobel-record/1"}'.encode("utf-16"),
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_no_record_is_refused(content: bytes) -> None:
    assert judge(content)


@pytest.mark.parametrize("depth", [100, 260, 900, 1020])
@pytest.mark.parametrize("field", ["options", "events", "outcome", "seats", "game", "rules", "players"])
def test_deep_nesting_in_any_field_is_refused(field: str, depth: int) -> None:
    nested = b"[" * depth + b"]" * depth
    content = orjson.dumps(yacht() | {field: "HERE"}).replace(b'"HERE"', nested)
    assert judge(content)
    content = orjson.dumps(yacht() | {field: "HERE"}).replace(b'"HERE"', b'{"a":' * depth + b"1" + b"}" * depth)
    assert judge(content)


def test_a_hidden_game_with_a_misstated_watcher_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    good = record_of(TOY, 3, {}, 4)
    assert judge(good) == ""
    for place in (0, 3):  # the first die, the first bid
        for seen_by in (None, [], [0, 1, 2], [(good["events"][place]["seen_by"][0] + 1) % 3]):
            raw = copy.deepcopy(good)
            raw["events"][place]["seen_by"] = seen_by
            assert "seen by" in judge(raw)


@pytest.mark.parametrize("step", [-1, 10**9])
def test_a_step_that_is_not_there_is_refused(step: int) -> None:
    with pytest.raises(BadRecord):
        view_at(read(yacht_bytes()), step)


def test_the_state_before_a_broken_event_can_still_be_shown() -> None:
    raw = yacht()
    raw["events"][10] = raw["events"][10] | {
        "type": "chance",
        "reason": "x",
        "sides": [6],
        "faces": [1],
        "seen_by": None,
    }
    raw["events"][10].pop("seat", None)
    raw["events"][10].pop("move", None)
    record = read(orjson.dumps(raw))
    assert view_at(record, 10)
    with pytest.raises(BadRecord):
        view_at(record, 11)


PLAIN = st.none() | st.booleans() | st.integers(-(2**64), 2**65) | st.floats() | st.text(max_size=5)
FLAT = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(st.text(max_size=5), PLAIN, max_size=3)
JSON = FLAT | st.lists(FLAT, max_size=3) | st.dictionaries(st.text(max_size=5), FLAT, max_size=3)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to everything in JSON data."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


PLACES = [path for path in places(yacht()) if path]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(PLACES), JSON), min_size=1, max_size=3))
def test_any_change_is_judged_and_never_crashes(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    raw = yacht()
    for path, value in changes:
        place: Any = raw
        try:
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    try:
        content = orjson.dumps(raw)
    except TypeError:  # an integer beyond 64 bits
        return
    judge(content)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_change_of_the_bytes_is_judged_and_never_crashes(data: st.DataObject) -> None:
    content = bytearray(yacht_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    judge(bytes(content))
