"""The tables. Turns are append-only; texts stand in the inbox alone; JSON is kept as ASCII text.

ASCII JSON, because a message may hold what a database refuses (NUL, lone surrogates). What stands here must equal what
the migrations build; a test compares the two.

The second half belongs to chat programs: what arrived, which thread is which conversation, rooms, votes, installations.
A payload holds a message's text until it is answered; the row without it stays for a day, so that a message that is
delivered again is known. Votes name a plan and nobody; installations are kept as the face encrypted them.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, MetaData, String, Table, Text

SESSION_LENGTH = 2**5
NAME_LENGTH = 2**8
PLAN_LENGTH = 12
STAMP_LENGTH = 2**5
VOTE_LENGTH = 2**6

metadata = MetaData()


def _session() -> Column[str]:
    parent = ForeignKey("sessions.id", ondelete="CASCADE")
    return Column("session", String(SESSION_LENGTH), parent, primary_key=True)


sessions = Table(
    "sessions",
    metadata,
    Column("id", String(SESSION_LENGTH), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("begun", BigInteger, nullable=False),
    Column("touched", BigInteger, nullable=False, index=True),
)

turns = Table(
    "turns",
    metadata,
    _session(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("key", String(NAME_LENGTH), nullable=False),
    Column("person", String(NAME_LENGTH), nullable=False, index=True),
    Column("at", BigInteger, nullable=False),
    Column("entry", Text, nullable=False),
    Index("ix_turns_session_key", "session", "key", unique=True),
)

inbox = Table(
    "inbox",
    metadata,
    _session(),
    Column("key", String(NAME_LENGTH), primary_key=True),
    Column("person", String(NAME_LENGTH), nullable=False, index=True),
    Column("at", BigInteger, nullable=False, index=True),
    Column("text", Text, nullable=False),
)

plans = Table(
    "plans",
    metadata,
    _session(),
    Column("plan", String(PLAN_LENGTH), primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("document", Text, nullable=False),
)

arrivals = Table(
    "arrivals",
    metadata,
    Column("key", String(NAME_LENGTH), primary_key=True),
    Column("event", String(NAME_LENGTH), nullable=True),
    Column("thread", String(NAME_LENGTH), nullable=False, index=True),
    Column("person", String(NAME_LENGTH), nullable=False, index=True),
    Column("stamp", String(STAMP_LENGTH), nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
    Column("payload", Text, nullable=True),
    Column("owner", String(NAME_LENGTH), nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("posted", String(NAME_LENGTH), nullable=True),
    Index("ix_arrivals_event", "event", unique=True),
)

threads = Table(
    "threads",
    metadata,
    Column("thread", String(NAME_LENGTH), primary_key=True),
    Column(
        "session", String(SESSION_LENGTH), ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("title", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

rooms = Table(
    "rooms",
    metadata,
    Column("room", String(NAME_LENGTH), primary_key=True),
    Column("here", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

votes = Table(
    "votes",
    metadata,
    Column("id", String(VOTE_LENGTH), primary_key=True),
    Column("plan", String(PLAN_LENGTH), nullable=False),
    Column("vote", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
)

installations = Table(
    "installations",
    metadata,
    Column("id", String(NAME_LENGTH), primary_key=True),
    Column("document", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

states = Table(
    "states",
    metadata,
    Column("id", String(NAME_LENGTH), primary_key=True),
    Column("until", BigInteger, nullable=False),
)
