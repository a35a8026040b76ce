"""What the benches print with."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def at(values: list[float], share: float) -> float:
    """Return a percentile of seconds in milliseconds, nan where nothing was measured."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000 if ordered else float("nan")
