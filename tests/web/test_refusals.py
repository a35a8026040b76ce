"""What is refused by form: a page with words and the present board, the right status, and nothing changed."""

from __future__ import annotations

import httpx
import pytest

from app.settings import Settings
from tests.web.forms import Browser, Page
from tests.web.service import UNKNOWN, Caller, browser_of, dump, finished_table, guest, open_table, running_table

pytestmark = pytest.mark.anyio

Fields = list[tuple[str, str]]
ROLL: Fields = [("do", "roll"), ("turn", "2")]


@pytest.fixture
async def playing(client: httpx.AsyncClient) -> tuple[str, Browser, Browser]:
    """(path, browser of Ana who is asked, browser of Bo)"""
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    return f"/t/{code}", browser_of(client, ana), browser_of(client, bo)


async def _turn(browser: Browser, path: str) -> str:
    return (await browser.get(path)).id("table").attrs["data-token"]


def is_refusal(page: Page, status: int, words: str) -> None:
    assert page.status == status, page.text[:200]
    assert words in " ".join(page.notices)
    assert [node.attrs["role"] for node in page.all("p") if "notice--bad" in node.attrs.get("class", "")] == ["alert"]
    assert page.has("table")
    assert page.has("sheet-numbers")


async def test_stale_turn_is_409_with_the_present_board(
    playing: tuple[str, Browser, Browser], settings: Settings
) -> None:
    path, ana, _ = playing
    page = await ana.get(path)
    old = page.form("/moves", do="roll")
    await ana.submit(old)
    page = await ana.submit(ana.page.form("/moves", do="roll"), hold=["0"])
    before = await dump(str(settings.database_url))
    stale = await ana.submit(old, hold=["1"])
    is_refusal(stale, 409, "moved on")
    assert stale.id("table").attrs["data-version"] == page.id("table").attrs["data-version"]
    assert stale.form("/moves", do="roll").fields == page.form("/moves", do="roll").fields
    assert await dump(str(settings.database_url)) == before


async def test_repeated_move_is_done_once(playing: tuple[str, Browser, Browser], settings: Settings) -> None:
    path, ana, _ = playing
    form = (await ana.get(path)).form("/moves", do="roll")
    first = await ana.submit(form)
    before = await dump(str(settings.database_url))
    again = await ana.submit(form)
    assert again.status == 200
    assert again.notices == first.notices
    assert again.id("table").attrs == first.id("table").attrs
    assert await dump(str(settings.database_url)) == before


async def test_move_out_of_turn_is_409(playing: tuple[str, Browser, Browser], settings: Settings) -> None:
    path, ana, bo = playing
    turn = await _turn(ana, path)
    before = await dump(str(settings.database_url))
    is_refusal(await bo.post(f"{path}/moves", [("do", "roll"), ("turn", turn)]), 409, "not your turn")
    assert await dump(str(settings.database_url)) == before


async def test_foreign_move_is_403_and_unknown_mover_401(
    client: httpx.AsyncClient, playing: tuple[str, Browser, Browser], settings: Settings
) -> None:
    path, ana, _ = playing
    turn = await _turn(ana, path)
    stranger = browser_of(client, await guest(client, "Cleo"))
    before = await dump(str(settings.database_url))
    is_refusal(await stranger.post(f"{path}/moves", [("do", "roll"), ("turn", turn)]), 403, "do not sit")
    is_refusal(await Browser(client).post(f"{path}/moves", [("do", "roll"), ("turn", turn)]), 401, "do not know you")
    assert await dump(str(settings.database_url)) == before


MALFORMED: dict[str, Fields] = {
    "no row of the sheet": [("do", "score"), ("category", "banana")],
    "a row with NUL": [("do", "score"), ("category", "ones\0")],
    "an empty row": [("do", "score"), ("category", "")],
    "a score without a row": [("do", "score")],
    "nothing": [],
    "another do": [("do", "dance")],
    "an unknown die": [("do", "roll"), ("hold", "9")],
    "a die in words": [("do", "roll"), ("hold", "banana")],
    "all dice held": [("do", "roll"), *(("hold", str(place)) for place in range(5))],
}


@pytest.mark.parametrize("fields", MALFORMED.values(), ids=list(MALFORMED))
async def test_malformed_move_is_422_with_the_present_board(
    playing: tuple[str, Browser, Browser], settings: Settings, fields: Fields
) -> None:
    path, ana, _ = playing
    await ana.submit((await ana.get(path)).form("/moves", do="roll"))
    before = await dump(str(settings.database_url))
    page = await ana.post(f"{path}/moves", [*fields, ("turn", await _turn(ana, path))])
    is_refusal(page, 422, "")
    assert page.notices
    assert page.form("/moves", do="score")
    assert await dump(str(settings.database_url)) == before


@pytest.mark.parametrize("turn", ["", "x", "-1", "1.0", "²", "99999999999999999999", "0x1", "\0", " 1"])
async def test_turn_that_is_none_is_stale(playing: tuple[str, Browser, Browser], settings: Settings, turn: str) -> None:
    path, ana, _ = playing
    before = await dump(str(settings.database_url))
    is_refusal(await ana.post(f"{path}/moves", [("do", "roll"), ("turn", turn)]), 409, "moved on")
    assert (await ana.post(f"{path}/undo", [("version", turn)])).status == 409
    assert await dump(str(settings.database_url)) == before


async def test_score_before_the_first_roll_says_why_not(playing: tuple[str, Browser, Browser]) -> None:
    path, ana, _ = playing
    fields = [("do", "score"), ("category", "ones"), ("turn", await _turn(ana, path))]
    is_refusal(await ana.post(f"{path}/moves", fields), 422, "oll")


async def test_undo_of_nothing_is_409(playing: tuple[str, Browser, Browser]) -> None:
    path, ana, _ = playing
    version = (await ana.get(path)).id("table").attrs["data-version"]
    is_refusal(await ana.post(f"{path}/undo", [("version", version)]), 409, "nothing to take back")


async def test_commands_out_of_time_are_409_with_the_table(client: httpx.AsyncClient, settings: Settings) -> None:
    code, (ana, bo) = await running_table(client, "Ana", "Bo")
    host = browser_of(client, ana)
    before = await dump(str(settings.database_url))
    for command in ("start", "seats/1/free", "bots", "rematch"):
        page = await host.post(f"/t/{code}/{command}")
        assert (page.status, page.has("table")) == (409, True), command
        assert page.notices, command
    page = await browser_of(client, bo).post(f"/t/{code}/start")
    assert page.status == 403
    assert await dump(str(settings.database_url)) == before


async def test_full_table_offers_to_watch(client: httpx.AsyncClient, settings: Settings) -> None:
    most = (await Caller(client).do("GET", "/games"))[0]["max_players"]
    code, _ = await open_table(client, *(f"P{n}" for n in range(most)))
    stranger = Browser(client)
    page = await stranger.get(f"/t/{code}")
    assert f"/t/{code}?watch=1" in page.links
    assert not page.has("sit-form")
    before = await dump(str(settings.database_url))
    page = await stranger.post(f"/t/{code}/sit", [("name", "Late")])
    assert page.status == 409
    assert "All seats are taken" in page.text
    assert await dump(str(settings.database_url)) == before


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "a\u202eb", "x" * 25, "a\0b", "\u3164"])
async def test_refused_name_changes_nothing_and_makes_nobody(
    client: httpx.AsyncClient, settings: Settings, name: str
) -> None:
    code, (ana,) = await open_table(client, "Ana")
    before = await dump(str(settings.database_url))
    assert (await browser_of(client, ana).post("/me", [("name", name)])).status == 422
    assert (await Browser(client).post("/me", [("name", name)])).status == 422
    if name.strip():
        page = await Browser(client).post(f"/t/{code}/sit", [("name", name)])
        assert page.status == 422
        assert page.form("/sit")
        assert page.notices
    assert await dump(str(settings.database_url)) == before


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        (f"/t/{UNKNOWN}/sit", [("name", "Ana")], 404),
        ("/g/yacht/tables", [("variant", "nope")], 422),
        ("/g/yacht/tables", [("seats", "3")], 422),
        ("/g/nope/tables", [], 404),
    ],
)
async def test_refused_command_of_nobody_makes_nobody(
    client: httpx.AsyncClient, settings: Settings, path: str, fields: Fields, status: int
) -> None:
    assert (await Browser(client).post(path, fields)).status == status
    assert (await dump(str(settings.database_url)))["players"] == []


async def test_sitting_down_at_a_started_table_makes_nobody(client: httpx.AsyncClient, settings: Settings) -> None:
    code, _ = await running_table(client, "Ana")
    before = await dump(str(settings.database_url))
    page = await Browser(client).post(f"/t/{code}/sit", [("name", "Late")])
    assert page.status == 409
    assert page.notices
    assert await dump(str(settings.database_url)) == before


async def test_move_at_a_finished_table_shows_the_result(client: httpx.AsyncClient) -> None:
    code, (ana,) = await finished_table(client, "Ana")
    page = await browser_of(client, ana).post(f"/t/{code}/moves", ROLL)
    assert page.status == 409
    assert page.has("res-h")
    assert page.has("rematch")


HX = {"HX-Request": "true"}


async def test_htmx_gets_the_fragment_alone_for_a_move_and_for_its_refusal(
    playing: tuple[str, Browser, Browser],
) -> None:
    path, ana, _ = playing
    turn = await _turn(ana, path)
    for expected in (200, 409):
        fields = {"do": "roll", "turn": turn, "hold": "0"} if expected == 409 else {"do": "roll", "turn": turn}
        answer = await ana.http.post(f"{path}/moves", data=fields, headers=HX)
        assert answer.status_code == expected
        fragment = Page(answer.text)
        roots = [child for child in fragment.children if not isinstance(child, str)]
        assert [root.attrs.get("id") for root in roots] == ["table"]
        assert "".join(child for child in fragment.children if isinstance(child, str)).strip() == ""
        assert bool(fragment.notices) == (expected == 409)


async def test_htmx_sees_the_new_throw_rolling_and_a_reload_at_rest(playing: tuple[str, Browser, Browser]) -> None:
    path, ana, _ = playing
    turn = await _turn(ana, path)
    answer = await ana.http.post(f"{path}/moves", data={"do": "roll", "turn": turn}, headers=HX)
    assert len(Page(answer.text).all("label", data_state="rolling")) == 5
    assert (await ana.get(path)).all("label", data_state="rolling") == []


async def test_htmx_seat_commands_answer_a_fragment_or_send_the_browser_on(client: httpx.AsyncClient) -> None:
    code, (ana, bo) = await open_table(client, "Ana", "Bo")
    host, friend = browser_of(client, ana), browser_of(client, bo)
    freed = await host.http.post(f"/t/{code}/seats/1/free", headers=HX)
    assert Page(freed.text).id("table")
    new = Browser(client)
    sat = await new.http.post(f"/t/{code}/sit", data={"name": "Cleo"}, headers=HX)
    assert (sat.status_code, sat.headers["hx-redirect"]) == (204, f"/t/{code}")
    assert "sid" in sat.headers["set-cookie"]
    back = await friend.http.post(f"/t/{code}/sit", data={"name": "Bo"}, headers=HX)
    assert Page(back.text).has("leave")
    left = await friend.http.post(f"/t/{code}/leave", headers=HX)
    assert left.headers["hx-redirect"] == "/"
    refused = await new.http.post(f"/t/{code}/start", headers=HX)
    assert refused.status_code == 403
    assert Page(refused.text).notices


async def test_fragment_and_page_show_the_same_table(client: httpx.AsyncClient) -> None:
    for code, people in (
        await open_table(client, "Ana", "Bo"),
        await running_table(client, "Ana", "Bo"),
        await finished_table(client, "Ana"),
    ):
        for browser in (browser_of(client, people[0]), Browser(client)):
            page, fragment = await browser.get(f"/t/{code}"), await browser.get(f"/t/{code}/live")
            assert fragment.id("table").text == page.id("table").text
            ids = [node.attrs["id"] for node in page.walk() if "id" in node.attrs]
            assert len(ids) == len(set(ids))
