"""F12: broken cookies."""

from __future__ import annotations

import asyncio
import re
from collections import Counter

from faults.http import Client, Lost
from faults.invariants import holds
from faults.people import API, Ledger
from faults.postgres import Postgres
from faults.run import Program, Run
from faults.service import Service

_SESSION = re.compile(rb"set-cookie: sid=([^;]+)", re.IGNORECASE)
_FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
_ALPHABET = [chr(code) for code in (*range(1, 10), 11, 12, *range(14, 256), 0x0424, 0x1F3B2)]


def mutated(run: Run, secret: str) -> str:
    """Return the text of a Cookie header with something wrong about the session."""
    rng = run.rng
    place = rng.randrange(len(secret))
    odd = "".join(rng.choice(_ALPHABET) for _ in range(rng.randrange(1, 60)))
    swapped = secret[:place] + rng.choice([one for one in "abcXYZ019-_" if one != secret[place]]) + secret[place + 1 :]
    return rng.choice(
        (
            f"sid={secret[:place]}",
            f"sid={swapped}",
            f"sid={secret}{odd}",
            f"sid={odd}",
            f"sid={'A' * rng.choice((63, 64, 65, 4000, 8192))}",
            f"sid={secret[:place]}\x00{secret[place:]}",
            f"sid=; sid={odd}",
            f"sid={odd}; sid={swapped}",
            f'sid="{swapped}',
            f"__Host-sid={secret}",
            f"session={secret}; {odd}",
            f"sid={swapped}; prefs={odd}; lang={odd}; theme={odd}",
            f"sid=%{odd}",
            odd,
            "; ".join(f"c{number}=x" for number in range(rng.choice((5, 300)))) + f"; sid={swapped}",
        )
    )


async def _send(run: Run, client: Client, path: str, cookie: str, statuses: Counter[str]) -> None:
    """Send one request with such a cookie, and check that it is a stranger's."""
    method, body = ("POST", b"first_player=host") if path == "/g/yacht/tables" else ("GET", None)
    extra = f"Cookie: {cookie}\r\n" + (_FORM if body else "")
    try:
        answer = await client.ask(method, path, body, extra)
    except Lost:
        statuses["closed"] += 1
        return
    statuses[str(answer.status)] += 1
    run.must(answer.status < 500, f"F12: {answer.status} for {path} with {cookie[:80]!r}")
    run.must(b"Traceback" not in answer.body, "F12: a stack trace")
    if path == f"{API}/me":
        run.must(answer.status in (400, 401, 431), f"F12: known by a broken cookie: {cookie[:80]!r}")
    elif body and answer.status == 303:
        run.must(_SESSION.search(answer.head), "F12: no new session for somebody unknown")


async def _all(run: Run, url: str, service: Service) -> None:
    client = Client(service.port)
    made = await client.ask("POST", "/g/yacht/tables", b"first_player=host", _FORM)
    found = _SESSION.search(made.head)
    run.must(found, "F12: no session")
    secret = found[1].decode() if found else ""
    place = re.search(rb"location: (\S+)", made.head, re.IGNORECASE)
    table = place[1].decode() if place else "/"
    known = await client.ask("GET", f"{API}/me", None, f"Cookie: sid={secret}\r\n")
    run.must(known.status == 200, f"F12: not known by a whole cookie ({known.status})")
    statuses: Counter[str] = Counter()
    count = run.times(150, 3000)
    paths = ("/", table, f"{API}/me", "/me", "/g/yacht/tables")
    for number in range(count):
        await _send(run, client, paths[number % len(paths)], mutated(run, secret), statuses)
    page = await client.ask("GET", table, None, f"Cookie: sid={secret}\r\n")
    run.must(page.status == 200, "F12: the page does not work any more")
    client.close()
    run.figures |= {"mutations": count, "answers": dict(sorted(statuses.items()))}
    run.add(await holds(url, Ledger(), (service,)))


def body(run: Run) -> None:
    """Send requests with cookies that are cut, flipped, too long, of other bytes, doubled, of other names."""
    spoiled = "careless_cookie" if run.blunt else ""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder, spoiled=spoiled) as service:
        asyncio.run(_all(run, postgres.url, service))


PROGRAM = Program(
    "F12",
    "Broken cookies",
    "Whoever brings one is a stranger with a working page; no 5xx.",
    "a session is decoded without care, as signed-cookie middlewares do",
    body,
)
