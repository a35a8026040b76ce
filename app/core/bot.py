"""What a bot is: a player that gets what a person in its seat gets, and dice of its own to think with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

from app.core.engine import AnyGame
from app.core.game import Action, Rng, Seat

Level: TypeAlias = Literal["easy", "normal", "hard"]

LEVELS: tuple[Level, ...] = ("easy", "normal", "hard")
"""The levels of every game, weakest first."""


class Worlds(Protocol):
    """Makes up whole states of the table that the asked seat cannot tell from the true one."""

    def __call__(self, rng: Rng) -> Any:
        """Return a random such state, to play forward in thought; the true one itself only where nothing is hidden."""


class Bot(Protocol):
    """One level of one game. One instance serves all tables, so it keeps nothing of a table between calls.

    It may keep tables that depend on nothing but the rules. One decision takes at most a second of one core, but for
    the first of a process, which may solve such tables.
    """

    @property
    def level(self) -> Level:
        """How strong it plays."""

    def choose(self, seat: Seat, view: Any, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        """Return a move that one of `actions` describes.

        `seat` is asked now; `view` and `actions` are its own, and `actions` is never empty. `rng` is the only source
        of chance, so that the same arguments and the same seed give the same move. Neither clock nor state is given.
        """


def worlds_for(game: AnyGame, state: Any, seat: Seat) -> Worlds:
    """Return the worlds of `seat` in `state`. The function holds the state, and does not give it away."""

    def imagine(rng: Rng) -> Any:
        return game.resample(state, seat, rng)

    return imagine


def choose(bot: Bot, game: AnyGame, state: Any, seat: Seat, rng: Rng) -> Any:
    """Return what `bot` would do in `seat`, which must be asked in `state`; the engine still has to judge it."""
    return bot.choose(seat, game.view(state, seat), game.actions(state, seat), worlds_for(game, state, seat), rng)


def any_move(actions: Sequence[Action[Any]], rng: Rng) -> Any:
    """Return a random move that one of `actions` describes: every action, then every size of a pick, as likely.

    For a bot that has failed. Raises ValueError where there is no action.
    """
    if not actions:
        raise ValueError("nobody is asked here")
    action = actions[rng.randrange(len(actions))]
    if action.pick is None:
        return action.move
    places = list(range(len(action.pick.options)))
    rng.shuffle(places)
    size = action.pick.least + rng.randrange(action.pick.most - action.pick.least + 1)
    chosen = [action.pick.options[place] for place in sorted(places[:size])]
    return action.fill(chosen)  # type: ignore[arg-type]  # all of one kind, as the options are
