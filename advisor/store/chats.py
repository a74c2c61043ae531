"""What a chat program brings and keeps: messages that arrived, its threads, what "here" is in a room, votes.

A message is inserted once, however often it is delivered, and worked on by one process at a time: a process claims it
for a few seconds and renews the claim while it works, so that another takes over from one that died. Messages of one
thread are worked on in their order. A text is gone when its message is answered; the row stays for a day, to know the
message when it comes again. Every method is one transaction.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Engine, Row, Table, and_, delete, exists, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from advisor.store.connect import clear_errors
from advisor.store.records import checked_name, new_session
from advisor.store.store import Store
from advisor.store.tables import arrivals, rooms, sessions, threads, turns, votes

# How long a message waits for an answer, and how long it is known after that, in seconds.
WAITS_S = 3600
KNOWN_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message as a chat program delivered it. `stamp` orders the messages of a thread; `payload` is plain JSON."""

    key: str
    thread: str
    person: str
    stamp: str
    payload: Mapping[str, Any]
    event: str | None = None
    tries: int = 0
    at: int = 0


@dataclass(frozen=True, slots=True)
class Recent:
    """A conversation of a person, the youngest first: its thread and what the face noted of it."""

    thread: str
    at: int
    title: Mapping[str, Any]


class Chats:
    """The chat side of one database. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._engine: Engine = store.engine
        # Both dialects have ON CONFLICT; the generic statement has not.
        self._inserts: Any = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}[self._engine.dialect.name]

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with clear_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with clear_errors(), self._engine.connect().execution_options(reads=True) as connection:
            yield connection

    def arrive(self, arrival: Arrival) -> bool:
        """Insert a message; False where its key or its event is known already."""
        for name, what in ((arrival.key, "message key"), (arrival.thread, "thread"), (arrival.person, "person")):
            checked_name(name, what)
        values = {
            "key": arrival.key, "event": arrival.event, "thread": arrival.thread, "person": arrival.person,
            "stamp": arrival.stamp, "at": _now(), "payload": json.dumps(dict(arrival.payload)), "owner": "", "until": 0,
            "tries": 0, "posted": None,
        }  # fmt: skip
        with self._write() as connection:
            return self._new(connection, arrivals, arrivals.c.key, values)

    def _new(self, connection: Connection, table: Table, key: Column[str], row: Mapping[str, Any]) -> bool:
        """Insert a row; False where one stands in its way. Drivers count such rows differently, so it is returned."""
        made = self._inserts(table).values(**row).on_conflict_do_nothing().returning(key)
        return connection.execute(made).first() is not None

    def ours(self, thread: str) -> bool:
        """Whether somebody spoke to us in this thread before."""
        known = select(threads.c.thread).where(threads.c.thread == thread)
        coming = select(arrivals.c.key).where(arrivals.c.thread == thread).limit(1)
        with self._read() as connection:
            return any(connection.execute(query).first() is not None for query in (known, coming))

    def unclaimed(self, thread: str | None = None) -> tuple[str, ...]:
        """The keys of the messages that nobody works on, the oldest first; of one thread or of all."""
        query = select(arrivals.c.key).where(arrivals.c.payload.is_not(None), arrivals.c.until < _now())
        if thread is not None:
            query = query.where(arrivals.c.thread == thread)
        with self._read() as connection:
            return tuple(connection.execute(query.order_by(arrivals.c.stamp)).scalars())

    def claim(self, key: str, owner: str, lease_s: int) -> Arrival | None:
        """Take a message to work on; None where another does, it is done, or an earlier one of its thread is open."""
        earlier = arrivals.alias()
        first = ~exists(
            select(earlier.c.key).where(
                earlier.c.thread == arrivals.c.thread,
                earlier.c.payload.is_not(None),
                earlier.c.stamp < arrivals.c.stamp,
            )
        )
        free = and_(arrivals.c.key == key, arrivals.c.payload.is_not(None), arrivals.c.until < _now(), first)
        taken = update(arrivals).where(free).values(owner=owner, until=_now() + lease_s, tries=arrivals.c.tries + 1)
        with self._write() as connection:
            if connection.execute(taken).rowcount != 1:
                return None
            row = connection.execute(select(arrivals).where(arrivals.c.key == key)).one()
        return _arrival(row)

    def beat(self, owner: str, lease_s: int) -> None:
        """Renew all claims of a process."""
        mine = and_(arrivals.c.owner == owner, arrivals.c.payload.is_not(None), arrivals.c.until > 0)
        with self._write() as connection:
            connection.execute(update(arrivals).where(mine).values(until=_now() + lease_s))

    def release(self, key: str, wait_s: int = 0) -> None:
        """Give a message back; nobody takes it before so many seconds."""
        with self._write() as connection:
            connection.execute(
                update(arrivals).where(arrivals.c.key == key).values(owner="", until=_now() + wait_s - 1)
            )

    def release_all(self, owners: Sequence[str]) -> None:
        """Give back what processes that are gone had taken."""
        if owners:
            with self._write() as connection:
                connection.execute(update(arrivals).where(arrivals.c.owner.in_(owners)).values(owner="", until=0))

    def owners(self) -> tuple[str, ...]:
        """Who works on messages."""
        query = select(arrivals.c.owner).where(arrivals.c.payload.is_not(None), arrivals.c.owner != "").distinct()
        with self._read() as connection:
            return tuple(connection.execute(query).scalars())

    def finish(self, key: str, posted: str | None) -> None:
        """The message is answered (`posted` names the answer) or given up: its text goes."""
        done = update(arrivals).where(arrivals.c.key == key)
        with self._write() as connection:
            connection.execute(done.values(payload=None, owner="", until=0, posted=posted))

    def mark(self, key: str, posted: str) -> None:
        """Name what is about to be posted, so that it is recognised if this process dies before it is told."""
        with self._write() as connection:
            connection.execute(update(arrivals).where(arrivals.c.key == key).values(posted=posted))

    def posted(self, key: str) -> str | None:
        """The answer of a message, None where it has none yet."""
        with self._read() as connection:
            found: str | None = connection.execute(select(arrivals.c.posted).where(arrivals.c.key == key)).scalar()
        return found

    def reword(self, key: str, text: str | None) -> None:
        """The text of a message that still waits was changed; None: it was deleted, and is answered no more."""
        waits = and_(arrivals.c.key == key, arrivals.c.payload.is_not(None), arrivals.c.owner == "")
        with self._write() as connection:
            row = connection.execute(select(arrivals.c.payload).where(waits)).first()
            if row is not None:
                body = None if text is None else json.dumps({**json.loads(row.payload), "text": text})
                connection.execute(update(arrivals).where(waits).values(payload=body))

    def waiting(self) -> int:
        """How many messages wait for an answer."""
        query = select(func.count()).select_from(arrivals).where(arrivals.c.payload.is_not(None))
        with self._read() as connection:
            return int(connection.execute(query).scalar() or 0)

    def tidy(self) -> None:
        """Drop the texts that waited too long, and forget messages that nobody delivers again."""
        now = _now()
        with self._write() as connection:
            late = and_(arrivals.c.payload.is_not(None), arrivals.c.at < now - WAITS_S)
            connection.execute(update(arrivals).where(late).values(payload=None, owner="", until=0))
            connection.execute(delete(arrivals).where(arrivals.c.payload.is_(None), arrivals.c.at < now - KNOWN_S))

    def session(self, thread: str) -> str:
        """The conversation of a thread; begun where there is none."""
        checked_name(thread, "thread")
        query = select(threads.c.session).where(threads.c.thread == thread)
        with self._write() as connection:
            known: str | None = connection.execute(query).scalar()
            if known is not None:
                return known
            fresh, now = new_session(), _now()
            connection.execute(insert(sessions).values(id=fresh, version=0, begun=now, touched=now))
            row = {"thread": thread, "session": fresh, "title": "{}", "at": now}
            if self._new(connection, threads, threads.c.thread, row):
                return fresh
            connection.execute(delete(sessions).where(sessions.c.id == fresh))
            return str(connection.execute(query).scalar())

    def rename(self, old: str, new: str) -> None:
        """A conversation began before its thread was known: from now on it is that thread's."""
        with self._write() as connection:
            connection.execute(
                update(threads).where(threads.c.thread == old).values(thread=checked_name(new, "thread"))
            )

    def note(self, thread: str, title: Mapping[str, Any]) -> None:
        """Keep what a list of conversations shows of this one."""
        with self._write() as connection:
            row = {"title": json.dumps(dict(title)), "at": _now()}
            connection.execute(update(threads).where(threads.c.thread == thread).values(**row))

    def recent(self, person: str, most: int) -> tuple[Recent, ...]:
        """The conversations in which a person spoke, the youngest first."""
        spoke = select(turns.c.session).where(turns.c.person == person)
        query = select(threads).where(threads.c.session.in_(spoke), threads.c.title != "{}")
        with self._read() as connection:
            rows = connection.execute(query.order_by(threads.c.at.desc()).limit(most)).all()
        return tuple(Recent(row.thread, row.at, json.loads(row.title)) for row in rows)

    def here(self, room: str) -> list[dict[str, Any]]:
        """The servers that "here" means in a room; empty where nobody said."""
        with self._read() as connection:
            found = connection.execute(select(rooms.c.here).where(rooms.c.room == room)).scalar()
        return [] if found is None else list(json.loads(found))

    def set_here(self, room: str, servers: Sequence[Mapping[str, Any]]) -> None:
        """Say what "here" means in a room; nothing takes it back."""
        checked_name(room, "room")
        with self._write() as connection:
            connection.execute(delete(rooms).where(rooms.c.room == room))
            if servers:
                body = json.dumps([dict(each) for each in servers])
                connection.execute(insert(rooms).values(room=room, here=body, at=_now()))

    def vote(self, id_: str, plan: str, vote: int) -> None:
        """Keep a vote on a plan; the same id changes its mind."""
        row = {"id": id_, "plan": plan, "vote": vote, "at": _now()}
        change = {"vote": vote, "at": row["at"]}
        with self._write() as connection:
            connection.execute(
                self._inserts(votes).values(**row).on_conflict_do_update(index_elements=["id"], set_=change)
            )

    def forget(self, person: str) -> None:
        """Drop the messages of a person that still wait."""
        mine = and_(arrivals.c.person == person, arrivals.c.payload.is_not(None))
        with self._write() as connection:
            connection.execute(update(arrivals).where(mine).values(payload=None, owner="", until=0))

    def close_team(self, prefix: str) -> None:
        """Remove everything of a team: keys, threads, rooms and people whose names begin so."""
        talks = select(threads.c.session).where(threads.c.thread.startswith(prefix, autoescape=True))
        with self._write() as connection:
            connection.execute(delete(sessions).where(sessions.c.id.in_(talks)))
            connection.execute(delete(arrivals).where(arrivals.c.thread.startswith(prefix, autoescape=True)))
            connection.execute(delete(rooms).where(rooms.c.room.startswith(prefix, autoescape=True)))


def _now() -> int:
    return int(time.time())


def _arrival(row: Row[Any]) -> Arrival:
    return Arrival(row.key, row.thread, row.person, row.stamp, json.loads(row.payload), row.event, row.tries, row.at)
