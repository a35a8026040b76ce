"""Two people point at things: tap, key, list, without script; marked and in words, and gone by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Guests
from tests.e2e.people import newer, sit, version, whose


def plan(guests: Guests, *, script: bool = True, phone: bool = False) -> tuple[Page, Page]:
    """Return the pages of two people at a running table of a game with something to point at."""
    host, friend = guests.come(phone=phone), guests.come(script=script)
    host.goto("/")
    host.click(".tile[data-field=five-strolche] .tile__go")
    host.wait_for_url("**/t/*")
    sit(friend, host.url)
    host.click("#start")
    if script:
        start_seen(host, friend)
    else:
        expect(host.locator("#table")).to_have_attribute("data-status", "playing")
        friend.reload()
    return host, friend


def start_seen(*pages: Page) -> None:
    for page in pages:
        expect(page.locator("#table")).to_have_attribute("data-status", "playing")


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_a_tap_marks_the_thing_for_the_other_and_is_no_move(guests: Guests, phone: bool) -> None:  # noqa: FBT001  # a parameter
    host, friend = plan(guests, phone=phone)
    mover = whose(host, friend)
    before = version(host)
    die = mover.locator("#pile [data-point]").first
    value = die.get_attribute("data-point")
    mover.click("#point")
    expect(mover.locator("#point")).to_have_attribute("aria-pressed", "true")
    expect(mover.locator("#point-how")).to_be_visible()
    die.click()
    other = friend if mover is host else host
    for page in (mover, other):
        expect(page.locator(f'[data-point="{value}"]')).to_have_attribute("data-pointed", "1" if mover is host else "2")
        expect(page.locator(f'[data-point="{value}"] .pointflag')).to_be_visible()
        expect(page.locator("#points")).to_contain_text("points at: ")
        expect(page.locator("#points .point")).to_be_in_viewport()
    expect(mover.locator("#point")).to_have_attribute("aria-pressed", "false")
    assert mover.locator("#pile input:checked").count() == 0, "the die was not chosen"
    assert version(host) == before
    # the next tap is a tap again
    die.click()
    expect(mover.locator("#pile input:checked")).to_have_count(1)
    # and it is over by itself, without a touch, and what was chosen stays
    for page in (mover, other):
        expect(page.locator("#points .point")).to_have_count(0, timeout=9500)
        expect(page.locator("[data-pointed], .pointflag")).to_have_count(0)
    expect(mover.locator("#pile input:checked")).to_have_count(1)


def test_keys_point_too_and_the_other_may_answer_out_of_turn(guests: Guests) -> None:
    host, friend = plan(guests)
    mover = whose(host, friend)
    other = friend if mover is host else host
    other.keyboard.press("p")
    other.locator("[data-board=ringo]").click()
    mover.keyboard.press("p")
    expect(mover.locator("#point")).to_have_attribute("aria-pressed", "true")
    mover.keyboard.press("Escape")
    expect(mover.locator("#point")).to_have_attribute("aria-pressed", "false")
    mover.keyboard.press("p")
    mover.keyboard.press("2")
    for page in (host, friend):
        expect(page.locator("#points .point")).to_have_count(2)
        expect(page.locator("[data-board=ringo]")).to_have_attribute("data-pointed", "1" if other is host else "2")
        expect(page.locator(".pointflag")).to_have_count(2)
    assert mover.locator("#pile input:checked").count() == 0


def test_the_list_stays_open_and_chosen_while_the_table_changes(guests: Guests) -> None:
    host, friend = plan(guests)
    mover = whose(host, friend)
    other = friend if mover is host else host
    other.click("#pointing summary")
    other.select_option("#point-target", "board pink")
    before = version(other)
    mover.click("#draw")
    newer(other, before)
    expect(other.locator("#point-target")).to_be_visible()
    expect(other.locator("#point-target")).to_have_value("board pink")
    other.click("#point-send")
    expect(mover.locator("#points")).to_contain_text("the board of Pink")
    expect(mover.locator("[data-board=pink] .pointflag")).to_be_visible()


def test_without_script_the_list_does_it(guests: Guests) -> None:
    host, friend = plan(guests, script=False)
    expect(friend.locator("#point")).to_be_hidden()
    friend.click("#pointing summary")
    friend.select_option("#point-target", "board john")
    friend.click("#point-send")
    expect(friend.locator("#points")).to_contain_text("the board of John")
    expect(host.locator("[data-board=john]")).to_have_attribute("data-pointed", "2")
