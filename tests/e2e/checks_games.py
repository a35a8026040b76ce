"""What the browser tests of single games share: tables, quick random play to the end, looks at phone and desk."""

from __future__ import annotations

import random

from playwright.sync_api import Page, expect

from tests.e2e.checks import faults
from tests.e2e.conftest import DESK, PHONE
from tests.web.forms import Form
from tests.web.forms import Page as Html


def begin(game: str, *people: Page) -> str:
    """Sit down together at a table of `game`, the first one's own, and start; returns its address."""
    host, *others = people
    host.goto("/")
    host.click(f".tile[data-field={game}] .tile__go")
    host.wait_for_url("**/t/*")
    url = host.url
    for page in others:
        page.goto(url)
        page.click("#sit")
        page.wait_for_selector(".is-waiting-room")
    host.click("#start")
    host.wait_for_selector("#table.is-playing")
    for page in others:
        if page.evaluate("typeof htmx") == "undefined":  # without script a page does not follow by itself
            page.reload()
        expect(page.locator("#table")).to_have_attribute("data-status", "playing")
    return url


def look_at(page: Page, where: str, *, deep: bool = False) -> list[str]:
    """What is wrong with a page, at phone and desk: sideways scroll, small targets, main action; `deep`: axe."""
    wrong: list[str] = []
    for name, size in (("phone", PHONE), ("narrow", {"width": 320, "height": 568}), ("desk", DESK)):
        page.set_viewport_size(size)  # type: ignore[arg-type]  # a dict of the wanted shape
        wrong += faults(page, f"{where} {name}", touch=name != "desk", with_axe=deep and name != "narrow")
    return wrong


def tray_form(page: Page, url: str) -> Form | None:
    """The move form of somebody's page as fetched now, None if there is none."""
    return _form(Html(page.request.get(url).text()))


def _form(html: Html) -> Form | None:
    return next((form for form in html.forms if form.node.attrs.get("id") == "tray"), None)


def post(page: Page, form: Form, button: str | None, **changes: str | list[str]) -> Html:
    """Send a move as the page would; returns the table that follows."""
    fields: dict[str, list[str]] = {}
    for name, value in form.filled(button, **changes):
        fields.setdefault(name, []).append(value)
    body = "&".join(f"{name}={value.replace(' ', '+')}" for name, values in fields.items() for value in values)
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Sec-Fetch-Site": "same-origin",
        "HX-Request": "true",
    }
    return Html(page.request.post(form.action, data=body, headers=headers).text())


def offered(form: Form) -> dict[str, list[str]]:
    """The values of a form's radio buttons and checkboxes that may be chosen, by name."""
    found: dict[str, list[str]] = {}
    for node in form.node.all("input"):
        if node.attrs.get("type") in {"radio", "checkbox"} and "disabled" not in node.attrs:
            found.setdefault(node.attrs["name"], []).append(node.attrs["value"])
    return found


def finish_by_chance(url: str, *people: Page) -> None:
    """Choose at random for everybody (radio buttons only), until nobody is asked any more; not to be seen, but quick."""
    chance = random.Random(1)
    for page in people:
        page.goto("about:blank")
    asked = True
    while asked:
        asked = False
        for page in people:
            form = tray_form(page, url)
            while form is not None:
                asked = True
                picks: dict[str, str | list[str]] = {
                    name: chance.choice(values) for name, values in offered(form).items()
                }
                form = _form(post(page, form, None, **picks))
    for page in people:
        page.goto(url)
        expect(page.locator("#table")).to_have_attribute("data-status", "finished")
