"""5 Strolche II in real browsers: planning together, reasons, the warning before a throw, without JavaScript, looks."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.e2e.checks_games import begin, look_at, post, tray_form
from tests.e2e.conftest import Guests
from tests.e2e.people import agree, newer, version, whose
from tests.web.forms import Form
from tests.web.forms import Page as Html

PATIENCE = 60


def _gate(page: Page) -> int:
    return int(page.locator("#gate").get_attribute("data-closed") or 0)


def _roll_all(page: Page) -> None:
    before = version(page)
    for box in page.locator("#pile input").all():
        box.check(force=True)
    page.click("#roll")
    newer(page, before)


def _half_closed(*pages: Page) -> Page:
    """Roll everything again until half of the gate is closed; returns whoever is up then."""
    for _ in range(PATIENCE):
        agree(*pages)
        page = whose(*pages)
        if _gate(page) == 1:
            return page
        _roll_all(page)
    raise AssertionError("no six in so many throws")


def _shut(url: str, *pages: Page) -> None:
    for _ in range(PATIENCE):
        for page in pages:
            form = tray_form(page, url)
            if form is not None:
                dice = [node.attrs["value"] for node in form.node.all("input", name="hold")]
                post(page, form, "reroll", hold=dice)
        if pages[0].locator("#table").get_attribute("data-status") == "finished":
            return
    raise AssertionError("the gate does not shut")


def test_two_plan_together(guests: Guests) -> None:
    pages = (guests.come(), guests.come(phone=True))
    begin("five-strolche", *pages)
    page = whose(*pages)
    other = pages[1] if page is pages[0] else pages[0]
    expect(page.locator("#status")).to_contain_text("2 actions left")
    # everybody sees everybody's dice
    own = page.locator("#pile input").count()
    theirs = other.locator("#tray-watch .tray__hand .die").count()
    assert page.locator(".team .mate__dice .die").count() == theirs
    assert other.locator(".team .mate__dice .die").count() == own
    # every die says what it could do now, or why not
    expect(page.locator(".deed:visible")).to_have_count(0)
    for number, group in enumerate(page.locator("#pile > .die").evaluate_all("all => all.map(e => e.dataset.group)")):
        box = page.locator("#pile input").nth(number)
        box.check(force=True)
        shown = page.locator(".deed:visible")
        expect(shown).to_have_count(1)
        expect(shown).to_have_attribute("data-group", group)
        assert shown.locator(".deed__act, .deed__why").count() > 0
        for why in shown.locator(".deed__why").all():
            assert re.search(r" – .{8,}", why.inner_text()), why.inner_text()
        box.uncheck(force=True)
    # Enter on a die presses no button
    before = version(page)
    page.locator("#pile input").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert version(page) == before
    # a gift is there at once for the other
    page.locator("#pile input").first.check(force=True)
    page.locator(".deed:visible .deed__gives .btn").first.click()
    newer(page, before)
    agree(*pages)
    expect(other.locator("#tray-watch .tray__hand .die")).to_have_count(theirs + 1)
    expect(page.locator("#status")).to_contain_text("1 action left")
    page.locator("#pile input").first.check(force=True)
    expect(page.locator(".deed:visible")).to_contain_text("You have given a die away in this turn already.")


def test_an_impossible_placement_says_why(guests: Guests) -> None:
    pages = (guests.come(), guests.come())
    url = begin("five-strolche", *pages)
    page, before = whose(*pages), agree(*pages)
    form = tray_form(page, url)
    assert form is not None
    dice = [node.attrs["value"] for node in form.node.all("input", name="hold")]
    blue = [die for die in dice if die[0] == "b"]
    if other_colour := [die for die in dice if die not in blue]:
        assert _refusal(page, form, f"place {other_colour[0]} john")[0] == "Only blue dice go on John."
    if blue:
        assert _refusal(page, form, f"place {blue[0]} paul")
    theirs = (page.locator(".team .mate__dice [data-point]").first.get_attribute("data-point") or "").split()[1]
    assert _refusal(page, form, f"place {theirs} john")
    assert _refusal(page, form, "place z9 john")
    assert _refusal(page, form, ""), "what Enter on a die sends without JavaScript"
    assert agree(*pages) == before


def _refusal(page: Page, form: Form, do: str) -> list[str]:
    """Post a placement that the page does not offer; returns what the notices say."""
    body = f"turn={dict(form.fields)['turn']}&do={do.replace(' ', '+')}"
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    return Html(page.request.post(form.action, data=body, headers=headers).text()).notices


def test_the_exact_chance_stands_before_a_throw_that_could_shut_the_gate(guests: Guests) -> None:
    pages = (guests.come(), guests.come())
    begin("five-strolche", *pages)
    page = whose(*pages)
    page.locator("#pile input").first.check(force=True)
    expect(page.locator(".risks__one:visible")).to_have_text("1 die again: a 6 with 17%")
    page = _half_closed(*pages)
    expect(page.locator(".hideout__warning")).to_have_text("The next throw with a 6 shuts the gate.")
    expect(page.locator("#draw")).to_contain_text("Gate shuts: 17%")
    boxes = page.locator("#pile input")
    for number in range(boxes.count()):
        boxes.nth(number).check(force=True)
        percent = min(99, round(100 * (1 - (5 / 6) ** (number + 1))))
        expect(page.locator(".risks__one:visible")).to_have_count(1)
        expect(page.locator(".risks__one:visible")).to_contain_text(f"gate shuts with {percent}%")


def test_a_turn_without_javascript(guests: Guests) -> None:
    plain, ben = guests.come(script=False), guests.come()
    url = begin("five-strolche", ben, plain)
    done = 0
    for _ in range(PATIENCE):
        plain.goto(url)
        if plain.locator("#table").get_attribute("data-status") == "finished" or done == 2:
            break
        if plain.locator("#draw").count():
            dice = plain.locator("#pile input").count()
            plain.locator("#pile input").first.check(force=True)
            plain.click("#roll" if done else "#draw")
            expect(plain.locator(".notice--bad")).to_have_count(0)
            if not done and plain.locator("#pile input").count():
                assert plain.locator("#pile input").count() == dice + 1
            done += 1
        else:
            before = version(ben)
            ben.click("#draw")
            newer(ben, before)
    assert done


def test_looks_in_the_middle_and_at_the_end(guests: Guests) -> None:
    pages = (guests.come(locale="de-DE"), guests.come(dark=True), guests.come())
    url = begin("five-strolche", *pages)
    page = _half_closed(*pages)
    page.locator("#pile input").first.check(force=True)
    wrong = look_at(page, "acting", deep=True)
    page.locator("#pile input").nth(1).check(force=True)
    wrong += look_at(page, "about to roll")
    wrong += look_at(next(each for each in pages if each is not page), "watching")
    _shut(url, *pages)
    wrong += look_at(pages[1], "the end", deep=True)
    pages[2].goto(f"{url}/replay?step=12&seat=1")
    wrong += look_at(pages[2], "replay")
    assert not wrong, "\n".join(wrong)
