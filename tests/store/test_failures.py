"""When the disk is full, the database locked or away: one clear line, and the conversation as it was."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import event, text

from advisor.core.errors import BadInput, HkgpuError, StoreError
from advisor.store.store import Store

ENTRY = {"say": "answers"}


def path_of(url: str) -> str:
    return url.removeprefix("sqlite:///")


def test_a_full_disk_is_named_and_the_conversation_stays_as_it_was(sqlite_url: str) -> None:
    store = Store.open(sqlite_url)
    session = store.create()
    store.take(session, "k1", "ada", "first")
    store.answer(session, "k1", 0, ENTRY)
    before = store.history(session)

    # SQLite itself says "full" at a limit of pages, with the same code as on a full disk.
    @event.listens_for(store._engine, "connect")
    def _limit(connection: sqlite3.Connection, _record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(StoreError, match="disk is full"):
        store.take(session, "k2", "ada", "x" * 1_000_000)
    assert store.history(session) == before
    store.take(session, "k3", "ada", "short")
    with pytest.raises(StoreError, match="disk is full"):
        store.answer(session, "k3", before.version, {"long": "x" * 1_000_000})
    assert store.history(session) == before
    assert [waiting.key for waiting in store.waiting(session)] == ["k3"]


def test_a_disk_that_takes_no_more_bytes_gives_a_clear_line_and_spoils_nothing(sqlite_url: str) -> None:
    store = Store.open(sqlite_url)
    session = store.create()
    store.take(session, "k1", "ada", "first")
    store.answer(session, "k1", 0, ENTRY)
    before = store.history(session)
    code = (
        "import resource, signal, sys\n"
        "from advisor.core.errors import HkgpuError\n"
        "from advisor.store.store import Store\n"
        "store = Store.open(sys.argv[1])\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000))\n"
        "try:\n"
        "    store.take(sys.argv[2], 'k2', 'ada', 'x' * 1_000_000)\n"
        "except HkgpuError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code, sqlite_url, session], capture_output=True, text=True, check=False)
    assert run.stdout.startswith("StoreError"), run.stderr
    assert "disk" in run.stdout
    assert store.history(session) == before
    store.take(session, "k2", "ada", "there is room again")
    store.answer(session, "k2", before.version, ENTRY)


def test_a_locked_database_is_named_and_the_conversation_stays_as_it_was(sqlite_url: str) -> None:
    store = Store.open(sqlite_url, patience_s=0.1)
    session = store.create()
    store.take(session, "k1", "ada", "first")
    before = store.history(session)
    other = sqlite3.connect(path_of(sqlite_url), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another program holds the database"):
        store.answer(session, "k1", before.version, ENTRY)
    # Reading goes on while somebody else writes.
    assert store.history(session) == before
    other.execute("ROLLBACK")
    other.close()
    assert store.answer(session, "k1", before.version, ENTRY).number == 1


def test_a_locked_row_in_postgresql_is_named_too(postgres_url: str) -> None:
    store, other = Store.open(postgres_url, patience_s=0.2), Store.open(postgres_url)
    session = store.create()
    store.take(session, "k1", "ada", "first")
    with other._engine.begin() as connection:
        connection.execute(text("SELECT * FROM sessions FOR UPDATE"))
        with pytest.raises(StoreError, match="another program holds the database"):
            store.answer(session, "k1", 0, ENTRY)
    assert store.answer(session, "k1", 0, ENTRY).number == 1
    store.close()
    other.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite3"
    path.write_text("these are my notes, not a database\n" * 100)
    with pytest.raises(StoreError, match="no database or is damaged"):
        Store.open(f"sqlite:///{path}")
    assert path.read_text().startswith("these are my notes")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(f"sqlite:///{tmp_path / 'file' / 'talks.sqlite3'}")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://boss:hunter2@127.0.0.1:9/talks",
        "postgresql://boss:hunter2@127.0.0.1:9/talks",
        "mysql://boss:hunter2@db.internal/talks",
        "boss:hunter2@db.internal",
        "postgresql+psycopg://boss:hunter2@db.internal:notaport/talks",
        "sqlite://",
        "sqlite:///:memory:",
    ],
)
def test_no_error_tells_an_address_a_user_or_a_password(address: str) -> None:
    with pytest.raises(HkgpuError) as caught:
        Store.open(address, patience_s=1)
    shown = (
        repr(caught.value) + str(caught.value) + str(caught.value.__cause__) + str(caught.value.__suppress_context__)
    )
    for secret in ("boss", "hunter2", "db.internal", "127.0.0.1"):
        assert secret not in shown


def test_a_wrong_password_is_refused_without_telling_it(postgres_url: str) -> None:
    # The server trusts local sockets; a database that is not there is refused in the same way.
    missing = postgres_url.replace("/hkgpu_", "/nowhere_")
    with pytest.raises(StoreError) as caught:
        Store.open(missing)
    assert "nowhere" not in str(caught.value)


def test_the_default_place_is_the_users_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.store.connect import address

    monkeypatch.delenv("HKGPU_DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert str(address().database).startswith(str(tmp_path))
    monkeypatch.setenv("HKGPU_DATABASE_URL", "postgresql://here/talks")
    assert address().drivername == "postgresql+psycopg"


def test_an_address_of_an_unknown_kind_says_what_is_expected() -> None:
    with pytest.raises(BadInput, match=r"HKGPU_DATABASE_URL.*sqlite:///"):
        Store.open("redis://localhost")
