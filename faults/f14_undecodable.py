"""F14: rows that cannot be decoded, in many tables at once."""

from __future__ import annotations

import asyncio
from collections import Counter

import asyncpg

from faults.http import Client
from faults.invariants import holds
from faults.people import API, Company, Ledger, drive
from faults.postgres import Postgres
from faults.run import Program, Run
from faults.service import Service

DAMAGE = (
    "UPDATE tables SET state = '{}' WHERE id = $1",
    "UPDATE tables SET state = '[\"zebra-17\"]' WHERE id = $1",
    "UPDATE tables SET state = state || '{\"zebra-17\": 1}' WHERE id = $1",
    "UPDATE tables SET options = '{\"zebra-17\": true}' WHERE id = $1",
    "UPDATE tables SET rules = 99 WHERE id = $1",
    "UPDATE tables SET game = 'zebra-17' WHERE id = $1",
    'UPDATE table_events SET data = \'{"move": {"kind": "zebra-17"}}\' WHERE type = \'move\' AND table_id = $1',
    "UPDATE table_events SET data = '[\"zebra-17\"]' WHERE type = 'move' AND table_id = $1",
    "UPDATE table_events SET data = '{}' WHERE type = 'chance' AND table_id = $1",
    "UPDATE table_events SET data = data || '{\"sides\": [20]}' WHERE type = 'chance' AND table_id = $1",
)


async def _break(url: str, codes: list[str]) -> None:
    connection = await asyncpg.connect(url)
    for number, code in enumerate(codes):
        table = await connection.fetchval("SELECT id FROM tables WHERE code = $1", code)
        await connection.execute(DAMAGE[number % len(DAMAGE)], table)
    await connection.close()


async def _look(run: Run, service: Service, broken: list[Company], whole: list[Company]) -> None:
    """Ask for everything of every table, by pages and by the API."""
    client = Client(service.port)
    resting, elsewhere = 0, Counter[int]()
    log = service.log
    for company in broken:
        code = company.people[0].table["code"]
        client.token = company.people[0].client.token
        answers = [await client.get(path) for path in (f"{API}/tables/{code}/events", f"/t/{code}")]
        told = [answer for answer in answers if answer.status == 503]
        resting += bool(told)
        for answer in answers:
            run.must(answer.status in (200, 503), f"F14: a table that cannot be read is answered with {answer.status}")
            run.must(b"zebra-17" not in answer.body and b"Traceback" not in answer.body, "F14: what is stored is shown")
        for answer in told:
            run.must(answer.request_id in answer.body.decode(), "F14: 503 without the number")
            run.must(answer.request_id.encode() in log.read_bytes(), "F14: a number that is not in the log")
        elsewhere[(await client.get(f"{API}/me")).status] += 1
    for company in whole:
        code = company.people[0].table["code"]
        client.token = company.people[0].client.token
        for path in (f"{API}/tables/{code}", f"/t/{code}", f"{API}/tables/{code}/events", f"{API}/me"):
            elsewhere[(await client.get(path)).status] += 1
    for path in ("/", "/g/yacht", f"{API}/games", "/health/ready"):
        elsewhere[(await client.get(path)).status] += 1
    client.close()
    run.figures |= {
        "broken": len(broken),
        "resting": resting,
        "whole": len(whole),
        "answers_elsewhere": sum(elsewhere.values()),
    }
    run.figures["5xx_elsewhere"] = sum(count for status, count in elsewhere.items() if status >= 500)
    run.must(resting == len(broken), "F14: not every broken table says so")
    run.must(set(elsewhere) == {200}, f"F14: elsewhere {dict(elsewhere)}")


async def _all(run: Run, postgres: Postgres, service: Service) -> None:
    ledger = Ledger()
    companies = [Company(ledger, number, 2, service.port) for number in range(run.times(15, 60))]
    for company in companies:
        await company.open()
        person = next(one for one in company.people if one.table["you"]["turn"] is not None)
        await person.send(person.table["you"]["turn"], {"kind": "roll", "dice": [0, 1, 2, 3, 4]})
    cut = len(companies) * 2 // 3
    await _break(postgres.url, [company.people[0].table["code"] for company in companies[:cut]])
    await asyncio.to_thread(service.stop)
    await asyncio.to_thread(service.start)
    await _look(run, service, companies[:cut], companies[cut:])
    for company in companies:
        company.close()
    fresh = Ledger()
    await drive([Company(fresh, 900 + number, 2, service.port) for number in range(3)], asyncio.sleep(3))
    wrong = await holds(postgres.url, fresh, (service,))
    found = [text for text in wrong if text.startswith("I2/I3")]
    run.figures["found_by_check"] = len(found)
    run.must(len(found) == cut, f"F14: app.admin check finds {len(found)} of {cut} broken tables")
    run.add([text for text in wrong if text not in found])


def body(run: Run) -> None:
    """Break two thirds of the tables in ten ways, restart, and look at everything; then play at new ones."""
    spoiled = "unreadable_is_fault" if run.blunt else ""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder, spoiled=spoiled) as service:
        asyncio.run(_all(run, postgres, service))


PROGRAM = Program(
    "F14",
    "Rows that cannot be decoded",
    "Each such table rests, with words and a number; lists, start and all other tables go on.",
    "such rows are met like any other fault",
    body,
)
