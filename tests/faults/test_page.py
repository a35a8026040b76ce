"""docs/reliability.md says what the kept results say, and every program is kept with both of its runs."""

from __future__ import annotations

import json

import pytest

from faults.__main__ import KINDS, MODULES, program
from faults.page import PAGE, SHORT, text
from faults.run import RESULTS

KEPT = {(kept["id"], kept["blunt"]): kept for kept in map(json.loads, RESULTS.read_text().splitlines())}


def test_the_page_is_the_one_that_the_results_make() -> None:
    assert PAGE.read_text() == text(), "run python -m faults page"


@pytest.mark.parametrize("name", MODULES)
def test_a_program_was_run_and_noticed_what_was_spoiled(name: str) -> None:
    chosen = program(name)
    assert chosen.id == name
    assert not KEPT[name, False]["short"]
    if chosen.blunt:
        assert not KEPT[name, True]["ok"]


def test_every_program_is_run_by_one_target_and_short_ones_exist() -> None:
    assert sorted(MODULES) == sorted(name for names in KINDS.values() for name in names)
    assert set(SHORT) <= set(MODULES)
