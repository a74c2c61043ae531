"""Brings a database to the tables of this program, once, however many processes start together.

Alembic is imported only when there is something to do. A database that a newer program wrote is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from advisor.core.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config

# The last script of migrations/versions; a test compares it with Alembic's own view.
HEAD = "chats"
# Any number will do for PostgreSQL's advisory lock, as long as every hkgpu uses the same.
_LOCK = 2**20 + 2**4


def bring_up_to_date(engine: Engine) -> None:
    """Create or upgrade the tables. Raises `StoreError` for a database of a newer program."""
    with engine.connect() as connection:
        if revision(connection) == HEAD:
            return
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        found = revision(connection)
        if found != HEAD:
            _upgrade(connection, found)


def revision(connection: Connection) -> str | None:
    """The script that the database has seen last, None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _upgrade(connection: Connection, found: str | None) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    config = alembic_config()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise StoreError("the database was written by a newer hkgpu", do="upgrade hkgpu, or use another database")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def alembic_config() -> Config:
    """Alembic's settings, without any file of settings."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "advisor.store:migrations")
    return config
