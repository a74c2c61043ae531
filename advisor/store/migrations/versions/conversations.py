"""Conversations: sessions, their turns, messages that wait, frozen plans."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "conversations"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this revision."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(2**5), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("begun", sa.BigInteger, nullable=False),
        sa.Column("touched", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_sessions_touched", "sessions", ["touched"])
    op.create_table(
        "turns",
        _session(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key", sa.String(2**8), nullable=False),
        sa.Column("person", sa.String(2**8), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("entry", sa.Text, nullable=False),
    )
    op.create_index("ix_turns_person", "turns", ["person"])
    op.create_index("ix_turns_session_key", "turns", ["session", "key"], unique=True)
    op.create_table(
        "inbox",
        _session(),
        sa.Column("key", sa.String(2**8), primary_key=True),
        sa.Column("person", sa.String(2**8), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_index("ix_inbox_person", "inbox", ["person"])
    op.create_index("ix_inbox_at", "inbox", ["at"])
    op.create_table(
        "plans",
        _session(),
        sa.Column("plan", sa.String(12), primary_key=True),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )


def _session() -> sa.Column[str]:
    return sa.Column("session", sa.String(2**5), sa.ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True)


def downgrade() -> None:
    """Back to the one before."""
    for table in ("plans", "inbox", "turns", "sessions"):
        op.drop_table(table)
