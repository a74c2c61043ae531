"""The history of the tables, as Alembic scripts; `advisor.store.migrate` runs them."""
