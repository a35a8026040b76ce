"""Who somebody is: guests with a name, known by an opaque random session secret."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from app.db.models import Player, SeatRow, Session, Table
from app.tables.errors import Unauthenticated
from app.tables.names import clean_name, friendly_name, shown_name, unique_name

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from app.db.engine import Database

LIFETIME = timedelta(days=400)
"""How long a session lives without use; browsers keep cookies no longer."""

_RENEW_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Guest:
    """A known person."""

    id: str
    name: str


def token_hash(token: str) -> bytes:
    """Return what the database keeps of a session secret."""
    return hashlib.sha256(token.encode()).digest()


async def find_guest(db: Database, token: str | None) -> Guest | None:
    """Return whom a session secret belongs to; renews the session if it was last used more than a day ago."""
    if token is None:
        return None
    row = await db.pool.fetchrow(
        "SELECT p.id, p.name, s.used_at FROM sessions s JOIN players p ON p.id = s.player_id"
        " WHERE s.token_hash = $1 AND s.expires_at > now()",
        token_hash(token),
    )
    if row is None:
        return None
    if row["used_at"] < datetime.now(UTC) - _RENEW_AFTER:
        await db.pool.execute(
            "UPDATE sessions SET used_at = now(), expires_at = now() + $2 WHERE token_hash = $1",
            token_hash(token),
            LIFETIME,
        )
    return Guest(row["id"], shown_name(row["name"]))


async def new_guest(db: Database, name: str | None, language: str | None) -> tuple[Guest, str]:
    """Make a person with a session; a missing name is a friendly one. Returns them and the secret. Raises Invalid."""
    guest = Guest(secrets.token_urlsafe(12), clean_name(name) if name is not None else friendly_name())
    token = secrets.token_urlsafe(32)
    async with db.session.begin() as session:
        session.add(Player(id=guest.id, name=guest.name, language=language))
        await session.flush()  # the session row refers to the player row
        expires = datetime.now(UTC) + LIFETIME
        session.add(Session(token_hash=token_hash(token), player_id=guest.id, expires_at=expires))
    return guest, token


async def sign_out(db: Database, token: str | None) -> None:
    """End the session of this secret, if there is one; streams opened with it end within seconds."""
    if token is not None:
        await db.pool.execute("DELETE FROM sessions WHERE token_hash = $1", token_hash(token))


async def sign_out_elsewhere(db: Database, token: str | None) -> str:
    """End every session of somebody, copies of this one too; return the new secret of the one that stays.

    Raises Unauthenticated, also if another browser of theirs has just done the same.
    """
    fresh = secrets.token_urlsafe(32)
    mine = token_hash(token or "")
    async with db.session.begin() as session:
        player_id = await session.scalar(
            select(Session.player_id).where(Session.token_hash == mine, Session.expires_at > datetime.now(UTC))
        )
        # of two at once the second waits here, and then finds that it was signed out
        await session.scalar(select(Player.id).where(Player.id == player_id).with_for_update())
        ended = await session.scalars(
            delete(Session).where(Session.player_id == player_id).returning(Session.token_hash)
        )
        if player_id is None or mine not in list(ended):
            raise Unauthenticated
        session.add(Session(token_hash=token_hash(fresh), player_id=player_id, expires_at=datetime.now(UTC) + LIFETIME))
    return fresh


async def alive(db: Database, sessions: Iterable[bytes]) -> set[bytes]:
    """Return which of these sessions, by the hash of their secret, are neither ended nor expired."""
    rows = await db.pool.fetch(
        "SELECT token_hash FROM sessions WHERE token_hash = ANY($1) AND expires_at > now()", list(set(sessions))
    )
    return {bytes(row["token_hash"]) for row in rows}


async def rename(db: Database, player_id: str, name: str) -> list[int]:
    """Give somebody another name, also at the tables that are not over. Returns their ids. Raises Invalid."""
    name = clean_name(name)
    async with db.session.begin() as session:
        player = await session.get_one(Player, player_id)
        player.name = name
        # a table's row is locked before its seats change, so that two people cannot take one name at once
        locked = await session.scalars(
            select(Table.id)
            .join(SeatRow, Table.id == SeatRow.table_id)
            .where(SeatRow.player_id == player_id, Table.status.in_(("open", "playing")))
            .order_by(Table.id)
            .with_for_update(of=Table)
        )
        seats = list(
            await session.scalars(
                select(SeatRow).where(SeatRow.player_id == player_id, SeatRow.table_id.in_(list(locked)))
            )
        )
        for seat in seats:
            seat.name = unique_name(name, await _other_names(session, seat.table_id, player_id))
    return [seat.table_id for seat in seats]


async def _other_names(session: AsyncSession, table_id: int, player_id: str) -> list[str]:
    found = await session.scalars(
        select(SeatRow.name).where(SeatRow.table_id == table_id, SeatRow.player_id != player_id)
    )
    return list(found)


async def revoke(db: Database, player_id: str | None) -> int:
    """End the sessions of a player, or everybody's (None). Returns how many there were."""
    ended = await db.pool.fetch("DELETE FROM sessions WHERE $1::text IS NULL OR player_id = $1 RETURNING 1", player_id)
    return len(ended)
