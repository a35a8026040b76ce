"""The API says what it does: to programs by OpenAPI, to people on a page."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from tests.web.forms import Page
from tests.web.service import API

pytestmark = pytest.mark.anyio

CONTRACT = {
    "GET /games",
    "POST /guests",
    "GET /me",
    "POST /tables",
    "GET /tables/{code}",
    "POST /tables/{code}/seats",
    "DELETE /tables/{code}/seats/{seat}",
    "POST /tables/{code}/start",
    "POST /tables/{code}/absence",
    "POST /tables/{code}/moves",
    "POST /tables/{code}/undo",
    "POST /tables/{code}/rematch",
    "GET /tables/{code}/events",
    "GET /tables/{code}/stream",
    "GET /tables/{code}/replay",
    "GET /tables/{code}/record",
}
CREATES = {"POST /guests", "POST /tables", "POST /tables/{code}/seats", "POST /tables/{code}/rematch"}


@pytest.fixture
async def described(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.get(f"{API}/openapi.json")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def calls(described: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path.removeprefix(API)}": call
        for path, methods in described["paths"].items()
        for method, call in methods.items()
        if method != "head"
    }


async def test_openapi_lists_exactly_the_calls_of_the_contract(described: dict[str, Any]) -> None:
    assert set(calls(described)) == CONTRACT


async def test_every_call_says_what_it_does_and_what_it_answers(described: dict[str, Any]) -> None:
    for name, call in calls(described).items():
        assert call["description"].strip(), name
        assert ("201" if name in CREATES else "200") in call["responses"], name
        good = call["responses"]["201" if name in CREATES else "200"]["content"]
        if name.endswith("/stream"):
            assert list(good) == ["text/event-stream"]
        else:
            assert good["application/json"]["schema"], name


async def test_every_refusal_is_described_as_problem_json(described: dict[str, Any]) -> None:
    for name, call in calls(described).items():
        for status in ("401", "403", "404", "409", "422", "429", "503"):
            content = call["responses"][status]["content"]
            assert content.get("application/problem+json", {}).get("schema", {}).get("$ref", "").endswith("/Problem"), (
                f"{name} {status}: {content}"
            )


async def test_calls_that_answer_200_or_201_describe_both(described: dict[str, Any]) -> None:
    for name in ("POST /tables/{code}/seats", "POST /tables/{code}/rematch"):
        assert {"200", "201"} <= set(calls(described)[name]["responses"]), name


async def test_operation_ids_differ_and_references_lead_somewhere(described: dict[str, Any]) -> None:
    ids = [call["operationId"] for call in calls(described).values()]
    assert len(set(ids)) == len(ids)
    schemas = described["components"]["schemas"]
    assert set(re.findall(r"#/components/schemas/(\w+)", str(described))) <= set(schemas)


async def test_bodies_are_described_as_closed(described: dict[str, Any]) -> None:
    for name in ("GuestBody", "TableBody", "SeatBody", "MoveBody", "UndoBody"):
        assert described["components"]["schemas"][name]["additionalProperties"] is False


async def test_openapi_says_how_to_prove_who_one_is(described: dict[str, Any]) -> None:
    schemes = described["components"].get("securitySchemes", {})
    assert any(scheme.get("scheme", "").lower() == "bearer" for scheme in schemes.values())


async def test_page_shows_every_call_and_every_shape(client: httpx.AsyncClient, described: dict[str, Any]) -> None:
    answer = await client.get(f"{API}/docs")
    assert answer.status_code == 200
    page = Page(answer.text)
    shown = {node.text.replace(API, "") for node in page.all("summary")}
    assert shown >= CONTRACT
    for name in described["components"]["schemas"]:
        if name not in {"HTTPValidationError", "ValidationError"}:
            assert page.has(f"shape-{name}"), name
    ids = [node.attrs["id"] for node in page.walk() if "id" in node.attrs]
    assert len(ids) == len(set(ids))
    for link in page.links:
        if link.startswith("#"):
            assert page.has(link[1:]), link
