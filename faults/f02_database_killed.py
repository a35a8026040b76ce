"""F2: PostgreSQL is killed amid moves, postmaster and backends."""

from __future__ import annotations

import asyncio
import time

from faults.http import Client, Lost
from faults.invariants import holds
from faults.people import Company, Ledger, drive
from faults.postgres import Postgres
from faults.run import Program, Run, share
from faults.service import Service

WORDS = b"Saving is not possible right now"


async def _kill(run: Run, postgres: Postgres, ledger: Ledger, times: int, back: list[float]) -> None:
    await asyncio.sleep(1)
    for _ in range(times):
        await asyncio.sleep(run.rng.uniform(1, 3))
        killed = time.monotonic()
        await asyncio.to_thread(postgres.kill)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(postgres.ensure)
        while not any(sent > killed for sent in list(ledger.sent_at.values())[-200:]):
            if time.monotonic() - killed > (10 if run.blunt else 30):
                run.wrong.append("F2: no move within 30 s after a kill")
                break
            await asyncio.sleep(0.02)
        back.append(time.monotonic() - killed)
    await asyncio.sleep(1)


async def _page_while_away(run: Run, postgres: Postgres, service: Service) -> None:
    """Check that a page without its database says so in words."""
    client = Client(service.port)
    await asyncio.to_thread(postgres.kill)
    try:
        answer = await client.get("/t/AAAAAAAAAA")
        run.must(answer.status == 503 and WORDS in answer.body, f"F2: the page says {answer.status} without the words")
        run.must(answer.retry_after, "F2: the page does not say when to try again")
    except Lost as problem:
        run.wrong.append(f"F2: no page without the database: {problem}")
    finally:
        client.close()
        await asyncio.to_thread(postgres.ensure)


async def _play(run: Run, postgres: Postgres, service: Service) -> None:
    ledger, back = Ledger(), list[float]()
    tables, size = (5, 2) if run.short else (20, 2)
    companies = [Company(ledger, number, size, service.port) for number in range(tables)]
    pid = service.pid
    await drive(companies, _kill(run, postgres, ledger, run.times(2 if run.blunt else 1, 20), back))
    await _page_while_away(run, postgres, service)
    wordless = [body for status, _, body in ledger.faults if status == 503 and WORDS not in body]
    run.figures |= {
        "kills": len(back),
        "clients": tables * size,
        **ledger.counts(),
        "back_p50_ms": share(back, 0.5),
        "back_max_ms": share(back, 1.0),
        "answers_503": len(ledger.faults),
        "answers_503_without_words": len(wordless),
    }
    run.must(not wordless, "F2: 503 without words")
    run.must(share(back, 1.0) <= 10_000, "F2: more than 10 s until the first move after a kill")
    run.must(
        service.process is not None and service.process.poll() is None and service.pid == pid, "F2: the service ended"
    )
    run.must(ledger.counts()["ok"] > 50, "hardly any moves were made")
    run.add(await holds(postgres.url, ledger, (service,)))


def body(run: Run) -> None:
    """Play at many tables and kill the database again and again; its supervisor (here: this program) starts it again."""
    with Postgres(run.folder) as postgres:
        if run.blunt:
            postgres.execute(
                "ALTER ROLE postgres SET synchronous_commit = off",
                "ALTER SYSTEM SET wal_writer_delay = '2s'",
                "SELECT pg_reload_conf()",
            )
        with Service(postgres.url, run.folder) as service:
            asyncio.run(_play(run, postgres, service))


PROGRAM = Program(
    "F2",
    "PostgreSQL is killed amid moves",
    "Nothing answered is lost, pages say in words that saving is not possible right now, and the service goes on without a restart.",
    "`synchronous_commit = off`",
    body,
)
