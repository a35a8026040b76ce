"""Pointing at something: seen by the others for a while, and never a part of the game."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.settings import Settings
from app.web.assets import Assets
from tests.support.server import Server, execute
from tests.web.forms import Browser, Page
from tests.web.service import API, Caller, browser_of, dump, finished_table, guest, open_table, running_table
from tests.web.test_streams import messages

pytestmark = pytest.mark.anyio

GAME = "five-strolche"


async def team(service: httpx.AsyncClient, *names: str) -> tuple[str, list[Caller]]:
    """Return the code of a running table of a game that has something to point at, and its people."""
    people = [await guest(service, name) for name in names]
    code: str = (await people[0].do("POST", "/tables", {"game": GAME}, 201))["code"]
    for person in people[1:]:
        await person.do("POST", f"/tables/{code}/seats", {}, 201)
    await people[0].do("POST", f"/tables/{code}/start")
    return code, people


def said(page: Page) -> list[str]:
    """What the page says about who points at what."""
    return [node.all("span")[-1].text for node in page.id("points").all("p")]


def targets(page: Page) -> dict[str, str]:
    """What the page's list offers: value and words."""
    return {option.attrs["value"]: option.text for option in page.id("point-target").all("option")}


async def test_everybody_seated_may_point_and_all_others_read_it(client: httpx.AsyncClient) -> None:
    code, people = await team(client, "Ana", "Bo", "Cleo")
    for person, name in zip(people, ("Ana", "Bo", "Cleo"), strict=True):
        browser = browser_of(client, person)
        page = await browser.get(f"/t/{code}")
        die, words = next(one for one in targets(page).items() if one[0].startswith("die ") and "of Bo" in one[1])
        page = await browser.submit(page.form("/point"), target=die)
        assert page.status == 200
        sentence = f"{name} points at: {words}"
        for reader in (*(browser_of(client, one) for one in people), Browser(client)):
            for path in (f"/t/{code}", f"/t/{code}/live"):
                seen = await reader.get(path)
                assert sentence in said(seen), path
                assert seen.id("points").attrs["role"] == "status"
                marked = [node.attrs["data-target"] for node in seen.id("points").all("p")]
                assert die in marked
                assert seen.all(data_point=die), "the thing itself is on the page"


async def test_who_points_again_points_at_one_thing_only(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await team(client, "Ana", "Bo")
    browser = browser_of(client, ana)
    for rogue in ("john", "paul"):
        page = await browser.post(f"/t/{code}/point", [("target", f"board {rogue}")])
    assert said(page) == ["Ana points at: the board of Paul"]


async def test_htmx_gets_the_table_and_a_browser_without_script_the_page(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await team(client, "Ana", "Bo")
    http = browser_of(client, ana).http
    answer = await http.post(f"/t/{code}/point", data={"target": "board john"}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    fragment = Page(answer.text)
    assert not fragment.all("html")
    assert said(fragment) == ["Ana points at: the board of John"]
    plain = await http.post(f"/t/{code}/point", data={"target": "board john"})
    assert (plain.status_code, plain.headers["location"]) == (303, f"/t/{code}")


async def test_strangers_see_no_form_and_may_not_point(client: httpx.AsyncClient) -> None:
    code, _ = await team(client, "Ana", "Bo")
    stranger = browser_of(client, await guest(client, "Dana"))
    assert not (await stranger.get(f"/t/{code}")).has("point-form")
    page = await stranger.post(f"/t/{code}/point", [("target", "board john")])
    assert page.status == 403
    assert (await Browser(client).post(f"/t/{code}/point", [("target", "board john")])).status == 401
    assert said(await stranger.get(f"/t/{code}")) == []


@pytest.mark.parametrize(
    "target",
    ["", "board", "board nobody", "die z9", "die k2 ", "DIE K2", 'die "]', "<b>", "\x00", "x" * 50_000, None],
    ids=repr,
)
async def test_what_is_not_on_the_page_is_422_in_words(
    client: httpx.AsyncClient, settings: Settings, target: str | None
) -> None:
    code, (ana, _) = await team(client, "Ana", "Bo")
    before = await dump(str(settings.database_url))
    page = await browser_of(client, ana).post(f"/t/{code}/point", [] if target is None else [("target", target)])
    assert page.status == 422
    assert "There is nothing like that to point at now." in " ".join(page.notices)
    assert await dump(str(settings.database_url)) == before


async def test_a_die_in_the_bag_cannot_be_pointed_at(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await team(client, "Ana", "Bo")
    browser = browser_of(client, ana)
    shown = targets(await browser.get(f"/t/{code}"))
    hidden = [die for die in (f"die {c}{n}" for c in "rbky" for n in range(10)) if die not in shown]
    assert len(hidden) == 12, "24 in the hands, 4 on the boards"
    assert (await browser.post(f"/t/{code}/point", [("target", hidden[0])])).status == 422


async def test_only_while_a_game_runs_and_only_where_it_offers_something(client: httpx.AsyncClient) -> None:
    for made, status, words in (
        (await open_table(client, "Ana", "Bo"), 409, "The game has not started yet."),
        (await finished_table(client, "Ana", "Bo"), 409, "The game is over."),
        (await running_table(client, "Ana", "Bo"), 422, "There is nothing like that to point at now."),
    ):
        code, (ana, _) = made
        browser = browser_of(client, ana)
        assert not (await browser.get(f"/t/{code}")).has("point-form")
        page = await browser.post(f"/t/{code}/point", [("target", "board john")])
        assert page.status == status
        assert words in " ".join(page.notices)


async def test_it_is_gone_when_its_time_is_over(client: httpx.AsyncClient, settings: Settings) -> None:
    code, (ana, bo) = await team(client, "Ana", "Bo")
    await browser_of(client, ana).post(f"/t/{code}/point", [("target", "board john")])
    other = browser_of(client, bo)
    assert len(said(await other.get(f"/t/{code}"))) == 1
    url = str(settings.database_url)
    execute(url, "UPDATE points SET until = now() - interval '1 second'")
    assert said(await other.get(f"/t/{code}")) == []
    assert said(await other.get(f"/t/{code}/live")) == []


async def test_it_is_in_no_event_record_replay_or_answer_of_the_api(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    code, (ana, _) = await team(client, "Ana", "Bo")

    async def known() -> list[Any]:
        table = (await ana.ask("GET", f"/tables/{code}")).json()
        for seat in table["seats"]:
            seat.pop("present")  # follows the pages they look at, in its own time
        return [table, (await ana.ask("GET", f"/tables/{code}/events")).json()]

    told, rows = await known(), await dump(str(settings.database_url), "points")
    for rogue in ("john", "pink"):
        await browser_of(client, ana).post(f"/t/{code}/point", [("target", f"board {rogue}")])
    assert await known() == told
    assert await dump(str(settings.database_url), "points") == rows
    # over, with somebody who still points
    over, (cleo, _) = await finished_table(client, "Cleo", "Dana")
    reader = browser_of(client, cleo)
    paths = (f"/t/{over}/record", f"/t/{over}/replay", f"{API}/tables/{over}/replay", f"{API}/tables/{over}/events")
    before = [(await reader.http.get(path)).text for path in paths]
    execute(
        str(settings.database_url),
        f"INSERT INTO points SELECT id, 0, 'board john', now() + interval '1 hour' FROM tables WHERE code = '{over}'",
    )
    assert [(await reader.http.get(path)).text for path in paths] == before
    assert not (await reader.get(f"/t/{over}")).has("points")


async def test_a_move_keeps_the_mark_and_a_target_that_is_gone_is_not_shown(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    code, people = await team(client, "Ana", "Bo")
    await browser_of(client, people[1]).post(f"/t/{code}/point", [("target", "board john")])
    for person in people:
        turn = (await person.do("GET", f"/tables/{code}"))["you"]["turn"]
        if turn is not None:
            http = browser_of(client, person).http
            fields = {"do": "draw", "turn": str(turn)}
            answer = await http.post(f"/t/{code}/moves", data=fields, headers={"HX-Request": "true"})
            assert answer.status_code == 200
            assert said(Page(answer.text)) == ["Bo points at: the board of John"]
            break
    execute(str(settings.database_url), "UPDATE points SET target = 'die z9'")
    assert said(await browser_of(client, people[0]).get(f"/t/{code}")) == []


def test_streams_show_it_and_that_it_is_over(server: Server) -> None:
    with httpx.Client(base_url=server.url, timeout=20) as http:
        people = []
        for name in ("Ana", "Bo"):
            token = http.post(f"{API}/guests", json={"name": name}).json()["token"]
            people.append({"Authorization": f"Bearer {token}"})
        code = http.post(f"{API}/tables", json={"game": GAME}, headers=people[0]).json()["code"]
        http.post(f"{API}/tables/{code}/seats", headers=people[1])
        http.post(f"{API}/tables/{code}/start", headers=people[0])
        cookie = {"Cookie": f"sid={people[0]['Authorization'].removeprefix('Bearer ')}"}
        with messages(http, f"/t/{code}/stream") as (_, found):
            assert said(Page("\n".join(next(found)["data"]))) == []
            own = {**cookie, "Sec-Fetch-Site": "same-origin"}
            assert http.post(f"/t/{code}/point", data={"target": "board pink"}, headers=own).status_code == 303
            seen: list[list[str]] = []
            for message in found:
                seen.append(said(Page("\n".join(message["data"]))))
                if len(seen) > 1 and not seen[-1]:
                    break
            assert ["Ana points at: the board of Pink"] in seen


def test_the_script_that_marks_is_part_of_the_site() -> None:
    assets = Assets()
    assert b"data-pointed" in assets._by_name["site.css"].body
    assert b"pointflag" in assets._by_name["site.js"].body
