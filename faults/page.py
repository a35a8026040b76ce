"""Writes docs/reliability.md from the results that are kept in faults/results.jsonl."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from app import ROOT
from faults.run import RESULTS, Program

PAGE = ROOT / "docs" / "reliability.md"
_HEAD = """# What was broken on purpose, and what came of it

This page is written by `python -m faults page` from `faults/results.jsonl`; edit neither.

*An answered move is never lost, and done once.* The programs below try to make that false: they kill, cut, fill, repeat and invent, and then compare
the database with what people were told (`faults/invariants.py`):

- **I1** every answered move is in the log once, no refused one is; **I2** the log of a table is numbered 1…n and its version is n;
- **I3** the stored state is what the log leads to; **I4** no page ever goes back, and each comes to the newest version within 10 s;
- **I5** an answered move sent again is answered alike and changes nothing; **I6** nobody ever saw other dice in a version than the log has;
- **I7** every 5xx has a number that is in the log, and none shows a stack trace; **I8** afterwards no stream is open and no connection is held.

`make faults` runs them all (about half an hour), `make load` those of load (`FAULTS_LOAD_SECONDS=600` for the ten minutes that the plan wants),
`make fuzz` those of hostile input (`FAULTS_FUZZ=20` for 2,000 walks of each game); `python -m faults F1 [--short] [--seed N]` runs one. All but those
of load have a switch `--blunt` that spoils something on purpose, in a few rounds: the program must then fail, else it proves nothing. Short forms of
{short} run with every `make test`, within three minutes.

What is weaker than one might think: the bad network of F13 is a proxy of our own, since the kernel's netem is missing in many containers; F3 is away for
a minute, not five; of I8 streams, connections and open transactions are looked at, not tasks and
file descriptors. F20 (bots) and F23 (secrecy) are tests of their own, in `tests/bots` and in `tests/games/secrecy.py`.

Figures are of one small virtual machine that did other work as well (its load stands beside them): compare them with each other, not with yours.
What was sent and drawn follows from the seed; when a process is hit within its work does not.
"""
SHORT = tuple(f"F{number}" for number in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 17, 18, 19, 21, 22, 25, 26))
"""What `tests/faults` runs."""


def _figures(result: dict[str, Any]) -> str:
    parts = []
    for name, value in result["figures"].items():
        shown = ", ".join(f"{key}: {count}" for key, count in value.items()) if isinstance(value, dict) else value
        parts.append(f"{name.replace('_', ' ')} **{shown}**")
    return " · ".join(parts)


def _when(result: dict[str, Any]) -> str:
    return (
        f"{result['date'][:16].replace('T', ' ')} UTC, commit `{result['commit']}`, seed {result['seed']}, "
        f"{result['seconds']:.0f} s, load {result['load']}"
    )


def _section(program: Program, results: dict[bool, dict[str, Any]]) -> list[str]:
    lines = [f"## {program.id} {program.title}", "", program.promise, ""]
    sharp, blunt = results.get(False), results.get(True)
    if sharp is None:
        lines += ["Not run yet.", ""]
    else:
        held = "**held**" if sharp["ok"] else f"**did not hold** ({sharp['wrong']}: {'; '.join(sharp['examples'][:3])})"
        lines += [f"{held} — {_when(sharp)}", "", _figures(sharp), ""]
    if program.blunt and blunt is not None:
        noticed = "not noticed" if blunt["ok"] else f"noticed ({blunt['wrong']}), such as {_first(blunt)}"
        lines += [f"Spoiled ({program.blunt}): {noticed} — {_when(blunt)}", ""]
    elif program.blunt:
        lines += [f"Spoiled ({program.blunt}): not run yet.", ""]
    return lines


def _first(result: dict[str, Any]) -> str:
    words: str = min(result["examples"], key=lambda one: not one.startswith("I"))
    return "`" + words.replace("`", "'").replace("\n", " ")[:140] + "`"


def text() -> str:
    """Return the page that the kept results make."""
    found: dict[str, dict[bool, dict[str, Any]]] = {}
    machines = set()
    for kept in RESULTS.read_text().splitlines() if RESULTS.exists() else ():
        result = json.loads(kept)
        found.setdefault(result["id"], {})[result["blunt"]] = result
        machines.add(result["machine"])
    lines = [_HEAD.format(short=", ".join(SHORT)), f"Machine: {'; '.join(sorted(machines))}.", ""]
    for path in sorted((ROOT / "faults").glob("f[0-9][0-9]_*.py")):
        program: Program = import_module(f"faults.{path.stem}").PROGRAM
        lines += _section(program, found.get(program.id, {}))
    return "\n".join(lines).rstrip() + "\n"


def write() -> None:
    """Write the page."""
    PAGE.write_text(text())
