"""The programs that break things, in their short form. `make faults` runs them in full, and proves that they can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.__main__ import program
from faults.page import SHORT
from faults.run import Run


@pytest.mark.parametrize("name", SHORT)
def test_program_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    run = Run(tmp_path, seed=1, short=True)
    program(name).body(run)
    assert not run.wrong
    assert run.figures
