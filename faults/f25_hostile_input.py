"""F25: hostile input: any bytes as a move, all games walked at random with nonsense between, and everything the OpenAPI describes."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

from app.core import codec, engine
from app.core.game import IllegalMove
from app.games import CURRENT
from faults.described import check
from faults.invariants import holds
from faults.openapi import walk
from faults.people import Ledger
from faults.postgres import Postgres
from faults.run import Program, Run
from faults.service import Service

LARGEST = 64 * 1024
SCALE = int(os.environ.get("FAULTS_FUZZ", "1"))
"""How many times as much: with 20, each game is walked 2,000 times, which takes most of an hour."""
SLOWEST = 0.25
"""Seconds a decoder may take on a busy machine; 5 ms is what it takes at most by itself."""

NESTED = b"[" * 10_000 + b"]" * 10_000
_WORDS = ("kind", "roll", "dice", "score", "category", "yacht", "mark", "box", "plus", "minus", "bid", "tricks", "die", "red", "place", "on", "john", "accept")  # fmt: skip
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=30), st.sampled_from(_WORDS),
    st.sampled_from([2**63, -0.0, float("inf"), float("nan"), "\x00", "\ud800", "\ufeff", "1", 1.0]),
)  # fmt: skip
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.sampled_from(_WORDS) | st.text(max_size=5), inner, max_size=6), max_leaves=25
)  # fmt: skip


def _kinds() -> list[str]:
    return sorted({kind for entry in CURRENT.values() for kind in codec._kinds(entry.game)})


@st.composite
def moves(draw: st.DrawFn) -> Any:
    """Draw something like a move: a kind of one of the games, with fields of any kind."""
    move = draw(st.dictionaries(st.sampled_from(_WORDS), _VALUES, max_size=5))
    move["kind"] = draw(st.sampled_from(_kinds()))
    return move


def decode(raw: object) -> None:
    """Have every game decode something: a move that comes out the same again, or IllegalMove; all else is a fault."""
    for entry in CURRENT.values():
        begun = time.perf_counter()
        try:
            move = codec.load_move(entry.game, raw)
        except IllegalMove:
            move = None
        took = time.perf_counter() - begun
        assert took < SLOWEST, f"decoding took {took:.2f} s"
        if move is not None:
            again = codec.load_move(entry.game, codec.data(move))
            assert again == move, "what was decoded is not what is written of it"
            assert codec.data(again) == codec.data(move)


def decode_bytes(content: bytes) -> None:
    """Decode as the API does: JSON first, then the move."""
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError):
        return
    decode(raw)


def spoilt(raw: object) -> None:
    """Decode without minding what comes: the mistake of blunt runs."""
    for entry in CURRENT.values():
        kind = raw["kind"] if isinstance(raw, dict) else ""
        if kind in codec._kinds(entry.game):
            codec.adapter(codec._kinds(entry.game)[kind]).validate_json(json.dumps(raw), strict=True)


def _hypothesis(run: Run, name: str, strategy: st.SearchStrategy[Any], check: Any, examples: int) -> None:
    """Try so many examples; what is found is noted with the smallest one."""
    tried = 0

    @seed(run.seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(strategy)
    def every(value: Any) -> None:
        nonlocal tried
        tried += 1
        check(value)

    try:
        every()
    except Exception as problem:  # noqa: BLE001  # whatever it is, it is a finding
        run.wrong.append(f"F25: {name}: {type(problem).__name__}: {problem}"[:300])
    run.figures[name] = tried


def play(choices: list[tuple[int, Any]], slug: str, chance: int) -> None:
    """Walk a game for up to fifty steps: legal moves and nonsense; states fold, views and refusals never break."""
    game = CURRENT[slug].game
    rng = random.Random(chance)
    dice = _Dice(rng)
    options = codec.load_options(game, dict(rng.choice(game.presets)))
    options = game.resolve_options(options, "2026-11-30")
    players = rng.randint(game.info.min_players, game.info.max_players)
    state, log = engine.begin(game, options, players, dice)
    for number, nonsense in choices:
        asked = sorted(game.to_act(state))
        if not asked:
            assert game.outcome(state) is not None
            break
        seat = asked[number % len(asked)]
        before = codec.data(state)
        try:
            state, events = engine.play(game, state, seat, codec.load_move(game, nonsense), dice, len(log))
            log += events
        except IllegalMove:
            assert codec.data(state) == before, "a refused move has changed the state"
            actions = game.actions(state, seat)
            move = _sample(actions[number % len(actions)], rng)
            state, events = engine.play(game, state, seat, move, dice, len(log))
            log += events
        for viewer in (None, *range(players)):
            codec.data(game.view(state, viewer))
    assert codec.data(engine.fold(game, options, players, log)) == codec.data(state), "the log leads elsewhere"
    assert codec.load(game.state_type, codec.dump(game.state_type, state)) == state


class _Dice:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def roll(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self._rng.randrange(each) + 1 for each in sides)


def _sample(action: Any, rng: random.Random) -> Any:
    if action.pick is None:
        return action.move
    chosen = set(rng.sample(range(len(action.pick.options)), rng.randint(action.pick.least, action.pick.most)))
    return action.fill([one for place, one in enumerate(action.pick.options) if place in chosen])


def body(run: Run) -> None:
    """The decoder, the games, and in the full form the whole API from outside."""
    judged = spoilt if run.blunt else decode
    _hypothesis(run, "moves_decoded", moves() | _VALUES, judged, run.times(300, 4000 * SCALE))
    run.must(len(NESTED) <= LARGEST, "F25: the nested lists are too long")
    for content in (
        NESTED,
        b'{"kind":' * 5000 + b"1" + b"}" * 5000,
        b"\xef\xbb\xbf{}",
        b"\xff" * LARGEST,
        b"1e400",
        b'{"kind":"roll","kind":"score"}',
    ):
        try:
            decode_bytes(content)
        except Exception as problem:  # noqa: BLE001  # as above
            run.wrong.append(f"F25: {content[:20]!r}: {problem!r}"[:200])
    _hypothesis(run, "bytes_decoded", st.binary(max_size=LARGEST), decode_bytes, run.times(100, 500 * SCALE))
    steps = st.lists(st.tuples(st.integers(0, 2**16), moves() | _SCALARS), min_size=1, max_size=50)
    for slug in CURRENT:
        walked = st.tuples(steps, st.integers(0, 2**32))
        _hypothesis(
            run,
            f"games_of_{slug}",
            walked,
            lambda one, slug=slug: play(one[0], slug, one[1]),
            run.times(8, 100 * SCALE),
        )
    if not run.short and not run.blunt:
        with Postgres(run.folder) as postgres, Service(postgres.url, run.folder) as service:
            ledger = Ledger()
            asyncio.run(walk(run, service, ledger, 200))
            check(run, service, 200)
            run.add(asyncio.run(holds(postgres.url, ledger, (service,))))


PROGRAM = Program(
    "F25",
    "Hostile input",
    "Any bytes are a move or a refusal; games survive fifty steps with nonsense between; no operation of the OpenAPI answers with 5xx, or against its own description.",
    "moves are decoded without minding what comes",
    body,
)
