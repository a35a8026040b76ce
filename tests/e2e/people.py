"""What people do in a browser."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect


def open_table(host: Page, game: str = "yacht") -> str:
    """From the home page to a table of the host's own; returns its address."""
    host.goto("/")
    host.click(f".tile[data-field={game}] .tile__go")
    host.wait_for_url("**/t/*")
    return host.url


def sit(friend: Page, url: str) -> None:
    friend.goto(url)
    friend.click("#sit")
    expect(friend.locator("#table")).to_have_class(re.compile(r"\bis-waiting-room\b"))


def start(host: Page, *others: Page) -> None:
    host.click("#start")
    for page in (host, *others):
        expect(page.locator("#table")).to_have_attribute("data-status", "playing")


def version(page: Page) -> int:
    return int(page.locator("#table").get_attribute("data-version") or 0)


def mine(page: Page) -> bool:
    return page.locator("#table").get_attribute("data-turn") == "you"


def whose(*pages: Page) -> Page:
    """Wait until exactly one of the pages says that it is its turn, and return it."""
    for _ in range(400):
        found = [page for page in pages if mine(page)]
        if len(found) == 1:
            return found[0]
        pages[0].wait_for_timeout(25)
    raise AssertionError("nobody, or more than one, is up")


def agree(*pages: Page) -> int:
    """Wait until all pages show the same version; returns it."""
    for _ in range(400):
        found = {version(page) for page in pages}
        if len(found) == 1:
            return found.pop()
        pages[0].wait_for_timeout(25)
    raise AssertionError(f"the pages show versions {found}")


def roll(page: Page) -> None:
    before = version(page)
    page.click("#roll")
    newer(page, before)


def newer(page: Page, before: int) -> None:
    for _ in range(400):
        if version(page) > before:
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"still at version {before}")


def score(page: Page, index: int = 0) -> None:
    before = version(page)
    page.locator("[data-choice]").nth(index).click()
    newer(page, before)


def play_turns(pages: tuple[Page, ...], turns: int) -> None:
    for _ in range(turns):
        page = whose(*pages)
        roll(page)
        score(page)


def dice(page: Page) -> list[str]:
    """The faces in the tray, as their labels say."""
    labels = page.locator("#dice input, .turncard__dice [role=img]")
    return [labels.nth(i).get_attribute("aria-label") or "" for i in range(labels.count())]
