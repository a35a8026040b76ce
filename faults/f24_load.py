"""F24: a hundred tables at once, half of the seats bots, with watchers."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

import asyncpg

from faults.http import Client, Lost, Stream
from faults.invariants import holds
from faults.people import API, Company, Ledger, drive
from faults.postgres import Postgres
from faults.run import Program, Run, share
from faults.service import Service

SECONDS = int(os.environ.get("FAULTS_LOAD_SECONDS", "60"))
"""How long the load lasts; the plan wants ten minutes, `make load` takes one unless told otherwise."""


async def _watch(port: int, code: str, lost: list[str]) -> None:
    """Watch a table without a seat until cancelled."""
    client = Client(port, timeout=30)
    while True:
        try:
            stream = await Stream.open(client, f"{API}/tables/{code}/stream")
            try:
                while True:
                    await stream.next(patience=20)
            finally:
                stream.close()
        except Lost as problem:
            lost.append(str(problem))
            await asyncio.sleep(0.5)


async def _facts(url: str) -> dict[str, Any]:
    connection = await asyncpg.connect(url)
    row = await connection.fetchrow(
        "SELECT (SELECT count(*) FROM table_events WHERE type = 'move') AS moves, pg_current_wal_lsn() - '0/0'::pg_lsn AS wal,"
        " (SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'knobel%') AS connections"
    )
    await connection.close()
    return dict(row)


def _lag(before: dict[str, float], after: dict[str, float], part: float) -> float:
    """Return an upper bound of a percentile of the event loop's lag, from the histogram's buckets."""
    name = "knobel_loop_lag_seconds_bucket"
    grown = {key: after[key] - before.get(key, 0) for key in after if key.startswith(name)}
    total = max(grown.values(), default=0)
    bounds = sorted(
        (float(key.partition('le="')[2].partition('"')[0].replace("+Inf", "inf")), count)
        for key, count in grown.items()
    )
    return next((bound for bound, count in bounds if count >= part * total), 0.0)


async def _measure(run: Run, url: str, service: Service, ledger: Ledger, seconds: float, found: dict[str, Any]) -> None:
    """Let the load settle, then measure over the rest."""
    await asyncio.sleep(seconds / 4)
    codes = sorted({code for code, _ in ledger.ends})
    watchers = run.times(20, 300) if codes else 0
    lost = found.setdefault("lost", [])
    watching = [
        asyncio.create_task(_watch(service.port, codes[number % len(codes)], lost)) for number in range(watchers)
    ]
    await asyncio.sleep(seconds / 4)
    ledger.answered.clear()
    ledger.arrived.clear()
    before, cpu, memory, begun = await _facts(url), service.cpu(), service.memory(), time.monotonic()
    metrics = await asyncio.to_thread(service.metrics)
    await asyncio.sleep(seconds / 2)
    took, after = time.monotonic() - begun, await _facts(url)
    moves = after["moves"] - before["moves"]
    found["lag"] = _lag(metrics, await asyncio.to_thread(service.metrics), 0.99)
    run.figures |= {
        "watchers": watchers,
        "seconds": round(took),
        "moves_per_second": round(moves / took, 1),
        "answer_p50_ms": share(ledger.answered, 0.5),
        "answer_p95_ms": share(ledger.answered, 0.95),
        "answer_p99_ms": share(ledger.answered, 0.99),
        "other_stream_p99_ms": share(ledger.arrived, 0.99),
        "cpu_percent_of_a_core": round((service.cpu() - cpu) / took * 100),
        "memory_growth_percent": round((service.memory() - memory) / memory * 100, 1),
        "loop_lag_p99_ms_at_most": round(found["lag"] * 1000, 1),
        "database_connections": after["connections"],
        "wal_bytes_per_move": round(float(after["wal"] - before["wal"]) / max(1, moves)),
    }
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)


async def _play(run: Run, url: str, service: Service) -> None:
    ledger, found = Ledger(), dict[str, Any]()
    tables = run.times(10, 100)
    companies = [Company(ledger, number, 2, service.port, pause=1.0, bots=2, timeout=30) for number in range(tables)]
    for company in companies:
        company.delay = run.rng.random() * run.times(20, SECONDS) / 5  # they do not come all in one second
    await drive(companies, _measure(run, url, service, ledger, run.times(20, SECONDS), found))
    run.figures |= {
        "tables": tables,
        "people": tables * 2,
        "bots": tables * 2,
        **ledger.counts(),
        "answers_5xx": len(ledger.faults),
    }
    run.must(not ledger.faults, f"F24: {len(ledger.faults)} answers with 5xx")
    run.must(run.figures["answer_p50_ms"] <= 50, "F24: answers p50 over 50 ms")
    run.must(run.figures["answer_p95_ms"] <= 150, "F24: answers p95 over 150 ms")
    run.must(run.figures["answer_p99_ms"] <= 250, "F24: answers p99 over 250 ms")
    run.must(run.figures["other_stream_p99_ms"] <= 500, "F24: others' streams p99 over 500 ms")
    run.must(run.figures["memory_growth_percent"] <= 10, "F24: memory grows by more than 10 %")
    run.must(found["lag"] <= 0.05, "F24: the event loop lags by more than 50 ms")
    run.add(await holds(url, ledger, (service,)))


def body(run: Run) -> None:
    """A hundred tables with two people and two bots each at about a move a second, and 300 watchers."""
    with Postgres(run.folder) as postgres, Service(postgres.url, run.folder) as service:
        asyncio.run(_play(run, postgres.url, service))


PROGRAM = Program(
    "F24",
    "A hundred tables",
    "Answers p50/p95/p99 within 50/150/250 ms, others' streams p99 within 500 ms, no errors, memory steady, the event loop awake.",
    "",
    body,
)
