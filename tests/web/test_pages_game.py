"""A whole game without script: only links, forms and their buttons, as the pages offer them."""

from __future__ import annotations

import httpx
import pytest

from app.records import record as records
from tests.web.forms import Browser, Page
from tests.web.service import CATEGORIES, Caller, browser_of, finished_table, running_table, script_dice
from tests.web.test_pages import opened

pytestmark = pytest.mark.anyio


async def test_whole_game_by_plain_forms_from_the_invitation_to_the_rematch(client: httpx.AsyncClient) -> None:
    host = Browser(client)
    await host.get("/g/yacht")
    await host.submit(host.page.form("/g/yacht/tables"), first_player="host")
    path = host.page.url.removeprefix("http://knobel.test")
    friend = Browser(client, "de")
    await friend.get(path)
    await friend.submit(friend.page.form("/sit"), name="Bo")
    await host.reload()
    await host.submit(host.page.form("/start"))
    for category in CATEGORIES:
        for player in (host, friend):
            await _turn(player, category)
    for player in (host, friend):
        page = await player.reload()
        assert page.id("table").attrs["data-status"] == "finished"
        assert page.id("res-h").text
        assert len(page.all("li", class_="rank")) == 2
        assert f"{path}/replay?step=0" in page.links
        assert f"{path}/record" in page.links
    page = await friend.submit(friend.page.form("/rematch"))
    new = page.url
    assert new != f"http://knobel.test{path}"
    page = await host.reload()
    assert page.id("next-table").attrs["href"] == new.removeprefix("http://knobel.test")
    page = await host.click(page.id("next-table").attrs["href"])
    assert page.has("leave")
    await friend.reload()
    page = await friend.submit(friend.page.form("/start"))
    assert page.id("table").attrs["data-status"] == "playing"


async def _turn(player: Browser, category: str) -> None:
    page = await player.reload()
    page = await player.submit(page.form("/moves", do="roll"))
    dice = _dice(page)
    page = await player.submit(page.form("/moves", do="roll"), hold=["0", "3"])
    assert [_dice(page)[0], _dice(page)[3]] == [dice[0], dice[3]]
    assert page.status == 200
    offered = [value for _, value, _ in page.form("/moves", do="score").buttons]
    assert offered == [name for name in CATEGORIES if name in offered]
    assert category in offered
    page = await player.submit(page.form("/moves", do="score"), category)
    assert page.status == 200
    assert page.id("table").attrs["data-status"] == "finished" or not page.has("roll")


def _dice(page: Page) -> list[str]:
    """The faces in the tray, by position."""
    return [node.attrs["aria-label"].split(",")[0].split()[-1] for node in page.all("input", name="hold")]


@pytest.fixture
async def at_turn(client: httpx.AsyncClient) -> tuple[Browser, str]:
    """(the browser of the host, who is asked, the code)"""
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    browser = browser_of(client, ana)
    await browser.get(f"/t/{code}")
    return browser, code


async def test_held_dice_have_positions_and_survive_reload(
    client: httpx.AsyncClient, at_turn: tuple[Browser, str]
) -> None:
    browser, code = at_turn
    script_dice(client, 3, 3, 3, 1, 3, 6, 5)
    page = await browser.submit(browser.page.form("/moves", do="roll"))
    assert _dice(page) == ["3", "3", "3", "1", "3"]
    # twin dice do not move together: the second and the fourth go
    page = await browser.submit(page.form("/moves", do="roll"), hold=["0", "2", "4"])
    assert _dice(page) == ["3", "6", "3", "5", "3"]
    for page in (page, await browser.reload()):  # noqa: PLR1704, B020  # the same page, asked again
        held = [node.attrs["value"] for node in page.all("input", name="hold") if "checked" in node.attrs]
        assert held == ["0", "2", "4"]
    state = (await Caller(client).do("GET", f"/tables/{code}"))["state"]
    assert state["dice"] == [3, 6, 3, 5, 3]


async def test_every_set_of_dice_can_be_held(client: httpx.AsyncClient) -> None:
    for held in (["0"], ["4"], ["0", "1", "2", "3"], ["1", "3"], []):
        code, (ana,) = await running_table(client, "Ana")
        browser = browser_of(client, ana)
        script_dice(client, 2, 2, 2, 2, 2, *[5] * (5 - len(held)))
        await browser.get(f"/t/{code}")
        page = await browser.submit(browser.page.form("/moves", do="roll"))
        page = await browser.submit(page.form("/moves", do="roll"), hold=held)
        assert _dice(page) == ["2" if str(place) in held else "5" for place in range(5)]


async def test_open_rows_show_what_they_would_score_and_write_just_that(
    client: httpx.AsyncClient, at_turn: tuple[Browser, str]
) -> None:
    browser, code = at_turn
    script_dice(client, 6, 6, 6, 2, 2)
    page = await browser.submit(browser.page.form("/moves", do="roll"))
    offers = {value: label for _, value, label in page.form("/moves", do="score").buttons}
    assert offers == dict(zip(CATEGORIES, "0 4 0 0 0 18 22 22 0 0 0 0".split(), strict=True))
    page = await browser.submit(page.form("/moves", do="score"), "full_house")
    assert (await Caller(client).do("GET", f"/tables/{code}"))["state"]["totals"] == [22, 0]
    assert "full house" in page.id("undo-form").text


async def test_after_the_third_roll_only_rows_are_offered(
    client: httpx.AsyncClient, at_turn: tuple[Browser, str]
) -> None:
    browser, _ = at_turn
    page = browser.page
    for _ in range(3):
        page = await browser.submit(page.form("/moves", do="roll"))
    assert page.form("/moves", do="roll").buttons == ()
    assert page.all("input", name="hold") == []
    assert len(page.form("/moves", do="score").buttons) == 12


async def test_score_is_undone_by_a_button_until_the_next_throw(
    client: httpx.AsyncClient, at_turn: tuple[Browser, str]
) -> None:
    browser, code = at_turn
    page = await browser.submit(browser.page.form("/moves", do="roll"))
    rolled = page.id("dice").text, _dice(page)
    page = await browser.submit(page.form("/moves", do="score"), "choice")
    assert (await browser.reload()).has("undo")
    page = await browser.submit(page.form("/undo"))
    assert (page.id("dice").text, _dice(page)) == rolled
    assert not page.has("undo")
    await browser.submit(page.form("/moves", do="score"), "yacht")
    table = await Caller(client).do("GET", f"/tables/{code}")
    assert table["state"]["sheets"][0]["choice"] is None


async def test_replay_goes_first_back_forward_last_by_links(client: httpx.AsyncClient) -> None:
    code, (ana,) = await finished_table(client, "Ana")
    browser = Browser(client)
    page = await browser.get(f"/t/{code}/replay?step=0")
    steps = int(page.id("replay").attrs["data-steps"])
    assert steps == 36
    page = await browser.click(f"/t/{code}/replay?step=1")
    assert page.id("replay").attrs["data-step"] == "1"
    page = await browser.click(page.id("step-last").attrs["href"])
    assert page.id("replay").attrs["data-step"] == str(steps)
    last = _sheet(page)
    page = await browser.click(f"/t/{code}/replay?step={steps - 1}")
    assert _sheet(page) != last
    page = await browser.click(f"/t/{code}/replay?step={steps}")
    assert _sheet(page) == last
    finished = await browser_of(client, ana).get(f"/t/{code}")
    assert _sheet(finished) == last


def _sheet(page: Page) -> list[str]:
    return [node.text for node in page.all("td")]


async def test_replay_shows_at_each_step_what_the_log_gives(client: httpx.AsyncClient) -> None:
    code, _ = await finished_table(client, "Ana", "Bo")
    for step in (0, 1, 2, 3, 30, 71, 72):
        page = Page((await client.get(f"/t/{code}/replay?step={step}")).text)
        state = (await Caller(client).do("GET", f"/tables/{code}/replay?step={step}"))["state"]
        scores = [node.text for node in page.all("span", class_="player__score")]
        assert scores[:2] == [str(total) for total in state["totals"]], step
        shown = [node.attrs["aria-label"].split(",")[0] for node in page.id("turncard").all("span", role="img")]
        assert shown == [str(face) for face in state["dice"] or ()], step


async def test_replay_is_shareable_and_its_table_of_contents_leads_to_each_throw(client: httpx.AsyncClient) -> None:
    code, _ = await finished_table(client, "Ana")
    page = Page((await client.get(f"/t/{code}/replay?step=5")).text)
    contents = [node.attrs["href"] for node in page.id("moves").all("a")]
    assert len(contents) == 24
    assert len(set(contents)) == 24
    for link in contents[::7]:
        assert (await client.get(link)).status_code == 200


async def test_replay_beyond_the_end_is_the_end_and_before_the_start_the_start(client: httpx.AsyncClient) -> None:
    code, _ = await finished_table(client, "Ana")
    for step, shown in ((-5, "0"), (37, "36"), (10**12, "36")):
        page = Page((await client.get(f"/t/{code}/replay?step={step}")).text)
        assert page.id("replay").attrs["data-step"] == shown


async def test_replay_of_a_running_game_is_refused(client: httpx.AsyncClient, at_turn: tuple[Browser, str]) -> None:
    browser, code = at_turn
    for rest in ("replay", "replay?step=1", "record"):
        assert (await browser.get(f"/t/{code}/{rest}")).status == 409


async def test_record_is_a_file_that_verifies(client: httpx.AsyncClient) -> None:
    code, _ = await finished_table(client, "Ana")
    answer = await client.get(f"/t/{code}/record")
    assert answer.headers["content-disposition"] == f'attachment; filename="knobel-yacht-{code}.json"'
    records.verify(records.read(answer.content))


async def test_page_without_script_offers_to_look_again(client: httpx.AsyncClient) -> None:
    browser, path = await opened(client)
    friend = Browser(client)
    await friend.get(path)
    await friend.submit(friend.page.form("/sit"))
    assert any(path in {a.attrs.get("href") for a in node.all("a")} for node in friend.page.all("noscript"))
    await browser.reload()
    await browser.submit(browser.page.form("/start"))
    waiting = next(page for page in (await browser.reload(), await friend.reload()) if not page.has("roll"))
    assert any(path in {a.attrs.get("href") for a in node.all("a")} for node in waiting.all("noscript"))
