"""`python -m app.records` as people run it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from app import ROOT
from app.core import codec
from app.records import __main__ as command
from app.records.record import read, view_at
from tests.records.samples import another_face, yacht, yacht_bytes

Raw = dict[str, Any]


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.records", *map(str, words)], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.json"
    file.write_bytes(yacht_bytes())
    return file


def test_verify_prints_one_line_for_each_file_and_fails_if_one_does(good: Path, tmp_path: Path) -> None:
    bad, missing = tmp_path / "bad.json", tmp_path / "missing.json"
    raw = yacht()
    another_face(raw)
    bad.write_bytes(orjson.dumps(raw))
    scores = yacht()["outcome"]["scores"]
    ok = f"{good}: ok: Yacht, {len(yacht()['events'])} events, Ana {scores[0]}, Bo {scores[1]}"
    done = run("verify", good)
    assert (done.returncode, done.stdout, done.stderr) == (0, ok + "\n", "")
    done = run("verify", good, bad, missing, tmp_path, good)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, len(lines)) == (1, "", 5)
    assert lines[0] == lines[4] == ok
    for line, file in zip(lines[1:4], (bad, missing, tmp_path), strict=True):
        assert line.startswith(f"{file}: FAILED: ")


def test_show_prints_the_state_after_some_events(
    good: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    events = yacht()["events"]
    for step in (0, 1, 5, len(events)):
        assert command.main(["show", str(good), "--step", str(step)]) == 0
        shown = orjson.loads(capsys.readouterr().out)
        assert (shown["step"], shown["steps"]) == (step, len(events))
        assert shown["event"] == (events[step - 1] if step else None)
        assert shown["state"] == codec.data(view_at(read(yacht_bytes()), step)[1])
    assert shown["state"]["totals"] == yacht()["outcome"]["scores"]
    for file, wanted in ((good, "-1"), (good, str(len(events) + 1)), (tmp_path / "missing.json", "0")):
        assert command.main(["show", str(file), "--step", wanted]) == 1
        said = capsys.readouterr().out
        assert said.startswith(f"{file}: FAILED: ")
        assert said.count("\n") == 1


@pytest.mark.parametrize("words", [(), ("verify",), ("show", "x"), ("show", "x", "--step", "one"), ("fly",)])
def test_a_command_without_sense_is_explained(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(list(words))
    assert ended.value.code == 2
    assert "usage: python -m app.records" in capsys.readouterr().err


def test_a_file_whose_name_is_no_text_is_judged(tmp_path: Path, good: Path) -> None:
    odd = tmp_path / "a\udcff.json"
    odd.write_bytes(yacht_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "app.records", "verify", odd], cwd=ROOT, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
