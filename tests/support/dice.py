"""Dice for tests: random ones that repeat, and ones that fall as they are told."""

from __future__ import annotations

import random


class SeededDice:
    """Fair dice that fall the same way for the same `seed`."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def roll(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Return one result 1…s for each s in `sides`."""
        return tuple(self._random.randint(1, most) for most in sides)


class WrongScript(AssertionError):
    """A script of dice that does not fit what the game asks for."""


class ScriptedDice:
    """Dice that fall as `faces` say, one after the other, over all rolls together.

    Raises WrongScript when the faces run out or one does not fit its die. `left` is what has not fallen yet.
    """

    def __init__(self, *faces: int) -> None:
        self.left = list(faces)

    def roll(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Return the next faces, one for each entry of `sides`."""
        if len(sides) > len(self.left):
            raise WrongScript(f"the game asks for dice of {list(sides)} sides, the script has {self.left} left")
        faces, self.left = self.left[: len(sides)], self.left[len(sides) :]
        if not all(1 <= face <= most for face, most in zip(faces, sides, strict=True)):
            raise WrongScript(f"{faces} cannot fall with dice of {list(sides)} sides")
        return tuple(faces)
