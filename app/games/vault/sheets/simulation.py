"""Games of the three players on a sheet, and whether what came out is fit for a tier."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from app.core.game import Rng
from app.games.vault.planner import Planner, Position
from app.games.vault.players import HARD, NAIVE, NORMAL, Again, Player, moves
from app.games.vault.sheets.format import LETTERS, PrintedSheet, Tier
from app.games.vault.state import DICE, Move, Options
from app.games.vault.worth import ground

GAMES = 60
"""Games of a full measurement by the hard player; the two others, who are quick, play twice as many."""

PLAYERS: Mapping[str, Player] = {"naive": NAIVE, "normal": NORMAL, "hard": HARD}
"""Who measures: the bots, by the names of the columns."""

BANDS = (10, 15, 18, 20)
"""Where the titles begin after the first."""

Result = tuple[int, tuple[str, ...]]
"""A game: the score and the letters of the opened vaults."""

Figures = Mapping[str, "Measured"]
"""What each of the players came to."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What a tier asks of a sheet: the hard player's mean and its share of games of 20 and more, the naive one's mean."""

    mean: tuple[float, float]
    high: tuple[float, float]
    naive: tuple[float, float]


FITS: dict[Tier, Fit] = {
    "easy": Fit((18.5, 24.0), (0.20, 1.0), (8.0, 15.0)),
    "standard": Fit((16.5, 18.5), (0.03, 0.20), (8.0, 11.0)),
    "hard": Fit((12.0, 16.5), (0.0, 0.10), (5.0, 11.0)),
}
"""The thresholds of the study of the game for its strongest player (design/ai.md, 7)."""

_VAULT = 0.02
"""In how many of the hard player's games each vault must open at least, where there are enough to tell."""

_ENOUGH = 50


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
        return {
            "games": self.games,
            "mean": round(self.mean, 2),
            "sd": round(self.sd, 2),
            "bands": [round(share, 3) for share in self.bands],
            "opened": {letter: round(share, 2) for letter, share in self.opened.items()},
        }


def measure(sheet: PrintedSheet, games: int, rng: Callable[[int], Rng]) -> dict[str, Measured]:
    """Let each player play, the n-th game with the chance of `rng(n)`: `games` games the hard one, the others more."""
    return {name: _measured(sheet, name, games, rng) for name in PLAYERS}


def _measured(sheet: PrintedSheet, name: str, games: int, rng: Callable[[int], Rng]) -> Measured:
    count = games if name == "hard" else 2 * games
    return summed([play(sheet, PLAYERS[name], rng(n)) for n in range(count)])


def summed(results: Sequence[Result]) -> Measured:
    """Count two games or more together."""
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


def objections(found: Figures, tier: Tier) -> tuple[str, ...]:
    """Return a sentence for each threshold of the tier that the sheet misses; () if it is accepted."""
    fit, hard, naive = FITS[tier], found["hard"], found["naive"]
    said = []
    if not fit.mean[0] <= hard.mean <= fit.mean[1]:
        said.append(f"The mean is {hard.mean:.2f}: {tier} sheets have {fit.mean[0]} to {fit.mean[1]}.")
    if not fit.high[0] <= hard.bands[-1] <= fit.high[1]:
        share = f"{fit.high[0]:.0%} to {fit.high[1]:.0%}"
        said.append(f"{hard.bands[-1]:.1%} of the games have 20 or more: {tier} sheets have {share}.")
    if not fit.naive[0] <= naive.mean <= fit.naive[1]:
        said.append(f"The naive mean is {naive.mean:.2f}: {tier} sheets have {fit.naive[0]} to {fit.naive[1]}.")
    rare = [letter for letter, share in hard.opened.items() if share < _VAULT]
    if rare and hard.games >= _ENOUGH:
        said.append(f"Vaults opened in less than {_VAULT:.0%} of the games: {', '.join(rare)}.")
    return tuple(said)


def accepted(sheet: PrintedSheet, games: int, rng: Callable[[int], Rng]) -> dict[str, Measured] | None:
    """Return the full measurement of a sheet that its tier accepts; None, mostly after few games, for another."""
    found = {"naive": _measured(sheet, "naive", games, rng)}
    low, high = FITS[sheet.tier].naive
    if not low <= found["naive"].mean <= high:
        return None
    results: list[Result] = []
    low, high = FITS[sheet.tier].mean
    for n in range(games):
        results.append(play(sheet, HARD, rng(n)))
        if n + 1 in {5, 10, 20, 40}:
            error = 2.5 / (n + 1) ** 0.5
            if not low - 1.5 * error <= statistics.fmean(score for score, _ in results) <= high + 1.5 * error:
                return None
    found["hard"] = summed(results)
    if objections(found, sheet.tier):
        return None
    return {"naive": found["naive"], "normal": _measured(sheet, "normal", games, rng), "hard": found["hard"]}


def play(sheet: PrintedSheet, player: Player, rng: Rng) -> Result:
    """Play one game alone under the default options."""
    game = Game(sheet, player)
    for _ in LETTERS:
        game.round(rng)
    return game.score, tuple(game.opened)


class Game:
    """A solitaire game in play, without records and events; a test holds it to the rules of the real one."""

    def __init__(self, sheet: PrintedSheet, player: Player) -> None:
        self._ground = ground(sheet)
        self._planner = Planner(self._ground, Options())
        self._player = player
        self._marked = self._ground.filled
        self._secured = 0
        self._charges: tuple[int, ...] = (0, 0, 0)
        self._rerolls = 3
        self.gems = 0
        self.opened: list[str] = []
        self.moves: list[Move] = []
        """The moves of the running round; where its marks leave dice over, a pass would follow."""

    @property
    def score(self) -> int:
        """Gems and free skimmers."""
        return self.gems + sum(charge >= 0 for charge in self._charges)

    def round(self, rng: Rng) -> None:
        """Play a round; each decision is carried out to its end."""
        dice = {name: rng.randrange(6) + 1 for name in DICE}
        self.moves = []
        here, names = self._seen(dice)
        while isinstance(decision := self._player.decide(self._planner, here), Again):
            self.moves += moves(self._ground, here, names, decision)
            dice |= {name: rng.randrange(6) + 1 for name in sorted(names[place] for place in decision.places)}
            self._rerolls -= 1
            here, names = self._seen(dice)
        self.moves += moves(self._ground, here, names, decision)
        for place in self._ground.opened(self._marked, decision.marked, self._secured):
            self.opened.append(LETTERS[place])
            self.gems += self._ground.sheet.vaults[place].gems
        self._marked, self._charges = decision.marked, decision.charges
        self._secured += 1

    def _seen(self, dice: Mapping[str, int]) -> tuple[Position, tuple[str, ...]]:
        """Return the position, and the names of the dice in its order."""
        names = tuple(sorted(dice, key=lambda name: (dice[name], name)))
        values = tuple(dice[name] for name in names)
        return Position(self._marked, self._secured, values, self._charges, self._rerolls), names
