"""Tables that are not there: one and the same 404, whatever the code and the route, and in about the same time."""

from __future__ import annotations

import time

import httpx
import pytest

from tests.web.service import API, UNKNOWN, filled, guest, routes_of

pytestmark = pytest.mark.anyio


async def test_unknown_and_impossible_codes_get_the_same_404_from_every_route(client: httpx.AsyncClient) -> None:
    ana = await guest(client, "Ana")
    headers = {"Cookie": f"sid={ana.token}; guest=Ana.0123456789abcdef"}
    for method, path in sorted(routes_of(client)):
        if "{code}" not in path or path.endswith("qr.svg"):
            continue  # the picture of a link is the same for any code
        bodies = {"moves": {"turn": 1, "move": {}}, "undo": {"version": 1}, "absence": {"seat": 0, "choice": "wait"}}
        body = bodies.get(path.rpartition("/")[2], {})
        sent = {"json": body} if path.startswith(API) and method == "POST" else {}
        found = set()
        for code in (UNKNOWN, "BBBBBBBBBB", "0000000000", "no-such-code"):
            answer = await client.request(method, filled(path, code), headers=headers, **sent)  # type: ignore[arg-type]  # httpx's
            assert answer.status_code == 404, f"{method} {path}"
            names = set(answer.headers) - {"content-length"}
            found.add((answer.text.replace(code, "CODE"), tuple(sorted(names))))
        assert len(found) == 1, f"{method} {path}"


async def test_two_unknown_codes_take_about_as_long(
    client: httpx.AsyncClient,
) -> None:
    """There is no private table: whoever has a code may watch, so an answer is 200 or the one 404."""
    took: dict[str, list[float]] = {UNKNOWN: [], "BBBBBBBBBB": []}
    for _ in range(40):
        for code, times in took.items():
            begun = time.perf_counter()
            await client.get(f"{API}/tables/{code}")
            times.append(time.perf_counter() - begun)
    first, second = (sorted(times)[len(times) // 2] for times in took.values())
    assert 1 / 3 < first / second < 3


async def test_unknown_and_impossible_codes_get_the_same_404(client: httpx.AsyncClient) -> None:
    for rest in ("", "/live", "/replay", "/record", "/stream"):
        bodies = set()
        for code in (UNKNOWN, "BBBBBBBBBB", "0000000000", "no-such-code"):
            answer = await client.get(f"/t/{code}{rest}", headers={"Cookie": "guest=Ana.0123456789abcdef"})
            assert answer.status_code == 404
            bodies.add((answer.text.replace(code, "CODE"), tuple(sorted(set(answer.headers) - {"content-length"}))))
        assert len(bodies) == 1, rest
    answers = [(await client.get(f"{API}/tables/{code}")).json() for code in (UNKNOWN, "x")]
    assert answers[0] == answers[1]
