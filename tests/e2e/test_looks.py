"""Every page in both themes at two sizes: axe, targets, sideways scroll, main action on screen, weight, contrast.

The checks are those of the design's own tools (`check_pages`, `check_contrast`).
"""

from __future__ import annotations

import gzip
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response

from app import ROOT
from tests.e2e.checks import NARROW, faults
from tests.e2e.conftest import DESK, PHONE
from tests.e2e.people import open_table, play_turns, roll, sit, start, whose
from tests.support.server import Server

PAGES = (
    *("home", "home-tables", "game", "join", "watch", "waiting", "play", "theirs", "rules", "menu", "finished"),
    *("replay", "me", "missing", "api"),
)
SIZES = {"phone": PHONE, "narrow": NARROW, "desk": DESK}


@dataclass
class Visit:
    """The pages of one game in the middle and one at its end, by name."""

    owner: Page
    mover: Page
    stranger: Page
    addresses: dict[str, str]


@pytest.fixture(scope="module")
def visit(browser: Browser, house: Server) -> Iterator[Visit]:
    contexts = [browser.new_context(base_url=house.url, locale="de-DE", reduced_motion="reduce") for _ in range(3)]
    host, friend, stranger = (context.new_page() for context in contexts)
    waiting = open_table(host)
    host.goto("/")
    playing = open_table(host)
    sit(friend, playing)
    start(host, friend)
    play_turns((host, friend), 5)
    roll(whose(host, friend))
    finished = open_table(host)
    sit(friend, finished)
    start(host, friend)
    play_turns((host, friend), 24)
    for page in (host, friend):
        page.goto(playing)
    yield Visit(
        host,
        whose(host, friend),
        stranger,
        {
            "home": "/",
            "home-tables": "/",
            "game": "/g/yacht",
            "join": waiting,
            "watch": f"{waiting}?watch=1",
            "waiting": waiting,
            "play": playing,
            "theirs": playing,
            "rules": playing,
            "menu": playing,
            "finished": finished,
            "replay": f"{finished}/replay?step=21",
            "me": "/me",
            "missing": "/t/AAAAAAAAAA",
            "api": "/api/v1/docs",
        },
    )
    for context in contexts:
        context.close()


def go(visit: Visit, name: str, size: dict[str, int], theme: str, lang: str) -> Page:
    """Show a page as its reader sees it."""
    page = visit.stranger if name in ("home", "join", "watch", "theirs") else visit.mover
    page = visit.owner if name in ("waiting", "home-tables") else page
    page.set_viewport_size(size)  # type: ignore[arg-type]  # a dict of the wanted shape
    address = visit.addresses[name]
    page.goto(f"{address}{'&' if '?' in address else '?'}theme={theme}&lang={lang}")
    if name in ("rules", "menu"):
        page.click(f"#open-{name}")
    page.evaluate("document.fonts.ready")
    return page


@pytest.mark.parametrize("name", PAGES)
def test_page_is_usable_in_every_size_and_theme(visit: Visit, name: str, shots: Path | None) -> None:
    wrong: list[str] = []
    for (size_name, size), theme in itertools.product(SIZES.items(), ("light", "dark")):
        lang = "de" if (size_name == "phone") == (theme == "light") else "en"
        page = go(visit, name, size, theme, lang)
        where = f"{name} {size_name} {theme} {lang}"
        wrong += faults(page, where, touch=size_name != "desk", with_axe=size_name != "narrow")
        if shots is not None:  # afterwards: a picture leaves a style element behind
            shots.mkdir(exist_ok=True)
            page.screenshot(path=shots / f"{where.replace(' ', '-')}.png")
    assert not wrong, "\n".join(wrong)


def test_first_load_of_a_table_is_light(browser: Browser, visit: Visit) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108  # Playwright marks what it is given, which a built-in refuses
    page.goto(visit.addresses["play"])
    page.wait_for_timeout(500)
    weight = 0
    for answer in answers:
        if "/stream" in answer.url:
            continue
        body = answer.body()
        weight += len(body) if answer.url.endswith(".woff2") else len(gzip.compress(body, 6))
    context.close()
    assert weight <= 120 * 1024, weight
    assert len(answers) <= 8, [answer.url for answer in answers]


def _block(css: str, selector: str) -> dict[str, str]:
    start_at = css.index("{", css.index(selector)) + 1
    depth, end = 1, start_at
    while depth:
        depth += {"{": 1, "}": -1}.get(css[end], 0)
        end += 1
    return {name: value.strip() for name, value in re.findall(r"(--[\w-]+)\s*:\s*([^;]+);", css[start_at : end - 1])}


def _light(color: str) -> float:
    parts = [int(color.lstrip("#")[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_light(one), _light(other)))
    return (high + 0.05) / (low + 0.05)


TEXT = [(ink, on) for on in ("bg", "sheet", "sheet-2", "sunk", "tray") for ink in ("ink", "ink-2")]
TEXT += [("ink", "lamp-soft"), ("lamp-ink", "lamp"), ("act-ink", "act"), ("act-lit-ink", "act-lit"), ("ink-on", "ink")]
TEXT += [(mark, on) for mark in ("good", "bad") for on in ("sheet", "bg", f"{mark}-soft")]
TEXT += [("ink", "good-soft"), ("ink", "bad-soft"), ("ink", "tray-lit"), ("ink", "tray-well")]
TEXT += [("lamp-ink-2", on) for on in ("tray-lit", "lamp-soft", "tray-well")]
TEXT += [("seat-ink", f"seat-{n}") for n in range(1, 11)]
TEXT += [(f"seat-{n}", on) for n in range(1, 11) for on in ("sheet", "bg")]
CONTROLS = [("control", on) for on in ("bg", "sheet", "sheet-2", "tray", "sunk")]
CONTROLS += [("focus", on) for on in ("bg", "sheet", "sheet-2", "tray", "tray-lit", "tray-well", "lamp-soft")]
CONTROLS += [("lamp-line", on) for on in ("bg", "sheet", "sheet-2", "lamp-soft", "tray-well")]
DICE = ("ivory", "red", "blue", "black", "yellow", "purple", "gray", "minotaur", "griffin", "mermaid")


def test_colours_have_the_contrast_they_need() -> None:
    css = re.sub(r"/\*.*?\*/", "", (ROOT / "static" / "tokens.css").read_text(), flags=re.DOTALL)
    light = _block(css, ":root {")
    fields = {
        sheet.stem: field[1]
        for sheet in (ROOT / "static" / "games").glob("*.css")
        if (field := re.search(r"--field: (#[0-9a-f]{6});", sheet.read_text()))
    }
    assert fields
    dark = _block(css, ':root:not([data-theme="light"])')
    assert dark == _block(css, ':root[data-theme="dark"]')
    wrong = []
    for theme, values in (("light", light), ("dark", light | dark)):
        for pairs, wanted in ((TEXT, 4.5), (CONTROLS, 3.0)):
            for ink, on in pairs:
                if (found := _contrast(values[f"--{ink}"], values[f"--{on}"])) < wanted:
                    wrong.append(f"{theme}: {ink} on {on} {found:.2f}")
        for die, on in itertools.product(DICE, ("tray", "tray-lit", "tray-well", "sheet", "bg")):
            body, rim = values[f"--d-{die}"], values[f"--d-{die}-rim"]
            if (found := max(_contrast(body, values[f"--{on}"]), _contrast(rim, values[f"--{on}"]))) < 3:
                wrong.append(f"{theme}: die {die} on {on} {found:.2f}")
        wrong += [
            f"{theme}: field of {game}"
            for game, field in fields.items()
            if _contrast(values["--field-ink"], field) < 4.5
        ]
    assert not wrong, wrong
