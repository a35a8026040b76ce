"""The streams as browsers and programs get them, from a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.support.server import Server
from tests.web.forms import Page
from tests.web.service import API

Message = dict[str, list[str]]


@contextmanager
def messages(http: httpx.Client, path: str, **headers: str) -> Iterator[tuple[httpx.Response, Iterator[Message]]]:
    """Open a stream: its answer, and its messages but for signs of life."""
    with http.stream("GET", path, headers=headers, timeout=20) as answer:
        yield answer, _parsed(answer.iter_lines())


def _parsed(lines: Iterator[str]) -> Iterator[Message]:
    message: Message = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            message.setdefault(name, []).append(value.removeprefix(" "))
            continue
        if "data" in message and message.get("event") != ["beat"]:
            yield message
        message = {}


def _guest(http: httpx.Client, name: str) -> dict[str, str]:
    made = http.post(f"{API}/guests", json={"name": name})
    return {"Authorization": f"Bearer {made.json()['token']}"}


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=20) as one:
        yield one


@pytest.fixture
def running(http: httpx.Client) -> tuple[str, dict[str, str], dict[str, str]]:
    """(code, headers of the host, headers of the other)"""
    ana, bo = _guest(http, "Ana"), _guest(http, "Bo")
    table = http.post(f"{API}/tables", json={"game": "yacht", "options": {"first_player": "host"}}, headers=ana).json()
    http.post(f"{API}/tables/{table['code']}/seats", headers=bo)
    http.post(f"{API}/tables/{table['code']}/start", headers=ana)
    return table["code"], ana, bo


def _table(message: Message) -> Any:
    assert message["event"] == ["table"]
    (line,) = message["data"]
    table = json.loads(line)
    assert message["id"] == [str(table["version"])]
    return table


def test_program_gets_the_present_table_at_once_and_every_change(
    http: httpx.Client, running: tuple[str, dict[str, str], dict[str, str]]
) -> None:
    code, ana, bo = running
    with messages(http, f"{API}/tables/{code}/stream", **bo) as (answer, stream):
        assert answer.status_code == 200
        assert answer.headers["content-type"].split(";")[0] == "text/event-stream"
        assert answer.headers["cache-control"] == "no-store"
        assert "content-length" not in answer.headers
        first = _table(next(stream))
        assert first["you"]["seat"] == 1
        turn = http.get(f"{API}/tables/{code}", headers=ana).json()["you"]["turn"]
        move = {"turn": turn, "move": {"kind": "roll", "dice": [0, 1, 2, 3, 4]}}
        moved = http.post(f"{API}/tables/{code}/moves", json=move, headers=ana).json()
        shown = next(table for table in map(_table, stream) if table["version"] > first["version"])
        assert shown["version"] == moved["version"]
        assert shown["state"] == moved["state"]
        assert shown["you"]["seat"] == 1


def test_spectator_has_a_stream_without_a_token(
    http: httpx.Client, running: tuple[str, dict[str, str], dict[str, str]]
) -> None:
    code, _, _ = running
    with messages(http, f"{API}/tables/{code.lower()}/stream") as (_, stream):
        assert _table(next(stream))["you"] is None


def test_page_gets_its_fragment_at_once_unnamed_and_ends_at_one_root(
    http: httpx.Client, running: tuple[str, dict[str, str], dict[str, str]]
) -> None:
    code, _, _ = running
    with messages(http, f"/t/{code}/stream") as (answer, stream):
        message = next(stream)
        assert answer.headers["x-accel-buffering"] == "no"
        assert "event" not in message
        page = Page("\n".join(message["data"]))
        roots = [child for child in page.children if not isinstance(child, str)]
        assert [root.attrs.get("id") for root in roots] == ["table"]
        assert message["id"] == [roots[0].attrs["data-version"]]


def test_stream_of_an_unknown_table_is_refused(http: httpx.Client) -> None:
    for path in ("/t/AAAAAAAAAA/stream", f"{API}/tables/AAAAAAAAAA/stream"):
        assert http.get(path).status_code == 404
