"""The tables. Turns are append-only; texts stand in the inbox alone; JSON is kept as ASCII text.

ASCII JSON, because a message may hold what a database refuses (NUL, lone surrogates). What stands here must equal what
the migrations build; a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, MetaData, String, Table, Text

SESSION_LENGTH = 2**5
NAME_LENGTH = 2**8
PLAN_LENGTH = 12

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
