"""F9: order and phase: thousands of illegal moves, made of legal ones, at running tables of all games."""

from __future__ import annotations

import asyncio
import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import asyncpg
import orjson

from app.games import CURRENT
from faults.invariants import holds
from faults.people import API, Company, Ledger, Person, normal, pick
from faults.postgres import Postgres
from faults.run import Program, Run
from faults.service import Service

ODD: tuple[Any, ...] = (
    True,
    None,
    -1,
    0,
    1,
    7,
    99,
    2**63,
    1.0,
    -0.0,
    "",
    "1",
    "\x00",
    "é\u202e",
    [],
    {},
    [[]],
    "d0",
    "r1c1",
    "john",
)
ENOUGH = 5
"""After so many changes by illegal moves nothing more is to be learnt at a table."""

_STATE = """
SELECT md5(string_agg(id || ' ' || version || ' ' || status || coalesce(state::text, ''), ',' ORDER BY id))
       || (SELECT count(*) FROM table_events) FROM tables
"""


def is_legal(move: object, actions: list[dict[str, Any]]) -> bool:
    """Whether one of the actions, as the API shows them, describes a move."""
    if not isinstance(move, dict):
        return False
    return any(_fits(move, action) for action in actions)


def _fits(move: dict[str, Any], action: dict[str, Any]) -> bool:
    if set(move) != set(action):
        return False
    for name, wanted in action.items():
        given = move[name]
        if isinstance(wanted, dict) and "pick" in wanted:
            how = wanted["pick"]
            if not isinstance(given, list) or not how["min"] <= len(given) <= how["max"]:
                return False
            texts = [orjson.dumps(one) for one in given]
            if len(set(texts)) < len(texts) or not set(texts) <= {orjson.dumps(one) for one in how["from"]}:
                return False
        elif orjson.dumps(given) != orjson.dumps(wanted):
            return False
    return True


def mutations(run: Run, move: dict[str, Any], pool: list[dict[str, Any]], count: int) -> Iterator[Any]:
    """Yield moves made of a legal one: other values, more and fewer fields, moves of other phases and positions."""
    rng = run.rng
    for _ in range(count):
        changed: Any = copy.deepcopy(move)
        names = list(changed)
        way = rng.randrange(7)
        if way == 0:
            changed[rng.choice(names)] = rng.choice(ODD)
        elif way == 1:
            del changed[rng.choice(names)]
        elif way == 2:
            changed[rng.choice(("seat", "kind2", "dice", "value", "turn"))] = rng.choice(ODD)
        elif way == 3 and pool:
            changed = copy.deepcopy(rng.choice(pool))
        elif way == 4:
            lists = [name for name in names if isinstance(changed[name], list)]
            if lists:
                part = changed[rng.choice(lists)]
                part.append(rng.choice([*part, *ODD]))
        elif way == 5 and pool:
            other = rng.choice(pool)
            changed.update({name: copy.deepcopy(part) for name, part in other.items() if rng.random() < 0.5})
        else:
            changed = rng.choice(([], None, 1, "roll", {}, [changed], {"move": changed}))
        yield changed


class Attacker:
    """One table, at which every illegal move is tried in every position of a game."""

    def __init__(self, run: Run, url: str, company: Company) -> None:
        self.run = run
        self.url = url
        self.company = company
        self.pool: list[dict[str, Any]] = []
        self.past: set[tuple[object, int, str]] = set()
        self.statuses: Counter[int] = Counter()
        self.changes = 0

    async def attack(self, connection: asyncpg.Connection[Any], count: int) -> None:
        """Play a game, and try so many illegal moves in all."""
        code = await self.company.open()
        while sum(self.statuses.values()) < count and self.changes < ENOUGH:
            asked = [one for one in self.company.people if one.table["you"]["turn"] is not None]
            if not asked:
                code = await self.company.open()
                self.past.clear()
                continue
            person = self.run.rng.choice(asked)
            before = await connection.fetchval(_STATE)
            await self._try(code, person)
            if await connection.fetchval(_STATE) != before:
                self.changes += 1
            await self._go_on(code, person)

    async def _try(self, code: str, person: Person) -> None:
        you = (await person.surely("GET", f"/tables/{code}")).json()["you"]
        if you["turn"] is None:
            return
        self.pool += [pick([action], self.run.rng) for action in you["actions"]]
        del self.pool[:-300]
        legal = pick(you["actions"], self.run.rng)
        for move in mutations(self.run, legal, self.pool, 12):
            if not is_legal(move, you["actions"]):
                await self._send(code, person, you["turn"], move)
        for turn in (0, you["turn"] - 1, you["turn"] + 1, 2**31 - 1, -1, 2**70, True, str(you["turn"])):
            if not self._made(turn, you["seat"], legal):
                await self._send(code, person, turn, legal)
        for other in self.company.people:
            theirs = other.table["you"]
            if other is not person and theirs["turn"] is None and not self._made(you["turn"], theirs["seat"], legal):
                await self._send(code, other, you["turn"], legal)

    def _made(self, turn: object, seat: int, move: dict[str, Any]) -> bool:
        """Whether this very move was made under this turn: then it is a repetition, and no fault."""
        return (turn, seat, normal(move)) in self.past

    async def _send(self, code: str, person: Person, turn: object, move: object) -> None:
        answer = await person.client.post(f"{API}/tables/{code}/moves", {"turn": _number(turn), "move": move})
        self.statuses[answer.status] += 1
        self.run.must(answer.status in (409, 422), f"F9: {self.company.game}: {answer.status} for {move!r}"[:200])
        if answer.status in (409, 422):
            self.run.must(answer.json().get("detail"), "F9: a refusal without a reason")

    async def _go_on(self, code: str, person: Person) -> None:
        """Make a legal move, so that the next position is another one."""
        you = (await person.surely("GET", f"/tables/{code}")).json()["you"]
        if you["turn"] is not None:
            move = pick(you["actions"], self.run.rng)
            self.past.add((you["turn"], you["seat"], normal(move)))
            answer = await person.client.post(f"{API}/tables/{code}/moves", {"turn": you["turn"], "move": move})
            self.run.must(answer.status == 200, f"F9: a legal move was answered with {answer.status}")
        for one in self.company.people:
            one.table = {}
            one.take((await one.surely("GET", f"/tables/{code}")).json())


def _number(turn: object) -> object:
    """Return a turn as it can be written in JSON: what is too large for it becomes text."""
    return str(turn) if isinstance(turn, int) and not isinstance(turn, bool) and turn > 2**63 else turn


async def _all(run: Run, url: str, service: Service) -> None:
    connection = await asyncpg.connect(url)
    changes, statuses = 0, Counter[int]()
    ledger = Ledger()
    for number, (slug, entry) in enumerate(CURRENT.items()):
        size = max(2, entry.game.info.min_players)
        company = Company(ledger, number, size, service.port, game=slug)
        attacker = Attacker(run, url, company)
        try:
            await attacker.attack(connection, run.times(80, 2600))
        finally:
            changes += attacker.changes
            statuses += attacker.statuses
            company.close()
            run.figures |= {"illegal_moves": statuses.total(), "state_changes": changes}
            run.figures["answers"] = {str(status): count for status, count in sorted(statuses.items())}
    run.must(not changes, f"F9: illegal moves changed something {changes} times")
    await connection.close()
    ledger.seen.clear()
    run.add(await holds(url, ledger, (service,)))


def body(run: Run) -> None:
    """Try illegal moves at a table of every game, and compare the whole database before and after."""
    spoiled = "lawless" if run.blunt else ""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder, spoiled=spoiled) as service:
        asyncio.run(_all(run, postgres.url, service))


PROGRAM = Program(
    "F9",
    "Order and phase",
    "No illegal move changes anything; each is answered with 409 or 422 and a reason.",
    "the rules take whatever has the shape of a move",
    body,
)
