"""From an address to an engine, and from a database's errors to one clear line.

SQLite is opened in WAL mode with full synchronisation, so that what was accepted outlives the process. No address,
user, password or statement ever reaches a message: errors are told by their kind.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from advisor.core.errors import BadInput, StoreError

VARIABLE = "HKGPU_DATABASE_URL"
# How long to wait for another writer, in seconds.
PATIENCE_S = 10.0
_SQLITE = "sqlite:///path/to/file"
_POSTGRES = "postgresql+psycopg://..."

_FULL = ("the disk is full", "make room and say it again; the conversation is as it was")
_LOCKED = ("another program holds the database", "say it again in a moment; the conversation is as it was")
_READ_ONLY = ("the database cannot be written", "check the rights of the file and its folder")
_DAMAGED = ("the file is no database or is damaged", "restore it from a backup, or move it away to begin anew")
_DISK = ("the disk does not take the data", "check the disk; the conversation is as it was")
_CLOSED = ("the file of the conversations cannot be opened", f"check its folder, or set {VARIABLE}")
_AWAY = ("the database does not answer", f"check that it runs and that {VARIABLE} is right")
_REFUSED = ("the database refuses this user", f"check {VARIABLE}")
_OTHER = ("the database failed", "the conversation is as it was")
_BY_NAME = {
    "SQLITE_FULL": _FULL,
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_NOTADB": _DAMAGED,
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_IOERR": _DISK,
    "SQLITE_CANTOPEN": _CLOSED,
}
# PostgreSQL's codes: disk full, lock not available or query cancelled, no rights, connection.
_BY_STATE = {"53100": _FULL, "55P03": _LOCKED, "57014": _LOCKED, "28": _REFUSED, "42501": _REFUSED, "08": _AWAY}


def address(given: str | None = None) -> URL:
    """The database's address: as given, from the environment, or a file in the user's data directory."""
    said = given or os.environ.get(VARIABLE)
    if not said:
        from platformdirs import user_data_path

        return URL.create("sqlite", database=str(user_data_path("hkgpu", appauthor=False) / "conversations.sqlite3"))
    try:
        url = make_url(said)
    except (ArgumentError, ValueError):
        raise BadInput("the address cannot be read", where=VARIABLE, expected=f"{_SQLITE} or {_POSTGRES}") from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise BadInput("this kind of database is not supported", where=VARIABLE, expected=f"{_SQLITE} or {_POSTGRES}")
    if url.drivername == "sqlite" and url.database in (None, "", ":memory:"):
        raise BadInput("a database in memory forgets everything", where=VARIABLE, expected=_SQLITE)
    return url


def connect(url: URL, patience_s: float = PATIENCE_S) -> Engine:
    """An engine for an address; the file of a SQLite database is made readable for its owner only."""
    if url.drivername == "sqlite":
        return _sqlite(url, patience_s)
    try:
        engine = create_engine(
            url, pool_pre_ping=True, hide_parameters=True, connect_args={"connect_timeout": max(2, round(patience_s))}
        )
    except (ImportError, NoSuchModuleError):
        raise StoreError("PostgreSQL needs psycopg, which is not installed", do="install hkgpu[postgres]") from None

    @event.listens_for(engine, "connect")
    def _patient(connection: Any, _record: object) -> None:
        connection.execute(f"SET lock_timeout = {round(patience_s * 1000)}")
        connection.commit()

    return engine


def _sqlite(url: URL, patience_s: float) -> Engine:
    path = Path(str(url.database))
    try:
        path.parent.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, stat.S_IRUSR | stat.S_IWUSR))
    except OSError:
        raise StoreError(_CLOSED[0], do=_CLOSED[1]) from None
    engine = create_engine(url, poolclass=NullPool, hide_parameters=True, connect_args={"timeout": patience_s})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # Transactions are begun by us, so that a writer takes its lock at once and never has to give up half-way.
        connection.isolation_level = None
        _to_wal(connection, patience_s)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        reads = connection.get_execution_options().get("reads", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _to_wal(connection: Any, patience_s: float) -> None:
    """Keep a write-ahead log. SQLite does not wait for another program at this one statement, so we do."""
    until = time.monotonic() + patience_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() >= until:
                raise
            time.sleep(patience_s / 2**10)


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn whatever the database raises into a `StoreError` that says what to do and names no address."""
    try:
        yield
    except DBAPIError as error:
        what, do = _kind(error.orig)
        raise StoreError(what, do=do) from None
    except SQLAlchemyError:
        raise StoreError(_OTHER[0], do=_OTHER[1]) from None


def _kind(error: BaseException | None) -> tuple[str, str]:
    name = getattr(error, "sqlite_errorname", None)
    if name is not None:
        return next((kind for start, kind in _BY_NAME.items() if str(name).startswith(start)), _OTHER)
    state = getattr(error, "sqlstate", None)
    if state is None:
        return _AWAY
    return next((kind for start, kind in _BY_STATE.items() if str(state).startswith(start)), _OTHER)
