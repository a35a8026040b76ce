"""The main job: friends at a table, from the first link to the replay."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Guests
from tests.e2e.people import agree, newer, open_table, play_turns, roll, score, sit, start, version, whose
from tests.support.server import Server


def test_two_browsers_play_a_whole_game_and_look_at_its_replay(guests: Guests) -> None:
    host, friend = guests.come(), guests.come(phone=True, locale="de-DE")
    url = open_table(host)
    sit(friend, url)
    start(host, friend)
    play_turns((host, friend), 24)
    for page in (host, friend):
        expect(page.locator("#table")).to_have_attribute("data-status", "finished")
        expect(page.locator("#res-h")).to_be_visible()
    friend.click("#replay")
    expect(friend.locator("#step-next")).to_be_visible()
    friend.keyboard.press("End")
    expect(friend).to_have_url(re.compile(r"step=\d+"))
    steps = friend.locator("#replay").get_attribute("data-steps")
    expect(friend.locator("#replay")).to_have_attribute("data-step", str(steps))
    friend.keyboard.press("ArrowLeft")
    expect(friend.locator("#replay")).to_have_attribute("data-step", str(int(steps or 0) - 1))
    shared = guests.come()
    shared.goto(friend.url)
    assert shared.locator("#turncard h2").inner_text()
    assert shared.locator("#replay").get_attribute("data-step") == str(int(steps or 0) - 1)


def test_the_game_survives_kill_9_of_the_server_in_the_middle(guests: Guests, house: Server) -> None:
    guests.expected = (
        "Failed to load resource",
        "ERR_CONNECTION_REFUSED",
        "ERR_INCOMPLETE_CHUNKED_ENCODING",
        "htmx:sse:error",
    )
    host, friend = guests.come(), guests.come()
    sit(friend, url := open_table(host))
    start(host, friend)
    play_turns((host, friend), 3)
    page = whose(host, friend)
    roll(page)
    faces = page.locator("#dice").inner_html()
    before = agree(host, friend)
    house.kill()
    for one in (host, friend):
        expect(one.locator("#net")).to_be_visible(timeout=3000)
    house.start()
    for one in (host, friend):
        expect(one.locator("#net")).to_be_hidden(timeout=5000)
    assert agree(host, friend) == before
    fresh = guests.page(page.context)
    fresh.goto(url)
    assert faces.count("p1") == fresh.locator("#dice").inner_html().count("p1")
    fresh.close()
    score(page)
    play_turns((host, friend), 20)
    for one in (host, friend):
        expect(one.locator("#table")).to_have_attribute("data-status", "finished")


def test_three_clicks_from_home_to_the_first_throw_and_two_for_the_friend(guests: Guests) -> None:
    host, friend = guests.come(), guests.come()
    host.goto("/")
    host.click(".tile__go")  # 1
    host.wait_for_url("**/t/*")
    friend.goto(host.url)  # the friend's first click is the link
    expect(friend.locator(".chair > b")).to_have_count(1)  # the table is seen before sitting
    friend.click("#sit")  # 2
    expect(host.locator(".chair > b bdi")).to_have_count(1)
    host.click("#start")  # 2
    page = whose(host, friend)
    page.click("#roll")  # 3
    expect(page.locator("#dice input")).to_have_count(5)


def test_a_whole_game_without_javascript(guests: Guests) -> None:
    host, friend = guests.come(script=False), guests.come(script=False)
    url = open_table(host)
    friend.goto(url)
    friend.click("#sit")
    host.goto(url)
    host.click("#start")
    for _ in range(24):
        page = _whose_after_reload(host, friend, url=url)
        page.click("#roll")
        page.locator(".die__input").nth(0).check(force=True)
        page.click("#roll")
        page.locator("[data-choice]").first.click()
    for page in (host, friend):
        page.goto(url)
        expect(page.locator("#table")).to_have_attribute("data-status", "finished")
    host.click("#replay")
    host.click("#step-next")
    expect(host.locator("#replay")).to_have_attribute("data-step", "1")


def _whose_after_reload(*pages: Page, url: str) -> Page:
    for page in pages:
        page.goto(url)
        if page.locator("#table").get_attribute("data-turn") == "you":
            return page
    raise AssertionError("nobody is up")


def test_a_phone_game_by_touch_keeps_dice_and_button_on_screen(guests: Guests) -> None:
    host = guests.come(phone=True)
    open_table(host)
    start(host)
    host.locator("#roll").tap()
    expect(host.locator("#dice input")).to_have_count(5)
    for i in range(5):  # five quick taps count
        host.locator("#dice label").nth(i).tap()
    expect(host.locator("#dice input:checked")).to_have_count(5)
    host.locator("#dice label").nth(1).tap()
    host.locator("#dice label").nth(3).tap()
    assert [box.is_checked() for box in host.locator("#dice input").all()] == [True, False, True, False, True]
    host.reload()  # what is held has positions and survives a reload
    assert [box.is_checked() for box in host.locator("#dice input").all()] == [True, False, True, False, True]
    kept = [host.locator("#dice .die").nth(i).inner_html().count("#p") for i in (0, 2, 4)]
    assert kept == [1, 1, 1]
    for place in ("#roll", "#dice"):
        box = host.locator(place).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 740
    host.locator("#roll").tap()
    expect(host.locator(".count i.is-on")).to_have_count(2)


def test_a_whole_turn_by_keyboard(guests: Guests) -> None:
    host = guests.come()
    open_table(host)
    start(host)
    host.keyboard.press("r")
    expect(host.locator("#dice input")).to_have_count(5)
    host.keyboard.press("1")
    host.keyboard.press("4")
    expect(host.locator("#dice input:checked")).to_have_count(2)
    before = version(host)
    # a person takes longer than the 80 ms within which the same button is taken for the second half of a double click
    host.wait_for_timeout(120)
    host.keyboard.press("r")
    newer(host, before)
    expect(host.locator("#dice input:checked")).to_have_count(2)
    host.keyboard.press("ArrowDown")
    host.keyboard.press("ArrowDown")
    before = version(host)
    host.keyboard.press("Enter")
    newer(host, before)
    expect(host.locator(".score__set")).to_have_count(1)
    host.keyboard.press("u")  # undo instead of a question
    expect(host.locator(".score__set")).to_have_count(0)
    expect(host.locator("#dice input")).to_have_count(5)


def test_a_rematch_takes_everybody_at_the_table_along(guests: Guests) -> None:
    host, friend, watcher = guests.come(), guests.come(), guests.come()
    sit(friend, url := open_table(host))
    start(host, friend)
    watcher.goto(url)
    play_turns((host, friend), 24)
    friend.click("#rematch")
    friend.wait_for_url(lambda address: address != url and "/t/" in address)
    for page in (host, watcher):
        page.wait_for_url(friend.url)
    expect(host.locator("#table")).to_have_attribute("data-status", "open")


@pytest.mark.parametrize("clicks", [2, 3])
def test_a_double_click_rolls_once(guests: Guests, clicks: int) -> None:
    host = guests.come()
    open_table(host)
    start(host)
    before = version(host)
    host.locator("#roll").click(click_count=clicks, delay=5)
    newer(host, before)
    host.wait_for_timeout(300)
    expect(host.locator(".count i.is-on")).to_have_count(1)
    assert version(host) == before + 2
