"""The part of the conformance suite about what a viewer must not learn; used like `conformance`.

Secrets are proved twice. By the game's own `resample`: whatever it changes, the viewer must get the same bytes. And,
so that a lazy `resample` proves nothing, by playing another face or another move that the log withholds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from app.core import codec, engine
from app.core.engine import AnyGame
from app.core.events import Event, Moved, Rolled, visible
from app.core.game import IllegalMove, Viewer
from tests.games.conformance import Case, described, moves_of
from tests.support.games import random_move


def seen(game: AnyGame, state: Any, viewer: Viewer) -> tuple[Any, ...]:
    """Return everything `viewer` is given of a state: view, who is asked, the roll wanted, its own actions."""
    own = () if viewer is None else tuple(map(str, map(codec.action_data, game.actions(state, viewer))))
    view = codec.dump(game.view_type, game.view(state, viewer))
    return view, game.to_act(state), game.chance(state), own


def views_hide(case: Case) -> None:
    """9: a world that `resample` says a viewer cannot tell apart looks the same to it, refusals included."""
    game, pool = case.game, moves_of(case, 4)
    rng = random.Random(case.seed)
    for state in case.some(60):
        for viewer in case.viewers:
            seed = rng.random()
            world = game.resample(state, viewer, random.Random(seed))
            assert world == game.resample(state, viewer, random.Random(seed)), "resample is not deterministic"
            assert seen(game, world, viewer) == seen(game, state, viewer), f"viewer {viewer} can tell two worlds apart"
            if viewer is not None:
                said = [_refusal(game, each, viewer, pool) for each in (state, world)]
                assert said[0] == said[1], f"a refusal tells seat {viewer} two worlds apart"


def _refusal(game: AnyGame, state: Any, seat: int, moves: Iterable[Any]) -> list[object]:
    said: list[object] = []
    for move in moves:
        try:
            said.append(engine.match(game, state, seat, move))
        except IllegalMove as refusal:
            said.append(refusal.reason)
    return said


def worlds_go_on(case: Case) -> None:
    """9: a resampled world is a state like any other: it has one phase and random play reaches an end."""
    game, rng = case.game, random.Random(case.seed)
    for state in case.some(6):
        for viewer in (0, None):
            world = game.resample(state, viewer, rng)
            assert codec.load(game.state_type, codec.dump(game.state_type, world)) == world
            for _ in range(game.info.max_decisions * 20):
                if game.outcome(world) is not None:
                    break
                world = _on(game, world, rng)
            assert game.outcome(world) is not None, "a resampled world does not come to an end"


def _on(game: AnyGame, state: Any, rng: random.Random) -> Any:
    if (wanted := game.chance(state)) is not None:
        return game.settle(state, tuple(rng.randint(1, most) for most in wanted.sides))
    asked = sorted(game.to_act(state))
    assert asked, "a resampled world is stuck"
    seat = rng.choice(asked)
    return game.play(state, seat, random_move(game, state, seat, rng))


def log_hides(case: Case) -> None:
    """10: the log withholds what it should until the end, tells a viewer no more than the view does, and no less.

    For each event another one that might have happened in its place is tried. If the viewer is not shown the event,
    its view must not tell them apart either (unless a reveal followed at once). If it is shown the event though only
    other viewers' views tell them apart, the log says what the view keeps back.
    """
    rng = random.Random(case.seed)
    pairs = list(zip(case.history, case.history[1:], strict=False))
    for (state, _), (after, event) in rng.sample(pairs, min(len(pairs), 120)):
        assert event is not None
        _check_redaction(case, state, event)
        other, instead = _another(case.game, state, event, rng)
        if instead != event and case.game.outcome(after) is None and case.game.outcome(other) is None:
            _compare(case, event, instead, state, (after, other))


def _check_redaction(case: Case, state: Any, event: Event) -> None:
    game, seen_by = case.game, event.seen_by
    if seen_by is not None:
        assert game.info.hidden, "an open game keeps an event from somebody"
        assert seen_by <= set(case.seats), f"event {event.n}: witnesses {sorted(seen_by)} are not all seats"
        assert not isinstance(event, Moved) or event.seat in seen_by, f"event {event.n}: not shown to who made it"
    if isinstance(event, Moved):
        assert event.seen_by == game.witnesses(state, event.seat, event.move)
    for viewer in case.viewers:
        shown = visible(event, viewer, over=False)
        content = shown.move if isinstance(shown, Moved) else shown.faces
        blind = isinstance(event, Rolled) and event.blind
        knows = not blind and (seen_by is None or viewer in seen_by)
        assert (content is not None) == knows, f"event {event.n}: viewer {viewer} should see it: {knows}"
        assert visible(event, viewer, over=True) == event, f"event {event.n} stays hidden after the end"


def _another(game: AnyGame, state: Any, event: Event, rng: random.Random) -> tuple[Any, Event]:
    if isinstance(event, Moved):
        move = random_move(game, state, event.seat, rng)
        witnesses = game.witnesses(state, event.seat, move)
        return game.play(state, event.seat, move), Moved(event.n, event.seat, move, witnesses)
    faces = tuple(rng.randint(1, most) for most in event.sides)
    return game.settle(state, faces), replace(event, faces=faces)


def _compare(case: Case, event: Event, instead: Event, before: Any, worlds: tuple[Any, Any]) -> None:
    game = case.game
    told = {viewer for viewer in case.viewers if _differ(game, worlds, viewer)}
    for viewer in case.viewers:
        shown = visible(event, viewer, over=False) != visible(instead, viewer, over=False)
        if shown:
            assert viewer in told or not told, f"event {event.n}: the log shows {viewer} what the view keeps back"
        elif viewer in _learn_from_the_view(event):
            continue
        elif not _revealing(game, event, before, worlds):
            assert viewer not in told, f"event {event.n}: withheld from viewer {viewer}, but the view tells it"


def _learn_from_the_view(event: Event) -> frozenset[int]:
    """Return who sees what came of an event whose faces nobody is told: those it was drawn for, nobody else."""
    return event.seen_by or frozenset() if isinstance(event, Rolled) and event.blind else frozenset()


def _differ(game: AnyGame, worlds: tuple[Any, Any], viewer: Viewer) -> bool:
    views = [codec.dump(game.view_type, game.view(world, viewer)) for world in worlds]
    return views[0] != views[1]


def _revealing(game: AnyGame, event: Event, before: Any, worlds: tuple[Any, Any]) -> bool:
    """Say whether the event may have ended a secret phase, or have had public consequences of its own."""
    asked = [game.to_act(world) for world in worlds]
    wanted = [game.chance(world) for world in worlds]
    if asked[0] != asked[1] or wanted[0] != wanted[1]:
        return True
    if isinstance(event, Moved):
        return not asked[0] or not asked[0] <= game.to_act(before)
    return wanted[0] is not None and wanted[0].seen_by is None


def worlds_ask_alike(case: Case) -> None:
    """10: in two worlds a viewer cannot tell apart, its own moves are logged alike: same move, same witnesses."""
    game, rng = case.game, random.Random(case.seed)
    for state in case.some(40):
        for viewer in game.to_act(state):
            world = game.resample(state, viewer, rng)
            move = random_move(game, state, viewer, rng)
            assert any(described(action, move) for action in game.actions(world, viewer)), "own moves differ"
            both = [game.witnesses(each, viewer, move) for each in (state, world)]
            assert both[0] == both[1], f"the witnesses of seat {viewer}'s move tell two worlds apart"


def honest(found: Iterable[Case]) -> None:
    """12: over all cases of a game, `hidden` and `simultaneous` say what it does.

    `resample` changes something and some event is withheld iff the game is hidden (a `resample` that returns its
    input would otherwise pass by doing nothing); in an open game all viewers have one view; several seats are asked
    at once iff the game says so.
    """
    changes = differs = several = withheld = False
    info = None
    for case in found:
        game, info, rng = case.game, case.game.info, random.Random(case.seed)
        withheld = withheld or any(event.seen_by is not None for event in case.events)
        several = several or any(len(game.to_act(state)) > 1 for state in case.states)
        for state in case.some(30):
            for viewer in case.viewers:
                changes = changes or game.resample(state, viewer, rng) != state
                differs = differs or game.view(state, viewer) != game.view(state, None)
    assert info is not None, "no case was played"
    assert changes == info.hidden, f"hidden is {info.hidden}, resample changed something: {changes}"
    assert info.hidden or not differs, "an open game shows viewers different things"
    assert info.hidden or not withheld, "an open game keeps events from somebody"
    assert several == info.simultaneous, f"simultaneous is {info.simultaneous}, several were asked at once: {several}"


CHECKS: tuple[Callable[[Case], None], ...] = (views_hide, worlds_go_on, log_hides, worlds_ask_alike)
"""Run each of these on every case; `honest` on all cases of a game together."""
