"""Alembic's entry: one session-level advisory lock around the whole run, short lock waits, one transaction each."""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine

from app.db.models import Base

# any fixed number; it only has to differ from other users of advisory locks in the same database
LOCK = 0x6B6E6F62656C


def run(connection: Connection) -> None:
    connection.execute(text("SET lock_timeout = '10s'"))
    connection.execute(text("SELECT pg_advisory_lock(:lock)").bindparams(lock=LOCK))
    connection.commit()
    try:
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            compare_server_default=True,
            transaction_per_migration=True,
        )
        with context.begin_transaction():
            context.run_migrations()
    finally:
        connection.rollback()
        connection.execute(text("SELECT pg_advisory_unlock(:lock)").bindparams(lock=LOCK))
        connection.commit()


async def main() -> None:
    engine = create_async_engine(context.config.attributes["url"])
    try:
        async with engine.connect() as connection:
            await connection.run_sync(run)
    finally:
        await engine.dispose()


asyncio.run(main())
