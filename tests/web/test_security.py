"""Headers on whatever is answered, no script within pages, small bodies, broken cookies."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import Route

from app.main import create_app
from app.settings import Settings
from app.web import security
from tests.support.server import Server, free_port
from tests.web.forms import Browser, Page
from tests.web.service import (
    API,
    UNKNOWN,
    app_of,
    browser_of,
    dump,
    filled,
    finished_table,
    house_of,
    open_table,
    routes_of,
    running_table,
)

pytestmark = pytest.mark.anyio

FORM = "application/x-www-form-urlencoded"

HEADERS = {
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def is_guarded(answer: httpx.Response, *, https: bool = False) -> None:
    """Hold an answer to the headers that every one must have; `https`: the service is set to be reached so."""
    path = answer.request.url.path
    where = f"{answer.request.method} {path} {answer.status_code}"
    table = path.startswith(("/t/", f"{API}/tables/"))
    assert answer.headers.get("referrer-policy") == ("no-referrer" if https and table else "same-origin"), where
    assert answer.headers.get("x-robots-tag") == ("noindex" if table else None), where
    assert answer.headers.get("strict-transport-security") == (
        "max-age=31536000; includeSubDomains" if https else None
    ), where
    for cookie in answer.headers.get_list("set-cookie"):
        assert "HttpOnly" in cookie, where
        assert "SameSite=lax" in cookie, where
        assert "Path=/" in cookie, where
        assert "Domain" not in cookie, where
        assert ("; Secure" in cookie) == https, where
        assert cookie.startswith("__Host-sid=") == https or "sid=" not in cookie, where
    for name, value in HEADERS.items():
        assert answer.headers.get(name) == value, f"{where}: {name}"
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'", where
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'", where
    assert policy["base-uri"] == policy["object-src"] == policy["frame-ancestors"] == "'none'", where
    assert "unsafe" not in str(policy), where
    assert "*" not in str(policy), where
    assert "access-control-allow-origin" not in answer.headers, where
    assert "server" not in answer.headers, where
    if not answer.request.url.path.startswith("/static/"):
        cached = answer.headers["cache-control"]
        assert "no-store" in cached or answer.request.url.path.endswith("/qr.svg"), where


async def test_every_answer_has_the_headers_whatever_its_status(client: httpx.AsyncClient) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    over, _ = await finished_table(client, "Ana")
    http = browser_of(client, ana).http
    asset = re.findall(r'(/static/[^"#]+)', (await client.get("/")).text)
    found: set[int] = set()
    wanted = [
        *(("GET", path) for path in ("/", "/me", "/g/yacht", "/health/live", "/health/ready", *asset)),
        *(
            ("GET", f"{API}{path}")
            for path in ("/games", "/me", "/docs", "/openapi.json", f"/tables/{code}", "/tables/x")
        ),
        *(("GET", f"/t/{code}{rest}") for rest in ("", "/live", "/qr.svg", "/replay", "/record", "/stream?x")),
        *(("GET", f"/t/{over}{rest}") for rest in ("", "/replay", "/record")),
        *(("GET", path) for path in (f"/t/{UNKNOWN}", "/nowhere", "/static/nothing", f"/join?code={code}", "/me/")),
        *(("POST", f"/t/{code}{rest}") for rest in ("/moves", "/point", "/start", "/leave", "/undo", "/seats/x/free")),
        *(("POST", path) for path in ("/", "/me", "/g/yacht/tables", f"{API}/guests", f"{API}/tables")),
        *(("HEAD", path) for path in ("/", f"/t/{code}", "/static/nothing")),
        *(("DELETE", path) for path in ("/", f"{API}/tables/{code}/seats/0", f"{API}/games")),
        *((method, "/") for method in ("PUT", "PATCH", "OPTIONS", "TRACE")),
    ]
    for method, path in wanted:
        if path.endswith("/stream?x"):
            continue  # endless; the real server below has it
        answer = await http.request(method, path)
        is_guarded(answer)
        found.add(answer.status_code)
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Content-Length": "99999999"}):
        answer = await http.post("/me", headers=headers)
        is_guarded(answer)
        found.add(answer.status_code)
    assert found >= {200, 201, 303, 403, 404, 405, 409, 413, 422}


async def test_every_route_has_the_headers_by_http_and_by_https(settings: Settings) -> None:
    for https in (False, True):
        url = "https://knobel.test" if https else "http://knobel.test"
        app = create_app(settings.model_copy(update={"public_url": url}))
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url=url, headers={"Sec-Fetch-Site": "same-origin"}) as http,
        ):
            code, _ = await running_table(http, "Ana", "Bo")
            for code_or_not in (code, UNKNOWN, "no-such-code"):
                for method, path in sorted(routes_of(http)):
                    if path.endswith("/stream") and code_or_not == code:
                        continue  # endless; the real server below has them
                    answer = await http.request(method, filled(path, code_or_not))
                    is_guarded(answer, https=https)
                    assert answer.status_code < 500, path
            answer = await http.get("/me")
            is_guarded(answer, https=https)
            assert (await http.post("/me", data={"name": "Ana"})).cookies.get("__Host-sid" if https else "sid")


async def test_every_answer_without_the_database_has_the_headers(tmp_path: Path) -> None:
    url = f"postgresql://postgres@127.0.0.1:{free_port()}/nothing"
    app = create_app(Settings(database_url=url, data_dir=tmp_path, rate_limits="off"))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://knobel.test", cookies={"sid": "x" * 43}) as http,
    ):
        found = set()
        for method, path in sorted(routes_of(http)):
            answer = await http.request(method, filled(path, UNKNOWN))
            is_guarded(answer)
            found.add(answer.status_code)
        assert 503 in found


async def test_wrong_host_and_heads_too_large_are_refused_in_words_with_the_headers(client: httpx.AsyncClient) -> None:
    for headers, status in (
        ({"Host": "evil.example"}, 421),
        ({"X": "x" * 16_400}, 431),
        ({f"X-{number}": "1" for number in range(101)}, 431),
        ({"Cookie": "sid=" + "x" * 9_000}, 200),
    ):
        for path in ("/", f"{API}/games"):
            answer = await client.get(path, headers=headers)
            assert answer.status_code == status
            is_guarded(answer)


async def test_body_that_does_not_come_is_given_up(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(security, "BODY_WITHIN", 0.1)
    code, (ana,) = await running_table(client, "Ana")
    before = await dump(str(settings.database_url))
    held = anyio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"do=roll&turn="
        await held.wait()

    for path in (f"/t/{code}/moves", f"{API}/tables/{code}/moves"):
        answer = await browser_of(client, ana).http.post(path, content=slow(), headers={"Content-Type": FORM})
        assert answer.status_code == 408, path
        is_guarded(answer)
    assert await dump(str(settings.database_url)) == before


async def test_table_alone_is_no_page_to_open(client: httpx.AsyncClient) -> None:
    code, _ = await open_table(client, "Ana")
    answer = await client.get(f"/t/{code}/live", headers={"Sec-Fetch-Dest": "document"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/t/{code}")
    assert (await client.get(f"/t/{code}/live", headers={"Sec-Fetch-Dest": "empty"})).status_code == 200


@pytest.fixture
async def faulty(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """The service with limits on, and two routes more that break."""
    app: FastAPI = create_app(settings.model_copy(update={"rate_limits": "on"}))

    async def broken(_: object) -> None:
        raise RuntimeError("broken on purpose: secret-detail")

    app.router.routes += [Route("/broken", broken), Route(f"{API}/broken", broken)]
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://knobel.test") as one,
    ):
        yield one


async def test_fault_of_ours_has_the_headers_and_a_number_and_no_details(faulty: httpx.AsyncClient) -> None:
    page = await faulty.get("/broken", headers={"Accept-Language": "de"})
    call = await faulty.get(f"{API}/broken")
    for answer in (page, call):
        assert answer.status_code == 500
        is_guarded(answer)
        assert "secret-detail" not in answer.text
        assert "Traceback" not in answer.text
        assert re.search(r"\b[0-9a-f]{12}\b", answer.text)
    assert Page(page.text).lang == "de"
    assert call.headers["content-type"] == "application/problem+json"


async def test_too_many_requests_have_the_headers_too(faulty: httpx.AsyncClient) -> None:
    for _ in range(200):
        answer = await faulty.get(f"/t/{UNKNOWN}")
        if answer.status_code == 429:
            is_guarded(answer)
            assert int(answer.headers["retry-after"]) >= 1
            return
    raise AssertionError("no 429")


async def test_too_many_moves_by_form_are_429_with_the_present_board(faulty: httpx.AsyncClient) -> None:
    code, (ana,) = await running_table(faulty, "Ana")
    browser = browser_of(faulty, ana)
    for _ in range(200):
        page = await browser.post(f"/t/{code}/moves", [("do", "roll"), ("turn", "0")])
        if page.status == 429:
            assert "too much" in " ".join(page.notices) or "a bit much" in " ".join(page.notices)
            assert page.form("/moves", do="roll")
            return
    raise AssertionError("no 429")


def test_stream_of_a_real_server_has_the_headers(server: Server) -> None:
    with httpx.Client(base_url=server.url) as http:
        token = http.post(f"{API}/guests").json()["token"]
        bearer = {"Authorization": f"Bearer {token}"}
        code = http.post(f"{API}/tables", json={"game": "yacht"}, headers=bearer).json()["code"]
        for path in (f"/t/{code}/stream", f"{API}/tables/{code}/stream"):
            with http.stream("GET", path) as answer:
                is_guarded(answer)
        is_guarded(http.get("/"))
        is_guarded(http.post("/me", headers={"Sec-Fetch-Site": "cross-site"}))


async def test_no_page_has_script_or_style_within(client: httpx.AsyncClient) -> None:
    waiting, (ana,) = await open_table(client, "Ana")
    playing, (bo, _) = await running_table(client, "Bo", "Cleo")
    over, (dana,) = await finished_table(client, "Dana")
    host, mover, winner = (browser_of(client, one) for one in (ana, bo, dana))
    stranger = Browser(client, "de")
    pages = [(stranger, path) for path in ("/", "/me", "/g/yacht", "/nowhere", "/t/x", f"{API}/docs", f"/t/{waiting}")]
    pages += [(stranger, f"/t/{over}/replay?step={step}&play=1") for step in (0, 5, 36)]
    pages += [(host, f"/t/{waiting}"), (mover, f"/t/{playing}"), (stranger, f"/t/{playing}"), (winner, f"/t/{over}")]
    pages += [(host, f"/t/{waiting}/live"), (mover, "/"), (mover, f"/t/{playing}/live"), (winner, f"/t/{over}/live")]
    for browser, path in pages:
        page = await browser.get(path)
        for node in page.walk():
            assert "style" not in node.attrs, f"{path}: {node.tag} style"
            assert node.tag != "style", path
            assert not [name for name in node.attrs if name.startswith(("on", "hx-on"))], path
            assert not str(node.attrs.get("href", "")).lower().startswith(("javascript:", "data:")), path
            assert node.tag != "script" or (node.attrs["src"].startswith("/static/") and not node.children), path
            assert not any(value.startswith(("js:", "javascript:")) for value in node.attrs.values()), path
            for name in ("src", "href", "action", "hx-post", "hx-get", "hx-sse:connect"):
                value = node.attrs.get(name, "/")
                assert value.startswith(("/", "#")), f"{path}: {name}={value}"
                assert not value.startswith("//"), f"{path}: {name}={value}"
    for picture in (
        (await client.get(f"/t/{waiting}/qr.svg")),
        (await client.get(house_of(client).assets.url("art.svg"))),
    ):
        assert "<script" not in picture.text
        assert "onload" not in picture.text


@pytest.mark.parametrize("counted", [True, False], ids=["with Content-Length", "without"])
@pytest.mark.parametrize("hx", [True, False], ids=["htmx", "plain"])
async def test_form_over_64_kib_is_413_in_words_and_changes_nothing(
    client: httpx.AsyncClient,
    settings: Settings,
    counted: bool,  # noqa: FBT001  # a parameter
    hx: bool,  # noqa: FBT001  # a parameter
) -> None:
    code, (ana, _) = await running_table(client, "Ana", "Bo")
    browser = browser_of(client, ana, "de")
    turn = (await browser.get(f"/t/{code}")).id("table").attrs["data-token"]
    body = f"do=roll&turn={turn}&x=".encode() + b"x" * 70_000

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 9_000):
            yield body[start : start + 9_000]

    before = await dump(str(settings.database_url))
    headers = {"Content-Type": "application/x-www-form-urlencoded"} | ({"HX-Request": "true"} if hx else {})
    answer = await browser.http.post(f"/t/{code}/moves", content=body if counted else pieces(), headers=headers)
    assert answer.status_code == 413
    is_guarded(answer)
    assert answer.headers["content-type"].startswith("text/html")
    assert await dump(str(settings.database_url)) == before


async def test_form_of_just_under_64_kib_is_read(client: httpx.AsyncClient) -> None:
    code, (ana,) = await running_table(client, "Ana")
    browser = browser_of(client, ana)
    turn = (await browser.get(f"/t/{code}")).id("table").attrs["data-token"]
    page = await browser.post(f"/t/{code}/moves", [("do", "roll"), ("turn", turn), ("x", "x" * 65_000)])
    assert page.status == 200


async def test_files_and_broken_forms_are_refused_without_a_fault(client: httpx.AsyncClient) -> None:
    code, (ana,) = await running_table(client, "Ana")
    http = browser_of(client, ana).http
    answers = [
        await http.post(f"/t/{code}/moves", files={"turn": ("a.txt", b"1")}),
        await http.post(f"/t/{code}/moves", content=b"x", headers={"Content-Type": "multipart/form-data; boundary=y"}),
        await http.post(f"/t/{code}/moves", content=b"x", headers={"Content-Type": "multipart/form-data"}),
        await http.post(
            f"/t/{code}/moves",
            content=b"%ff%fe=%00&=&&&;",
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        ),
        await http.post(
            f"/t/{code}/moves",
            content="&".join(f"a{n}=1" for n in range(5_000)),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        ),
        await http.post(f"/t/{code}/moves", content=b'{"turn": 1}', headers={"Content-Type": "application/json"}),
    ]
    for answer in answers:
        assert 400 <= answer.status_code < 500
        assert Page(answer.text).has("table")


async def test_thousand_broken_cookies_break_nothing(client: httpx.AsyncClient) -> None:
    code, (ana,) = await open_table(client, "Ana")
    chance = random.Random(5)
    good = f"sid={ana.token}; guest=Ana.0123456789abcdef; lang=de; theme=dark; sound=off; keys=off"
    letters = [chr(n) for n in range(1, 256) if chr(n) not in "\r\n"]
    app = app_of(client)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://knobel.test") as http:
        for n in range(1_000):
            text = list(good)
            for _ in range(chance.randint(1, 12)):
                place = chance.randrange(len(text))
                text[place : place + chance.choice((0, 1, 1, 8))] = chance.choices(
                    letters, k=chance.choice((0, 1, 1, 30))
                )
            path = ("/", f"/t/{code}", f"{API}/me", "/me")[n % 4]
            answer = await http.get(path, headers=[(b"cookie", "".join(text).encode("latin-1"))])
            assert answer.status_code in {200, 401}, repr("".join(text))
            http.cookies.clear()
