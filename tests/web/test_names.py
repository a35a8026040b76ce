"""A name full of markup is text on every page, in titles, fragments, logs, replays and records."""

from __future__ import annotations

import httpx
import pytest

from tests.web.forms import Browser, Page
from tests.web.service import API, Caller, browser_of, open_table, play_on

pytestmark = pytest.mark.anyio

NAMES = (
    "<script>alert(1)</scrip",
    '"><img src=x onerror=q>',
    "<b onclick='x'>B</b>",
    "{{7*7}}${7*7}%(n)s{n}",
    "</title><svg onload=x>",
    "&lt;i&gt;&amp;",
    "<!--",
    "' onmouseover='x",
)


def is_harmless(page: Page, names: list[str]) -> None:
    """Nothing of a name became an element or an attribute; whatever of it is shown, is shown as it is."""
    for node in page.walk():
        assert node.tag not in {"img", "b", "i", "svg", "script"} or not any(
            name in node.attrs for name in ("onerror", "onclick", "onload", "onmouseover")
        )
        assert not [name for name in node.attrs if name.startswith("on")]
        assert node.attrs.get("src", "") != "x"
    scripts = page.all("script")
    assert all("src" in node.attrs and not node.text for node in scripts)
    assert "alert(1)" not in "".join(str(node.children) for node in scripts)
    shown = page.html
    for name in names:
        if "<" in name:
            assert name not in shown


async def test_names_with_markup_are_text_everywhere(client: httpx.AsyncClient) -> None:
    for first, second in zip(NAMES[::2], NAMES[1::2], strict=True):
        names = [first, second]
        code, people = await open_table(client, *names)
        browsers = [browser_of(client, person) for person in people] + [Browser(client), Browser(client, "de")]
        paths = [f"/t/{code}", f"/t/{code}?watch=1", f"/t/{code}/live", "/", "/me"]
        for browser in browsers:
            for path in paths:
                is_harmless(await browser.get(path), names)
        page = await browsers[2].get(f"/t/{code}")
        assert first in page.title
        assert first in page.text
        await people[0].do("POST", f"/tables/{code}/start")
        await play_on(code, people, 2)
        for browser in browsers:
            for path in paths:
                is_harmless(await browser.get(path), names)
        page = await browsers[2].get(f"/t/{code}")
        assert second in page.id("log").text
        await play_on(code, people, 10)
        for browser in browsers:
            for path in (*paths, f"/t/{code}/replay?step=0", f"/t/{code}/replay?step=40"):
                is_harmless(await browser.get(path), names)
        record = await Caller(client).do("GET", f"/tables/{code}/record")
        assert [seat["name"] for seat in record["seats"]] == names
        answer = await client.get(f"{API}/tables/{code}/record")
        assert answer.headers["content-type"] == "application/json"


async def test_name_is_isolated_wherever_it_stands_in_a_sentence(client: httpx.AsyncClient) -> None:
    code, _ = await open_table(client, "אבג", "Bo")
    page = await Browser(client).get(f"/t/{code}?watch=1")
    isolated = [node.text for node in page.all("bdi")]
    outside = Page(page.html)
    for node in list(outside.walk()):
        node.children = [child for child in node.children if isinstance(child, str) or child.tag != "bdi"]
    assert "אבג" in isolated
    assert "אבג" not in outside.id("table").text


async def test_typed_code_and_address_are_text_on_the_error_page(client: httpx.AsyncClient) -> None:
    for path in (
        '/t/"><b onclick=x>',
        "/g/<script>",
        "/join?code=<b onclick=x>",
        "/<svg onload=x>",
        '/me?theme="onload=x',
    ):
        page = await Browser(client).get(path)
        assert not [name for node in page.walk() for name in node.attrs if name.startswith("on")]
        assert "<script>" not in page.html
