"""Repeated, illegal and broken requests, in short: `make faults` and `make fuzz` send them by the thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.__main__ import program
from faults.run import Run


@pytest.mark.parametrize("name", ["F7", "F8", "F9", "F10", "F11", "F12", "F25", "F26"])
def test_nothing_is_done_twice_or_wrongly(name: str, tmp_path: Path) -> None:
    run = Run(tmp_path, seed=1, short=True)
    program(name).body(run)
    assert not run.wrong
    assert run.figures
