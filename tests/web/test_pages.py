"""Home, game page, waiting room and invitation, by a browser without script."""

from __future__ import annotations

import re

import httpx
import pytest

from app.main import create_app
from app.settings import Settings
from tests.web.forms import Browser
from tests.web.service import (
    UNKNOWN,
    Caller,
    browser_of,
    dump,
    finished_table,
    guest,
    house_of,
    open_table,
    page_of,
    running_table,
)

pytestmark = pytest.mark.anyio


async def opened(service: httpx.AsyncClient, language: str = "en") -> tuple[Browser, str]:
    """Return a browser whose user has just opened a table, and the path of the table."""
    browser = Browser(service, language)
    page = await browser.get("/")
    page = await browser.submit(page.form("/g/yacht/tables"))
    assert page.status == 200
    return browser, page.url.removeprefix("http://knobel.test")


async def test_host_is_at_the_first_throw_after_three_clicks_and_no_typed_field(client: httpx.AsyncClient) -> None:
    browser, path = await opened(client)
    page = await browser.submit(browser.page.form("/start"))
    page = await browser.submit(page.form("/moves", do="roll"))
    assert page.url.endswith(path)
    assert len(page.all("input", name="hold")) == 5
    assert (browser.clicks, browser.typed) == (3, 0)


async def test_friend_sees_the_table_before_sitting_and_sits_by_one_click(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    host, path = await opened(client)
    name = host.page.id("my-name").attrs["value"]
    friend = Browser(client)
    before = await dump(str(settings.database_url))
    page = await friend.get(path)
    assert await dump(str(settings.database_url)) == before
    assert f"{name} invites you to play Yacht" in page.text
    assert page.id("name").attrs["value"]
    page = await friend.submit(page.form("/sit"))
    assert (friend.clicks, friend.typed, page.status) == (1, 0, 200)
    assert page.has("leave")
    assert not page.has("start")
    assert f"{name} starts the game" in page.text
    assert friend.http.cookies["sid"]


async def test_friend_may_change_the_proposed_name_before_sitting(client: httpx.AsyncClient) -> None:
    _, path = await opened(client)
    friend = Browser(client)
    await friend.get(path)
    page = await friend.submit(friend.page.form("/sit"), name="Beatrix")
    assert page.id("my-name").attrs["value"] == "Beatrix"


async def test_proposed_name_stays_the_same_until_sitting(client: httpx.AsyncClient) -> None:
    _, path = await opened(client)
    friend = Browser(client)
    names = [(await friend.get(path)).id("name").attrs["value"] for _ in range(5)]
    names += [(await friend.get(f"{path}/live")).id("name").attrs["value"] for _ in range(2)]
    assert len(set(names)) == 1


async def test_known_guest_is_offered_their_own_name_by_page_and_fragment(client: httpx.AsyncClient) -> None:
    code, _ = await open_table(client, "Ana")
    bo = browser_of(client, await guest(client, "Bo"))
    for path in (f"/t/{code}", f"/t/{code}/live"):
        assert (await bo.get(path)).id("name").attrs["value"] == "Bo", path
    page = await bo.post(f"/t/{code}/start")
    assert page.status == 403
    assert page.id("name").attrs["value"] == "Bo"


async def test_watching_takes_no_seat_and_shows_no_controls(client: httpx.AsyncClient, settings: Settings) -> None:
    code, _ = await open_table(client, "Ana")
    stranger = Browser(client)
    page = await stranger.get(f"/t/{code}")
    before = await dump(str(settings.database_url))
    page = await stranger.click(f"/t/{code}?watch=1")
    assert await dump(str(settings.database_url)) == before
    assert [form.action for form in page.forms if form.method == "post"] == []
    assert f"/t/{code}" in page.links


async def test_stranger_at_a_running_table_is_a_spectator_without_controls(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    page = await page_of(client, f"/t/{code}")
    assert page.status == 200
    assert [form for form in page.forms if form.method == "post"] == []
    assert page.all("input", name="hold") == []
    assert "Ana is up" in page.title
    mine = await browser_of(client, ana).get(f"/t/{code}")
    assert mine.form("/moves", do="roll")
    assert "Your turn" in mine.title


async def test_other_player_has_no_controls_while_it_is_not_their_turn(client: httpx.AsyncClient) -> None:
    code, (_, bo) = await running_table(client, "Ana", "Bo")
    page = await browser_of(client, bo).get(f"/t/{code}")
    assert [form.action for form in page.forms if form.action.endswith(("/moves", "/undo"))] == []


async def test_link_shows_the_address_of_the_setting(client: httpx.AsyncClient) -> None:
    _, path = await opened(client)
    page = await page_of(client, path, Host="127.0.0.1:8000")
    assert page.id("menu-link").attrs["value"] == f"http://knobel.test{path}"


async def test_link_and_qr_show_the_address_as_the_visitor_came_if_none_is_set(settings: Settings) -> None:
    app = create_app(settings.model_copy(update={"public_url": None}))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://knobel.test") as client,
    ):
        _, path = await opened(client)
        await _link_and_qr_follow_the_host(client, path)


async def _link_and_qr_follow_the_host(client: httpx.AsyncClient, path: str) -> None:
    origin = house_of(client).settings.origin
    pictures = set()
    for host in ("192.168.1.20:8000", "knobel.local", "[::1]:8000"):
        page = await page_of(client, f"{path}?watch=1", Host=host)
        assert page.id("link").attrs["value"] == f"http://{host}{path}"
        picture = await client.get(f"{path}/qr.svg", headers={"Host": host})
        assert picture.headers["content-type"] == "image/svg+xml"
        pictures.add(picture.content)
    assert len(pictures) == 3
    for host in ("evil.example/x", "a b", 'x"y'):
        page = await page_of(client, path, Host=host)
        assert page.id("menu-link").attrs["value"] == f"{origin}{path}"


async def test_waiting_room_shows_the_code_in_groups_and_the_code_leads_there(client: httpx.AsyncClient) -> None:
    browser, path = await opened(client)
    found = re.search(r"\b([A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{2})\b", browser.page.text)
    assert found
    friend = Browser(client)
    page = await friend.get("/")
    page = await friend.get(f"/join?code={found[1].lower()}")
    assert page.url.endswith(path)
    assert page.status == 200


async def test_unknown_code_is_a_friendly_404_that_offers_to_type_another(client: httpx.AsyncClient) -> None:
    code, _ = await open_table(client, "Ana")
    for path in (f"/t/{UNKNOWN}", "/t/nonsense", "/join?code=zz", "/join", f"/t/{UNKNOWN}/replay"):
        page = await page_of(client, path)
        assert page.status == 404, path
        form = page.form("/join")
        assert form.method == "get"
        assert "/" in page.links
        assert "no such table" in page.text
    browser = Browser(client)
    await browser.get("/t/nonsense")
    assert (await browser.get(f"{browser.page.form('/join').action}?code={code}")).status == 200


async def test_unknown_game_is_a_404(client: httpx.AsyncClient) -> None:
    page = await page_of(client, "/g/nope")
    assert page.status == 404


async def test_options_are_chosen_on_the_page_of_the_game(client: httpx.AsyncClient) -> None:
    browser = Browser(client)
    page = await browser.get("/g/yacht")
    form = page.form("/g/yacht/tables")
    assert dict(form.fields) == {
        "variant": "classic",
        "first_player": "random",
        "visibility": "unlisted",
        "clock": "none",
    }
    page = await browser.submit(form, variant="exercism", first_player="host")
    code = page.url.rsplit("/", 1)[1]
    table = await Caller(client).do("GET", f"/tables/{code}")
    assert table["options"] == {"variant": "exercism", "first_player": "host"}
    assert table["visibility"] == "unlisted"
    assert "counts the four equal dice" in page.text


async def test_name_is_changed_in_place_and_kept(client: httpx.AsyncClient) -> None:
    browser, path = await opened(client)
    page = await browser.submit(browser.page.form("/me"), name="  Zoë ")
    assert page.url.endswith(path)
    assert page.id("my-name").attrs["value"] == "Zoë"
    assert (await browser.get("/me")).id("name").attrs["value"] == "Zoë"
    second = Browser(client)
    await second.get(path)
    page = await second.submit(second.page.form("/sit"), name="zoë")
    assert page.id("my-name").attrs["value"] == "zoë 2"


async def test_host_frees_a_seat_and_the_guest_may_come_again(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await open_table(client, "Ana", "Bo")
    host, friend = browser_of(client, ana), browser_of(client, bo)
    page = await host.get(f"/t/{code}")
    assert not (await friend.get(f"/t/{code}")).has("free-0")
    page = await host.submit(page.form("/seats/1/free"))
    assert page.status == 200
    assert "Bo" not in page.id("main").text
    page = await friend.get(f"/t/{code}")
    assert (await friend.submit(page.form("/sit"))).has("leave")


async def test_a_seat_that_is_free_by_now_is_freed_without_a_word(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await open_table(client, "Ana", "Bo")
    browser = browser_of(client, ana)
    page = await browser.get(f"/t/{code}")
    form = page.form("/seats/1/free")
    for _ in range(2):  # two clicks, or its person was faster
        page = await browser.submit(form)
        assert (page.status, page.url) == (200, f"http://knobel.test/t/{code}")
        assert "1 of 10 seats taken" in page.text
    answer = await browser.http.post("/t/ZZZZZZZZZZ/seats/1/free")
    assert answer.status_code == 404


async def test_host_leaves_and_the_other_can_start(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await open_table(client, "Ana", "Bo")
    host, friend = browser_of(client, ana), browser_of(client, bo)
    page = await host.get(f"/t/{code}")
    page = await host.submit(page.form("/leave"))
    assert page.url == "http://knobel.test/"
    page = await friend.get(f"/t/{code}")
    page = await friend.submit(page.form("/start"))
    assert page.form("/moves", do="roll")
    assert (await host.get(f"/t/{code}")).status == 200


async def test_one_person_with_two_devices_has_one_seat_and_both_work(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    phone, laptop = browser_of(client, ana), browser_of(client, ana)
    await laptop.get(f"/t/{code}")
    page = await phone.get(f"/t/{code}")
    await phone.submit(page.form("/moves", do="roll"))
    page = await laptop.reload()
    page = await laptop.submit(page.form("/moves", do="score"), "choice")
    assert page.status == 200
    assert (await phone.reload()).has("undo")
    assert sum(seat["player"] is not None for seat in (await ana.do("GET", f"/tables/{code}"))["seats"]) == 2


async def test_home_and_me_list_my_tables_with_my_turn_first(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    waiting = (await ana.do("POST", "/tables", {"game": "yacht"}, 201))["code"]
    browser = browser_of(client, ana)
    for path in ("/", "/me"):
        page = await browser.get(path)
        mine = [link for link in page.links if link.startswith("/t/")]
        assert mine == [f"/t/{code}", f"/t/{waiting}"]
        assert "Your turn" in page.text
    page = await browser_of(client, bo).get("/")
    assert "Ana to move" in page.text
    assert not [link for link in (await page_of(client, "/")).links if link.startswith("/t/")]


async def test_unlisted_table_is_on_no_page_of_a_stranger(client: httpx.AsyncClient) -> None:
    codes = [
        (await open_table(client, "Ana"))[0],
        (await running_table(client, "Bo"))[0],
        (await finished_table(client, "Cleo"))[0],
    ]
    stranger = browser_of(client, await guest(client, "Dana"))
    for path in ("/", "/me", "/g/yacht", "/api/v1/me", "/api/v1/games"):
        page = await stranger.get(path)
        assert not [code for code in codes if code in page.html], path


async def test_get_and_head_on_any_page_change_nothing(client: httpx.AsyncClient, settings: Settings) -> None:
    codes = [
        (await open_table(client, "Ana"))[0],
        (await running_table(client, "Bo"))[0],
        (await finished_table(client, "Cleo"))[0],
    ]
    ana = browser_of(client, await guest(client, "Ana"))
    before = await dump(str(settings.database_url))
    paths = ["/", "/me", "/g/yacht", "/join", f"/join?code={codes[0]}", "/health/live", "/health/ready", "/api/v1/docs"]
    for code in codes:
        paths += [
            f"/t/{code}{rest}"
            for rest in ("", "?watch=1", "/live", "/replay", "/record", "/qr.svg", "/sit", "/start", "/moves")
        ]
    for path in paths:
        for method in ("GET", "GET", "HEAD", "HEAD"):
            for http in (ana.http, Browser(client).http):
                assert (await http.request(method, path)).status_code < 500, f"{method} {path}"
    assert await dump(str(settings.database_url)) == before


async def test_head_answers_as_get_without_a_body(client: httpx.AsyncClient) -> None:
    code, _ = await open_table(client, "Ana")
    for path in (
        "/",
        "/g/yacht",
        "/me",
        f"/t/{code}",
        f"/t/{code}/qr.svg",
        "/health/ready",
        "/api/v1/games",
        f"/t/{UNKNOWN}",
    ):
        get, head = await client.get(path), await client.head(path)
        assert (head.status_code, head.content) == (get.status_code, b""), path
        assert head.headers["content-type"] == get.headers["content-type"], path


async def test_head_of_a_stream_ends_at_once(client: httpx.AsyncClient) -> None:
    import asyncio

    code, _ = await open_table(client, "Ana")
    for path in (f"/t/{code}/stream", f"/api/v1/tables/{code}/stream"):
        async with asyncio.timeout(5):
            answer = await client.head(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")


async def test_invitation_has_a_card_for_messengers(client: httpx.AsyncClient) -> None:
    code, _ = await open_table(client, "Ana")
    page = await page_of(client, f"/t/{code}")
    assert "Ana invites you to Yacht" in page.title
