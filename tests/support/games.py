"""Random games for tests: any game, played by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from app.core import engine
from app.core.engine import AnyGame
from app.core.events import Event
from app.core.game import Action, Seat, Value
from tests.support.dice import SeededDice


def sample(action: Action[Any], rng: random.Random) -> Any:
    """Return a random move that `action` describes: an open pick gets a random size and random members."""
    if action.pick is None:
        return action.move
    size = rng.randint(action.pick.least, action.pick.most)
    chosen = set(rng.sample(range(len(action.pick.options)), size))
    members: Any = [option for place, option in enumerate(action.pick.options) if place in chosen]
    return action.fill(members)


def random_move(game: AnyGame, state: Any, seat: Seat, rng: random.Random) -> Any:
    """Return a random legal move of `seat`, which must be asked: every action is as likely as another."""
    return sample(rng.choice(list(game.actions(state, seat))), rng)


def random_game(game: AnyGame, players: int, options: Value, seed: int) -> Iterator[tuple[Any, Event | None]]:
    """Yield (first state, None), then (state, event that led to it) until the game is over.

    States with chance pending are among them. The same arguments give the same game. Raises AssertionError where the
    game goes on after 50 decisions more than its `max_decisions`, or stops without an outcome.
    """
    rng = random.Random(seed)
    dice = SeededDice(seed)
    state = game.setup(options, players)
    yield state, None
    _, events = engine.begin(game, options, players, dice)
    n = 0
    for _ in range(game.info.max_decisions + 50):
        for event in events:
            state = engine.advance(game, state, event)
            yield state, event
            n = event.n
        if game.outcome(state) is not None:
            return
        asked = sorted(game.to_act(state))
        assert asked, "nobody is asked, no roll is wanted, and there is no outcome"
        seat = rng.choice(asked)
        _, events = engine.play(game, state, seat, random_move(game, state, seat, rng), dice, n)
    raise AssertionError(f"the game does not end within {game.info.max_decisions} decisions")
