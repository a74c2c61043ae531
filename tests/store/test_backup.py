"""A backup holds the whole database of one moment; a restore brings it back whole, or not at all."""

from __future__ import annotations

import gzip
import json
import stat
from pathlib import Path

import pytest

from advisor.core.errors import BadInput, StoreError
from advisor.store.backup import backup, restore
from advisor.store.store import Store
from advisor.store.tables import metadata

ENTRY = {"act": "said", "note": "显存 \x00 \ud83d"}


def filled(url: str) -> tuple[str, str]:
    """A database with an answered conversation, a frozen plan, and a message that still waits."""
    store = Store.open(url)
    try:
        one, two = store.create(), store.create()
        store.take(one, "k1", "p1", "hello")
        store.answer(one, "k1", 0, ENTRY)
        store.freeze(one, "0123456789ab", 1, {"plan": "0123456789ab"})
        store.take(two, "k2", "p2", "微调 70B")
        return one, two
    finally:
        store.close()


def rows_of(path: Path) -> list[dict[str, object]]:
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def test_what_was_backed_up_is_there_after_the_restore(url: str, tmp_path: Path) -> None:
    one, two = filled(url)
    path = tmp_path / "all.gz"
    # Two conversations, a turn, a plan, a waiting message.
    assert backup(path, url) == 5
    other = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    assert restore(path, other) == 5
    store = Store.open(other)
    try:
        assert [turn.entry for turn in store.history(one).turns] == [ENTRY]
        frozen = store.frozen(one)
        assert frozen is not None
        assert frozen.plan == "0123456789ab"
        assert [each.text for each in store.waiting(two)] == ["微调 70B"]
        store.answer(two, "k2", 0, ENTRY)
    finally:
        store.close()


def test_a_backup_of_sqlite_moves_to_postgresql(sqlite_url: str, postgres_url: str, tmp_path: Path) -> None:
    one, _ = filled(sqlite_url)
    backup(tmp_path / "all.gz", sqlite_url)
    assert restore(tmp_path / "all.gz", postgres_url) == 5
    store = Store.open(postgres_url)
    try:
        assert store.history(one).turns[0].entry == ENTRY
    finally:
        store.close()


def test_a_backup_is_readable_by_its_owner_only_and_overwrites_nothing(sqlite_url: str, tmp_path: Path) -> None:
    filled(sqlite_url)
    path = tmp_path / "all.gz"
    backup(path, sqlite_url)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(BadInput, match="exists already"):
        backup(path, sqlite_url)
    assert [each.name for each in tmp_path.glob("*.part")] == []


def test_a_database_in_use_is_not_overwritten(sqlite_url: str, tmp_path: Path) -> None:
    filled(sqlite_url)
    backup(tmp_path / "all.gz", sqlite_url)
    with pytest.raises(StoreError, match="holds conversations already"):
        restore(tmp_path / "all.gz", sqlite_url)


def test_a_spoiled_backup_is_refused_and_leaves_the_database_empty(sqlite_url: str, tmp_path: Path) -> None:
    filled(sqlite_url)
    path = tmp_path / "all.gz"
    backup(path, sqlite_url)
    head, *rows, tail = rows_of(path)
    spoiled = {
        "cut": [head, *rows[:-1], tail],
        "no tail": [head, *rows],
        "other revision": [{**head, "revision": "another"}, *rows, tail],
        "another file": [{"format": "notes"}],
        "unknown table": [head, {"table": "alembic_version", "row": {"version_num": "x"}}, tail],
        "wrong type": [head, {"table": "sessions", "row": {"id": 1, "version": 0, "begun": 0, "touched": 0}}, tail],
        "a column too many": [head, {"table": "sessions", "row": {"id": "a", "drop": 1}}, tail],
    }
    fresh = f"sqlite:///{tmp_path / 'fresh.sqlite3'}"
    for name, lines in spoiled.items():
        with pytest.raises(BadInput, match=r"cut or changed|revision|no backup|takes|wrong value"):
            restore(written(tmp_path / f"{name}.gz", lines), fresh)
    (tmp_path / "text.gz").write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInput, match="cut or changed"):
        restore(tmp_path / "text.gz", fresh)
    # Nothing stayed: the good one still goes in.
    assert restore(path, fresh) == 5


def test_every_table_is_in_the_backup(sqlite_url: str, tmp_path: Path) -> None:
    filled(sqlite_url)
    backup(tmp_path / "all.gz", sqlite_url)
    assert {"sessions", "turns", "plans", "inbox"} <= {
        str(row["table"]) for row in rows_of(tmp_path / "all.gz") if "table" in row
    }
    assert {"sessions", "turns", "plans", "inbox"} <= set(metadata.tables)


def test_a_database_that_is_not_there_is_not_backed_up(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no database"):
        backup(tmp_path / "all.gz", f"sqlite:///{tmp_path / 'nobody' / 'x.sqlite3'}")
    assert list(tmp_path.iterdir()) == []
