"""The API for people to read: made from the OpenAPI description, without foreign scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from app.web.deps import VisitorDep

router = APIRouter(prefix="/api/v1", include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the API."""

    method: str
    path: str
    id: str
    summary: str
    body: str
    answers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A named object of the API with its fields: (name, type, required)."""

    name: str
    text: str
    fields: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True, slots=True)
class ApiContext:
    """Context of `api.html`."""

    calls: tuple[Call, ...]
    shapes: tuple[Shape, ...]


@router.get("/docs")
async def docs(who: VisitorDep) -> Response:
    """All calls and shapes on one page."""
    return who.html("api.html", me=None, api=describe(who.request.app.openapi()))


def describe(openapi: dict[str, Any]) -> ApiContext:
    """Return an OpenAPI description as a page shows it."""
    calls = [
        Call(
            method=method.upper(),
            path=path,
            id=f"{method}-{call['operationId']}",
            summary=call.get("description", call["summary"]),
            body=_type(_content(call.get("requestBody", {}))) if "requestBody" in call else "",
            answers=tuple((status, answer["description"]) for status, answer in sorted(call["responses"].items())),
        )
        for path, methods in openapi["paths"].items()
        for method, call in methods.items()
    ]
    shapes = [
        Shape(
            name=name,
            text=schema.get("description", ""),
            fields=tuple(
                (field, _type(kind), field in schema.get("required", ()))
                for field, kind in schema.get("properties", {}).items()
            ),
        )
        for name, schema in openapi["components"]["schemas"].items()
        if name not in {"HTTPValidationError", "ValidationError"}
    ]
    return ApiContext(tuple(calls), tuple(shapes))


def _content(body: dict[str, Any]) -> dict[str, Any]:
    return next((media.get("schema", {}) for media in body.get("content", {}).values()), {})


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "anyOf" in schema:
        return " | ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    if "const" in schema:
        return f'"{schema["const"]}"'
    if schema.get("type") == "array":
        return f"[{_type(schema.get('items', {}))}]"
    return str(schema.get("type", "any"))
