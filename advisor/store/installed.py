"""Installations of a face in several workspaces, and the states of installations under way.

A document is what the face encrypted: this room cannot read a token, and nothing of it reaches a log.
"""

from __future__ import annotations

import time

from sqlalchemy import delete, insert, select

from advisor.store.connect import clear_errors
from advisor.store.records import checked_name
from advisor.store.store import Store
from advisor.store.tables import installations, states


class Installed:
    """The installations of one database. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._engine = store.engine

    def put(self, id_: str, document: str) -> None:
        """Keep a workspace's installation; a later one replaces it."""
        checked_name(id_, "installation")
        with clear_errors(), self._engine.begin() as connection:
            connection.execute(delete(installations).where(installations.c.id == id_))
            connection.execute(insert(installations).values(id=id_, document=document, at=int(time.time())))

    def get(self, id_: str) -> str | None:
        """A workspace's installation, None where there is none."""
        with clear_errors(), self._engine.connect().execution_options(reads=True) as connection:
            query = select(installations.c.document).where(installations.c.id == id_)
            found: str | None = connection.execute(query).scalar()
        return found

    def remove(self, id_: str) -> None:
        """Forget a workspace's installation."""
        with clear_errors(), self._engine.begin() as connection:
            connection.execute(delete(installations).where(installations.c.id == id_))

    def begin(self, state: str, seconds: int) -> None:
        """Remember an installation under way for so long."""
        now = int(time.time())
        with clear_errors(), self._engine.begin() as connection:
            connection.execute(delete(states).where(states.c.until < now))
            connection.execute(insert(states).values(id=checked_name(state, "state"), until=now + seconds))

    def end(self, state: str) -> bool:
        """Whether an installation under way has this state; it has it once."""
        gone = delete(states).where(states.c.id == state, states.c.until >= int(time.time()))
        with clear_errors(), self._engine.begin() as connection:
            return connection.execute(gone).rowcount == 1
