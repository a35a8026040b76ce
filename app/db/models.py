"""The schema. Rare commands use these models; moves and reads use plain SQL over the same tables (ADR 002)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    MetaData,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Common base: names of constraints are derived, so migrations can rely on them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  # SQLAlchemy reads this class attribute by its name
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB(none_as_null=True),
        bytes: LargeBinary,
    }


class Player(Base):
    """A person: a guest with a name. `id` is random and public."""

    __tablename__ = "players"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    language: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Session(Base):
    """Proof of who somebody is. Only the SHA-256 of the secret is kept; `used_at` is renewed by use, once a day."""

    __tablename__ = "sessions"

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    used_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]


class Table(Base):
    """A table for its whole life. `state` is a checked cache of the log; `version` is the number of the last event.

    `undo_seat` may take back its moves after event `undo_from`. `players` is the number of seats at the start.
    `wake_at` is when the server must next do something by itself: a bot is due, a deadline passes.
    """

    __tablename__ = "tables"
    __table_args__ = (
        CheckConstraint("status IN ('open', 'playing', 'finished', 'abandoned')", name="status"),
        CheckConstraint("visibility IN ('unlisted', 'public')", name="visibility"),
        Index("ix_tables_wake_at", "wake_at", postgresql_where=text("wake_at IS NOT NULL")),
        Index("ix_tables_public", "moved_at", postgresql_where=text("visibility = 'public' AND status = 'open'")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    code: Mapped[str] = mapped_column(unique=True)
    game: Mapped[str]
    rules: Mapped[int]
    options: Mapped[dict[str, Any]]
    visibility: Mapped[str]
    status: Mapped[str]
    version: Mapped[int]
    host_id: Mapped[str | None] = mapped_column(ForeignKey("players.id", ondelete="SET NULL"))
    players: Mapped[int | None]
    state: Mapped[dict[str, Any] | None]
    outcome: Mapped[dict[str, Any] | None]
    undo_seat: Mapped[int | None]
    undo_from: Mapped[int | None]
    rematch_id: Mapped[int | None] = mapped_column(ForeignKey("tables.id", ondelete="SET NULL"), unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    moved_at: Mapped[datetime] = mapped_column(server_default=func.now())
    clock: Mapped[str] = mapped_column(server_default="none")
    wake_at: Mapped[datetime | None]


class SeatRow(Base):
    """A taken seat. `name` is unique at the table; `asked_at` is the version at which the seat was asked (the turn).

    `bot` is the level of the bot that plays it; with a `player_id` it stands in for that person. `asked_since`,
    `reserve` (seconds left) and `deadline` are of the clock; `flagged_at` is the version at which its time was over.
    `vote`: what the person wants to do about somebody who is away. `seen_at`: when they were last there.
    """

    __tablename__ = "seats"
    __table_args__ = (
        UniqueConstraint("table_id", "player_id"),
        # moving people together at the start renumbers several seats in one statement
        UniqueConstraint("table_id", "seat", deferrable=True, initially="DEFERRED"),
        Index("ix_seats_player_id", "player_id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"))
    seat: Mapped[int]
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id", ondelete="SET NULL"))
    name: Mapped[str]
    asked_at: Mapped[int | None]
    joined_at: Mapped[datetime] = mapped_column(server_default=func.now())
    bot: Mapped[str | None]
    asked_since: Mapped[datetime | None]
    reserve: Mapped[float | None]
    deadline: Mapped[datetime | None]
    flagged_at: Mapped[int | None]
    vote: Mapped[str | None]
    seen_at: Mapped[datetime | None]


class Heartbeat(Base):
    """One row: when a worker last lived. What is missing between two of them was downtime, and is charged to nobody."""

    __tablename__ = "heartbeats"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime]


class TableEvent(Base):
    """A line of the log: a move or a chance result, an undo, or something about the people (ADR 006).

    `seat`: somebody sits down, leaves, or is stood in for. `flag`: a seat's time is over. `vote`, `end`: what the others
    do about it. `fault`: a bot failed and a random move was made for it. `clock`: downtime was given back.

    `asked` is the turn a move was accepted under, so that the same move sent again is recognised. `undone` moves are
    no longer part of the game.
    """

    __tablename__ = "table_events"
    __table_args__ = (
        CheckConstraint(
            "type IN ('move', 'chance', 'seat', 'undo', 'flag', 'vote', 'end', 'fault', 'clock')", name="type"
        ),
    )

    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    type: Mapped[str]
    seat: Mapped[int | None]
    data: Mapped[dict[str, Any]]
    asked: Mapped[int | None]
    undone: Mapped[bool] = mapped_column(server_default="false")
    at: Mapped[datetime] = mapped_column(server_default=func.now())


class PointRow(Base):
    """What a seat points at, for the others to see until `until`. No part of the game; worth nothing after a crash."""

    __tablename__ = "points"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)

    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    target: Mapped[str]
    until: Mapped[datetime]


class Presence(Base):
    """A person has a table open through one worker, until `until` unless renewed. Worth nothing after a crash."""

    __tablename__ = "presence"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)

    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    worker: Mapped[str] = mapped_column(primary_key=True)
    until: Mapped[datetime]
