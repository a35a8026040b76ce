"""Sessions: not to be fixed from outside, ended for good, rotated, and their streams with them."""

from __future__ import annotations

import asyncio
import re
import time

import asyncpg
import httpx
import pytest

from app.settings import Settings
from app.tables import players
from app.tables.errors import Unauthenticated
from app.web.watch import LOOK_EVERY
from tests.support.server import Server
from tests.web.forms import Browser
from tests.web.service import API, Caller, dump, guest, house_of, open_table, running_table

pytestmark = pytest.mark.anyio

ENDS_WITHIN = 5.0


def sid(browser: Browser) -> str | None:
    return browser.http.cookies.get("sid")


def signed_in(client: httpx.AsyncClient, caller: Caller) -> Browser:
    """Return a browser whose session is that of a caller; the cookie is kept as if the service had set it."""
    browser = Browser(client)
    assert caller.token is not None
    browser.http.cookies.set("sid", caller.token, domain="knobel.test")
    return browser


async def test_cookie_that_was_set_from_outside_becomes_nobodys_session(client: httpx.AsyncClient) -> None:
    known = "attacker-knows-this-secret-0123456789abcdef"
    code, _ = await open_table(client, "Ana")
    for path, fields in ((f"/t/{code}/sit", [("name", "Bo")]), ("/g/yacht/tables", []), ("/me", [("name", "Cleo")])):
        victim = Browser(client)
        victim.http.cookies.set("sid", known, domain="knobel.test")
        await victim.post(path, fields)
        assert sid(victim) not in {None, known}, path
        assert (await Caller(client, known).ask("GET", "/me")).status_code == 401, path


async def test_database_keeps_no_secret(client: httpx.AsyncClient, settings: Settings) -> None:
    ana = await guest(client, "Ana")
    assert ana.token is not None
    assert len(ana.token) >= 43  # 32 random bytes
    assert ana.token not in str(await dump(str(settings.database_url)))


async def test_signing_out_ends_the_session_on_the_server_and_in_the_browser(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    browser = signed_in(client, ana)
    await browser.get("/me")
    form = browser.page.form("/me/sign-out")
    answer = await browser.http.post(form.action)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert answer.headers["clear-site-data"] == '"storage"'
    assert re.search(r'sid="";.*Max-Age=0', answer.headers["set-cookie"])
    assert sid(browser) is None
    assert (await ana.ask("GET", "/me")).status_code == 401
    assert (await ana.do("GET", f"/tables/{code}"))["you"] is None
    assert (await bo.do("GET", "/me"))["player"]["name"] == "Bo"
    assert (await browser.http.post("/me/sign-out")).status_code == 303  # by nobody it is no fault


async def test_signing_out_elsewhere_gives_this_browser_a_new_secret_and_ends_all_others(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    assert ana.player is not None
    await _second_session(str(settings.database_url), ana.player, "second-" + "x" * 40)
    thief, mine = signed_in(client, ana), signed_in(client, ana)  # a copied cookie is one and the same secret
    await mine.get("/me")
    await mine.submit(mine.page.form("/me/sign-out-others"))
    fresh = sid(mine)
    assert fresh not in {None, ana.token}
    assert (await Caller(client, fresh).do("GET", f"/tables/{code}"))["you"]["seat"] == 0
    for old in (ana.token, "second-" + "x" * 40):
        assert (await Caller(client, old).ask("GET", "/me")).status_code == 401
    assert (await thief.post("/me/sign-out-others")).status == 401
    assert (await Caller(client, fresh).ask("GET", "/me")).status_code == 200
    assert (await bo.ask("GET", "/me")).status_code == 200


async def _second_session(url: str, player: str, token: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(
            "INSERT INTO sessions (token_hash, player_id, expires_at) VALUES ($1, $2, now() + interval '1 day')",
            players.token_hash(token),
            player,
        )
    finally:
        await connection.close()


async def test_of_two_who_sign_each_other_out_at_once_one_stays(client: httpx.AsyncClient) -> None:
    db = house_of(client).db
    for _ in range(10):
        ana = await guest(client, "Ana")
        done = await asyncio.gather(
            *(players.sign_out_elsewhere(db, ana.token) for _ in range(4)), return_exceptions=True
        )
        fresh = [token for token in done if isinstance(token, str)]
        assert len(fresh) == 1, done
        assert all(isinstance(other, Unauthenticated) for other in done if not isinstance(other, str))
        assert (await Caller(client, fresh[0]).ask("GET", "/me")).status_code == 200


async def test_expired_session_is_nobodys(client: httpx.AsyncClient, settings: Settings) -> None:
    ana = await guest(client, "Ana")
    connection = await asyncpg.connect(str(settings.database_url))
    try:
        await connection.execute("UPDATE sessions SET expires_at = now() - interval '1 second'")
    finally:
        await connection.close()
    assert (await ana.ask("GET", "/me")).status_code == 401
    assert (await signed_in(client, ana).post("/me/sign-out-others")).status == 401


def test_streams_of_an_ended_session_end_within_seconds_and_others_go_on(server: Server) -> None:
    with httpx.Client(base_url=server.url, headers={"Sec-Fetch-Site": "same-origin"}, timeout=ENDS_WITHIN) as http:
        tokens = [http.post(f"{API}/guests").json()["token"] for _ in range(2)]
        mine, other = ({"Authorization": f"Bearer {token}"} for token in tokens)
        code = http.post(f"{API}/tables", json={"game": "yacht"}, headers=mine).json()["code"]
        path = f"{API}/tables/{code}/stream"
        with http.stream("GET", path, headers=mine) as ending, http.stream("GET", path, headers=other) as staying:
            lines = staying.iter_lines()
            assert next(lines)
            begun = time.monotonic()
            http.post("/me/sign-out", headers={"Cookie": f"sid={tokens[0]}"})
            for _ in ending.iter_lines():
                assert time.monotonic() - begun < ENDS_WITHIN, "the stream goes on"
            while next(lines) != "event: beat" or time.monotonic() - begun < LOOK_EVERY + 1:
                pass
        assert http.get(f"{API}/me", headers=mine).status_code == 401
