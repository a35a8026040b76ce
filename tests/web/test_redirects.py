"""`next` and every other redirect lead to our own pages alone."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from tests.web.forms import Browser, Page
from tests.web.service import browser_of, open_table

pytestmark = pytest.mark.anyio

PROBES = [
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example",
    "HTTPS:evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/ /evil.example",
    "//evil.example/%2f..",
    "/%5cevil.example",
    "/.//evil.example",
    "/..//evil.example",
    "evil.example",
    "@evil.example",
    "//knobel.test@evil.example",
    "/\u2028/evil.example",
    "/\x00/evil.example",
    "/\r\nLocation: https://evil.example",
    "",
]


@pytest.mark.parametrize("probe", PROBES, ids=repr)
async def test_next_never_leads_to_another_site(client: httpx.AsyncClient, probe: str) -> None:
    _, (ana,) = await open_table(client, "Ana")
    answer = await browser_of(client, ana).http.post("/me", data={"name": "Ana", "next": probe})
    assert answer.status_code == 303
    location = answer.headers["location"]
    assert urlsplit(urljoin("http://knobel.test/me", location.replace("\\", "/"))).netloc == "knobel.test"
    assert not location.startswith(("//", "/\\"))
    assert "\n" not in location


async def test_next_returns_to_the_exact_address(client: httpx.AsyncClient) -> None:
    code, (ana,) = await open_table(client, "Ana")
    for path in (f"/t/{code}", f"/t/{code}/replay?step=7", "/", "/g/yacht"):
        answer = await browser_of(client, ana).http.post("/me", data={"name": "Ana", "next": path})
        assert answer.headers["location"] == path


@pytest.mark.parametrize("path", ["//evil.example/x", "///evil.example", "/\\evil.example", "//evil.example"])
async def test_no_link_of_an_error_page_leads_to_another_site(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(f"http://knobel.test{path}")
    assert answer.status_code == 404
    for link in Page(answer.text).links:
        assert urlsplit(urljoin("http://knobel.test/", link.replace("\\", "/"))).netloc == "knobel.test", link


@pytest.mark.parametrize("host", ["evil.example", "knobel.test/x", "knobel.test@evil.example", "a b", ""])
async def test_host_header_decides_no_link_where_the_address_is_set(client: httpx.AsyncClient, host: str) -> None:
    code, _ = await open_table(client, "Ana")
    for path in ("/", f"/t/{code}", "/nowhere"):
        answer = await client.get(path, headers={"Host": host})
        assert answer.status_code == 421
        assert "evil.example" not in answer.text


async def test_trailing_slash_leads_to_no_other_site(client: httpx.AsyncClient) -> None:
    browser = Browser(client)
    for path in ("/me/", "/g/yacht/"):
        answer = await browser.http.get(path)
        location = answer.headers.get("location", "/")
        assert urlsplit(urljoin("http://knobel.test/", location)).netloc == "knobel.test"
