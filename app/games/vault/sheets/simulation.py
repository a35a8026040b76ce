"""Games of the reference player on a sheet, and whether what came out is fit for a tier."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from app.core.game import Rng
from app.games.vault.sheets.bot import Position, signs
from app.games.vault.sheets.format import LETTERS, PrintedSheet, Tier

GAMES = 300
"""Games of a full measurement."""

PLAYER = "reference 1"
"""The name of the player that measures; a stronger one gets another name, and the thresholds are fitted anew."""

BANDS = (10, 15, 18, 20)
"""Where the titles begin after the first."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What a tier asks of a sheet: the mean, shares of games of 20 and more and of less than 10, each vault's share."""

    mean: tuple[float, float]
    high: tuple[float, float]
    low: float
    vault: float


FITS: dict[Tier, Fit] = {
    "easy": Fit((18.5, 21.0), (0.25, 0.80), 0.01, 0.04),
    "standard": Fit((16.0, 18.5), (0.05, 0.33), 0.03, 0.04),
    "hard": Fit((12.0, 15.5), (0.0, 0.08), 0.20, 0.02),
}
"""Fitted to the reference player of `bot`, so that S-01 to S-03 are in the middle of "standard"."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What `games` games came to. `bands`: shares of <10, 10–14, 15–17, 18–19 and 20+; `opened`: share per vault."""

    games: int
    mean: float
    sd: float
    bands: tuple[float, ...]
    opened: dict[str, float]

    def data(self) -> dict[str, Any]:
        """Return this as plain data, rounded."""
        shown = asdict(self) | {"mean": round(self.mean, 2), "sd": round(self.sd, 2)}
        shown["bands"] = [round(share, 3) for share in self.bands]
        shown["opened"] = {letter: round(share, 2) for letter, share in self.opened.items()}
        return shown


def measure(sheet: PrintedSheet, games: int, rng: Callable[[int], Rng]) -> Measured:
    """Play `games` games, the n-th with the chance of `rng(n)`, and count."""
    return summed([play(sheet, rng(n)) for n in range(games)])


def summed(results: Sequence[tuple[int, tuple[str, ...]]]) -> Measured:
    """Count (score, opened vaults) of two games or more together."""
    scores = [score for score, _ in results]
    edges = (0, *BANDS, 1000)
    bands = [sum(low <= score < high for score in scores) for low, high in pairwise(edges)]
    return Measured(
        len(scores),
        statistics.fmean(scores),
        statistics.stdev(scores),
        tuple(count / len(scores) for count in bands),
        {letter: sum(letter in opened for _, opened in results) / len(scores) for letter in LETTERS},
    )


def objections(found: Measured, tier: Tier) -> tuple[str, ...]:
    """Return a sentence for each threshold of the tier that the sheet misses; () if it is accepted."""
    fit = FITS[tier]
    said = []
    if not fit.mean[0] <= found.mean <= fit.mean[1]:
        said.append(f"The mean is {found.mean:.2f}: {tier} sheets have {fit.mean[0]} to {fit.mean[1]}.")
    if not fit.high[0] <= found.bands[-1] <= fit.high[1]:
        share = f"{fit.high[0]:.0%} to {fit.high[1]:.0%}"
        said.append(f"{found.bands[-1]:.1%} of the games have 20 or more: {tier} sheets have {share}.")
    if found.bands[0] > fit.low:
        said.append(f"{found.bands[0]:.1%} of the games have less than 10: {tier} sheets have {fit.low:.0%} at most.")
    rare = [letter for letter, share in found.opened.items() if share < fit.vault]
    if rare:
        said.append(f"Vaults opened in less than {fit.vault:.0%} of the games: {', '.join(rare)}.")
    return tuple(said)


def accepted(sheet: PrintedSheet, games: int, rng: Callable[[int], Rng]) -> Measured | None:
    """Return the full measurement of a sheet that its tier accepts; None, mostly after few games, for another."""
    results: list[tuple[int, tuple[str, ...]]] = []
    low, high = FITS[sheet.tier].mean
    for n in range(games):
        results.append(play(sheet, rng(n)))
        if n + 1 in {20, 50, 100}:
            error = 3.2 / (n + 1) ** 0.5
            mean = statistics.fmean(score for score, _ in results)
            never = n + 1 >= 50 and len({letter for _, opened in results for letter in opened}) < len(LETTERS)
            if never or not low - 1.5 * error <= mean <= high + 1.5 * error:
                return None
    found = summed(results)
    return None if objections(found, sheet.tier) else found


def play(sheet: PrintedSheet, rng: Rng) -> tuple[int, tuple[str, ...]]:
    """Play one game; return (score, letters of the opened vaults)."""
    game = Game(sheet)
    for _ in LETTERS:
        game.round(rng)
    return game.gems + sum(charge is not None for charge in game.charges), tuple(game.opened)


class Game:
    """A solitaire game in play, without records and events; a test holds it to the rules of the real one."""

    def __init__(self, sheet: PrintedSheet) -> None:
        self.sheet = sheet
        self.marked = set(sheet.filled)
        self.charges: list[int | None] = [0, 0, 0]
        self.rerolls = 3
        self.secured = 0
        self.gems = 0
        self.opened: list[str] = []
        self.moves: list[dict[str, Any]] = []
        """The moves of the running round, as the API has them."""

    def round(self, rng: Rng, roll: Sequence[int] | None = None) -> None:
        """Play a round of the reference player; `roll`: what has fallen, if it has already."""
        dice = {f"d{place}": rng.randrange(6) + 1 for place in range(5)}
        dice |= {f"d{place}": face for place, face in enumerate(roll or ())}
        self.moves = []
        while self._once(dice, rng):
            pass
        self.secured += 1

    def skimmers(self) -> list[tuple[str, int]]:
        """Return the skimmers that can be used."""
        return [(f"s{place}", charge) for place, charge in enumerate(self.charges) if charge]

    def _once(self, dice: dict[str, int], rng: Rng) -> bool:
        """Carry out the best plan for the dice left, then throw the rest again or charge with it; True after a throw."""
        position = Position(self.sheet, tuple(self.marked), self.secured)
        tokens, skimmers = sorted(dice.items()), self.skimmers()
        _, steps = position.plan(tokens, skimmers)
        taken = {name for step in steps for name in step.names}
        rest = [token for token in tokens if token[0] not in taken]
        if len(rest) >= 2 and self.rerolls and position.wants_throw(tokens, rest, skimmers, rng):
            self.rerolls -= 1
            self.moves.append({"kind": "reroll", "dice": [name for name, _ in rest]})
            dice.update((name, rng.randrange(6) + 1) for name, _ in rest)
            return True
        values = dict((*tokens, *skimmers))
        for step in steps:
            self._mark(step.box, step.names, [values[name] for name in step.names])
        self._charge([(name, value) for name, value in tokens if name not in taken])
        return False

    def _mark(self, box: str, names: Sequence[str], values: Sequence[int]) -> None:
        kind = self.sheet.kinds[box]
        chosen = signs(values, int(kind)) if kind.isdigit() else (1,) * len(names)
        assert chosen is not None
        up = [name for name, sign in zip(names, chosen, strict=True) if sign > 0]
        down = [name for name, sign in zip(names, chosen, strict=True) if sign < 0]
        self.moves.append({"kind": "mark", "box": box, "plus": up, "minus": down})
        self.marked.add(box)
        for name in names:
            if name[0] == "s":
                self.charges[int(name[1])] = None
        for place in self.sheet.lines[box]:
            vault = self.sheet.vaults[place]
            if place >= self.secured and self.marked.issuperset(vault.boxes):
                self.opened.append(vault.id)
                self.gems += vault.gems

    def _charge(self, rest: Sequence[tuple[str, int]]) -> None:
        position = Position(self.sheet, tuple(self.marked), self.secured + 1)
        found = position.charging(rest, self.charges) if rest else None
        if found is not None:
            place, names = found
            self.charges[place] = (self.charges[place] or 0) + sum(value for name, value in rest if name in names)
            self.moves.append({"kind": "charge", "skimmer": place, "dice": list(names)})
