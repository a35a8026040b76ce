"""F7: several requests answer one question at the same time, each with another move."""

from __future__ import annotations

import asyncio
from typing import Any

from faults.http import Answer, Client
from faults.invariants import holds
from faults.people import API, Company, Entry, Ledger
from faults.postgres import Postgres
from faults.run import Program, Run
from faults.service import Service

KINDS = [[dice for dice in range(5) if mask >> dice & 1] for mask in range(1, 32)]


def _moves(table: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Return so many different legal moves of a position."""
    found: list[dict[str, Any]] = []
    for action in table["you"]["actions"]:
        if action["kind"] != "roll":
            found.append(action)
        elif isinstance(action["dice"], dict):
            how = action["dice"]["pick"]
            found += [{"kind": "roll", "dice": dice} for dice in KINDS if how["min"] <= len(dice) <= how["max"]]
        else:
            found.append(action)
    return found[:count]


async def _round(run: Run, clients: list[Client], ledger: Ledger, company: Company) -> tuple[int, int]:
    """Send different moves under one turn at once. Returns how many were sent and how many accepted."""
    person = next(one for one in company.people if one.table["you"]["turn"] is not None)
    table, turn = person.table, person.table["you"]["turn"]
    moves = _moves(table, len(clients))
    run.rng.shuffle(moves)
    for client in clients:
        client.token = person.client.token
    path = f"{API}/tables/{table['code']}/moves"
    asked = [client.post(path, {"turn": turn, "move": move}) for client, move in zip(clients, moves, strict=False)]
    answers: list[Answer] = list(await asyncio.gather(*asked))
    for answer, move in zip(answers, moves, strict=False):
        entry = Entry(table["code"], person.client.token, table["you"]["seat"], turn, move)
        entry.outcome = "ok" if answer.status == 200 else "refused"
        ledger.entries.append(entry)
        run.must(answer.status in (200, 409), f"F7: answered with {answer.status}")
        if answer.status == 409:
            fresh = answer.json()
            run.must(fresh["table"]["version"] > table["version"], "F7: 409 without the table as it is now")
    for one in company.people:
        one.take((await one.client.get(f"{API}/tables/{table['code']}")).json())
    return len(answers), sum(answer.status == 200 for answer in answers)


async def _play(run: Run, url: str, services: tuple[Service, ...]) -> None:
    ledger = Ledger()
    ports = [service.port for service in services]
    company = Company(ledger, 1, 2, *ports)
    clients = [Client(ports[number % len(ports)]) for number in range(20)]
    rounds, sent = run.times(8, 150), 0
    accepted: list[int] = []
    await company.open()
    for number in range(rounds):
        if company.people[0].table["status"] != "playing":
            await company.open()
        count, ok = await _round(run, clients[: 2 if number % 2 else 20], ledger, company)
        sent += count
        if count > 1:
            accepted.append(ok)
    for client in clients:
        client.close()
    company.close()
    run.figures |= {
        "rounds": rounds,
        "requests": sent,
        "accepted_most": max(accepted),
        "rounds_with_none": accepted.count(0),
    }
    run.must(max(accepted) == 1, "F7: more than one move was accepted for one turn")
    run.must(0 not in accepted, "F7: of moves sent at once none was accepted")
    run.add(await holds(url, ledger, services))


def body(run: Run) -> None:
    """Two processes of the service, two people, up to twenty different moves for one turn at the same moment."""
    spoiled = "turnless" if run.blunt else ""
    with (
        Postgres(run.folder) as postgres,
        Service(postgres.url, run.folder, spoiled=spoiled) as one,
        Service(postgres.url, run.folder, spoiled=spoiled) as other,
    ):
        asyncio.run(_play(run, postgres.url, (one, other)))


PROGRAM = Program(
    "F7",
    "The same turn from two tabs",
    "Of different moves for one turn exactly one is accepted; the others are answered with 409 and the table as it is now.",
    "every move is taken for an answer to the present question",
    body,
)
