"""Which boxes a choice of tokens lights up, and which mark a box and a choice of tokens stand for.

A token is a letter here, dice a to e and skimmers f to h, and a choice is a word of them in order: the style sheet shows
what belongs to the word that is chosen, so that choosing needs neither a script nor the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

from app.games.vault.state import DICE, SKIMMERS, Mark, SeatView

NAMES = (*DICE, *SKIMMERS)
_LETTERS = dict(zip(NAMES, "abcdefgh", strict=True))
_SPECIAL = ("E", "O", "X2")

_LONGEST_SUM = 3
_FEW_TOKENS = 5


def word(names: Iterable[str]) -> str:
    """Return the word of a choice of tokens."""
    return "".join(sorted(_LETTERS[name] for name in names))


@dataclass(frozen=True, slots=True)
class Sum:
    """What a choice of tokens comes to, "6 + 3" and 9. `word`: the choice."""

    word: str
    text: str
    total: int


@dataclass(frozen=True, slots=True)
class Other:
    """The other way to cross a box: with all of the chosen tokens, though its dice alone would do.

    `box` and `kind`: its name and what stands in it. `value` is posted.
    """

    word: str
    text: str
    box: str
    kind: str
    value: str

    @property
    def place(self) -> str:
        """Row and column of the box, "11" to "66"."""
        return self.box[1:].replace("c", "")


def token_values(seat: SeatView) -> dict[str, int]:
    """Return the values of the tokens that a seat sees before it, by name; used dice and spent skimmers too."""
    dice = {name: die.value for name, die in zip(DICE, seat.dice, strict=False) if die.value is not None}
    return dice | {name: skimmer.charge for name, skimmer in zip(SKIMMERS, seat.skimmers, strict=True)}


def fitting(marks: Iterable[Mark]) -> dict[str, str]:
    """Return for each box the words of the choices that cross it, with spaces between."""
    found: dict[str, dict[str, None]] = {}
    for mark in marks:
        found.setdefault(mark.box, {})[word((*mark.plus, *mark.minus))] = None
    return {box: " ".join(words) for box, words in found.items()}


def sums(marks: Sequence[Mark], kinds: dict[str, str], seat: SeatView) -> tuple[Sum, ...]:
    """Return the sums and differences that cross some number box, each once; short ones where there are many tokens.

    `kinds`: what stands in each box.
    """
    values = token_values(seat)
    tokens = {name for mark in marks for name in (*mark.plus, *mark.minus)}
    longest = _LONGEST_SUM if len(tokens) <= _FEW_TOKENS else 2
    found: dict[tuple[str, int], Sum] = {}
    for mark in marks:
        names = (*mark.plus, *mark.minus)
        total = sum(values[name] for name in mark.plus) - sum(values[name] for name in mark.minus)
        key = (word(names), total)
        if 2 <= len(names) <= longest and key not in found and kinds[mark.box].isdigit():
            found[key] = Sum(key[0], written(mark, values), total)
    return tuple(found.values())


def written(mark: Mark, values: dict[str, int]) -> str:
    """Return the tokens of a mark as a sum, "6 + 3 − 2"."""
    up = " + ".join(str(values[name]) for name in mark.plus)
    return up + "".join(f" − {values[name]}" for name in mark.minus)


def others(marks: Iterable[Mark], kinds: dict[str, str], seat: SeatView) -> tuple[Other, ...]:
    """Return, for each choice with a skimmer whose dice alone cross a box too, the way that does spend the skimmer."""
    values, found = token_values(seat), {}
    for mark in marks:
        names = (*mark.plus, *mark.minus)
        dice = {name: values[name] for name in names if name in DICE}
        key = (word(names), mark.box)
        if len(dice) < len(names) and key not in found and without_skimmer(kinds[mark.box], dice) is not None:
            kind = kinds[mark.box]
            found[key] = Other(key[0], written(mark, values), mark.box, kind, f"{mark.box}:{kind}:all")
    return tuple(found.values())


def without_skimmer(kind: str, dice: dict[str, int]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the smallest choice among these dice that crosses a box of this kind, as tokens up and down."""
    for size in range(1, len(dice) + 1):
        for names in combinations(dice, size):
            way = exactly(kind, {name: dice[name] for name in names})
            if way is not None:
                return way
    return None


def exactly(kind: str, tokens: dict[str, int]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return all of these tokens up or down so that they cross a box of this kind, as few down as can be."""
    if kind in _SPECIAL:
        return (tuple(tokens), ()) if _special(kind, list(tokens.values())) else None
    return _totals(tuple(tokens.items())).get(kind)


@lru_cache(maxsize=1024)
def _totals(tokens: tuple[tuple[str, int], ...]) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return for each sum that all of these tokens come to with some signs the way with the fewest down."""
    found: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for signs in sorted(product((1, -1), repeat=len(tokens)), key=lambda signs: -sum(signs)):
        chosen = list(zip(tokens, signs, strict=True))
        up = tuple(name for (name, _), sign in chosen if sign > 0)
        down = tuple(name for (name, _), sign in chosen if sign < 0)
        found.setdefault(str(sum(value * sign for (_, value), sign in chosen)), (up, down))
    return found


def _special(kind: str, values: list[int]) -> bool:
    if kind == "X2":
        return len(values) == 2 and values[0] == values[1]
    return len(values) == 1 and values[0] % 2 == (kind == "O")


def posted_tokens(held: Sequence[str], said: Sequence[str]) -> dict[str, int]:
    """Return the tokens that are held, in their order, with the values that the form says ("d0:6"), 0 where it does not."""
    values = {}
    for field in said:
        name, _, value = field.partition(":")
        values[name] = int(value) if value.isascii() and value.isdigit() and len(value) < 4 else 0
    return {name: values.get(name, 0) for name in NAMES if name in held}


def posted_mark(target: str, tokens: dict[str, int]) -> dict[str, object]:
    """Return the mark that a pressed box ("r1c6:3", or "r1c6:3:all") and the chosen tokens stand for, as JSON data.

    The dice alone are taken where they do and a skimmer would be spent; "all" takes all. Where nothing fits, all tokens
    count up, and the rules say what is wrong.
    """
    box, _, rest = target.partition(":")
    kind, _, which = rest.partition(":")
    dice = {name: value for name, value in tokens.items() if name in DICE}
    way = None
    if len(dice) < len(tokens) and which != "all":
        way = without_skimmer(kind, dice)
    up, down = way or exactly(kind, tokens) or (tuple(tokens), ())
    return {"kind": "mark", "box": box, "plus": list(up), "minus": list(down)}
