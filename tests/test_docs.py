"""What is written for hosts says every setting, and nothing that is not there."""

from __future__ import annotations

import re

import pytest

from app import ROOT
from app.settings import Settings

HOSTING = (ROOT / "docs/hosting.md").read_text()
EXAMPLE = (ROOT / ".env.example").read_text()
COMPOSE = (ROOT / "docker-compose.yml").read_text()
SETTINGS = {f"KNOBEL_{name.upper()}": field for name, field in Settings.model_fields.items()}
ONLY_DOCKER = {"KNOBEL_DB_PASSWORD"}
ONLY_TESTS = {"KNOBEL_TEST_DATABASE_URL"}


@pytest.mark.parametrize("setting", SETTINGS)
def test_setting_is_documented_for_hosts_and_in_the_example(setting: str) -> None:
    assert re.search(rf"^\| `{setting}` \|", HOSTING, re.MULTILINE), f"{setting} has no row in docs/hosting.md"
    assert re.search(rf"^#?{setting}=", EXAMPLE, re.MULTILINE), f"{setting} is not in .env.example"


@pytest.mark.parametrize("setting", SETTINGS)
def test_documented_default_is_the_true_one(setting: str) -> None:
    row = next(line for line in HOSTING.splitlines() if line.startswith(f"| `{setting}` |"))
    default = SETTINGS[setting].default
    if default is not None:
        stated = row.split("|")[2].strip().strip("`").removeprefix("./")
        assert stated == str(default).removeprefix("./"), row


@pytest.mark.parametrize("text", [HOSTING, EXAMPLE, COMPOSE], ids=["hosting.md", ".env.example", "docker-compose.yml"])
def test_no_setting_is_named_that_does_not_exist(text: str) -> None:
    assert set(re.findall(r"KNOBEL_[A-Z_]+[A-Z]", text)) - set(SETTINGS) - ONLY_DOCKER - ONLY_TESTS == set()


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = sorted(int(path.name[:3]) for path in (ROOT / "docs/decisions").glob("*.md"))
    assert numbers == list(range(1, len(numbers) + 1))


def test_code_names_only_decisions_that_are_written() -> None:
    written = {int(path.name[:3]) for path in (ROOT / "docs/decisions").glob("*.md")}
    for path in (ROOT / "app").rglob("*.py"):
        for number in re.findall(r"ADR (\d+)", path.read_text()):
            assert int(number) in written, f"{path.name} names ADR {number}"


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_links_within_the_repository_lead_somewhere(path: object) -> None:
    from pathlib import Path

    assert isinstance(path, Path)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text()):
        if "://" not in target and not target.startswith("mailto:"):
            assert (path.parent / target).exists(), f"{path.name} → {target}"
