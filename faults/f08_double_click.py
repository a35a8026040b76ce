"""F8: the same move twice: together, later, after a restart, from another process."""

from __future__ import annotations

import asyncio
from typing import Any

from faults.http import Answer, Client
from faults.invariants import holds
from faults.people import API, Company, Entry, Ledger, pick
from faults.postgres import Postgres
from faults.run import Program, Run
from faults.service import Service

WAYS = ("together", "a second later", "another process", "after a restart")


def _lasting(answer: Answer) -> Any:
    """Return what two answers to the same move must have in common: not who is there just now."""
    table = answer.json()
    for seat in table.get("seats", ()):
        seat.pop("present")
    table.pop("url", None)
    return table


async def _twice(run: Run, way: str, company: Company, services: list[Service], ledger: Ledger) -> None:
    person = next(one for one in company.people if one.table["you"]["turn"] is not None)
    table, turn = person.table, person.table["you"]["turn"]
    move = pick(table["you"]["actions"], run.rng)
    entry = Entry(table["code"], person.client.token, table["you"]["seat"], turn, move, "ok")
    ledger.entries.append(entry)
    path, body = f"{API}/tables/{table['code']}/moves", {"turn": turn, "move": move}
    here = Client(services[0].port, token=person.client.token)
    there = Client(services[way == "another process"].port, token=person.client.token)
    if way in ("together", "another process"):
        answers = list(await asyncio.gather(here.post(path, body), there.post(path, body)))
    else:
        answers = [await here.post(path, body)]
        if way == "a second later":
            await asyncio.sleep(1)
        else:
            await asyncio.to_thread(services[0].kill)
            await asyncio.to_thread(services[0].start)
        answers.append(await there.post(path, body))
    here.close()
    there.close()
    run.must([answer.status for answer in answers] == [200, 200], f"F8: {way}: {[answer.status for answer in answers]}")
    if all(answer.status == 200 for answer in answers):
        run.must(_lasting(answers[0]) == _lasting(answers[1]), f"F8: {way}: two answers")
    for one in company.people:
        one.take((await one.surely("GET", f"/tables/{table['code']}")).json())


async def _play(run: Run, url: str, services: list[Service]) -> None:
    ledger = Ledger()
    company = Company(ledger, 1, 2, services[1].port)
    await company.open()
    done = dict.fromkeys(WAYS, 0)
    often = {"together": run.times(4, 60), "another process": run.times(4, 60), "a second later": run.times(1, 10)}
    for way in WAYS:
        for _ in range(often.get(way, run.times(1, 5))):
            if company.people[0].table["status"] != "playing":
                await company.open()
            await _twice(run, way, company, services, ledger)
            done[way] += 1
    company.close()
    run.figures |= {"clicks": sum(done.values()), **{way.replace(" ", "_"): count for way, count in done.items()}}
    run.add(await holds(url, ledger, tuple(services)))


def body(run: Run) -> None:
    """Two processes of the service; one of them is killed and started between the two clicks."""
    spoiled = "turnless" if run.blunt else ""
    with (
        Postgres(run.folder) as postgres,
        Service(postgres.url, run.folder, spoiled=spoiled) as one,
        Service(postgres.url, run.folder, spoiled=spoiled) as other,
    ):
        asyncio.run(_play(run, postgres.url, [one, other]))


PROGRAM = Program(
    "F8",
    "Double click",
    "The same move sent twice is done once, and both are answered with 200 and the same table.",
    "every move is taken for an answer to the present question",
    body,
)
