"""Bots and stand-ins, clocks, and what the server does by itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_BEFORE = "type IN ('move', 'chance', 'seat', 'undo')"
_AFTER = "type IN ('move', 'chance', 'seat', 'undo', 'flag', 'vote', 'end', 'fault', 'clock')"


def _allow(types: str) -> None:
    op.drop_constraint(op.f("ck_table_events_type"), "table_events", type_="check")
    op.create_check_constraint(op.f("ck_table_events_type"), "table_events", types)


def upgrade() -> None:
    op.add_column("tables", sa.Column("clock", sa.String(), server_default="none", nullable=False))
    op.add_column("tables", sa.Column("wake_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_tables_wake_at", "tables", ["wake_at"], unique=False, postgresql_where=sa.text("wake_at IS NOT NULL")
    )
    op.create_index(
        "ix_tables_public",
        "tables",
        ["moved_at"],
        unique=False,
        postgresql_where=sa.text("visibility = 'public' AND status = 'open'"),
    )
    op.add_column("seats", sa.Column("bot", sa.String(), nullable=True))
    op.add_column("seats", sa.Column("asked_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column("seats", sa.Column("reserve", sa.Float(), nullable=True))
    op.add_column("seats", sa.Column("deadline", sa.DateTime(timezone=True), nullable=True))
    op.add_column("seats", sa.Column("flagged_at", sa.Integer(), nullable=True))
    op.add_column("seats", sa.Column("vote", sa.String(), nullable=True))
    op.add_column("seats", sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "heartbeats",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_heartbeats")),
    )
    _allow(_AFTER)


def downgrade() -> None:
    op.execute("DELETE FROM table_events WHERE type IN ('flag', 'vote', 'end', 'fault', 'clock')")
    _allow(_BEFORE)
    op.drop_table("heartbeats")
    for column in ("seen_at", "vote", "flagged_at", "deadline", "reserve", "asked_since", "bot"):
        op.drop_column("seats", column)
    op.drop_index("ix_tables_public", table_name="tables")
    op.drop_index("ix_tables_wake_at", table_name="tables")
    op.drop_column("tables", "wake_at")
    op.drop_column("tables", "clock")
