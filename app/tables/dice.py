"""The dice of the house."""

from __future__ import annotations

import secrets


class SystemDice:
    """Fair dice from the operating system's generator; uniform by rejection, no state, nothing to foresee."""

    def roll(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Return one result 1…s for each s in `sides`."""
        return tuple(secrets.randbelow(s) + 1 for s in sides)
