"""Chats: messages that arrived in a chat program, its threads, places, votes and installations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "chats"
down_revision = "conversations"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this revision."""
    op.create_table(
        "arrivals",
        sa.Column("key", sa.String(2**8), primary_key=True),
        sa.Column("event", sa.String(2**8), nullable=True),
        sa.Column("thread", sa.String(2**8), nullable=False),
        sa.Column("person", sa.String(2**8), nullable=False),
        sa.Column("stamp", sa.String(2**5), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("payload", sa.Text, nullable=True),
        sa.Column("owner", sa.String(2**8), nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("posted", sa.String(2**8), nullable=True),
    )
    op.create_index("ix_arrivals_event", "arrivals", ["event"], unique=True)
    op.create_index("ix_arrivals_thread", "arrivals", ["thread"])
    op.create_index("ix_arrivals_person", "arrivals", ["person"])
    op.create_index("ix_arrivals_at", "arrivals", ["at"])
    op.create_table(
        "threads",
        sa.Column("thread", sa.String(2**8), primary_key=True),
        sa.Column("session", sa.String(2**5), sa.ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_threads_session", "threads", ["session"])
    op.create_table(
        "rooms",
        sa.Column("room", sa.String(2**8), primary_key=True),
        sa.Column("here", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "votes",
        sa.Column("id", sa.String(2**6), primary_key=True),
        sa.Column("plan", sa.String(12), nullable=False),
        sa.Column("vote", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "installations",
        sa.Column("id", sa.String(2**8), primary_key=True),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "states",
        sa.Column("id", sa.String(2**8), primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Back to the one before."""
    for table in ("states", "installations", "votes", "rooms", "threads", "arrivals"):
        op.drop_table(table)
