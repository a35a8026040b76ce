"""Names that are markup do nothing in a real browser, on any surface, also if they came into the database unchecked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, expect

from tests.e2e.conftest import Guests
from tests.e2e.people import agree, open_table, play_turns, sit, start
from tests.support.server import Server, execute

TYPED = ("<img src=x onerror=a()>", "<div hx-get=/x hx-trigge", "'><b hx-on:load=a()>", "<svg onload=a()>{{7*7}}")
FORCED = (
    "<img src=/x onerror=document.title=1>\u202e\u200b",
    '"><div hx-get="/x" hx-trigger="load" hx-target="body">',
    "</script><script>document.title=1</script>",
    "<iframe srcdoc='<script>parent.document.title=1</script>'>",
)
_MADE = """() => [...document.querySelectorAll('img, iframe, [onerror], [onload], script:not([src]), bdi *, [data-name] *')]
  .filter((e) => !e.closest('svg') && !e.matches('.invite__qr')).map((e) => e.outerHTML)
  .concat([...document.querySelectorAll('[hx-get="/x"], [src="x"], [src="/x"]')].map((e) => e.outerHTML))"""


class Watched:
    """Notes what pages ask for and what they open, besides what they are meant to."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def page(self, page: Page) -> Page:
        page.on("dialog", lambda dialog: self.found.append(f"dialog {dialog.message}"))
        page.on("request", self._asked)
        return page

    def _asked(self, request: Request) -> None:
        if request.url.endswith("/x"):
            self.found.append(f"asked for {request.url}")


@pytest.fixture
def watched() -> Iterator[Watched]:
    one = Watched()
    yield one
    assert one.found == []


def harmless(*pages: Page) -> None:
    for page in pages:
        assert page.evaluate(_MADE) == [], page.url
        assert page.title() != "1"


def call(page: Page, name: str) -> None:
    """Take a name on the settings page."""
    page.goto("/me")
    page.fill("#name", name)
    page.click("form[action='/me'] button")
    expect(page.locator("#name")).to_have_value(name)


@pytest.mark.parametrize("names", [TYPED[:2], TYPED[2:]], ids=["img and htmx", "hx-on and svg"])
def test_name_that_is_typed_as_markup_is_text_for_everybody(
    guests: Guests, watched: Watched, names: tuple[str, str]
) -> None:
    host, friend, stranger = (watched.page(guests.come()) for _ in range(3))
    call(host, names[0])
    url = open_table(host)
    sit(friend, url)
    call(friend, names[1])
    friend.goto(url)
    stranger.goto(f"{url}?watch=1")
    harmless(host, friend, stranger)
    expect(stranger.locator("#table")).to_contain_text(names[0])
    start(host, friend, stranger)
    play_turns((host, friend), 2)
    agree(host, friend, stranger)
    harmless(host, friend, stranger)
    expect(stranger.locator("#table")).to_contain_text(names[1])
    for path in ("/", "/me"):
        host.goto(path)
        harmless(host)


@pytest.mark.parametrize("names", [FORCED[:2], FORCED[2:]], ids=["img and htmx", "script and iframe"])
def test_name_that_came_into_the_database_unchecked_is_text_for_everybody(
    guests: Guests, house: Server, watched: Watched, names: tuple[str, str]
) -> None:
    host, friend = (watched.page(guests.come()) for _ in range(2))
    url = open_table(host)
    sit(friend, url)
    for seat, name in enumerate(names):
        forced = name.replace("'", "''")
        execute(house.database_url, f"UPDATE seats SET name = '{forced}' WHERE seat = {seat}")
        execute(
            house.database_url,
            f"UPDATE players SET name = '{forced}' WHERE id IN (SELECT player_id FROM seats WHERE seat = {seat})",
        )
    for page in (host, friend):
        page.goto(url)
        harmless(page)
        assert not {"\u202e", "\u200b"} & set(page.content())
    start(host, friend)
    play_turns((host, friend), 2)
    agree(host, friend)
    harmless(host, friend)
