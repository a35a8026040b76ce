"""A walk over everything that the service's OpenAPI describes, with good, bad and hostile values, by three kinds of people."""

from __future__ import annotations

from collections import Counter
from typing import Any

from faults.http import Answer, Client, Lost
from faults.people import API, Company, Ledger, pick
from faults.run import Run
from faults.service import Service

BAD: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**63, 2**70, 1.5, -0.0, "", "\x00", "a" * 5000, "é\u202e", "1", [], [[]], {}, {"a": 1}, "easy", "yacht", "wait",
)  # fmt: skip
PATHS = ("AAAAAAAAAA", "%00", "..%2f..", "é", "a" * 300, "0", "-1", "99999999999999999999", "1.5", "%ff%fe")
BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"\x00",
    b'{"turn":1e400}',
    b'{"turn":NaN}',
    b"[" * 5000,
    b'{"turn":1,"turn":2}',
    b"\xef\xbb\xbf{}",
)
"""Bodies that are no JSON, or not what anybody expects."""

AUTHENTICATED = {"post", "delete"}
FREE = {f"{API}/guests"}


class Walker:
    """Asks everything; `table` is a running one of the owner's, `other` one that has not begun."""

    def __init__(self, run: Run, service: Service, ledger: Ledger) -> None:
        self.run = run
        self.client = Client(service.port, timeout=20)
        self.ledger = ledger
        self.statuses: Counter[int] = Counter()
        self.operations: set[str] = set()
        self.described: dict[str, Any] = {}
        self.codes: list[str] = []
        self.tokens: list[str] = []

    def value(self, schema: dict[str, Any], depth: int = 0) -> Any:  # noqa: PLR0911  # one for each kind of schema
        """Return a value for a schema: mostly one that fits, sometimes one that does not."""
        rng = self.run.rng
        if rng.random() < 0.25 or depth > 4:
            return rng.choice(BAD)
        if "$ref" in schema:
            return self.value(self.described["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth)
        for way in ("anyOf", "oneOf"):
            if way in schema:
                return self.value(rng.choice(schema[way]), depth + 1)
        if "enum" in schema or "const" in schema:
            return rng.choice(schema.get("enum", [schema.get("const")]))
        kind = schema.get("type")
        if kind == "object":
            made = {
                name: self.value(part, depth + 1)
                for name, part in schema.get("properties", {}).items()
                if rng.random() < 0.9
            }
            if rng.random() < 0.1:
                made["seat"] = rng.choice(BAD)
            return made
        if kind == "array":
            return [self.value(schema.get("items", {}), depth + 1) for _ in range(rng.randrange(3))]
        return {"integer": rng.randrange(40), "boolean": True, "null": None, "number": 1.5}.get(
            str(kind), rng.choice(("yacht", "none", "en", "Ana"))
        )

    def address(self, path: str, operation: dict[str, Any]) -> str:
        """Fill in a path and its query."""
        rng = self.run.rng
        for part in operation.get("parameters", ()):
            if part["in"] == "path":
                good = rng.choice(self.codes) if part["name"] == "code" else str(rng.randrange(3))
                path = path.replace(
                    f"{{{part['name']}}}", good if rng.random() < 0.8 else rng.choice(PATHS).replace("é", "%C3%A9")
                )
            elif rng.random() < 0.6:
                path += f"?{part['name']}={rng.choice((0, 1, 5, -1, 2**31, 2**64, 'x', '', '%00', '1.5'))}"
        return path

    async def ask(self, method: str, path: str, operation: dict[str, Any]) -> None:
        """Ask one operation once, and check the answer against what is described."""
        rng = self.run.rng
        self.client.token = rng.choice((*self.tokens, "", "x" * 43, "é", "\x7f"))
        body: Any = None
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            body = rng.choice(BODIES) if rng.random() < 0.15 else self.value(schema)
            body = b"null" if body is None else body
        filled = self.address(path, operation)
        try:
            answer = await self.client.ask(method.upper(), filled, _sendable(body))
        except Lost as problem:
            self.run.wrong.append(f"F25: {method} {filled[:80]}: no answer ({problem})")
            return
        self.statuses[answer.status] += 1
        self.operations.add(f"{method} {path}")
        self._judge(method, path, operation, answer)

    def _judge(self, method: str, path: str, operation: dict[str, Any], answer: Answer) -> None:
        if answer.status >= 500:
            self.ledger.fault(answer)
            self.run.wrong.append(f"F25: {method} {path}: {answer.status} {answer.body[:120]!r}")
        told = {int(status) for status in operation["responses"]} | {400, 405, 413, 431}
        self.run.must(answer.status in told, f"F25: {method} {path}: {answer.status} is not described")
        if answer.status >= 400 and answer.request_id:  # else it was no HTTP, and never came to the service
            self.run.must(
                b"application/problem+json" in answer.head, f"F25: {method} {path}: {answer.status} is no problem JSON"
            )
        if self.client.token not in self.tokens and method in AUTHENTICATED and path not in FREE:
            self.run.must(answer.status >= 400, f"F25: {method} {path} without a session: {answer.status}")


def _sendable(body: Any) -> Any:
    """Return a body as it can be written: numbers beyond 64 bits as text."""
    if isinstance(body, dict):
        return {name: _sendable(part) for name, part in body.items()}
    if isinstance(body, list):
        return [_sendable(part) for part in body]
    return str(body) if isinstance(body, int) and not isinstance(body, bool) and abs(body) >= 2**63 else body


async def walk(run: Run, service: Service, ledger: Ledger, times: int) -> None:
    """Ask every operation so many times, and have the owner make a legal move now and then."""
    walker = Walker(run, service, ledger)
    walker.described = (await walker.client.get(f"{API}/openapi.json")).json()
    companies = [Company(ledger, 70 + number, 2, service.port) for number in range(2)]
    for company in companies:
        walker.codes.append(await company.open())
    waiting = await companies[0].people[0].surely("POST", "/tables", {"game": "yacht"})
    walker.codes.append(waiting.json()["code"])
    walker.tokens = [person.client.token for company in companies for person in company.people]
    operations = [
        (method, path, operation)
        for path, methods in walker.described["paths"].items()
        for method, operation in methods.items()
        if not path.endswith("/stream")  # F5, F6 and the tests of streams are about those
    ]
    for _ in range(times):
        run.rng.shuffle(operations)
        for method, path, operation in operations:
            await walker.ask(method, path, operation)
        await _move(companies[0], run)
    ledger.entries.clear()  # moves of the walk itself may have come between
    walker.client.close()
    for company in companies:
        company.close()
    run.figures |= {
        "operations": len(operations),
        "operations_asked": len(walker.operations),
        "requests": walker.statuses.total(),
        "answers": {str(status): count for status, count in sorted(walker.statuses.items())},
    }
    run.must(len(walker.operations) == len(operations), "F25: not every operation was asked")


async def _move(company: Company, run: Run) -> None:
    for person in company.people:
        table = (await person.surely("GET", f"/tables/{company.people[0].table['code']}")).json()
        if table["you"] is not None and table["you"]["turn"] is not None and table["you"]["actions"]:
            body = {"turn": table["you"]["turn"], "move": pick(table["you"]["actions"], run.rng)}
            await person.client.post(f"{API}/tables/{table['code']}/moves", body)
