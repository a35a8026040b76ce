"""Without its database the service says so, everywhere, and comes back by itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from app.main import create_app
from app.settings import Settings
from app.web.security import CSP
from tests.support.server import free_port
from tests.web.forms import Page
from tests.web.service import API, UNKNOWN
from tests.web.test_api_errors import is_problem

pytestmark = pytest.mark.anyio


@pytest.fixture
async def lonely(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A service whose database address nobody listens at, asked by somebody with a session."""
    url = f"postgresql://postgres@127.0.0.1:{free_port()}/nothing"
    app = create_app(Settings(database_url=url, data_dir=tmp_path, rate_limits="off", public_url="http://knobel.test"))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=transport,
            base_url="http://knobel.test",
            cookies={"sid": "x" * 43},
            headers={"Accept-Language": "de"},
        ) as one,
    ):
        yield one


PAGES = [
    ("GET", "/"),
    ("GET", "/me"),
    ("POST", "/me"),
    ("GET", "/g/yacht"),
    ("POST", "/g/yacht/tables"),
    ("GET", f"/t/{UNKNOWN}"),
    ("GET", f"/t/{UNKNOWN}/live"),
    ("GET", f"/t/{UNKNOWN}/stream"),
    ("GET", f"/t/{UNKNOWN}/replay"),
    ("GET", f"/t/{UNKNOWN}/record"),
    ("POST", f"/t/{UNKNOWN}/sit"),
    ("POST", f"/t/{UNKNOWN}/leave"),
    ("POST", f"/t/{UNKNOWN}/start"),
    ("POST", f"/t/{UNKNOWN}/moves"),
    ("POST", f"/t/{UNKNOWN}/undo"),
    ("POST", f"/t/{UNKNOWN}/rematch"),
    ("POST", f"/t/{UNKNOWN}/seats/1/free"),
]
CALLS = [
    ("POST", "/guests", {}),
    ("GET", "/me", None),
    ("POST", "/tables", {"game": "yacht"}),
    ("GET", f"/tables/{UNKNOWN}", None),
    ("POST", f"/tables/{UNKNOWN}/seats", {}),
    ("DELETE", f"/tables/{UNKNOWN}/seats/0", None),
    ("POST", f"/tables/{UNKNOWN}/start", None),
    ("POST", f"/tables/{UNKNOWN}/moves", {"turn": 1, "move": {}}),
    ("POST", f"/tables/{UNKNOWN}/undo", {"version": 1}),
    ("POST", f"/tables/{UNKNOWN}/rematch", None),
    ("GET", f"/tables/{UNKNOWN}/events", None),
    ("GET", f"/tables/{UNKNOWN}/stream", None),
    ("GET", f"/tables/{UNKNOWN}/replay", None),
    ("GET", f"/tables/{UNKNOWN}/record", None),
]


async def test_every_page_says_so_with_503_and_when_to_come_again(lonely: httpx.AsyncClient) -> None:
    for method, path in PAGES:
        answer = await lonely.request(
            method, path, data={} if path.startswith("/g/") or method == "GET" else {"name": "Ana", "turn": "1"}
        )
        assert answer.status_code == 503, f"{method} {path}: {answer.status_code}"
        assert int(answer.headers["retry-after"]) >= 1, path
        assert answer.headers["content-security-policy"] == CSP, path
        page = Page(answer.text)
        assert page.lang == "de", path
        assert "Speichern" in page.text, path


async def test_every_call_of_the_api_says_so_with_503(lonely: httpx.AsyncClient) -> None:
    for method, path, body in CALLS:
        answer = await lonely.request(method, f"{API}{path}", json=body)
        is_problem(answer, 503, "unavailable")
        assert int(answer.headers["retry-after"]) >= 1, path


async def test_process_lives_but_is_not_ready(lonely: httpx.AsyncClient) -> None:
    assert (await lonely.get("/health/live")).status_code == 200
    ready = await lonely.get("/health/ready")
    assert ready.status_code == 503
    assert int(ready.headers["retry-after"]) >= 1


async def test_games_and_docs_need_no_database(lonely: httpx.AsyncClient) -> None:
    for path in (f"{API}/games", f"{API}/openapi.json", f"{API}/docs"):
        assert (await lonely.get(path)).status_code == 200


async def test_service_with_its_database_is_ready(client: httpx.AsyncClient) -> None:
    assert (await client.get("/health/live")).json() == {"status": "live"}
    assert (await client.get("/health/ready")).json() == {"status": "ready"}
