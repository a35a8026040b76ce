"""`python -m tests.games.vault.worst_position`: looks for the position with the most legal moves and times it cold.

Processor time, which other programs on the machine do not lengthen.
"""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import replace
from typing import Any

from app.games.vault.marks import _signed
from app.games.vault.rules import GAME, _actions
from app.games.vault.sheets import SHEETS
from app.games.vault.state import Options, State
from tests.support.vault import charged, position

RUNS = 300


def cold(state: State) -> tuple[int, float]:
    """Return (number of actions, milliseconds) of one call with empty caches."""
    _actions.cache_clear()
    _signed.cache_clear()
    start = time.process_time()
    found = len(GAME.actions(state, 0))
    return found, (time.process_time() - start) * 1000


def at(sheet: Any, dice: tuple[int, ...], charges: tuple[int, ...]) -> State:
    """Return a fresh sheet with these dice and charges."""
    return position(dice, skimmers=charged(*charges), options=Options(sheet=sheet))


def search(rng: random.Random, starts: int = 6, steps: int = 60) -> State:
    """Climb from random positions to one with more actions, changing one value or the sheet at a time."""
    best, most = at("s-01", (1,) * 5, (1,) * 3), 0
    for _ in range(starts):
        here: list[Any] = [
            rng.choice(list(SHEETS)),
            *(rng.randint(1, 6) for _ in range(5)),
            *(rng.randint(1, 12) for _ in range(3)),
        ]
        size = 0
        for _ in range(steps):
            there, place = list(here), rng.randrange(9)
            there[place] = rng.choice(list(SHEETS)) if not place else rng.randint(1, 6 if place < 6 else 12)
            state = at(there[0], tuple(there[1:6]), tuple(there[6:]))
            found = cold(state)[0]
            if found >= size:
                here, size = there, found
                if found > most:
                    best, most = state, found
    return best


def main() -> None:
    """Print the worst position found and the times."""
    state = search(random.Random(1))
    times = sorted(cold(state)[1] for _ in range(RUNS))
    usual = sorted(
        cold(replace(at("s-01", dice, ())))[1] for dice in [(1, 2, 3, 4, 6), (2, 3, 3, 5, 6), (1, 1, 4, 5, 6)] * 100
    )
    print(
        f"worst position: {state.sheet}, dice {state.values(0)}, charges {[each.charge for each in state.hands[0].progress.skimmers]}"
    )
    print(
        f"{cold(state)[0]} actions; cold calls: median {statistics.median(times):.1f} ms, p99 {times[int(RUNS * 0.99)]:.1f} ms, most {times[-1]:.1f} ms"
    )
    print(
        f"a first roll without skimmers: median {statistics.median(usual):.2f} ms, p99 {usual[int(RUNS * 0.99)]:.2f} ms"
    )


if __name__ == "__main__":
    main()
