"""The whole database as one file, and back: for a backup, for another machine, and from SQLite to PostgreSQL.

A backup is gzip of JSON lines: a head with the revision of the tables, then a row a line, table by table. It is read in
one transaction, so that it is the database of one moment while faces go on. A restore goes into an empty database only,
whole or not at all; a file that was cut, changed or written by another revision is refused.
"""

from __future__ import annotations

import gzip
import json
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, Connection, Integer, func, insert, select

from advisor.core.errors import BadInput, StoreError
from advisor.store import migrate
from advisor.store.connect import VARIABLE, address, clear_errors, connect
from advisor.store.tables import metadata

FORMAT = "hkgpu backup"
# Rows written in one statement.
BATCH = 2**9
# A row is one turn or one frozen plan; a line beyond this is no backup of ours.
LONGEST_LINE = 2**26


def backup(path: Path, url: str | None = None) -> int:
    """Write everything to a new file, readable by its owner only; returns how many rows it holds.

    Raises `BadInput` where the file exists or cannot be written, `StoreError` where the database cannot be read.
    """
    if path.exists():
        raise BadInput("exists already", where=str(path), do="name a new file")
    where = address(url)
    if where.drivername == "sqlite" and not Path(str(where.database)).exists():
        raise BadInput("there is no database at this address", where=VARIABLE, do="name the one in use")
    engine = connect(where)
    part = path.with_name(path.name + ".part")
    try:
        with clear_errors():
            migrate.bring_up_to_date(engine)
            # SQLite's write-ahead log gives a reader one moment by itself; PostgreSQL must be asked.
            moment = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {"reads": True}
            with engine.connect().execution_options(**moment) as connection:
                rows = _write(part, connection)
        os.replace(part, path)
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", where=str(path)) from None
    finally:
        part.unlink(missing_ok=True)
        engine.dispose()
    return rows


def restore(path: Path, url: str | None = None) -> int:
    """Fill an empty database from a backup; returns how many rows it took. Raises `BadInput` and leaves it empty."""
    head, *_ = _lines(path)
    if head.get("format") != FORMAT:
        raise BadInput("is no backup of hkgpu", where=str(path), expected="a file that `hkgpu backup` wrote")
    if head.get("revision") != migrate.HEAD:
        raise BadInput(
            f'holds tables of revision "{head.get("revision")}"',
            where=str(path),
            expected=f'revision "{migrate.HEAD}"',
            do="restore it with the version of hkgpu that wrote it, then upgrade",
        )
    engine = connect(address(url))
    try:
        with clear_errors():
            migrate.bring_up_to_date(engine)
            with engine.begin() as connection:
                return _fill(path, connection)
    finally:
        engine.dispose()


def _write(path: Path, connection: Connection) -> int:
    rows = 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, stat.S_IRUSR | stat.S_IWUSR)
    with os.fdopen(descriptor, "wb") as raw, gzip.open(raw, "wt", encoding="ascii") as out:
        out.write(json.dumps({"format": FORMAT, "revision": migrate.revision(connection)}) + "\n")
        for table in metadata.sorted_tables:
            for row in connection.execute(select(table)).mappings():
                out.write(json.dumps({"table": table.name, "row": dict(row)}) + "\n")
                rows += 1
        out.write(json.dumps({"rows": rows}) + "\n")
    return rows


def _fill(path: Path, connection: Connection) -> int:
    for table in metadata.sorted_tables:
        if connection.execute(select(func.count()).select_from(table)).scalar():
            raise StoreError("the database holds conversations already", do="restore into an empty one")
    rows, told = 0, -1
    batch: list[dict[str, Any]] = []
    name = ""
    lines = _lines(path)
    next(lines)
    for line in lines:
        if "rows" in line:
            told = int(line["rows"])
            continue
        if line.get("table") != name or len(batch) == BATCH:
            _insert(connection, name, batch)
            name, batch = str(line.get("table")), []
        batch.append(_checked(line, name, path))
        rows += 1
    _insert(connection, name, batch)
    if told != rows:
        raise BadInput(f"is cut or changed: it tells of {told} rows and holds {rows}", where=str(path))
    return rows


def _insert(connection: Connection, name: str, batch: list[dict[str, Any]]) -> None:
    if batch:
        connection.execute(insert(metadata.tables[name]), batch)


def _checked(line: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    """The row of a line, if its table has exactly these columns and types."""
    table = metadata.tables.get(name)
    row = line.get("row")
    if table is None or not isinstance(row, dict) or set(row) != set(table.columns.keys()):
        raise BadInput(f'has a row that no table "{name}" takes', where=str(path))
    for column in table.columns:
        value = row[column.name]
        kind = int if isinstance(column.type, Integer | BigInteger) else str
        if not isinstance(value, kind) and not (value is None and column.nullable):
            raise BadInput(f'has a wrong value for "{name}.{column.name}"', where=str(path))
    return row


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="ascii") as file:
            while line := file.readline(LONGEST_LINE):
                data = json.loads(line)
                if not isinstance(data, dict):
                    raise ValueError(line)
                yield data
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "it is no backup, or was cut or changed"
        raise BadInput(f"cannot be read ({why})", where=str(path)) from None
