"""F10: a page that slept for fifty versions, in a real browser."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from typing import Any

from playwright.sync_api import BrowserContext, Page, Route, sync_playwright

from faults.http import Client
from faults.invariants import holds
from faults.people import API
from faults.postgres import Postgres, in_thread
from faults.run import Program, Run, share
from faults.service import Service

ASLEEP = 50
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]


def _version(page: Page) -> int:
    return int(page.locator("#table").get_attribute("data-version") or 0)


async def _play_on(port: int, session: str, code: str, versions: int) -> int:
    """Play so many versions on by the API, with the browser's own session. Returns the table's version."""
    client = Client(port)
    extra = f"Cookie: sid={session}\r\n"
    path = f"{API}/tables/{code}"
    table = (await client.ask("GET", path, None, extra)).json()
    until = table["version"] + versions
    while table["version"] < until and table["status"] == "playing":
        actions = table["you"]["actions"]
        rolls = [action for action in actions if action["kind"] == "roll"]
        # a page that wakes would roll the last dice again: that must be another move than the one made meanwhile
        dice = [table["version"] % 5] if table["state"]["rolls_used"] else [0, 1, 2, 3, 4]
        move: dict[str, Any] = {"kind": "roll", "dice": dice} if rolls else actions[0]
        answer = await client.ask("POST", f"{path}/moves", {"turn": table["you"]["turn"], "move": move}, extra)
        table = answer.json()
    client.close()
    version: int = table["version"]
    return version


def _session(context: BrowserContext) -> str:
    return next(str(cookie["value"]) for cookie in context.cookies() if cookie["name"] == "sid")


def _fresh(page: Page, version: int, patience: float = 8.0) -> float:
    """Wait until a page shows a version. Returns the seconds."""
    begun = time.monotonic()
    while _version(page) < version and time.monotonic() - begun < patience:
        page.wait_for_timeout(10)
    return time.monotonic() - begun


def _without_table(route: Route) -> None:
    route.fulfill(status=409, body="", content_type="text/html")


def _stale_click(run: Run, context: BrowserContext, port: int, url: str) -> float:
    """Click on a page that hears of nothing and slept. Returns the seconds until it shows the present."""
    page = context.new_page()
    for way in ("**/stream*", "**/live*"):
        page.route(way, lambda route: route.abort())
    if run.blunt:
        page.route("**/moves", _without_table)
    session = _session(context)
    in_thread(lambda: asyncio.run(_play_on(port, session, url[-10:], 2)))
    page.goto(url)
    version = in_thread(lambda: asyncio.run(_play_on(port, session, url[-10:], ASLEEP)))
    run.must(_version(page) < version, "F10: the page was not asleep")
    page.click("#roll")
    took = _fresh(page, version)
    run.must(_version(page) >= version, "F10: the page still shows the past after a click")
    run.must(page.locator(".notice--bad").count(), "F10: the page does not say that the table has moved on")
    focused = page.evaluate("document.activeElement && document.activeElement !== document.body")
    run.must(focused, "F10: the page has lost its focus")
    before = _version(page)
    for way in ("**/stream*", "**/live*"):
        page.unroute(way)
    page.locator("#roll:not([aria-disabled=true]), [data-choice]").first.click()
    run.must(_fresh(page, before + 1) < 8, "F10: nobody can play on the page that was stale")
    page.close()
    return took


def _back(run: Run, context: BrowserContext, port: int, url: str) -> float:
    """Leave a table, let it go on, and come back with the back button. Returns the seconds until it shows the present."""
    page = context.new_page()
    page.goto(url)
    page.goto(url.partition("/t/")[0] + "/me")
    session = _session(context)
    version = in_thread(lambda: asyncio.run(_play_on(port, session, url[-10:], 8)))
    page.go_back()
    took = _fresh(page, version)
    run.must(_version(page) >= version, "F10: the back button shows the past")
    page.close()
    return took


def _browse(run: Run, service: Service, browser: Any) -> None:
    clicked, back = list[float](), list[float]()
    for _ in range(run.times(1, 5)):
        context = browser.new_context(base_url=service.url, reduced_motion="reduce")
        host = context.new_page()
        host.goto("/")
        host.click(".tile[data-field=yacht] .tile__go")
        host.wait_for_url("**/t/*")
        host.click("#start")
        host.locator("#table[data-status=playing]").wait_for()
        url = host.url
        host.goto("about:blank")
        back.append(_back(run, context, service.port, url))
        clicked.append(_stale_click(run, context, service.port, url))
        context.close()
    run.figures |= {
        "pages": len(clicked),
        "versions_asleep": ASLEEP,
        "fresh_after_click_max_ms": share(clicked, 1.0),
        "fresh_after_back_max_ms": share(back, 1.0),
        "clicks_until_one_can_play": 0,
    }
    run.must(share(clicked, 1.0) <= 1000, "F10: more than a second until the page was fresh after a click")
    run.must(share(back, 1.0) <= 1000, "F10: more than a second until the page was fresh after the back button")


def body(run: Run) -> None:
    """Chromium with a table open in a tab that gets neither stream nor poll; the game goes on without it."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder) as service:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
            try:
                _browse(run, service, browser)
            finally:
                browser.close()
        run.add(in_thread(lambda: asyncio.run(holds(postgres.url, None, (service,)))))


PROGRAM = Program(
    "F10",
    "A page that slept",
    "The first click on it is refused, says so, and shows the table as it is within a second, without losing the focus; the next click plays.",
    "the refusal comes without the table",
    body,
)
