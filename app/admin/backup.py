"""Backups: everything worth keeping, as it was at one moment, in one file, and back into an empty database.

A ZIP with the rows of each table as PostgreSQL's COPY writes them (where the service runs there is often no pg_dump, or
not the database's version of it) and a manifest: the schema's revision and, for each table, columns, number of rows and
SHA-256. What is worth nothing after a crash (unlogged tables: who is present, who points) is not in it.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from graphlib import TopologicalSorter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile
from zlib import error as DeflateError  # noqa: N812  # named as the other errors are

import orjson

from app.db.engine import connect
from app.db.migrate import downgrade, revisions, upgrade

if TYPE_CHECKING:
    import asyncpg

FORMAT = "knobel-backup/1"
_MANIFEST = "manifest.json"
_REVISIONS = "alembic_version"
_HEARTBEATS = "heartbeats"
"""Written by a server that only runs: no reason to call a database filled."""

_REVISION = "SELECT version_num FROM alembic_version"

_TABLES = """
SELECT c.oid, c.relname AS name, array(
    SELECT a.attname FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum
) AS columns, c.relpersistence = 'p' AS kept
FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname
"""
_REFERENCES = "SELECT conrelid AS child, confrelid AS parent FROM pg_constraint WHERE contype = 'f'"
_COUNTERS = """
SELECT c.relname AS name, a.attname AS column FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE a.attidentity <> '' AND c.relnamespace = 'public'::regnamespace
"""


class BadBackup(Exception):
    """A file that cannot be restored, or a place it cannot be restored to; `args[0]` says why."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A table in a backup: its columns in order, how many rows, and the SHA-256 of their text in hex."""

    name: str
    columns: tuple[str, ...]
    rows: int
    sha256: str

    @property
    def member(self) -> str:
        """The name of its file within the backup."""
        return f"{self.name}.copy"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says about itself; tables come in an order in which they can be filled."""

    format: str
    made: str
    revision: str
    tables: tuple[Kept, ...]


class _Counting:
    """A file that counts and hashes what goes through it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.hash = hashlib.sha256()
        self.rows = 0

    def write(self, data: bytes) -> int:
        self.hash.update(data)
        self.rows += data.count(b"\n")  # COPY ends each row with one, and writes one within a value as \n
        return self._file.write(data)


def backup(url: str, file: Path) -> dict[str, int]:
    """Write a backup, readable by its owner alone; an older file of that name goes when the new one is complete.

    Returns how many rows each table has.
    """
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as out:
            rows = write(url, out)
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return rows


def write(url: str, out: IO[bytes]) -> dict[str, int]:
    """Write a backup into an open file or pipe; returns how many rows each table has.

    Everything is read in one transaction, so that a service may go on meanwhile.
    """
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        manifest = asyncio.run(_save(url, archive))
        archive.writestr(_MANIFEST, orjson.dumps(asdict(manifest), option=orjson.OPT_INDENT_2))
    return {kept.name: kept.rows for kept in manifest.tables}


async def _save(url: str, archive: ZipFile) -> Manifest:
    connection = await connect(url)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            revision = await connection.fetchval(_REVISION)
            tables = [await _copy(connection, archive, name, columns) for name, columns in await _in_order(connection)]
    finally:
        await connection.close()
    return Manifest(FORMAT, datetime.now(UTC).isoformat(timespec="seconds"), revision, tuple(tables))


async def _in_order(connection: asyncpg.Connection[Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Return names and columns of the tables to keep, each after those it refers to."""
    found = {row["oid"]: row for row in await connection.fetch(_TABLES) if row["name"] != _REVISIONS}
    order = TopologicalSorter({oid: set[int]() for oid in found})
    for row in await connection.fetch(_REFERENCES):
        if row["child"] != row["parent"]:
            order.add(row["child"], row["parent"])
    rows = [found[oid] for oid in order.static_order() if oid in found]
    return [(row["name"], tuple(row["columns"])) for row in rows if row["kept"]]


async def _copy(connection: asyncpg.Connection[Any], archive: ZipFile, name: str, columns: tuple[str, ...]) -> Kept:
    with archive.open(f"{name}.copy", "w", force_zip64=True) as member:
        counting = _Counting(member)
        await connection.copy_from_table(name, columns=columns, output=counting)
    return Kept(name, columns, counting.rows, counting.hash.hexdigest())


def restore(url: str, file: Path | IO[bytes]) -> dict[str, int]:
    """Fill an empty database from a backup of this or an earlier version, and migrate it to this one.

    All or nothing: the file is checked against its manifest first, and one transaction fills every table. Returns how
    many rows each has. Raises BadBackup.
    """
    manifest = _read(file)
    asyncio.run(_refuse_filled(url))
    _prepare(url, manifest.revision)
    asyncio.run(_fill(url, file, manifest))
    upgrade(url)
    return {kept.name: kept.rows for kept in manifest.tables}


def _read(file: Path | IO[bytes]) -> Manifest:
    try:
        with ZipFile(file) as archive:
            return _checked(archive)
    except (BadZipFile, DeflateError, EOFError, LookupError, TypeError, ValueError) as problem:
        name = file if isinstance(file, Path) else "Standard input"
        raise BadBackup(f"{name}: this is no complete backup of Knobel ({problem}).") from problem


def _checked(archive: ZipFile) -> Manifest:
    raw = orjson.loads(archive.read(_MANIFEST))
    if raw["format"] != FORMAT:
        raise BadBackup(f"The backup has the format {raw['format']!r}; this version reads {FORMAT}.")
    tables = tuple(Kept(**{**kept, "columns": tuple(kept["columns"])}) for kept in raw["tables"])
    manifest = Manifest(raw["format"], raw["made"], raw["revision"], tables)
    if manifest.revision not in revisions():
        raise BadBackup(f"The backup is of a newer Knobel (schema {manifest.revision}): restore it with that version.")
    for kept in tables:
        found, rows = hashlib.sha256(), 0
        with archive.open(kept.member) as member:
            for data in iter(lambda: member.read(1 << 20), b""):
                found.update(data)
                rows += data.count(b"\n")
        if (found.hexdigest(), rows) != (kept.sha256, kept.rows):
            raise BadBackup(f"The backup is damaged: {kept.member} is not what its manifest says.")
    return manifest


async def _refuse_filled(url: str) -> None:
    connection = await connect(url)
    try:
        await _check_empty(connection)
    finally:
        await connection.close()


async def _check_empty(connection: asyncpg.Connection[Any]) -> None:
    for row in await connection.fetch(_TABLES):
        name = row["name"]
        if name in {_REVISIONS, _HEARTBEATS}:
            continue
        # the name comes from the database's own catalogue and is quoted there
        quoted = await connection.fetchval("SELECT quote_ident($1)", name)
        if await connection.fetchval(f"SELECT EXISTS (SELECT FROM {quoted})"):  # noqa: S608  # as the comment says
            raise BadBackup(f"The database is not empty ({name} has rows): restore into a new one.")


def _prepare(url: str, revision: str) -> None:
    """Bring an empty database to the schema of the backup."""
    now = asyncio.run(_revision(url))
    if now == revision:
        return
    if now is not None:
        if now not in revisions():
            raise BadBackup(f"The database was made by a newer Knobel (schema {now}): use a new one.")
        downgrade(url, "base")
    upgrade(url, revision)


async def _revision(url: str) -> str | None:
    connection = await connect(url)
    try:
        if await connection.fetchval("SELECT to_regclass($1)", _REVISIONS) is None:
            return None
        found: str | None = await connection.fetchval(_REVISION)
        return found
    finally:
        await connection.close()


async def _fill(url: str, file: Path | IO[bytes], manifest: Manifest) -> None:
    connection = await connect(url)
    try:
        async with connection.transaction():
            await connection.execute(f"LOCK TABLE {_listed(manifest.tables)} IN ACCESS EXCLUSIVE MODE")
            await _check_empty(connection)  # again: now nobody can come in between
            if any(kept.name == _HEARTBEATS for kept in manifest.tables):
                await connection.execute("DELETE FROM heartbeats")
            with ZipFile(file) as archive:
                for kept in manifest.tables:
                    with archive.open(kept.member) as member:
                        await connection.copy_to_table(kept.name, source=member, columns=kept.columns)
            await _reset_counters(connection)
        await connection.execute("ANALYZE")
    finally:
        await connection.close()


def _listed(tables: Iterable[Kept]) -> str:
    return ", ".join(f'"{kept.name}"' for kept in tables)


async def _reset_counters(connection: asyncpg.Connection[Any]) -> None:
    """Let identities go on behind the highest number that was restored."""
    for row in await connection.fetch(_COUNTERS):
        name, column = row["name"], row["column"]
        await connection.execute(
            f"SELECT setval(pg_get_serial_sequence('\"{name}\"', '{column}'),"  # noqa: S608  # from the catalogue
            f' coalesce(max("{column}"), 0) + 1, false) FROM "{name}"'
        )
