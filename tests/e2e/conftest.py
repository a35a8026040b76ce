"""Real browsers on a real service."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

from tests.support.server import Server, execute, with_database

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

expect.set_options(timeout=10_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/e2e/" in item.nodeid:
            item.add_marker(pytest.mark.browser)


def chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert found, "the browser tests need Chromium; `make test` installs it"
    return found


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """Playwright, for one module only: while it runs, no other event loop can run in this thread."""
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    one = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
    yield one
    one.close()


@pytest.fixture(scope="module")
def house(postgres: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Server]:
    """A service with a database of this module's own."""
    name = f"e2e_{os.getpid()}_{request.module.__name__.rsplit('.', 1)[-1]}"
    execute(postgres, f"CREATE DATABASE {name} TEMPLATE template STRATEGY file_copy")
    with Server(with_database(postgres, name), tmp_path_factory.mktemp("house")) as running:
        yield running
    execute(postgres, f"DROP DATABASE {name} WITH (FORCE)")


@dataclass
class Guests:
    """Makes people, each with a browser profile of their own, and notes what their consoles complain about."""

    browser: Browser
    url: str
    contexts: list[BrowserContext] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def come(self, *, phone: bool = False, locale: str = "en-GB", script: bool = True, dark: bool = False) -> Page:
        context = self.browser.new_context(
            base_url=self.url,
            viewport=PHONE if phone else DESK,  # type: ignore[arg-type]  # a dict of the wanted shape
            has_touch=phone,
            is_mobile=phone,
            locale=locale,
            java_script_enabled=script,
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        self.contexts.append(context)
        return self.page(context)

    def page(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        return page

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")


@pytest.fixture
def guests(browser: Browser, house: Server) -> Iterator[Guests]:
    found = Guests(browser, house.url)
    yield found
    for context in found.contexts:
        context.close()
    left = [line for line in found.complaints if not any(words in line for words in found.expected)]
    assert not left, left


@pytest.fixture
def shots() -> Path | None:
    """Where to put pictures, if somebody wants to look at them: `KNOBEL_SHOTS=folder`."""
    folder = os.environ.get("KNOBEL_SHOTS")
    return None if folder is None else Path(folder)
