"""Conversations on disk: take a message, answer it, freeze a plan, forget a person.

Every method is one transaction: it happened, or nothing did. Turns are appended under the version that the writer had
read; a message is answered once, whoever delivers it twice; a text is gone once it is answered. The store knows nothing
of what an entry says.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from advisor.core.errors import BadInput, Conflict, Withdrawn
from advisor.store import migrate
from advisor.store.connect import PATIENCE_S, address, clear_errors, connect
from advisor.store.records import (
    Forgotten,
    Frozen,
    History,
    State,
    Turn,
    Waiting,
    checked_name,
    checked_session,
    new_session,
)
from advisor.store.tables import inbox, plans, sessions, turns

_DAY_S = 24 * 3600


class Store:
    """The conversations of one database. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    def open(cls, url: str | None = None, *, patience_s: float = PATIENCE_S) -> Store:
        """Open, and create or upgrade, the database at `url`, HKGPU_DATABASE_URL, or in the user's data directory."""
        with clear_errors():
            engine = connect(address(url), patience_s)
            migrate.bring_up_to_date(engine)
        return cls(engine)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    @property
    def engine(self) -> Engine:
        """The database itself, for the other tables of this room."""
        return self._engine

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with clear_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with clear_errors(), self._engine.connect().execution_options(reads=True) as connection:
            yield connection

    def create(self) -> str:
        """Begin a conversation; returns its id."""
        session = new_session()
        now = _now()
        with self._write() as connection:
            connection.execute(insert(sessions).values(id=session, version=0, begun=now, touched=now))
        return session

    def history(self, session: str) -> History:
        """The conversation so far. Raises `BadInput` where there is none with this id."""
        with self._read() as connection:
            return _history(connection, session)

    def take(self, session: str, key: str, person: str, text: str) -> State:
        """Accept a message: from here on it is not lost. `waiting` and `answered` say that it had come before."""
        checked_name(key, "message key")
        checked_name(person, "person")
        try:
            with self._write() as connection:
                _version(connection, session)
                if _turn_of(connection, session, key) is not None:
                    return "answered"
                known = select(inbox.c.key).where(inbox.c.session == session, inbox.c.key == key)
                if connection.execute(known).first() is not None:
                    return "waiting"
                values = {"session": session, "key": key, "person": person, "at": _now(), "text": json.dumps(text)}
                _insert(connection, inbox, values)
                return "new"
        except _Twice:
            return "waiting"

    def answer(self, session: str, key: str, seen: int, entry: Mapping[str, Any]) -> Turn:
        """Append the turn that answers a message taken, and drop its text.

        `seen` is the version of the history that the answer rests on. The same message answered before gives that turn.
        Raises `Conflict` where the conversation moved on since, `Withdrawn` where the message was forgotten.
        """
        try:
            with self._write() as connection:
                done = _turn_of(connection, session, key)
                if done is not None:
                    connection.execute(delete(inbox).where(inbox.c.session == session, inbox.c.key == key))
                    return done
                return _append(connection, session, key, seen, entry)
        except _Twice:
            raise _conflict() from None

    def drop(self, session: str, key: str) -> None:
        """Remove a message that cannot be answered."""
        with self._write() as connection:
            connection.execute(delete(inbox).where(inbox.c.session == checked_session(session), inbox.c.key == key))

    def waiting(self, session: str | None = None) -> tuple[Waiting, ...]:
        """Messages taken and not yet answered, the oldest first; of one conversation or of all."""
        query = select(inbox).order_by(inbox.c.at, inbox.c.key)
        if session is not None:
            query = query.where(inbox.c.session == checked_session(session))
        with self._read() as connection:
            rows = connection.execute(query).all()
        return tuple(Waiting(row.session, row.key, row.person, row.at, json.loads(row.text)) for row in rows)

    def freeze(self, session: str, plan: str, turn: int, document: Mapping[str, Any]) -> Frozen:
        """Keep a plan as it was exported. A plan frozen before stays as it is, and is given back."""
        with self._write() as connection:
            _version(connection, session)
            connection.execute(update(sessions).where(sessions.c.id == session).values(touched=_now()))
            known = select(plans).where(plans.c.session == session, plans.c.plan == plan)
            row = connection.execute(known).first()
            if row is not None:
                again = update(plans).where(plans.c.session == session, plans.c.plan == plan)
                connection.execute(again.values(turn=turn, at=_now()))
                return _frozen(row)
            values = {
                "session": session,
                "plan": plan,
                "turn": turn,
                "at": _now(),
                "document": json.dumps(dict(document)),
            }
            connection.execute(insert(plans).values(**values))
            return Frozen(plan, turn, int(str(values["at"])), document)

    def frozen(self, session: str) -> Frozen | None:
        """The plan exported last, or None."""
        query = select(plans).where(plans.c.session == session).order_by(plans.c.turn.desc(), plans.c.at.desc())
        with self._read() as connection:
            _version(connection, session)
            row = connection.execute(query).first()
        return None if row is None else _frozen(row)

    def forget(self, person: str, session: str | None = None) -> Forgotten:
        """Remove a person's turns and messages, in one conversation or in all.

        Plans that rest on such a turn go too. A conversation that nobody else spoke in is closed: its id is gone.
        """
        checked_name(person, "person")
        with self._write() as connection:
            found = _sessions_of(connection, person, session)
            counts = [_forget(connection, person, each) for each in sorted(found)]
        return Forgotten(*(sum(column) for column in zip(*counts, strict=True))) if counts else Forgotten(0, 0, 0, 0)

    def sweep(self, days: float) -> int:
        """Remove the conversations that nobody touched for so many days; returns how many."""
        with self._write() as connection:
            gone = connection.execute(delete(sessions).where(sessions.c.touched < _now() - days * _DAY_S))
        return gone.rowcount


class _Twice(Exception):
    """Somebody else inserted the same row in the same moment."""


def _now() -> int:
    return int(time.time())


def _conflict() -> Conflict:
    return Conflict("somebody else wrote to this conversation in the meantime", do="read it again")


def _insert(connection: Connection, table: Any, values: Mapping[str, Any]) -> None:
    try:
        connection.execute(insert(table).values(**values))
    except IntegrityError:
        raise _Twice from None


def _version(connection: Connection, session: str) -> int:
    query = select(sessions.c.version).where(sessions.c.id == checked_session(session))
    version: int | None = connection.execute(query).scalar()
    if version is None:
        raise BadInput("there is no conversation with this id", where="session", do="it was forgotten, or never was")
    return version


def _history(connection: Connection, session: str) -> History:
    version = _version(connection, session)
    rows = connection.execute(select(turns).where(turns.c.session == session).order_by(turns.c.number)).all()
    return History(session, version, tuple(_turn(row) for row in rows))


def _turn(row: Row[Any]) -> Turn:
    return Turn(row.number, row.key, row.person, row.at, json.loads(row.entry))


def _frozen(row: Row[Any]) -> Frozen:
    return Frozen(row.plan, row.turn, row.at, json.loads(row.document))


def _turn_of(connection: Connection, session: str, key: str) -> Turn | None:
    row = connection.execute(select(turns).where(turns.c.session == session, turns.c.key == key)).first()
    return None if row is None else _turn(row)


def _append(connection: Connection, session: str, key: str, seen: int, entry: Mapping[str, Any]) -> Turn:
    _version(connection, session)
    now = _now()
    moved = update(sessions).where(sessions.c.id == session, sessions.c.version == seen)
    if connection.execute(moved.values(version=seen + 1, touched=now)).rowcount != 1:
        raise _conflict()
    message = select(inbox.c.person).where(inbox.c.session == session, inbox.c.key == key)
    person: str | None = connection.execute(message).scalar()
    if person is None:
        raise Withdrawn("this message was forgotten before it was answered")
    turn = Turn(seen + 1, key, person, now, dict(entry))
    values = {"session": session, "number": turn.number, "key": key, "person": person, "at": now}
    _insert(connection, turns, {**values, "entry": json.dumps(turn.entry)})
    connection.execute(delete(inbox).where(inbox.c.session == session, inbox.c.key == key))
    return turn


def _sessions_of(connection: Connection, person: str, session: str | None) -> set[str]:
    found: set[str] = set()
    for table in (turns, inbox):
        query = select(table.c.session).where(table.c.person == person)
        if session is not None:
            query = query.where(table.c.session == checked_session(session))
        found.update(connection.execute(query).scalars())
    return found


def _forget(connection: Connection, person: str, session: str) -> tuple[int, int, int, int]:
    """Turns, messages, plans removed and conversations closed, in one conversation."""
    mine = (turns.c.session == session, turns.c.person == person)
    first: int | None = connection.execute(select(turns.c.number).where(*mine).order_by(turns.c.number)).scalar()
    gone = connection.execute(delete(turns).where(*mine)).rowcount
    texts = connection.execute(delete(inbox).where(inbox.c.session == session, inbox.c.person == person)).rowcount
    exported = 0
    if first is not None:
        exported = connection.execute(delete(plans).where(plans.c.session == session, plans.c.turn >= first)).rowcount
    connection.execute(
        update(sessions).where(sessions.c.id == session).values(version=sessions.c.version + 1, touched=_now())
    )
    left = connection.execute(select(turns.c.number).where(turns.c.session == session)).first()
    others = connection.execute(select(inbox.c.key).where(inbox.c.session == session)).first()
    closed = left is None and others is None
    if closed:
        connection.execute(delete(sessions).where(sessions.c.id == session))
    return gone, texts, exported, int(closed)
