"""F11: requests of somebody with a seat, sent by others, without a session, later, and at another table."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import asyncpg

from faults.http import Client
from faults.invariants import holds
from faults.people import API, Company, Ledger, pick
from faults.postgres import Postgres
from faults.run import Program, Run
from faults.service import Service

_STATE = """
SELECT (SELECT md5(string_agg(id || ' ' || version || ' ' || status || coalesce(host_id, '') || coalesce(state::text, ''), ',' ORDER BY id)) FROM tables)
    || (SELECT count(*) FROM table_events)
    || (SELECT md5(string_agg(concat_ws(' ', table_id, seat, player_id, name, asked_at, bot, vote), ',' ORDER BY id)) FROM seats)
    || (SELECT count(*) FROM points)
"""
_FORM = "Content-Type: application/x-www-form-urlencoded\r\n"


def requests(code: str, turn: int, version: int, move: dict[str, Any], seat: int) -> list[tuple[str, str, Any]]:
    """Return what the holder of a seat may send, as (method, path, JSON body or form)."""
    form = f"turn={turn}&version={version}&do=roll&seat={seat}&level=easy&target=x&choice=end".encode()
    api = f"{API}/tables/{code}"
    return [
        ("POST", f"{api}/moves", {"turn": turn, "move": move}),
        ("POST", f"{api}/undo", {"version": version}),
        ("POST", f"{api}/start", {}),
        ("POST", f"{api}/rematch", {}),
        ("POST", f"{api}/absence", {"seat": 1 - seat, "choice": "end"}),
        ("POST", f"{api}/seats", {"bot": "easy"}),
        ("DELETE", f"{api}/seats/{seat}", None),
        *(("POST", f"/t/{code}/{word}", form) for word in ("moves", "undo", "bots", "back", "absence", "start", "leave", "point", "rematch")),
        ("POST", f"/t/{code}/seats/{seat}/free", form),
    ]  # fmt: skip


async def _cell(run: Run, client: Client, token: str, request: tuple[str, str, Any]) -> int:
    method, path, body = request
    client.token = ""
    extra = f"Authorization: Bearer {token}\r\n" if token and path.startswith(API) else ""
    extra += f"Cookie: sid={token}\r\n" if token and not path.startswith(API) else ""
    extra += _FORM if isinstance(body, bytes) else ""
    status = (await client.ask(method, path, body, extra)).status
    run.must(
        status in (401, 403, 404, 405, 409, 422), f"F11: {method} {path.rpartition('/')[2]} answered with {status}"
    )
    return status


async def _matrix(run: Run, url: str, company: Company, other: Company, strangers: dict[str, str]) -> Counter[int]:
    """Send everything from everywhere in one position. Returns the answers."""
    statuses: Counter[int] = Counter()
    connection = await asyncpg.connect(url)
    client = Client(company.people[0].client.ports[0])
    person = next(one for one in company.people if one.table["you"]["turn"] is not None)
    table = person.table
    you, code = table["you"], table["code"]
    move = pick(you["actions"], run.rng)
    sent = requests(code, you["turn"], table["version"], move, you["seat"])
    elsewhere = requests(other.people[0].table["code"], you["turn"], table["version"], move, you["seat"])
    opponent = next(one for one in company.people if one is not person).client.token
    before = await connection.fetchval(_STATE)
    for token in strangers.values():
        for request in sent:
            statuses[await _cell(run, client, token, request)] += 1
    for request in elsewhere:  # with a session that has a seat, but not there
        statuses[await _cell(run, client, person.client.token, request)] += 1
    statuses[await _cell(run, client, opponent, sent[0])] += 1  # by the one who is not asked
    run.must(await connection.fetchval(_STATE) == before, "F11: something has changed")
    client.close()
    await connection.close()
    return statuses


async def _all(run: Run, url: str, service: Service) -> None:
    ledger = Ledger()
    company, other, third = (Company(ledger, number, 2, service.port) for number in (1, 2, 3))
    for each in (company, other, third):
        await each.open()
    strangers = {"nobody": "", "made up": "x" * 43, "stranger": third.people[0].client.token}
    statuses: Counter[int] = Counter()
    for _ in range(run.times(2, 20)):
        statuses += await _matrix(run, url, company, other, strangers)
        person = next(one for one in company.people if one.table["you"]["turn"] is not None)
        await person.send(person.table["you"]["turn"], pick(person.table["you"]["actions"], run.rng))
        for one in company.people:
            one.take((await one.surely("GET", f"/tables/{one.table['code']}")).json())
    for each in (company, other, third):
        each.close()
    run.figures |= {
        "cells": statuses.total(),
        "answers": {str(status): count for status, count in sorted(statuses.items())},
    }
    run.figures["wrongly_accepted"] = sum(count for status, count in statuses.items() if status < 400)
    run.add(await holds(url, ledger, (service,)))


def body(run: Run) -> None:
    """In many positions of a game: everything that a seat may send, by everybody who may not."""
    spoiled = "seat_from_body" if run.blunt else ""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder, spoiled=spoiled) as service:
        asyncio.run(_all(run, postgres.url, service))


PROGRAM = Program(
    "F11",
    "Somebody else's seat",
    "What a seat may send is refused from every other session, from none, and at another table; nothing changes.",
    "whoever sends a move acts for the seat that is asked",
    body,
)
