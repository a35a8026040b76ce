"""What every program shares: its description, its run, and the one JSON line that it prints."""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from app import ROOT

_BUT = ("--", ".", ":!faults/results.jsonl", ":!docs/reliability.md")
"""Changes to what is written from results do not make other results."""

RESULTS = ROOT / "faults" / "results.jsonl"


@dataclass
class Run:
    """One run of a program: how it is to be done, and what came of it.

    `folder` is the run's own. `blunt`: something is spoiled on purpose, and the program must notice.
    """

    folder: Path
    seed: int
    short: bool = False
    blunt: bool = False
    figures: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def must(self, holds: object, otherwise: str) -> None:
        """Note what is wrong if something does not hold."""
        if not holds:
            self.wrong.append(otherwise)

    def add(self, violations: list[str]) -> None:
        """Note what is wrong."""
        self.wrong += violations

    def times(self, short: int, full: int) -> int:
        """Return how often something is done; what is spoiled shows in the short form already."""
        return short if self.short or self.blunt else full


Body: TypeAlias = Callable[[Run], None]


@dataclass(frozen=True)
class Program:
    """A program. `promise` is what must hold; `blunt` says what `--blunt` spoils, "" where there is no such switch."""

    id: str
    title: str
    promise: str
    blunt: str
    body: Body


def _git(*words: str) -> str:
    found = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip()


def line(program: Program, run: Run, seconds: float) -> dict[str, Any]:
    """Return the result of a run as it is kept."""
    return {
        "id": program.id,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "--porcelain", "-uno", *_BUT) else ""),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
        "seed": run.seed,
        "short": run.short,
        "blunt": run.blunt,
        "seconds": round(seconds, 1),
        "figures": run.figures,
        "wrong": len(run.wrong),
        "examples": sorted(dict.fromkeys(run.wrong), key=lambda text: not text.startswith("I"))[:5],
        "ok": not run.wrong,
    }


def keep(result: dict[str, Any]) -> None:
    """Put a result into the collection, in place of the older one of the same kind."""
    kind = (result["id"], result["blunt"])
    lines = [] if not RESULTS.exists() else [json.loads(text) for text in RESULTS.read_text().splitlines()]
    kept = [old for old in lines if (old["id"], old["blunt"]) != kind]
    kept.append(result)
    kept.sort(key=lambda one: (int(one["id"][1:]), one["blunt"]))
    RESULTS.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in kept))


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def share(values: list[float], part: float) -> float:
    """Return a percentile in milliseconds, 0 where nothing was measured."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))] * 1000, 1) if ordered else 0.0
