"""docs/security.md: every test it names exists, every rule it calls met has one, and its figures are those of the code."""

from __future__ import annotations

import re

import pytest

from app import ROOT, connection
from app.tables import names, players
from app.web import limits, live, security, watch

PAGE = (ROOT / "docs/security.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d+\.\d", line)
]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


def test_the_page_has_rules() -> None:
    assert len(ROWS) > 60
    assert len(NAMED) > 50


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_named_test_exists(path: str, name: str) -> None:
    assert re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text(), re.MULTILINE)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_rule_is_met_by_a_test_or_says_why_not(row: list[str]) -> None:
    assert len(row) in {3, 4}, row
    state, how, tests = row[1], row[2], "".join(row[3:])
    assert state in {"met", "deviation", "not yet"}
    assert how
    assert state != "met" or "::" in tests, row[0]


def test_no_rule_stands_twice() -> None:
    ids = [one for row in ROWS for one in row[0].split(", ")]
    assert len(ids) == len(set(ids))


def test_stated_limits_are_the_true_ones() -> None:
    stated = dict(re.findall(r"^\| ([a-z ,]+) \| ([^|]+ \| [^|]+) \|$", PAGE, re.MULTILINE))
    for kind, row in {
        "move": "moves, and taking them back",
        "write": "other commands",
        "table": "new tables, rematches",
        "guest": "new guests",
        "guess": "codes of no table",
    }.items():
        address, session = limits.LIMITS[kind]  # type: ignore[index]  # the keys above are its kinds
        amounts = [int(number) for number in re.findall(r"(\d+) (?:in|an?) ", stated[row])]
        assert amounts == [limit.amount for limit in (session, address) if limit is not None], row
    assert f"| {limits.MOST_STREAMS_EACH}, and {limits.MOST_STREAMS:,} in all |" in PAGE
    body = f"A body has {security.LARGEST_BODY // 1024} KiB and {security.BODY_WITHIN:.0f} s"
    head = f"a head {security.LARGEST_HEAD // 1024} KiB, {security.MOST_HEADERS} headers and {connection.HEAD_WITHIN:.0f} s"
    name = f"a name {names.LONGEST} characters and {names.MOST_BYTES} bytes"
    assert f"{body}, {head}, {name}." in " ".join(PAGE.split())
    assert security.LARGEST_HEAD == connection.LARGEST_HEAD
    assert (
        f"does not read ends after {live.STUCK:.0f} s, and every stream after {live.LONGEST / 60:.0f} minutes" in PAGE
    )
    assert watch.LOOK_EVERY < 5
    assert f"A session lives {players.LIFETIME.days} days" in PAGE
