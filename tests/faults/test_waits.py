"""The programs that mostly wait, in short and two at a time: as processes, since each has a service and an event loop of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app import ROOT


@pytest.mark.parametrize("pair", [("F3", "F5"), ("F13", "F21")], ids="-".join)
def test_faults_of_the_database_the_network_and_the_server_hold(pair: tuple[str, str], tmp_path: Path) -> None:
    running = []
    for name in pair:
        with (tmp_path / name).open("w") as said:
            words = [sys.executable, "-m", "faults", name, "--short", "--seed", "1"]
            running.append(subprocess.Popen(words, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT))
    for name, process in zip(pair, running, strict=True):
        code = process.wait(timeout=150)
        said_text = (tmp_path / name).read_text()
        assert code == 0, said_text[-2000:]
        assert json.loads(said_text.splitlines()[-1])["ok"]
