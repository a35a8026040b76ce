"""Schemathesis over the OpenAPI, as the owner of a table, as a stranger, and as nobody.

It lives in an environment of its own, which `make fuzz` makes, so that its libraries change none of ours.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import httpx

from app import ROOT
from faults.run import Run
from faults.service import Service

TOOL = ROOT / ".venv" / "schemathesis" / "bin" / "schemathesis"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,ignored_auth"
STREAM = "/api/v1/tables/{code}/stream"
"""Left out: it never ends."""


def check(run: Run, service: Service, examples: int) -> None:
    """Send what the descriptions of all operations lead to, so many examples of each, and judge the answers by them."""
    if not TOOL.exists():
        run.wrong.append("F25: schemathesis is not there; `make fuzz` installs it")
        return
    with httpx.Client(base_url=f"{service.url}/api/v1", timeout=10) as client:
        owner, stranger = (client.post("/guests", json={"name": name}).json()["token"] for name in ("Ana", "Zoe"))
        mine = {"Authorization": f"Bearer {owner}"}
        code = client.post("/tables", json={"game": "yacht"}, headers=mine).json()["code"]
        client.post(f"/tables/{code}/seats", json={"bot": "easy"}, headers=mine)
        client.post(f"/tables/{code}/start", headers=mine)
    config = run.folder / "schemathesis.toml"
    config.write_text(f'[parameters]\ncode = "{code}"\n')
    cases = 0
    for name, token in (("owner", owner), ("stranger", stranger), ("nobody", None)):
        cases += _run(run, service, config, name, token, examples)
    run.figures["schemathesis_cases"] = cases


def _run(run: Run, service: Service, config: Path, name: str, token: str | None, examples: int) -> int:
    header = [] if token is None else ["--header", f"Authorization: Bearer {token}"]
    words = [
        *("--config-file", str(config), "run", f"{service.url}/api/v1/openapi.json", *header),
        *("--checks", CHECKS, "--exclude-path", STREAM, "--phases", "examples,coverage,fuzzing,stateful"),
        *("--max-examples", str(examples), "--seed", str(run.seed), "--continue-on-failure", "--no-color"),
    ]
    done = subprocess.run([TOOL, *words], cwd=run.folder, capture_output=True, text=True, check=False)
    found = re.search(r"(\d+) generated", done.stdout)
    if done.returncode != 0 or found is None:
        failures = re.findall(r"^- (.+)$", done.stdout, re.MULTILINE)[:5]
        run.wrong.append(f"F25: schemathesis as {name}: {'; '.join(failures) or (done.stdout + done.stderr)[-300:]}")
    return int(found[1]) if found else 0
