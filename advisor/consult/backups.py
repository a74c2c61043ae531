"""The desk of backups: all conversations of the database in use as one file, and such a file into an empty database."""

from __future__ import annotations

from pathlib import Path


def backup(path: Path) -> int:
    """Write a backup to a new file; returns how many rows it holds. See `advisor.store.backup`."""
    from advisor.store import backup as store

    return store.backup(path)


def restore(path: Path) -> int:
    """Fill the empty database in use from a backup; returns how many rows it took."""
    from advisor.store import backup as store

    return store.restore(path)
