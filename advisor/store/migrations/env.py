"""Alembic's entry: runs the scripts on the connection that `advisor.store.migrate` hands over, never on an address."""

from __future__ import annotations

from alembic import context

from advisor.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
