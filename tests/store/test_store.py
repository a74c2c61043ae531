"""What the store promises, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from advisor.core.errors import BadInput, Conflict, StoreError, Withdrawn
from advisor.store import migrate
from advisor.store.store import Store
from advisor.store.tables import metadata

ENTRY = {"say": "answers", "answers": [{"slot": "params_b", "value": 70, "provenance": "said"}]}


def said(store: Store, session: str, key: str, person: str = "ada") -> None:
    """One message taken and answered."""
    store.take(session, key, person, "a text")
    store.answer(session, key, store.history(session).version, ENTRY)


def test_a_session_id_is_128_random_bits(store: Store) -> None:
    ids = {store.create() for _ in range(50)}
    assert len(ids) == 50
    assert all(re.fullmatch(r"[0-9a-f]{32}", each) for each in ids)


def test_turns_come_back_in_order_with_what_was_understood(store: Store) -> None:
    session = store.create()
    for key in ("k1", "k2", "k3"):
        said(store, session, key)
    history = store.history(session)
    assert [turn.number for turn in history.turns] == [1, 2, 3]
    assert [turn.key for turn in history.turns] == ["k1", "k2", "k3"]
    assert history.turns[0].entry == ENTRY
    assert history.version == 3


def test_a_text_is_kept_until_it_is_answered_and_no_longer(store: Store, url: str) -> None:
    session = store.create()
    store.take(session, "k", "ada", "my secret plan")
    assert [waiting.text for waiting in store.waiting(session)] == ["my secret plan"]
    store.answer(session, "k", 0, ENTRY)
    assert store.waiting(session) == ()
    engine = create_engine(url.replace("sqlite:", "sqlite+pysqlite:"))
    with engine.connect() as connection:
        for table in metadata.sorted_tables:
            assert "secret" not in str(connection.execute(table.select()).all())
    engine.dispose()


@pytest.mark.parametrize("odd", ["\ud800 lone", "nul \x00 inside", "𝕏" * 1000, "line\nbreak", '{"json": 1}'])
def test_any_text_waits_unharmed(store: Store, odd: str) -> None:
    session = store.create()
    store.take(session, "k", "ada", odd)
    assert store.waiting(session)[0].text == odd


def test_a_message_delivered_twice_is_one_turn(store: Store) -> None:
    session = store.create()
    assert store.take(session, "k", "ada", "hello") == "new"
    assert store.take(session, "k", "ada", "hello") == "waiting"
    first = store.answer(session, "k", 0, ENTRY)
    assert store.take(session, "k", "ada", "hello") == "answered"
    again = store.answer(session, "k", 1, {"say": "something else"})
    assert again == first
    assert len(store.history(session).turns) == 1
    assert store.waiting() == ()


def test_the_same_key_in_two_conversations_is_two_messages(store: Store) -> None:
    one, two = store.create(), store.create()
    said(store, one, "k")
    assert store.take(two, "k", "ada", "hello") == "new"


def test_who_writes_on_an_old_reading_is_told_and_changes_nothing(store: Store) -> None:
    session = store.create()
    store.take(session, "mine", "ada", "a")
    store.take(session, "yours", "bob", "b")
    seen = store.history(session).version
    store.answer(session, "yours", seen, ENTRY)
    with pytest.raises(Conflict):
        store.answer(session, "mine", seen, ENTRY)
    assert [turn.key for turn in store.history(session).turns] == ["yours"]
    assert [waiting.key for waiting in store.waiting(session)] == ["mine"]


def test_many_writers_at_once_lose_no_turn(store: Store) -> None:
    session = store.create()

    def one(key: str) -> None:
        store.take(session, key, "ada", key)
        while True:
            try:
                store.answer(session, key, store.history(session).version, {"key": key})
                return
            except Conflict:
                continue

    keys = [f"k{index}" for index in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(one, keys))
    turns = store.history(session).turns
    assert sorted(turn.key for turn in turns) == sorted(keys)
    assert [turn.number for turn in turns] == list(range(1, 25))


def test_processes_that_start_together_build_the_tables_once(url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(Store.open, [url] * 4))
    session = stores[0].create()
    assert all(each.history(session).turns == () for each in stores)
    for each in stores:
        each.close()


def test_forgetting_a_person_removes_their_turns_texts_and_what_rests_on_them(store: Store) -> None:
    shared, own = store.create(), store.create()
    said(store, shared, "k1", "bob")
    said(store, shared, "k2", "ada")
    store.freeze(shared, "aaaaaaaaaaaa", 1, {"of": "bob alone"})
    store.freeze(shared, "bbbbbbbbbbbb", 2, {"of": "both"})
    said(store, own, "k1", "ada")
    store.take(own, "k2", "ada", "not yet answered")
    gone = store.forget("ada")
    assert (gone.turns, gone.waiting, gone.plans, gone.closed) == (2, 1, 1, 1)
    assert [turn.person for turn in store.history(shared).turns] == ["bob"]
    frozen = store.frozen(shared)
    assert frozen is not None
    assert frozen.document == {"of": "bob alone"}
    with pytest.raises(BadInput, match="no conversation"):
        store.history(own)


def test_forgetting_moves_the_version_so_that_nobody_writes_on_what_is_gone(store: Store) -> None:
    session = store.create()
    said(store, session, "k1", "bob")
    said(store, session, "k2", "ada")
    seen = store.history(session).version
    store.take(session, "k3", "bob", "and now?")
    store.forget("ada")
    with pytest.raises(Conflict):
        store.answer(session, "k3", seen, ENTRY)
    turn = store.answer(session, "k3", store.history(session).version, ENTRY)
    assert turn.number > 2


def test_a_message_forgotten_while_it_was_answered_leaves_no_turn(store: Store) -> None:
    session = store.create()
    said(store, session, "k1", "bob")
    store.take(session, "k2", "ada", "a")
    store.forget("ada")
    with pytest.raises(Withdrawn):
        store.answer(session, "k2", store.history(session).version, ENTRY)
    assert len(store.history(session).turns) == 1


def test_forgetting_in_one_conversation_leaves_the_others(store: Store) -> None:
    one, two = store.create(), store.create()
    said(store, one, "k")
    said(store, two, "k")
    store.forget("ada", one)
    assert len(store.history(two).turns) == 1


def test_old_conversations_are_swept_and_young_ones_stay(store: Store, url: str) -> None:
    old, young = store.create(), store.create()
    said(store, old, "k")
    store.freeze(old, "aaaaaaaaaaaa", 1, {})
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE sessions SET touched = touched - 31 * 86400 WHERE id = :id"), {"id": old})
    engine.dispose()
    assert store.sweep(30) == 1
    assert store.history(young).turns == ()
    with pytest.raises(BadInput):
        store.history(old)


def test_a_plan_once_exported_stays_as_it_was(store: Store) -> None:
    session = store.create()
    said(store, session, "k")
    store.freeze(session, "aaaaaaaaaaaa", 1, {"text": "as it was"})
    again = store.freeze(session, "aaaaaaaaaaaa", 1, {"text": "as it is now"})
    assert again.document == {"text": "as it was"}
    frozen = store.frozen(session)
    assert frozen is not None
    assert frozen.document == {"text": "as it was"}


@pytest.mark.parametrize(
    "id_", ["", "x", "../../etc/passwd", "A" * 32, "0" * 31, "0" * 33, "' OR 1=1 --", "0" * 32 + "\n"]
)
def test_an_id_that_is_none_is_refused_before_the_database_sees_it(store: Store, id_: str) -> None:
    with pytest.raises(BadInput) as caught:
        store.history(id_)
    assert not id_ or id_ not in str(caught.value) or len(id_) < 2


@pytest.mark.parametrize("name", ["", "two words", "x" * 201, "é", "a\nb"])
def test_keys_and_people_are_checked(store: Store, name: str) -> None:
    session = store.create()
    with pytest.raises(BadInput):
        store.take(session, name, "ada", "text")
    with pytest.raises(BadInput):
        store.take(session, "key", name, "text")


def test_the_migrations_build_exactly_the_tables_that_the_code_uses(store: Store, url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    engine = create_engine(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()
    assert ScriptDirectory.from_config(migrate.alembic_config()).get_current_head() == migrate.HEAD


def test_a_database_of_a_newer_program_is_refused_and_left_alone(store: Store, url: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'from_the_future'"))
    engine.dispose()
    with pytest.raises(StoreError, match="newer hkgpu"):
        Store.open(url)


def test_the_file_is_readable_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "data" / "talks.sqlite3"
    Store.open(f"sqlite:///{path}").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
