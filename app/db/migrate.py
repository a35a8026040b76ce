"""Brings the schema to the newest version, or reports which one it has."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from app import ROOT
from app.db.engine import sqlalchemy_url

TRIES = 100
"""Of 2 s, and a pause of 1 s between them."""


def config(url: str) -> Config:
    """Return Alembic's configuration for the database at `url`."""
    settings = Config()
    settings.set_main_option("script_location", str(ROOT / "migrations").replace("%", "%%"))
    settings.attributes["url"] = sqlalchemy_url(url)
    return settings


def revisions() -> tuple[str, ...]:
    """Return all migrations this version knows, newest first."""
    return tuple(script.revision for script in ScriptDirectory.from_config(config("postgresql://")).walk_revisions())


def upgrade(url: str, revision: str = "head") -> None:
    """Run the migrations up to `revision`. Several processes may call this at once; one does the work.

    Where somebody holds a lock it tries again and again, for about five minutes.
    """
    settings = config(url)
    # only upwards: a step down that is counted from here would be done twice
    settings.attributes["tries"] = TRIES
    command.upgrade(settings, revision)


def downgrade(url: str, revision: str) -> None:
    """Run the migrations down to `revision`."""
    command.downgrade(config(url), revision)
