"""What the store takes and gives: turns, messages that wait, frozen plans; and the ids that people may give.

A turn holds what was understood, never the text. Ids are checked here, once, before they come near a database.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from advisor.core.errors import BadInput

# 128 random bits, as hexadecimal digits.
SESSION_BYTES = 2**4
_SESSION = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[\x21-\x7e]{1,200}")

State = Literal["new", "waiting", "answered"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One answered message. `at` is in seconds since 1970 (UTC); `entry` is plain JSON."""

    number: int
    key: str
    person: str
    at: int
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class History:
    """A conversation as it stood when read; `version` grows with every change and guards the next write."""

    session: str
    version: int
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message taken and not yet answered: the only place where a text is kept."""

    session: str
    key: str
    person: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Frozen:
    """A plan as it was exported. `turn` is the last turn it rests on."""

    plan: str
    turn: int
    at: int
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget` removed."""

    turns: int
    waiting: int
    plans: int
    closed: int


def new_session() -> str:
    """An id that nobody guesses."""
    return secrets.token_hex(SESSION_BYTES)


def checked_session(session: str) -> str:
    """The id itself. Raises `BadInput` for anything that is none; the message does not repeat it."""
    if not isinstance(session, str) or not _SESSION.fullmatch(session):
        raise BadInput("this is no id of a conversation", where="session", expected="32 digits 0-9 a-f")
    return session


def checked_name(name: str, what: str) -> str:
    """A message key or a person's id: printable ASCII without spaces. Raises `BadInput` otherwise."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadInput(f"this is no {what}", where=what, expected="1 to 200 printable ASCII characters, no space")
    return name
