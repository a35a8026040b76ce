"""Which boxes tokens can cross: all of it, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

from app.games.vault.sheets.format import FILLED, PrintedSheet
from app.games.vault.state import Hand, Mark, Options, Skimmer

Token: TypeAlias = tuple[str, int]
"""A die ("d0" …) or a charged skimmer ("s0" …) with its value."""

Way: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The tokens that count up, and those that count down."""


def tokens(hand: Hand, values: Sequence[int | None]) -> tuple[list[Token], list[Token]]:
    """Return the dice and the skimmers a seat can use: unused dice, and skimmers charged and not spent."""
    dice = [
        (f"d{place}", value)
        for place, value in enumerate(values)
        if value is not None and f"d{place}" not in hand.used
    ]  # fmt: skip
    return dice, live_skimmers(hand.progress.skimmers)


def live_skimmers(skimmers: Iterable[Skimmer]) -> list[Token]:
    """Return the skimmers that can be used: charged and not spent."""
    return [(f"s{place}", one.charge) for place, one in enumerate(skimmers) if one.charge and not one.spent]


def fits(kind: str, up: Sequence[int], down: Sequence[int], options: Options, skimmers: int = 0) -> bool:
    """Say whether tokens of these values fit a box of this kind, `skimmers` of them being skimmers.

    A number takes the exact sum, by `sum_rule`: "any" tokens and signs; "no_mix" sums of any length, differences of
    two; "two" tokens at most. E and O take one token, X2 two equal ones, never a sum or difference.
    """
    if kind not in {"E", "O", "X2"}:
        return kind != FILLED and bool(up) and sum(up) - sum(down) == int(kind) and lawful(len(up), len(down), options)
    if down or (skimmers and options.skimmer_as_die == "numbers_only"):
        return False
    if kind == "X2":
        return len(up) == 2 and up[0] == up[1]
    return len(up) == 1 and up[0] % 2 == (kind == "O")


def lawful(up: int, down: int, options: Options) -> bool:
    """Say whether `sum_rule` allows sums of this many tokens up and down."""
    if options.sum_rule == "two":
        return up + down <= 2
    return options.sum_rule == "any" or not down or (up, down) == (1, 1)


def all_marks(
    printed: PrintedSheet,
    marked: Collection[str],
    dice: Sequence[Token],
    skimmers: Sequence[Token],
    options: Options,
) -> Iterator[Mark]:
    """Yield every mark these tokens allow: boxes in reading order; for each the ways without skimmer, and short ones, first."""
    crossed = frozenset(marked)
    open_boxes = {box: kind for box, kind in printed.kinds.items() if box not in crossed}
    sums = _sums(open_boxes.values(), tuple(dice), skimmers, options)
    singles = [*dice, *skimmers] if options.skimmer_as_die == "all" else list(dice)
    for box, kind in open_boxes.items():
        for up, down in _special(kind, singles) if kind in {"E", "O", "X2"} else sums[int(kind)]:
            yield Mark(box, up, down)


def _special(kind: str, singles: Sequence[Token]) -> Iterator[Way]:
    if kind == "X2":
        yield from (((one, other), ()) for (one, a), (other, b) in combinations(singles, 2) if a == b)
    else:
        yield from (((name,), ()) for name, value in singles if value % 2 == (kind == "O"))


def _sums(
    kinds: Iterable[str], dice: tuple[Token, ...], skimmers: Sequence[Token], options: Options
) -> Mapping[int, list[Way]]:
    """Return the ways to each number among `kinds`. Sums of dice are met with sums of skimmers, not tried together."""
    wanted = {int(kind) for kind in kinds if kind not in {"E", "O", "X2"}}
    by_dice: defaultdict[int, list[Way]] = defaultdict(list)
    for total, up, down in _signed(dice):
        by_dice[total].append((up, down))
    found: dict[int, list[Way]] = {number: [] for number in wanted}
    free = options.sum_rule == "any"
    for total, up, down in _signed(tuple(skimmers)):
        for number in wanted:
            ways = by_dice.get(number - total)
            if ways and free:
                found[number] += [(with_up + up, with_down + down) for with_up, with_down in ways]
            elif ways:
                joined = [(with_up + up, with_down + down) for with_up, with_down in ways]
                found[number] += [way for way in joined if lawful(len(way[0]), len(way[1]), options)]
    return found


@lru_cache(maxsize=512)
def _signed(found: tuple[Token, ...]) -> tuple[tuple[int, tuple[str, ...], tuple[str, ...]], ...]:
    """Return (sum, up, down) for every choice among tokens of up, down or out, those of few tokens first."""
    ways: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = [(0, (), ())]
    for name, value in found:
        ways += [
            way
            for total, up, down in ways
            for way in ((total + value, (*up, name), down), (total - value, up, (*down, name)))
        ]
    return tuple(sorted(ways, key=lambda way: (len(way[1]) + len(way[2]), len(way[2]))))
