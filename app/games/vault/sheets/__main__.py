"""`python -m app.games.vault.sheets generate|check FILE|simulate FILE`: make, judge and measure sheets.

`generate TIER --seed N --count K` writes sheets that the tier accepts, the same ones for the same seed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app.games.vault.sheets.format import TIERS, BrokenSheet, PrintedSheet, Tier, problems, read
from app.games.vault.sheets.generator import generate
from app.games.vault.sheets.simulation import GAMES, Figures, accepted, measure, objections


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns 0, or 1 if a file is no sheet or its tier does not accept it."""
    parser = argparse.ArgumentParser(prog="python -m app.games.vault.sheets", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("generate", help="make sheets that are accepted")
    make.add_argument("tier", choices=TIERS)
    make.add_argument("--seed", type=int, default=1)
    make.add_argument("--count", type=int, default=1, help="how many")
    make.add_argument("--first", type=int, default=1, help="number of the first, as in S-04")
    make.add_argument("--games", type=int, default=GAMES, help="games of a full measurement")
    make.add_argument("--out", type=Path, help="folder for files s-04.json …; without it they are printed")
    check = commands.add_parser("check", help="say which rules of the format a file breaks")
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    simulate = commands.add_parser("simulate", help="measure a sheet with the three bots")
    simulate.add_argument("files", nargs="+", type=Path, metavar="FILE")
    simulate.add_argument("--games", type=int, default=GAMES, help="of hard; naive and normal play twice as many")
    simulate.add_argument("--seed", type=int, default=1)
    simulate.add_argument(
        "--save", type=Path, help="write what was measured into this file, as in data/statistics.json"
    )
    chosen = parser.parse_args(arguments)
    if chosen.command == "generate":
        return _generate(chosen.tier, chosen.seed, chosen.count, chosen.first, chosen.games, chosen.out)
    if chosen.command == "check":
        return max([_check(file) for file in chosen.files])
    return _simulate_all(chosen.files, chosen.games, chosen.seed, chosen.save)


def _generate(tier: Tier, seed: int, count: int, first: int, games: int, out: Path | None) -> int:
    candidate = 0
    for number in range(first, first + count):
        sheet_id = f"{tier[0].upper()}-{number:02}"
        while True:
            candidate += 1
            data = generate(tier, _chance(f"{tier} {seed} {candidate}"), sheet_id, f"{tier.capitalize()} {number}")
            found = accepted(read(data), games, _chances(seed))
            if found is not None:
                break
        _put(written(data), None if out is None else out / f"{sheet_id.lower()}.json")
        _say(f"{sheet_id}: candidate {candidate}: {_line(found)}", sys.stderr)
    return 0


def _check(file: Path) -> int:
    try:
        found = problems(_loaded(file))
    except (OSError, ValueError) as problem:
        found = (f"This is no JSON file: {problem}",)
    for broken in found:
        _say(f"{file}: {broken}")
    if not found:
        _say(f"{file}: ok")
    return int(bool(found))


def _simulate_all(files: Sequence[Path], games: int, seed: int, save: Path | None) -> int:
    failed = 0
    for file in files:
        sheet = _sheet(file)
        if sheet is None:
            failed = 1
            continue
        found = measure(sheet, max(2, games), _chances(seed))
        failed = max(failed, _judge(sheet, found))
        if save is not None:
            _save(sheet.id, found, seed, save)
    return failed


def _save(sheet_id: str, found: Figures, seed: int, path: Path) -> None:
    """Write figures into a file of them, beside those of other sheets under the same seed."""
    known: Any = _loaded(path) if path.exists() else {"seed": seed, "sheets": {}}
    sheets = known["sheets"] if known["seed"] == seed else {}
    sheets[sheet_id] = {name: each.data() for name, each in found.items()}
    lines = [
        f'    "{name}": {{\n'
        + ",\n".join(f'      "{player}": {json.dumps(shown)}' for player, shown in sheets[name].items())
        + "\n    }"
        for name in sorted(sheets)
    ]
    _put(f'{{\n  "seed": {seed},\n  "sheets": {{\n' + ",\n".join(lines) + "\n  }\n}\n", path)


def _sheet(file: Path) -> PrintedSheet | None:
    try:
        return read(_loaded(file))
    except BrokenSheet as broken:
        for problem in broken.problems:
            _say(f"{file}: {problem}")
    except (OSError, ValueError) as problem:
        _say(f"{file}: This is no JSON file: {problem}")
    return None


def _judge(sheet: PrintedSheet, found: Figures) -> int:
    _say(f"{sheet.id}: {_line(found)}")
    said = objections(found, sheet.tier)
    for each in said:
        _say(f"{sheet.id}: warning: {each}")
    if not said:
        _say(f"{sheet.id}: accepted as {sheet.tier}")
    return int(bool(said))


def _chance(name: str) -> random.Random:
    return random.Random(name)  # noqa: S311  # a seeded generator is what a reproducible sheet needs


def _chances(seed: int) -> Callable[[int], random.Random]:
    return lambda n: _chance(f"game {seed} {n}")


def _loaded(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def written(data: dict[str, Any]) -> str:
    """Return a sheet as the text of its file: a line for each field, row and vault."""

    def each(name: str) -> str:
        value = data[name]
        if isinstance(value, list) and value:
            inner = ",\n".join(f"    {json.dumps(item)}" for item in value)
            return f'  "{name}": [\n{inner}\n  ]'
        return f'  "{name}": {json.dumps(value, ensure_ascii=False)}'

    return "{\n" + ",\n".join(each(name) for name in data) + "\n}\n"


def _line(found: Figures) -> str:
    means = ", ".join(f"{name} {each.mean:.2f}" for name, each in found.items())
    hard = found["hard"]
    return f"{means}; hard: sd {hard.sd:.2f}, <10 {hard.bands[0]:.1%}, 20+ {hard.bands[-1]:.1%}, {hard.games} games"


def _put(text: str, path: Path | None) -> None:
    if path is None:
        sys.stdout.write(text)
    else:
        path.write_text(text, encoding="utf-8")


def _say(text: str, stream: Any = None) -> None:
    (stream or sys.stdout).write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
