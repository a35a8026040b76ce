"""`python -m app.admin`: backup and restore, a check of every table, sessions ended. The service may run meanwhile."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.admin.backup import BadBackup, backup, restore, write
from app.db.embedded import EmbeddedError, EmbeddedPostgres
from app.db.engine import FAULTS, Database, connect
from app.settings import BadSetting, read_settings
from app.tables.check import check
from app.tables.players import revoke

PIPE = Path("-")
"""In place of a file: standard output or input."""


class NoDatabase(Exception):
    """There is nothing to work on; `args[0]` says where it was looked for."""


@contextmanager
def _database(*, may_make: bool) -> Iterator[str]:
    """Give the address of the database of these settings; the embedded one is shared with a service that runs."""
    settings = read_settings()
    if settings.database_url is not None:
        yield settings.database_url
        return
    folder = Path(settings.data_dir) / "postgres"
    if not may_make and not (folder / "data").exists():
        raise NoDatabase(f"KNOBEL_DATA_DIR: there is no database in {settings.data_dir}.")
    with EmbeddedPostgres(folder) as embedded:
        yield embedded.url


def _backup(args: argparse.Namespace) -> int:
    with _database(may_make=False) as url:
        rows = write(url, sys.stdout.buffer) if args.file == PIPE else backup(url, args.file)
    (sys.stderr if args.file == PIPE else sys.stdout).write(f"Saved: {_said(rows)}\n")
    return 0


def _restore(args: argparse.Namespace) -> int:
    with _database(may_make=True) as url:
        if args.file != PIPE:
            rows = restore(url, args.file)
        else:
            with tempfile.TemporaryFile() as kept:  # it is read twice: checked, then used
                shutil.copyfileobj(sys.stdin.buffer, kept)
                rows = restore(url, kept)
    sys.stdout.write(f"Restored: {_said(rows)}\n")
    return 0


def _said(rows: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(rows.items()))


def _check(_: argparse.Namespace) -> int:
    async def run(url: str) -> int:
        broken = 0
        connection = await connect(url)
        try:
            async for table_id, mark, reason in check(connection):
                if reason is not None:
                    broken += 1
                    sys.stdout.write(f"table {table_id} ({mark}): {reason}\n")
        finally:
            await connection.close()
        return broken

    with _database(may_make=False) as url:
        return 1 if asyncio.run(run(url)) else 0


def _revoke(args: argparse.Namespace) -> int:
    async def run(url: str) -> int:
        database = Database(url)
        await database.connect()
        try:
            return await revoke(database, args.player)
        finally:
            await database.close()

    with _database(may_make=False) as url:
        ended = asyncio.run(run(url))
    sys.stdout.write(f"{ended} sessions ended\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m app.admin", description=__doc__)
    commands = parser.add_subparsers(required=True)
    saving = commands.add_parser(
        "backup", help="write everything, as it is at one moment, into one file (-: to standard output)"
    )
    saving.add_argument("file", type=Path)
    saving.set_defaults(run=_backup)
    restoring = commands.add_parser("restore", help="fill an empty database from such a file (-: from standard input)")
    restoring.add_argument("file", type=Path)
    restoring.set_defaults(run=_restore)
    checking = commands.add_parser(
        "check", help="fold every table's log and compare; one line per broken table, exit 1"
    )
    checking.set_defaults(run=_check)
    sessions = commands.add_parser("sessions", help="end sessions").add_subparsers(required=True)
    revoking = sessions.add_parser("revoke", help="whoever held them is a stranger from the next request on")
    whose = revoking.add_mutually_exclusive_group(required=True)
    whose.add_argument("--player", metavar="ID", help="those of one player")
    whose.add_argument("--all", action="store_true", help="those of everybody")
    revoking.set_defaults(run=_revoke)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns 0, 1 if `check` has found something, or 2 with a sentence why it could not be done."""
    args = _parser().parse_args(argv)
    try:
        code: int = args.run(args)
    except (BadBackup, BadSetting, EmbeddedError, NoDatabase) as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    except FAULTS as problem:
        sys.stderr.write(f"{str(problem).splitlines()[0] if str(problem) else repr(problem)}\n")
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
