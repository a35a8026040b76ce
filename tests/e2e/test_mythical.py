"""Mythical Dice in real browsers: hidden bids, a round with the keyboard, without JavaScript, and how it looks."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.checks_games import begin, finish_by_chance, look_at
from tests.e2e.conftest import Guests
from tests.e2e.people import agree, mine, newer, version, whose


def _bid(page: Page, tricks: int) -> None:
    before = version(page)
    page.locator(f"#pick-bid-{tricks}").check(force=True)
    page.click("#roll")
    newer(page, before)


def _roll_first(page: Page) -> None:
    before = version(page)
    page.locator("#hand input:not([disabled])").first.check(force=True)
    page.click("#roll")
    newer(page, before)


def _play_round(pages: tuple[Page, ...], tricks: int) -> None:
    for page in pages:
        _bid(page, 0)
    for _ in range(tricks * len(pages)):
        agree(*pages)
        _roll_first(whose(*pages))
    agree(*pages)


def test_bids_are_hidden_until_all_have_bid_and_nobody_elses_click_goes_stale(guests: Guests) -> None:
    pages = (guests.come(), guests.come(), guests.come(phone=True))
    begin("mythical-dice", *pages)
    anna, ben, carl = pages
    assert all(mine(page) for page in pages)
    ben.locator("#pick-bid-0").check(force=True)
    token = ben.locator("#tray [name=turn]").input_value()
    _bid(anna, 1)
    agree(*pages)
    assert ben.locator("#pick-bid-0").is_checked(), "what ben has chosen outlives anna's bid"
    assert ben.locator("#tray [name=turn]").input_value() == token
    for other in (ben, carl):
        expect(other.locator(".bid__secret", has_text="Bid ?")).to_have_count(1)
        assert "1/1" not in other.locator("#bids").inner_text()
        assert "Bid 1" not in other.locator("#trick").inner_text()
    expect(anna.locator("#tray-watch .tray__hint")).to_contain_text("Your bid: 1")
    ben.click("#roll")
    agree(*pages)
    expect(ben.locator(".notice--bad")).to_have_count(0)
    expect(carl.locator(".bid__secret", has_text="Bid ?")).to_have_count(2)
    _bid(carl, 1)
    agree(*pages)
    for page in pages:
        expect(page.locator(".bid__secret")).to_have_count(0)
        expect(page.locator(".trick__seat .num", has_text="0/1")).to_have_count(2)
    for _ in pages:
        agree(*pages)
        _roll_first(whose(*pages))
    agree(*pages)
    expect(anna.locator("#bids tbody tr")).to_have_count(2)
    expect(anna.locator("#trick .trick__die .die")).to_have_count(3)
    expect(anna.locator("#trick[data-taken] .trick__seat[data-best]")).to_have_count(1)


def test_a_round_by_keyboard_alone(guests: Guests) -> None:
    pages = (guests.come(), guests.come(), guests.come())
    begin("mythical-dice", *pages)
    for page in pages:
        before = version(page)
        page.keyboard.press("1")
        expect(page.locator("#pick-bid-1")).to_be_checked()
        page.keyboard.press("r")
        newer(page, before)
    for _ in pages:
        agree(*pages)
        page = whose(*pages)
        before = version(page)
        page.locator("#hand input").focus()
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        newer(page, before)
    agree(*pages)
    expect(pages[0].locator("#bids tbody tr")).to_have_count(2)
    pages[0].locator("#hand [tabindex='0'], #hand input").first.focus()
    expect(pages[0].locator(".lookup__one").first).to_be_visible()


def test_a_turn_without_javascript(guests: Guests) -> None:
    plain, ben, carl = guests.come(script=False), guests.come(), guests.come()
    url = begin("mythical-dice", ben, carl, plain)
    for page in (ben, carl):
        _bid(page, 0)
    plain.goto(url)
    plain.locator("#pick-bid-1").check(force=True)
    plain.click("#roll")
    expect(plain.locator("#trick .num", has_text="0/1")).to_have_count(1)
    for _ in range(3):
        agree(ben, carl)
        if mine(ben) or mine(carl):
            _roll_first(whose(ben, carl))
        else:
            before = version(ben)
            plain.goto(url)
            plain.locator("#hand input:not([disabled])").first.check(force=True)
            plain.click("#roll")
            newer(ben, before)
    plain.goto(url)
    expect(plain.locator("#bids tbody tr")).to_have_count(2)


def test_looks_in_the_middle_and_at_the_end(guests: Guests) -> None:
    pages = (guests.come(), guests.come(locale="de-DE"), guests.come(dark=True))
    url = begin("mythical-dice", *pages)
    _play_round(pages, 1)
    wrong = look_at(pages[1], "bidding")
    for page in pages:
        _bid(page, 1)
    agree(*pages)
    wrong += look_at(whose(*pages), "rolling", deep=True)
    finish_by_chance(url, *pages)
    wrong += look_at(pages[2], "the end", deep=True)
    page = pages[1]
    page.goto(f"{url}/replay?step=60&seat=1")
    wrong += look_at(page, "replay through one player's eyes")
    expect(page.locator(".openhands li")).to_have_count(1)
    expect(page.locator("#trick [data-turn=you]")).to_have_count(0)
    page.goto(f"{url}/replay?step=60")
    expect(page.locator(".openhands li")).to_have_count(3)
    assert not wrong, "\n".join(wrong)
