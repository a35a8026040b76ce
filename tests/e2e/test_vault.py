"""Vault in browsers: alone, in company, by keyboard, without a script, and how it looks."""

from __future__ import annotations

import itertools
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.checks import NARROW, faults
from tests.e2e.conftest import DESK, PHONE, Guests
from tests.e2e.people import newer, open_table, sit, start, version

TOKENS = "abcdefgh"
CROSSED = ".box[data-state=marked]"


def ways(page: Page, size: int) -> list[tuple[str, str]]:
    """The boxes that so many dice cross, as (id, word of the dice)."""
    found = page.locator("button.box--can").all()
    pairs = [(box.get_attribute("id") or "", (box.get_attribute("data-fits") or "").split()) for box in found]
    return [(box, word) for box, words in pairs for word in words if len(word) == size and not set(word) & set("fgh")]


def hold(page: Page, word: str) -> None:
    """Choose these tokens and no other."""
    for letter in TOKENS:
        token = page.locator(f"#t-{letter}")
        if token.is_enabled():
            token.set_checked(letter in word, force=True)


def cross(page: Page) -> str:
    """Cross a box with one die; returns its id."""
    box, word = ways(page, 1)[0]
    hold(page, word)
    before = version(page)
    page.click(f"#{box}")
    newer(page, before)
    return box


def end_round(page: Page) -> None:
    """End the round, and say yes if asked."""
    if page.locator("#ending").count() and not page.locator("#pass").is_visible():
        page.click("#ending > summary")
    before = version(page)
    page.click("#pass")
    newer(page, before)


def alone(page: Page) -> str:
    """Begin a game alone; returns its address."""
    url = open_table(page, "vault")
    start(page)
    return url


def test_two_clicks_from_home_to_the_first_crossed_box(guests: Guests) -> None:
    page = guests.come()
    page.goto("/")
    page.click(".tile[data-field=vault] .tile__go")  # 1
    page.wait_for_url("**/t/*")
    page.click("#start")  # 2
    expect(page.locator("#dice input")).to_have_count(5)
    expect(page.locator("button.box:visible")).to_have_count(0)
    box, word = ways(page, 2)[0]
    hold(page, word)
    assert len(page.locator(".way:visible").all_inner_texts()) >= 1 or page.locator(f"#{box}").inner_text() == "X2"
    page.click(f"#{box}")
    expect(page.locator(CROSSED)).to_have_count(1)
    cross(page)
    expect(page.locator(CROSSED)).to_have_count(2)
    page.click("#undo")  # one click goes back to the throw
    expect(page.locator(CROSSED)).to_have_count(0)
    expect(page.locator("#undo")).to_have_count(0)
    page.click("#ending > summary")  # dice can still be used: asked once
    expect(page.locator("#pass")).to_be_visible()
    page.click("#pass")
    expect(page.locator(".vault[data-state=shut] b")).to_have_text("A")
    expect(page.locator(".vault[data-state=next] b")).to_have_text("B")


def test_three_people_crack_the_same_sheet_and_see_no_round_before_its_end(guests: Guests) -> None:
    host, friend, third = guests.come(), guests.come(phone=True, locale="de-DE"), guests.come()
    url = open_table(host, "vault")
    sit(friend, url)
    sit(third, url)
    start(host, friend, third)
    people = (host, friend, third)
    faces = [[page.locator(f"#t-{letter}").get_attribute("data-add") for letter in "abcde"] for page in people]
    assert faces[0] == faces[1] == faces[2]
    watcher = guests.come()
    watcher.goto(f"{url}?watch=1")
    friend.click("#ending > summary")
    cross(host)
    end_round(third)
    expect(host.locator("#log")).to_contain_text("ends the round")
    expect(friend.locator("#ending[open]")).to_have_count(1)  # the question stays while others move
    for page in (friend, third, watcher):
        assert page.locator(CROSSED).count() == 0
        assert "crosses" not in page.locator("#log").inner_text()
    fresh = guests.page(watcher.context)
    fresh.goto(url)
    assert fresh.locator(CROSSED).count() == 0
    end_round(host)
    expect(watcher.locator("#copy-0").locator(CROSSED)).to_have_count(1)
    expect(watcher.locator(".vaultcopy")).to_have_count(3)
    expect(third.locator("#log")).to_contain_text("1 box crossed")
    friend.click("#pass")
    for page in people:
        expect(page.locator(".vault[data-state=next] b")).to_have_text("B")
        expect(page.locator("#dice input")).to_have_count(5)


def test_a_round_by_keyboard(guests: Guests) -> None:
    page = guests.come()
    alone(page)
    before = version(page)
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(page.locator("#t-a")).to_be_checked()
    page.keyboard.press("r")
    newer(page, before)
    expect(page.locator("#reroll .count i.is-on")).to_have_count(2)
    word = next(word for _, word in ways(page, 1) if len(ways_of(page, word)) > 1)
    page.keyboard.press(str("abcde".index(word) + 1))
    places = [places_of(box) for box in ways_of(page, word)]
    page.keyboard.press("ArrowDown")
    for key, across in (("ArrowDown", 0), ("ArrowRight", 1), ("ArrowLeft", 1), ("ArrowUp", 0)):
        here = places_of(focused(page))
        page.keyboard.press(key)
        there = places_of(focused(page))
        assert there in places
        assert there[across] != here[across] or len({place[across] for place in places}) == 1
    before = version(page)
    page.keyboard.press("Enter")
    newer(page, before)
    expect(page.locator(CROSSED)).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator(CROSSED)).to_have_count(0)
    page.focus("#ending > summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".vault[data-state=next] b")).to_have_text("B")


def ways_of(page: Page, word: str) -> list[str]:
    return [box for box, one in ways(page, 1) if one == word]


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id"))


def places_of(box: str) -> tuple[int, int]:
    """Row and column of a button of the sheet, "box-r3c4"."""
    row, column = box.removeprefix("box-r").split("c")
    return int(row), int(column)


def test_a_round_without_javascript(guests: Guests) -> None:
    page = guests.come(script=False)
    open_table(page, "vault")
    page.click("#start")
    box, word = ways(page, 1)[0]
    hold(page, word)
    page.click(f"#{box}")
    expect(page.locator(CROSSED)).to_have_count(1)
    page.click("#undo")
    expect(page.locator(CROSSED)).to_have_count(0)
    hold(page, "ab")
    page.click("#charge-0")
    expect(page.locator("#t-f")).to_be_enabled()
    hold(page, "c")
    page.click("#reroll")
    expect(page.locator("#reroll .count i.is-on")).to_have_count(2)
    page.click("#ending > summary")
    page.click("#pass")
    expect(page.locator(".vault[data-state=next] b")).to_have_text("B")


def test_looks_in_play_and_at_the_end(guests: Guests, shots: Path | None) -> None:
    page = guests.come()
    url = alone(page)
    cross(page)
    wrong = look(page, url, "play", shots)
    page.goto(f"{url}?lang=en&theme=light")
    for _ in range(12):
        end_round(page)
    expect(page.locator("#table")).to_have_attribute("data-status", "finished")
    expect(page.locator(".titles dt")).to_have_count(5)
    expect(page.locator(".titles .is-own")).to_have_count(1)
    wrong += look(page, url, "end", shots)
    wrong += look(page, f"{url}/replay?step=1", "replay", shots)
    page.set_viewport_size(DESK)  # type: ignore[arg-type]  # a dict of the wanted shape
    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * DESK["height"]
    expect(page.locator(CROSSED)).to_have_count(0)
    page.click("#step-next")
    expect(page.locator(CROSSED)).to_have_count(1)
    assert not wrong, "\n".join(wrong)


def look(page: Page, url: str, name: str, shots: Path | None) -> list[str]:
    wrong = []
    sizes = {"phone": PHONE, "narrow": NARROW, "desk": DESK}
    for (size, shape), theme in itertools.product(sizes.items(), ("light", "dark")):
        page.set_viewport_size(shape)  # type: ignore[arg-type]  # a dict of the wanted shape
        page.goto(f"{url}{'&' if '?' in url else '?'}theme={theme}&lang={'de' if theme == 'dark' else 'en'}")
        if name == "play":
            hold(page, ways(page, 2)[0][1])
        wrong += faults(page, f"{name} {size} {theme}", touch=size != "desk", with_axe=size != "narrow")
        if shots is not None:  # afterwards: a picture leaves a style element behind
            page.screenshot(path=shots / f"vault-{name}-{size}-{theme}.png")
    return wrong
