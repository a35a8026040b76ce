"""What no client of good faith sends, over raw sockets to a real server: answered or closed, and never a fault."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from app import ROOT
from app.connection import HEAD_WITHIN
from tests.support.server import Server, execute, with_database

HOST = b"Host: knobel.test\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
LATEST = 15.0
"""Seconds by which half a request is over."""


@pytest.fixture(scope="module")
def house(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service that people reach at knobel.test; its limits are on."""
    name, folder = f"wire_{os.getpid()}", tmp_path_factory.mktemp("wire")
    execute(postgres, f"CREATE DATABASE {name} TEMPLATE template")
    with Server(
        with_database(postgres, name),
        folder,
        KNOBEL_PUBLIC_URL="http://knobel.test",
        KNOBEL_LOG_LEVEL="debug",
        KNOBEL_RATE_LIMITS="on",
    ) as running:
        yield running
    execute(postgres, f"DROP DATABASE {name} WITH (FORCE)")


def connect(house: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", house.port), timeout=LATEST)


def everything(wire: socket.socket) -> bytes:
    """Return what comes until the other side closes."""
    found = b""
    try:
        while piece := wire.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def say(house: Server, *pieces: bytes) -> bytes:
    """Send something, end our side of the connection, and return all that comes back."""
    with connect(house) as wire:
        try:
            for piece in pieces:
                wire.sendall(piece)
            wire.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before the end; the answer may be there still
        return everything(wire)


def status(answer: bytes) -> int:
    """Return the status of an answer; 0 if the connection was closed without one."""
    assert not answer or answer.startswith(b"HTTP/1.1 "), answer[:80]
    return int(answer.split(b" ", 2)[1]) if answer else 0


def close(head: bytes) -> bytes:
    return head + HOST + b"Connection: close\r\n\r\n"


ODD = {
    "HTTP/0.9": (b"GET /\r\n", {0, 400}),
    "no version": (b"GET / \r\n\r\n", {0, 400}),
    "HTTP/9.9": (b"GET / HTTP/9.9\r\n" + HOST + b"\r\n", {400}),
    "two lengths": (
        b"POST /me HTTP/1.1\r\n" + HOST + FORM + b"Content-Length: 4\r\nContent-Length: 9\r\n\r\nname=Anna",
        {400},
    ),
    "length and chunks": (
        b"POST /me HTTP/1.1\r\n" + HOST + FORM + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        {400},
    ),
    "a length in words": (b"POST /me HTTP/1.1\r\n" + HOST + FORM + b"Content-Length: ten\r\n\r\n", {400}),
    "a negative length": (b"POST /me HTTP/1.1\r\n" + HOST + FORM + b"Content-Length: -1\r\n\r\n", {400}),
    "a broken chunk": (
        b"POST /me HTTP/1.1\r\n" + HOST + FORM + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nname=Ana\r\n0\r\n\r\n",
        {0, 400},
    ),
    "a space before the colon": (b"GET / HTTP/1.1\r\nHost : knobel.test\r\n\r\n", {400}),
    "a folded header": (b"GET / HTTP/1.1\r\n" + HOST + b"X: a\r\n b\r\n\r\n", {400}),
    "a control character": (b"GET / HTTP/1.1\r\n" + HOST + b"X: a\x00b\r\n\r\n", {400}),
    "an absolute address": (close(b"GET http://evil.example/health/live HTTP/1.1\r\n"), {200}),
    "a path that is no UTF-8": (close(b"GET /t/%ff%fe%00 HTTP/1.1\r\n"), {404}),
    "raw bytes in the path": (close(b"GET /\xff\xfe HTTP/1.1\r\n"), {400, 404}),
    "no path": (close(b"GET  HTTP/1.1\r\n"), {400}),
    "an asterisk": (close(b"OPTIONS * HTTP/1.1\r\n"), {400, 404, 405}),
    "a tunnel": (close(b"CONNECT evil.example:443 HTTP/1.1\r\n"), {400, 404, 405}),
    "an unknown method": (close(b"BREW / HTTP/1.1\r\n"), {400, 405}),
    "another host": (b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", {421}),
    "another host behind ours": (
        b"GET / HTTP/1.1\r\nHost: knobel.test.evil.example\r\nConnection: close\r\n\r\n",
        {421},
    ),
    "two hosts": (b"GET / HTTP/1.1\r\n" + HOST + b"Host: evil.example\r\nConnection: close\r\n\r\n", {400, 421}),
    "no host": (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", {400, 421}),
    "a header of 20 KiB": (b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 20_480 + b"\r\n\r\n", {431}),
    "101 headers": (close(b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 101), {431}),
    "10,000 headers": (b"GET / HTTP/1.1\r\n" + HOST + b"X: 1\r\n" * 10_000 + b"\r\n", {0, 431}),
    "a header of 1 MiB": (b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 2**20 + b"\r\n\r\n", {0, 431}),
    "a line of 1 MiB": (b"GET /" + b"x" * 2**20 + b" HTTP/1.1\r\n" + HOST + b"\r\n", {0, 431}),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", {0, 400}),
    "nothing": (b"", {0}),
}


@pytest.mark.parametrize(("sent", "allowed"), ODD.values(), ids=list(ODD))
def test_odd_request_is_refused_or_closed_and_the_next_one_served(
    house: Server, sent: bytes, allowed: set[int]
) -> None:
    pieces = [sent[start : start + 8_192] for start in range(0, len(sent), 8_192)]
    assert status(say(house, *pieces)) in allowed
    assert status(say(house, close(b"GET /health/live HTTP/1.1\r\n"))) == 200


def test_host_of_the_setting_is_served_in_any_case_and_with_a_port(house: Server) -> None:
    for host in (b"knobel.test", b"KNOBEL.test:80", b"127.0.0.1:9", b"localhost", b"[::1]:8000"):
        answer = say(house, b"GET /health/live HTTP/1.1\r\nConnection: close\r\nHost: " + host + b"\r\n\r\n")
        assert status(answer) == 200, host


def test_wrong_host_is_told_the_right_one(house: Server) -> None:
    answer = say(house, b"GET / HTTP/1.1\r\nConnection: close\r\nHost: evil.example\r\n\r\n")
    assert b"http://knobel.test" in answer
    assert b"evil.example" not in answer


def test_body_is_no_second_request(house: Server) -> None:
    smuggled = b"GET /smuggled HTTP/1.1\r\n" + HOST + b"\r\n"
    head = b"POST /me HTTP/1.1\r\n" + HOST + FORM + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(smuggled)
    answer = say(house, head + smuggled)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert status(answer) == 422


HALVES = {
    # a connection held ready is closed without a word, or a browser would read that as the answer to what it asks next
    b"": [],
    b"GET / HT": [408],
    b"GET / HTTP/1.1\r\n" + HOST: [408],
    b"POST /me HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\nX: ": [408],
    b"GET /health/live HTTP/1.1\r\n" + HOST + b"\r\nGET / HTTP/1.1\r\n": [200, 408],
}


def test_half_requests_are_closed_in_time_and_hold_up_nobody(house: Server) -> None:
    """Nor does the time for a head end a stream, whose request is whole."""
    with httpx.Client(base_url=house.url, headers={"Host": "knobel.test"}, timeout=LATEST) as http:
        bearer = {"Authorization": f"Bearer {http.post('/api/v1/guests').json()['token']}"}
        code = http.post("/api/v1/tables", json={"game": "yacht"}, headers=bearer).json()["code"]
        begun = time.monotonic()
        wires = [(half, connect(house)) for half in HALVES for _ in range(60)]
        with http.stream("GET", f"/api/v1/tables/{code}/stream", headers=bearer) as stream:
            for half, wire in wires:
                wire.sendall(half)
            assert _slowest_but_one(house) < 1.0
            answers = [(half, _to_the_end(wire)) for half, wire in wires]
            assert HEAD_WITHIN - 1 < time.monotonic() - begun < LATEST
            beats = (line for line in stream.iter_lines() if line == "event: beat")
            while time.monotonic() - begun < HEAD_WITHIN + 1:
                assert next(beats, None), "the stream has ended"
    for half, answer in answers:
        assert [int(found) for found in re.findall(rb"HTTP/1\.1 (\d+)", answer)] == HALVES[half], half


def _to_the_end(wire: socket.socket) -> bytes:
    with wire:
        return everything(wire)


def _slowest_but_one(house: Server) -> float:
    """Return how long somebody waits whose requests are whole, the slowest of 50 left out."""
    took = []
    for _ in range(50):
        sent = time.monotonic()
        assert httpx.get(f"{house.url}/health/live").status_code == 200
        took.append(time.monotonic() - sent)
    return sorted(took)[-2]


def test_log_has_no_secret_no_address_and_no_control_character(house: Server) -> None:
    hostile = "\r\n\x1b[31mERROR forged\u202e"
    with httpx.Client(base_url=house.url, headers={"Host": "knobel.test"}) as http:
        token = http.post("/api/v1/guests", json={"name": "Logged Name"}).json()["token"]
        bearer = {"Authorization": f"Bearer {token}"}
        code = http.post("/api/v1/tables", json={"game": "yacht"}, headers=bearer).json()["code"]
        http.cookies.set("sid", token)
        for path in (f"/t/{code}", f"/t/{code}/nothing", "/me", f"/join?code={code}"):
            http.get(path)
        http.post("/me", data={"name": hostile, "next": hostile})
        http.post(f"/t/{code}/moves", data={"turn": hostile, "do": hostile})
        http.post(f"/api/v1/tables/{code}/moves", json={"turn": 1, "move": {hostile: hostile}}, headers=bearer)
    say(house, b"GET /\x1b[31m HTTP/1.1\r\nX\x1b: y\r\n\r\n")
    raw = house.log.read_bytes()
    assert raw
    text = raw.decode()
    for secret in (token, code, f"{code[:4]}-{code[4:8]}", "Logged Name", "forged"):
        assert secret not in text, secret
    assert not [letter for letter in text if letter != "\n" and (ord(letter) < 32 or letter == "\u202e")]


def test_log_line_is_one_line_whatever_is_logged() -> None:
    # in a process of its own, since it settles how all of one logs
    program = (
        "import structlog, app.logs; app.logs.configure('info');"
        "structlog.get_logger('here').warning('event', problem='a\\r\\nb\\x1b[31m\\u202e')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.count("\n") == 1
    assert done.stderr.isascii()
    assert json.loads(done.stderr)["problem"] == "a\r\nb\x1b[31m\u202e"
