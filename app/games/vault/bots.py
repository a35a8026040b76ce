"""The bots of Vault: the players of `players`, seated at a table, one move at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.core.bot import Bot, Level, Worlds
from app.core.game import Action, Rng, Seat
from app.games.vault.planner import Planner, Position
from app.games.vault.players import HARD, NAIVE, NORMAL, Player, moves
from app.games.vault.sheets import SHEETS
from app.games.vault.state import DICE, Options, Reroll, SeatView, View
from app.games.vault.worth import Ground, ground


@dataclass(frozen=True, slots=True)
class Seated:
    """A player at a table. It decides on its whole round at each move, and plays what comes first."""

    level: Level
    player: Player

    def choose(self, seat: Seat, view: View, actions: Sequence[Action[Any]], worlds: Worlds, rng: Rng) -> Any:
        """Return the first move of what the player decides. Of a world only the options are looked at."""
        assert view.sheet is not None  # nobody is asked before it is drawn
        planner = _planner(view.sheet, worlds(rng).options)
        may_throw = any(isinstance(action.move, Reroll) for action in actions)
        position, names = _seen(planner.ground, view.seats[seat], view.round - 1, may_throw=may_throw)
        return moves(planner.ground, position, names, self.player.decide(planner, position))[0]


@lru_cache(maxsize=64)
def _planner(sheet: str, options: Options) -> Planner:
    return Planner(ground(SHEETS[sheet]), options)


def _seen(ground: Ground, own: SeatView, secured: int, *, may_throw: bool) -> tuple[Position, tuple[str, ...]]:
    """Return the position that a seat sees before it, and the names of its dice in the order of the position."""
    unused = sorted(
        (die.value, name) for die, name in zip(own.dice, DICE, strict=True) if die.value is not None and not die.used
    )
    position = Position(
        ground.mask(own.marked),
        secured,
        tuple(value for value, _ in unused),
        tuple(-1 if skimmer.spent else skimmer.charge for skimmer in own.skimmers),
        own.rerolls_left if may_throw else 0,
    )
    return position, tuple(name for _, name in unused)


BOTS: tuple[Bot, ...] = (Seated("easy", NAIVE), Seated("normal", NORMAL), Seated("hard", HARD))
