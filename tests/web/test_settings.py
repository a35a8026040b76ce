"""Language, colours, sound, keys and sessions: cookies that a browser keeps, and what pages make of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from http.cookies import Morsel, SimpleCookie

import asyncpg
import httpx
import pytest

from app.main import create_app
from app.settings import Settings
from tests.web.forms import Browser
from tests.web.service import Caller, browser_of, finished_table, open_table, running_table
from tests.web.test_pages import opened

pytestmark = pytest.mark.anyio

HALF_A_YEAR = 180 * 24 * 3600


def cookies_of(answer: httpx.Response) -> dict[str, Morsel[str]]:
    """The cookies an answer sets, with their flags."""
    found: dict[str, Morsel[str]] = {}
    for line in answer.headers.get_list("set-cookie"):
        found.update(SimpleCookie(line))
    return found


@pytest.fixture
async def secure(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """The service behind https."""
    app = create_app(settings.model_copy(update={"public_url": "https://knobel.test"}))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="https://knobel.test") as one,
    ):
        yield one


NEGOTIATED = [
    ("", "en"),
    ("de", "de"),
    ("en", "en"),
    ("fr", "en"),
    ("fr, de;q=0.3", "de"),
    ("de-AT", "de"),
    ("de-AT,de;q=0.9,en;q=0.8", "de"),
    ("en-GB,de;q=0.9", "en"),
    ("en;q=0.5, de;q=0.9", "de"),
    ("de;q=0, en", "en"),
    ("de;q=0", "en"),
    ("DE", "de"),
    ("De-de", "de"),
    ("*", "en"),
    ("fr, *;q=0.1", "en"),
    ("de;q=nan", "en"),
    ("de;q=x", "en"),
    ("de;Q=0.5", "de"),
    (";;;,,,=", "en"),
    ("d" * 5000, "en"),
    ("xx," * 50 + "de", "en"),
]


@pytest.mark.parametrize(("header", "language"), NEGOTIATED, ids=[header[:30] or "none" for header, _ in NEGOTIATED])
async def test_language_is_what_the_browser_asks_for(client: httpx.AsyncClient, header: str, language: str) -> None:
    assert (await Browser(client, header).get("/")).lang == language


async def test_language_is_switched_by_a_link_and_kept_for_a_guest(client: httpx.AsyncClient) -> None:
    browser = Browser(client, "en")
    page = await browser.get("/")
    page = await browser.click("/?lang=de")
    assert page.lang == "de"
    assert (await browser.get("/g/yacht")).lang == "de"
    code, _ = await open_table(client, "Ana")
    page = await browser.get(f"/t/{code}")
    assert page.lang == "de"
    page = await browser.submit(page.form("/sit"))
    assert page.lang == "de"
    assert (await browser.get("/nowhere")).lang == "de"
    page = await browser.get(f"/t/{code}?lang=en")
    assert (page.lang, (await browser.get("/")).lang) == ("en", "en")


async def test_link_may_carry_a_language_and_an_unknown_one_is_ignored(client: httpx.AsyncClient) -> None:
    assert (await Browser(client, "en").get("/?lang=de")).lang == "de"
    for value in ("fr", "DE", "../de", "", "<b>"):
        assert (await Browser(client, "en").get(f"/?lang={value}")).lang == "en"


async def test_language_switch_keeps_the_page_and_its_step(client: httpx.AsyncClient) -> None:
    code, _ = await finished_table(client, "Ana")
    page = await Browser(client).get(f"/t/{code}?watch=1")
    assert f"/t/{code}?watch=1&lang=de" in page.links


GERMAN = ("Würfelspiele", "Spieler", "Dein", "Regeln", "Tisch", "Runde", "Du bist dran", "Startseite")
ENGLISH = (
    "Dice games",
    "players",
    "Your ",
    "Rules",
    "Table",
    "Round",
    "Your turn",
    "start page",
    "Leave the",
    "Just watch",
)


@pytest.mark.parametrize("language", ["de", "en"])
async def test_every_page_is_in_one_language_alone(client: httpx.AsyncClient, language: str) -> None:
    waiting, (ana,) = await open_table(client, "Ana")
    playing, (bo, _) = await running_table(client, "Bo", "Cleo")
    over, (dana,) = await finished_table(client, "Dana")
    foreign, own = (ENGLISH, GERMAN) if language == "de" else (GERMAN, ENGLISH)
    seen = ""
    for browser, path in (
        (Browser(client, language), "/"),
        (Browser(client, language), "/g/yacht"),
        (Browser(client, language), "/me"),
        (Browser(client, language), f"/t/{waiting}"),
        (Browser(client, language), f"/t/{waiting}?watch=1"),
        (Browser(client, language), f"/t/{playing}"),
        (Browser(client, language), f"/t/{over}/replay?step=3"),
        (Browser(client, language), "/nowhere"),
        (Browser(client, language), "/t/nowhere"),
        (browser_of(client, ana, language), f"/t/{waiting}"),
        (browser_of(client, bo, language), f"/t/{playing}"),
        (browser_of(client, bo, language), "/"),
        (browser_of(client, dana, language), f"/t/{over}"),
    ):
        page = await browser.get(path)
        assert page.lang == language
        words = page.text + " ".join(
            node.attrs.get(name, "") for node in page.walk() for name in ("aria-label", "alt", "placeholder", "content")
        )
        assert not [word for word in foreign if word in words], f"{path}: {[w for w in foreign if w in words]}"
        assert any(word in words for word in own), path
        seen += words
    assert sum(word in seen for word in own) >= len(own) - 2


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("path", ["/replay?step=x", "/seats/x/free"])
async def test_numbers_that_are_none_are_refused_in_the_language_of_the_page(
    client: httpx.AsyncClient, language: str, path: str
) -> None:
    code, (ana,) = await open_table(client, "Ana")
    browser = browser_of(client, ana, language)
    page = await (browser.get if "replay" in path else browser.post)(f"/t/{code}{path}")
    assert page.status in {404, 409, 422}
    assert "nput should be" not in page.text
    assert page.lang == language


@pytest.mark.parametrize(
    ("query", "tag", "attribute", "value"),
    [
        ("theme=dark", "html", "data-theme", "dark"),
        ("theme=light", "html", "data-theme", "light"),
        ("sound=off", "body", "data-sound", "off"),
        ("keys=off", "body", "data-keys", "off"),
    ],
)
async def test_setting_is_changed_by_a_link_and_kept(
    client: httpx.AsyncClient, query: str, tag: str, attribute: str, value: str
) -> None:
    browser = Browser(client)
    page = await browser.get("/me")
    page = await browser.click(f"/me?{query}")
    assert page.all(tag)[0].attrs[attribute] == value
    assert (await browser.get("/")).all(tag)[0].attrs[attribute] == value
    name = query.split("=")[0]
    if value == "off":
        page = await browser.get(f"/?{name}=on")
        assert page.all(tag)[0].attrs[attribute] == "on"


async def test_unknown_settings_are_ignored(client: httpx.AsyncClient) -> None:
    page = await Browser(client).get('/?theme="><b>&sound=maybe&keys=1')
    assert "data-theme" not in page.all("html")[0].attrs
    assert page.all("body")[0].attrs["data-sound"] == "on"


async def test_session_cookie_is_for_the_server_alone_and_lives_half_a_year(client: httpx.AsyncClient) -> None:
    browser = Browser(client)
    await browser.get("/")
    answer = await browser.http.post("/g/yacht/tables")
    cookie = cookies_of(answer)["sid"]
    assert cookie["httponly"]
    assert cookie["samesite"].lower() == "lax"
    assert cookie["path"] == "/"
    assert not cookie["secure"]
    assert not cookie["domain"]
    assert int(cookie["max-age"]) >= HALF_A_YEAR
    assert len(cookie.value) >= 43


async def test_session_is_renewed_by_use(client: httpx.AsyncClient, settings: Settings) -> None:
    browser, _ = await opened(client)
    connection = await asyncpg.connect(str(settings.database_url))
    await connection.execute(
        "UPDATE sessions SET used_at = now() - interval '100 days', expires_at = now() + interval '10 days'"
    )
    answer = await browser.http.get("/")
    cookie = cookies_of(answer)["sid"]
    assert int(cookie["max-age"]) >= HALF_A_YEAR
    assert cookie.value == browser.http.cookies["sid"]
    left = await connection.fetchval("SELECT extract(epoch FROM expires_at - now()) FROM sessions")
    await connection.close()
    assert left >= HALF_A_YEAR


async def test_only_a_hash_of_the_session_is_stored(client: httpx.AsyncClient, settings: Settings) -> None:
    from tests.web.service import dump

    browser, _ = await opened(client)
    assert browser.http.cookies["sid"] not in str(await dump(str(settings.database_url)))


async def test_expired_session_is_nobody(client: httpx.AsyncClient, settings: Settings) -> None:
    code, (ana,) = await open_table(client, "Ana")
    connection = await asyncpg.connect(str(settings.database_url))
    await connection.execute("UPDATE sessions SET expires_at = now() - interval '1 second'")
    await connection.close()
    assert (await ana.ask("GET", "/me")).status_code == 401
    assert (await ana.do("GET", f"/tables/{code}"))["you"] is None
    assert (await browser_of(client, ana).get(f"/t/{code}")).has("sit-form")


async def test_known_session_is_not_taken_from_who_brings_one(client: httpx.AsyncClient) -> None:
    browser = Browser(client)
    browser.http.cookies.set("sid", "f" * 43)
    await browser.get("/")
    await browser.submit(browser.page.form("/g/yacht/tables"))
    assert (await Caller(client, "f" * 43).ask("GET", "/me")).status_code == 401


async def test_behind_https_every_cookie_is_secure_and_the_session_bound_to_the_host(secure: httpx.AsyncClient) -> None:
    browser = Browser(secure)
    first = await browser.http.get("/?lang=de&theme=dark&sound=off&keys=off")
    assert set(cookies_of(first)) == {"guest", "lang", "theme", "sound", "keys"}
    made = await browser.http.post("/g/yacht/tables")
    cookies = {**cookies_of(first), **cookies_of(made)}
    assert "__Host-sid" in cookies
    for name, cookie in cookies.items():
        assert cookie["secure"], name
        assert cookie["httponly"], name
        assert cookie["path"] == "/", name
        assert not cookie["domain"], name
    assert made.headers["strict-transport-security"].startswith("max-age=31536000")
    page = await browser.get(made.headers["location"])
    assert page.has("leave")
    assert page.id("link").attrs["value"].startswith("https://knobel.test/t/")


async def test_plain_cookie_is_no_session_behind_https(secure: httpx.AsyncClient) -> None:
    browser, path = Browser(secure), ""
    await browser.get("/")
    path = (await browser.http.post("/g/yacht/tables")).headers["location"]
    token = browser.http.cookies["__Host-sid"]
    other = Browser(secure)
    other.http.cookies.set("sid", token)
    assert (await other.get(path)).has("sit-form")
