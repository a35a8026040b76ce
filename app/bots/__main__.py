"""`python -m app.bots arena GAME` lets the levels of a game play each other; `solo GAME` lets each play alone."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable

from app import games
from app.bots.arena import Figure, Match, Strength, levels_of, lineups, run, seats_for, strengths
from app.core import codec
from app.core.board import Entry
from app.core.codec import Malformed

BAR = 40


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns 0. Leaves with 2 and the reason where the arguments do not fit."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    entry = games.CURRENT[chosen.game]
    try:
        match = _match(entry, chosen)
        codec.load_options(entry.game, dict(match.options))
    except (Malformed, ValueError) as problem:
        parser.error(str(problem))
    # alone, each level plays N games; at a table there are N in all
    deals = chosen.games if match.players == 1 else math.ceil(chosen.games / match.games_per_deal)
    begun = time.monotonic()
    found = strengths(run(match, deals, chosen.processes, _progress(deals)))
    took = time.monotonic() - begun
    count = deals * match.games_per_deal
    _print(
        f"{entry.game.info.title}, {match.players} at the table: {count} games, {deals} deals of {match.games_per_deal}, "
        f"seed {match.seed}, {chosen.processes} processes, {took:.1f} s\n{_table(found)}"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m app.bots", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    playable = sorted(slug for slug, entry in games.CURRENT.items() if entry.bots)
    for name, what, count in (
        (
            "arena",
            "duplicate games between the levels",
            "in all, rounded up to whole deals; with --players 1 of each level",
        ),
        ("solo", "the mean score of each level alone", "of each level"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("game", choices=playable, metavar="GAME", help=", ".join(playable))
        command.add_argument("--games", type=_count, default=300, metavar="N", help=count)
        command.add_argument("--seed", type=int, default=0, metavar="S", help="the same seed gives the same games")
        command.add_argument("--levels", metavar="A,B", help="all of the game's, if not given")
        command.add_argument("--processes", type=_count, default=os.cpu_count() or 1, metavar="K")
        command.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
        )
        if name == "arena":
            command.add_argument(
                "--players", type=_count, metavar="P", help="as many as there are levels, if not given"
            )
            command.add_argument(
                "--lineup", metavar="A,B,B", help="who sits at the table, in place of --levels and --players"
            )
        else:
            command.set_defaults(players=1, lineup=None)
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _match(entry: Entry, chosen: argparse.Namespace) -> Match:
    """Return what is to be played. Raises ValueError, saying what is wrong."""
    info, known = entry.game.info, levels_of(entry)
    if chosen.lineup is not None and (chosen.levels or chosen.players):
        raise ValueError("--lineup says who plays; --levels and --players do not go with it")
    named = chosen.lineup or chosen.levels
    seated = known if named is None else tuple(named.split(","))
    if unknown := [level for level in seated if level not in known]:
        raise ValueError(f"{info.title} has no level {unknown[0]!r}, only {', '.join(known)}")
    levels = tuple(dict.fromkeys(seated))
    players = len(seated) if chosen.lineup else chosen.players or seats_for(entry, len(levels))
    if not info.min_players <= players <= info.max_players:
        raise ValueError(f"{info.title} is for {info.min_players} to {info.max_players} players, not for {players}")
    options = dict(_option(text) for text in chosen.option)
    tables = (seated,) if chosen.lineup else lineups(levels, players, together=info.kind != "ranked")
    return Match(info.slug, players, tables, chosen.seed, options)


def _option(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"an option is given as NAME=VALUE, not as {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _progress(deals: int) -> Callable[[int], None]:
    """Return what draws the bar: nothing where nobody looks at the terminal."""
    if not sys.stderr.isatty():
        return lambda _: None
    begun = time.monotonic()

    def draw(done: int) -> None:
        left = (time.monotonic() - begun) / done * (deals - done)
        full = BAR * done // deals
        end = "\n" if done == deals else ""
        sys.stderr.write(f"\r[{'#' * full}{'.' * (BAR - full)}] {done}/{deals} deals, {left:.0f} s left \x1b[K{end}")
        sys.stderr.flush()

    return draw


def _table(found: list[Strength]) -> str:
    lines = [f"{'':4} {'level':8} {'seats':>7} {'mean':>18} {'win share':>16} {'rank':>5} {'p50':>9} {'p99':>9}"]
    lines += [
        f"{place:3}. {each.level:8} {each.games:7} {_figure(each.score, 2):>18} {_figure(each.wins, 3):>16} {each.rank:5.2f}"
        f" {each.p50 * 1000:6.2f} ms {each.p99 * 1000:6.2f} ms"
        for place, each in enumerate(found, 1)
    ]
    return "\n".join([*lines, "± is one standard error; times are those of one core for a decision."])


def _figure(figure: Figure, digits: int) -> str:
    return f"{figure.mean:.{digits}f} ± {figure.error:.{digits}f}"


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
