"""`make bench` (`python -m bench [--short]`): figures of the service, with the database's own limit beside them."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import re
import resource
import statistics
import tempfile
import time
from pathlib import Path

import asyncpg

from app.db.migrate import upgrade
from bench.figures import at, say
from bench.http import Client, Stream
from bench.play import Tally, drive
from bench.service import Service, database, pgbench

TABLES = 50


def _line(name: str, tally: Tally, took: float, cpu: float, limit: float) -> None:
    rate = tally.moves / took
    ratio = f"{rate / limit:5.2f} of pgbench" if limit else ""
    say(
        f"{name:34} {rate:7.0f} moves/s {ratio}  CPU {cpu / tally.moves * 1000:5.2f} ms/move  "
        f"answer p50 {at(tally.answered, 0.5):6.1f} p99 {at(tally.answered, 0.99):6.1f} ms  "
        f"other's stream p50 {at(tally.streamed, 0.5):6.1f} p99 {at(tally.streamed, 0.99):6.1f} ms"
    )


async def _moves(service: Service, name: str, seconds: float, pause: float, limit: float) -> None:
    await drive(service.port, 4, min(seconds, 2), 0, service.cpu)  # warm up
    tally, took, cpu = await drive(service.port, TABLES, seconds, pause, service.cpu)
    _line(name, tally, took, cpu, limit)


async def _page(port: int) -> None:
    host = Client(port)
    path = (await host.post("/g/yacht/tables", "first_player=host")).location
    await Client(port).post(f"{path}/sit", "name=Bo")
    await host.post(f"{path}/start")
    page = await host.get(path, extra="Accept-Encoding: gzip\r\n")
    names = set(re.findall(rb'(?:href|src)="(/static/[^"#]+)', page.body))
    css = next(name for name in names if name.endswith(b".css"))
    sheet = (await host.get(css.decode())).body
    names |= set(re.findall(rb'@font-face[^}]*url\("?(/static/[^")]+)', sheet))
    # the icon of another state and pictures of other pages are not fetched with the table
    wanted = [name.decode() for name in names if b"favicon-turn" not in name and b"art" not in name]
    weights = {"page": len(gzip.compress(page.body, 6))}
    for name in wanted:
        answer = await host.get(name, extra="Accept-Encoding: gzip\r\n")
        weights[name.rsplit("/", 1)[1]] = len(answer.body)
    times = []
    for _ in range(300):
        begun = time.perf_counter()
        await host.get(path)
        times.append(time.perf_counter() - begun)
    say(
        f"table page: {sum(weights.values()) / 1024:.1f} KiB compressed, {len(weights) + 1} requests with its stream; "
        f"GET p50 {at(times, 0.5):.1f} ms, p99 {at(times, 0.99):.1f} ms"
    )
    say("  " + ", ".join(f"{name} {size / 1024:.1f}" for name, size in sorted(weights.items())))


async def _idle(service: Service, streams: int) -> None:
    host = Client(service.port)
    path = (await host.post("/g/yacht/tables", "first_player=host")).location
    await host.post(f"{path}/start")
    before = service.memory()
    opened = []
    for _ in range(streams):
        opened.append(await Stream.open(Client(service.port), f"{path}/stream"))
        await opened[-1].next()
    await asyncio.sleep(1)
    held = service.memory() - before
    cpu, begun = service.cpu(), time.perf_counter()
    await asyncio.sleep(5)
    share = (service.cpu() - cpu) / (time.perf_counter() - begun)
    waits = [asyncio.create_task(stream.next()) for stream in opened]
    begun = time.perf_counter()
    host = _again(host, service.port)
    token = re.search(rb'data-token="(\d+)"', (await host.get(path)).body)
    await host.post(f"{path}/moves", f"turn={token[1].decode() if token else ''}&do=roll", htmx=True)
    await asyncio.gather(*waits)
    fan_out = time.perf_counter() - begun
    say(
        f"{streams} idle streams in one worker: {held / streams / 1024:.0f} KiB each, {share * 100:.1f} % of a core for "
        f"signs of life; one move reaches all in {fan_out * 1000:.0f} ms"
    )
    for stream in opened:
        stream.close()


def _again(person: Client, port: int) -> Client:
    """Return a new connection of the same person."""
    fresh = Client(port)
    fresh.session = person.session
    return fresh


async def _bytes_per_game(url: str) -> None:
    connection = await asyncpg.connect(url)
    row = await connection.fetchrow(
        """
        WITH done AS (SELECT id FROM tables WHERE status = 'finished' ORDER BY id DESC LIMIT 3)
        SELECT (SELECT count(*) FROM done) AS games, count(*) AS events,
               (SELECT sum(pg_column_size(t.*)) FROM tables t JOIN done USING (id))
             + (SELECT sum(pg_column_size(s.*)) FROM seats s JOIN done ON done.id = s.table_id)
             + sum(pg_column_size(e.*)) AS bytes,
               (pg_relation_size('table_events') + pg_indexes_size('table_events'))::float
             / (SELECT count(*) FROM table_events) AS per_event
        FROM table_events e JOIN done ON done.id = e.table_id
        """
    )
    await connection.close()
    if row["games"]:
        say(
            f"database: {row['bytes'] / row['games']:.0f} bytes of rows per finished two-player game of "
            f"{row['events'] / row['games']:.0f} events; {row['per_event']:.0f} bytes an event on disk with its index"
        )


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--short", action="store_true", help="a third of the time, for a quick look")
    seconds = 4.0 if parser.parse_args().short else 12.0
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(20000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with database(folder) as postgres:
            url = postgres.start()
            upgrade(url)
            _measure(url, folder, seconds)


def _measure(url: str, folder: Path, seconds: float) -> None:
    with Service(url, folder) as service:
        asyncio.run(_moves(service, "warm-up, not counted", 3, 0, 0))
    limits = [pgbench(url, folder, clients=8, seconds=max(3, int(seconds / 2))) for _ in range(3)]
    limit = statistics.median(limits)
    say(f"pgbench, the move's statements, 8 clients: {limit:.0f}/s (runs: {', '.join(f'{one:.0f}' for one in limits)})")
    with Service(url, folder) as service:
        asyncio.run(_moves(service, "1 worker, 50 tables, flat out", seconds, 0, limit))
        asyncio.run(_moves(service, "1 worker, 50 tables, every 0.5 s", seconds, 0.5, 0))
        asyncio.run(_page(service.port))
    with Service(url, folder, workers=2) as service:
        asyncio.run(_moves(service, "2 workers, 50 tables, flat out", seconds, 0, limit))
        asyncio.run(_moves(service, "2 workers, 50 tables, every 0.5 s", seconds, 0.5, 0))
    with Service(url, folder) as service:
        asyncio.run(_idle(service, 1000))
        asyncio.run(drive(service.port, 3, 60, 0, service.cpu))  # whole games, for their size
    asyncio.run(_bytes_per_game(url))


if __name__ == "__main__":
    main()
