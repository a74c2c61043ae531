"""The desk of a chat program's messages: taken once before they are acknowledged, worked on, answered, forgotten.

It joins the store's arrivals with the conversations: a face keeps nothing itself and can be killed at any moment. Its
methods wait for a database; a face calls them beside its event loop. It holds no advice.
"""

from __future__ import annotations

import os
import platform
from contextlib import suppress

from advisor.consult.sessions import Sessions, retention_days
from advisor.consult.sessions import told as told_forgotten
from advisor.core.text import Lang
from advisor.store.chats import Arrival, Chats, Recent
from advisor.store.installed import Installed
from advisor.store.records import new_session

__all__ = ["Arrival", "Inbox", "Recent", "retention_days"]


class Inbox(Chats):
    """The messages of one database. Safe to share between threads."""

    def __init__(self, sessions: Sessions) -> None:
        super().__init__(sessions.store)
        self._sessions = sessions
        self.installed = Installed(sessions.store)
        # Who takes messages: this process, told from an earlier one of the same number by a word of its own.
        self.owner = f"{_machine()}:{os.getpid()}:{new_session()}"

    @classmethod
    def open(cls, url: str | None = None) -> Inbox:
        """Open the database, and take over what earlier processes of this machine left."""
        inbox = cls(Sessions.open(url))
        inbox.tidy()
        inbox.release_all([owner for owner in inbox.owners() if _gone(owner)])
        return inbox

    def tidy(self) -> None:
        """Drop what waited too long, and the conversations that are past their days."""
        super().tidy()
        self._sessions.store.sweep(retention_days())

    def close(self) -> None:
        """Give the database back."""
        self._sessions.close()

    def forget_person(self, person: str, lang: Lang) -> str:
        """Remove what a person said and what of theirs still waits; says in words what went."""
        self.forget(person)
        return told_forgotten(self._sessions.forget(person), lang)


def _machine() -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in platform.node())[: 2**6] or "here"


def _gone(owner: str) -> bool:
    """Whether an owner was a process of this machine that is no more."""
    machine, _, rest = owner.partition(":")
    number = rest.partition(":")[0]
    if machine != _machine() or not number.isdecimal():
        return False
    if int(number) == os.getpid():
        return True
    with suppress(PermissionError):
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return True
    return False
