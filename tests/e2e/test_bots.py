"""Bots, stand-ins and clocks as people meet them: in a browser, on a phone, without script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Guests
from tests.e2e.people import mine, newer, open_table, roll, score, sit, start, version
from tests.support.server import Server, execute

GAMES = ("yacht", "vault", "mythical-dice", "five-strolche")


@pytest.mark.parametrize("game", GAMES)
def test_solo_play_against_bots_starts_with_two_clicks(guests: Guests, game: str) -> None:
    host = guests.come(phone=True)
    host.goto("/")
    host.click(f".tile[data-field={game}] .tile__go")  # 1
    host.wait_for_url("**/t/*")
    host.click("#fill")  # 2
    expect(host.locator("#table")).to_have_attribute("data-status", "playing")
    expect(host.locator(".botmark").filter(visible=True).first).to_be_visible()  # who plays is marked on a phone too


def test_bots_are_added_and_removed_with_one_click_each_and_the_friend_sees_it(guests: Guests) -> None:
    host, friend = guests.come(), guests.come(phone=True, locale="de-DE")
    url = open_table(host)
    friend.goto(url)
    host.click("#bot-hard")
    expect(host.locator("#chair-1")).to_contain_text("bot, hard")
    expect(friend.locator(".chair").nth(1)).to_contain_text("Bot, schwer")
    host.click("#bot-easy")
    expect(host.locator("#chair-2")).to_contain_text("bot, easy")
    host.click("#free-1")
    expect(host.locator("#chair-1")).to_have_count(0)
    friend.click("#sit")
    expect(friend.locator("#bot-easy")).to_have_count(0)  # that is for the host


def test_a_bot_answers_a_turn_by_itself_and_its_rolls_are_used(guests: Guests) -> None:
    host = guests.come()
    open_table(host)
    host.click("#fill")
    expect(host.locator("#table")).to_have_attribute("data-status", "playing")
    for _ in range(2):
        _until_mine(host)
        roll(host)
        score(host)
    _until_mine(host)
    # B57: it does not score what falls first; two rolls are ours, and each of its turns has one at least
    assert host.locator("#log").inner_text().count("rolls") >= 5
    assert host.locator(".score__set").count() == 2


def _until_mine(page: Page) -> None:
    expect(page.locator("#table")).to_have_attribute("data-turn", "you", timeout=20_000)


def test_leaving_and_coming_back_is_one_click_each(guests: Guests) -> None:
    host, friend = guests.come(), guests.come(phone=True)
    sit(friend, url := open_table(host))
    start(host, friend)
    friend.click("#leave")
    friend.wait_for_url("**/")
    expect(host.locator(".players.only-desk .player").nth(1)).to_contain_text("a bot stands in")
    friend.goto(url)
    expect(friend.locator("#roll")).to_have_count(0)
    friend.click("#back")
    expect(friend.locator("#back")).to_have_count(0)
    expect(host.locator(".botmark")).to_have_count(0)


def test_a_long_name_hides_no_mark_and_makes_no_page_scroll_sideways(guests: Guests) -> None:
    host, friend = guests.come(phone=True), guests.come(phone=True, locale="de-DE")
    url = open_table(host)
    for level in ("easy", "hard"):
        host.click(f"#bot-{level}")
    expect(host.locator("#chair-2")).to_be_visible()
    friend.goto(url)
    friend.fill("#name", "Bartholomäus der Große")
    friend.click("#sit")
    expect(host.locator("#chair-3")).to_be_visible()
    start(host, friend)
    friend.click("#leave")
    friend.wait_for_url("**/")
    assert not friend.evaluate("document.documentElement.scrollWidth > innerWidth")
    marks = host.locator(".players.only-phone .botmark")
    expect(marks).to_have_count(3)
    for place in range(3):
        mark, seat = marks.nth(place).bounding_box(), host.locator(".players.only-phone li:has(.botmark)").nth(place)
        around = seat.bounding_box()
        assert mark is not None and around is not None  # noqa: PT018  # for the types
        assert mark["width"] > 8
        assert mark["x"] + mark["width"] <= around["x"] + around["width"]
    assert not host.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_the_others_decide_about_somebody_who_is_away(guests: Guests, house: Server) -> None:
    host, friend, watcher = guests.come(), guests.come(phone=True, locale="de-DE"), guests.come()
    sit(friend, url := open_table(host))
    start(host, friend)
    watcher.goto(url)
    away, here = (host, friend) if mine(host) else (friend, host)
    away.close()
    code = url.rsplit("/", 1)[1]
    expect(here.locator(".notice--away")).to_have_count(0)
    _let_a_minute_pass(house, code, here)
    expect(here.locator(".notice--away")).to_be_visible()
    expect(watcher.locator(".notice--away")).to_be_visible()
    expect(watcher.locator(".notice--away button")).to_have_count(0)
    before = version(here)
    here.locator(".notice--away [value=stand_in]").click()
    newer(here, before)
    expect(here.locator(".notice--away")).to_have_count(0)
    expect(here.locator("#table")).to_have_attribute("data-turn", "you", timeout=20_000)  # the bot has played


def _let_a_minute_pass(house: Server, code: str, page: Page) -> None:
    """Have everybody who is away at a table be so since a minute ago, once the service has noted that they are."""
    for _ in range(60):
        done = execute(
            house.database_url,
            "WITH t AS (SELECT id FROM tables WHERE code = '%s'), s AS ("  # noqa: UP031  # our own code
            " UPDATE seats SET seen_at = now() - interval '61 s', asked_since = now() - interval '61 s' FROM t"
            " WHERE table_id = t.id AND asked_at IS NOT NULL AND seen_at IS NOT NULL AND NOT EXISTS ("
            "  SELECT FROM presence p WHERE p.table_id = t.id AND p.player_id = seats.player_id) RETURNING 1)"
            " UPDATE tables SET wake_at = now() WHERE id = (SELECT id FROM t) AND EXISTS (SELECT FROM s)" % code,
        )
        if done == "UPDATE 1":
            return
        page.wait_for_timeout(250)
    raise AssertionError("nobody has gone")


def test_a_clock_is_shown_with_its_time_and_place_and_a_public_table_is_found(guests: Guests) -> None:
    host, friend = guests.come(), guests.come(phone=True, locale="de-DE")
    host.goto("/g/yacht")
    host.select_option("#visibility", "public")
    host.select_option("#clock", "days-2")
    host.click(".create button")
    host.wait_for_url("**/t/*")
    friend.goto("/")
    expect(friend.locator(".resume__card").last).to_contain_text("2 Tage pro Zug")  # known before one sits down
    friend.click(".resume__card")
    friend.wait_for_url(host.url)
    expect(friend.locator("#join-clock")).to_have_text("2 Tage pro Zug")
    friend.click("#sit")
    expect(host.locator("#chair-1")).to_be_visible()
    start(host, friend)
    for page, day in ((host, "1 d 23 h ("), (friend, "1 d 23 h (")):
        expect(page.locator("time.deadline").first).to_contain_text(day)
    assert host.locator("time.deadline").first.inner_text() != ""


def test_bots_and_coming_back_without_script(guests: Guests) -> None:
    host = guests.come(script=False)
    url = open_table(host)
    host.click("#bot-easy")
    expect(host.locator("#chair-1")).to_contain_text("bot, easy")
    host.click("#start")
    expect(host.locator("#table")).to_have_attribute("data-status", "playing")
    host.click("#leave")
    host.goto(url)
    expect(host.locator("#table")).to_have_attribute("data-status", "abandoned")
