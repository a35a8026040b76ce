"""Other worlds a viewer cannot tell from the real one: what `resample` of Vault is made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.core.game import Rng, Seat, Viewer
from app.games.vault.marks import fits, tokens
from app.games.vault.state import DICE, Charge, Hand, Mark, Move, Reroll, State
from app.games.vault.views import known_depths

if TYPE_CHECKING:
    from app.games.vault.rules import Vault

_MOST_STEPS = 4


def resample(game: Vault, state: State, viewer: Viewer, rng: Rng) -> State:
    """Return a random state that `viewer` cannot tell from `state`.

    The values the viewer has not uncovered are thrown anew, and whoever else is in a running round plays it anew. While
    a re-roll is in the air only the values change: who throws how many dice is known to all.
    """
    if len(state.hands) == 1 or not state.stream:
        return state
    if game.chance(state) is not None:
        return _new_values(state, viewer, tuple(map(len, state.stream)), rng)
    others = [seat for seat, hand in enumerate(state.hands) if seat != viewer and not hand.ended]
    world = state
    for seat in others:
        before = state.hands[seat].before
        world = world.with_hand(seat, Hand(before, before))
    needed = tuple(1 + max(hand.depths[place] for hand in world.hands) for place in range(len(DICE)))
    world = _new_values(world, viewer, needed, rng)
    for seat in others:
        world = _wander(game, world, seat, rng)
    return world


def _new_values(state: State, viewer: Viewer, lengths: tuple[int, ...], rng: Rng) -> State:
    known = known_depths(state, viewer)
    stream = tuple(
        tuple(
            values[depth] if depth <= known[place] and depth < len(values) else rng.randrange(6) + 1
            for depth in range(lengths[place])
        )
        for place, values in enumerate(state.stream)
    )
    return replace(state, stream=stream)


def _wander(game: Vault, state: State, seat: Seat, rng: Rng) -> State:
    """Let a seat play a few moves of its round, none that ends it."""
    for _ in range(rng.randrange(_MOST_STEPS)):
        move = _step(state, seat, rng)
        if move is None or len(state.hands[seat].used) == len(DICE) - 1:
            break
        state = game.play(state, seat, move)
        while (wanted := game.chance(state)) is not None:
            state = game.settle(state, tuple(rng.randrange(most) + 1 for most in wanted.sides))
    return state


def _step(state: State, seat: Seat, rng: Rng) -> Move | None:
    """Return something to do with one die: throw it again now and then, mark with it, or charge; None if nothing goes."""
    hand = state.hands[seat]
    dice = tokens(hand, state.values(seat))[0]
    name, value = dice[rng.randrange(len(dice))]
    timely = state.options.reroll_timing == "any_time" or not hand.begun
    if hand.progress.rerolls_left and timely and rng.randrange(5) == 0:
        return Reroll((name,))
    moves: list[Move] = [
        Mark(box, (name,), ())
        for box, kind in state.printed.kinds.items()
        if box not in hand.progress.marked and fits(kind, (value,), (), state.options)
    ] or [Charge(place, (name,)) for place, skimmer in enumerate(hand.progress.skimmers) if not skimmer.spent]
    return moves[rng.randrange(len(moves))] if moves else None
