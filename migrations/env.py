"""Alembic's entry: one session-level advisory lock around the whole run, short waits for locks, one transaction each."""

from __future__ import annotations

import asyncio
import sys
import time

from alembic import context
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from app.db.models import Base

# any fixed number; it only has to differ from other users of advisory locks in the same database
LOCK = 0x6B6E6F62656C

PAUSE = 1.0
"""Seconds in which those go on who waited behind us, before we ask for a lock again."""

LOCK_NOT_AVAILABLE = "55P03"


def run(connection: Connection) -> None:
    # who comes second waits until the first is done, however long that takes
    connection.execute(text("SET lock_timeout = 0"))
    connection.execute(text("SET statement_timeout = 0"))
    connection.execute(text("SELECT pg_advisory_lock(:lock)").bindparams(lock=LOCK))
    # a table that others wait for behind us stands still: 2 s are the most anybody should notice
    connection.execute(text("SET lock_timeout = '2s'"))
    connection.execute(text("SET statement_timeout = '10min'"))
    connection.commit()
    try:
        migrate(connection, context.config.attributes.get("tries", 1))
    finally:
        connection.rollback()
        connection.execute(text("SELECT pg_advisory_unlock(:lock)").bindparams(lock=LOCK))
        connection.commit()


def migrate(connection: Connection, tries: int) -> None:
    """Run what is missing, and go on after what was done so far where somebody held a lock for too long."""
    while True:
        tries -= 1
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            compare_server_default=True,
            transaction_per_migration=True,
        )
        try:
            with context.begin_transaction():
                context.run_migrations()
        except DBAPIError as problem:
            if not tries or getattr(problem.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                raise
            connection.rollback()
            sys.stderr.write("The migration waits: somebody holds a table for long.\n")
            time.sleep(PAUSE)
        else:
            return


async def main() -> None:
    engine = create_async_engine(context.config.attributes["url"])
    try:
        async with engine.connect() as connection:
            await connection.run_sync(run)
    finally:
        await engine.dispose()


asyncio.run(main())
