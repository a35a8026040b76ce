"""Processes and rows that are killed, cut off, broken or moved, in short: `make faults` does it in full, and proves that the programs can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.__main__ import program
from faults.run import Run


@pytest.mark.parametrize("name", ["F1", "F2", "F4", "F14", "F17", "F18", "F19", "F22"])
def test_nothing_answered_is_lost(name: str, tmp_path: Path) -> None:
    run = Run(tmp_path, seed=1, short=True)
    program(name).body(run)
    assert not run.wrong
    assert run.figures
