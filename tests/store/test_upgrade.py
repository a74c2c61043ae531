"""A database of the first version, with data in it, becomes one of today's and loses nothing."""

from __future__ import annotations

import json

from alembic import command
from sqlalchemy import MetaData, Table, insert, select, text

from advisor.store import migrate
from advisor.store.connect import address, connect
from advisor.store.store import Store
from advisor.store.tables import metadata

FIRST = "conversations"
SESSION = "0123456789abcdef" * 2
# As the first version wrote them.
ROWS = {
    "sessions": {"id": SESSION, "version": 1, "begun": 1_764_500_000, "touched": 1_764_500_100},
    "turns": {
        "session": SESSION, "number": 1, "key": "k1", "person": "p1", "at": 1_764_500_100,
        "entry": json.dumps({"act": "said", "format": 1}),
    },
    "inbox": {"session": SESSION, "key": "k2", "person": "p1", "at": 1_764_500_101, "text": json.dumps("显存")},
    "plans": {
        "session": SESSION, "plan": "0123456789ab", "turn": 1, "at": 1_764_500_102,
        "document": json.dumps({"plan": "0"}),
    },
}  # fmt: skip


def first_version(url: str) -> None:
    engine = connect(address(url))
    config = migrate.alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, FIRST)
    with engine.begin() as connection:
        for name, row in ROWS.items():
            connection.execute(insert(Table(name, MetaData(), autoload_with=connection)).values(**row))
    engine.dispose()


def test_what_the_first_version_wrote_is_there_after_the_upgrade(url: str) -> None:
    first_version(url)
    store = Store.open(url)
    try:
        history = store.history(SESSION)
        assert [(turn.key, turn.person, turn.entry) for turn in history.turns] == [
            ("k1", "p1", {"act": "said", "format": 1})
        ]
        assert [each.text for each in store.waiting(SESSION)] == ["显存"]
        frozen = store.frozen(SESSION)
        assert frozen is not None
        assert frozen.plan == "0123456789ab"
        # It goes on as a database of today.
        store.answer(SESSION, "k2", 1, {"act": "said", "format": 1})
    finally:
        store.close()
    engine = connect(address(url))
    with engine.connect() as connection:
        assert migrate.revision(connection) == migrate.HEAD
        for table in metadata.sorted_tables:
            connection.execute(select(table)).all()
        assert connection.execute(text("SELECT count(*) FROM turns")).scalar() == 2
    engine.dispose()


def test_the_first_version_was_an_earlier_one() -> None:
    assert migrate.HEAD != FIRST
