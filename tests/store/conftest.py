"""The databases of these tests."""

from tests.store.databases import postgres, postgres_url, sqlite_url, store, url

__all__ = ["postgres", "postgres_url", "sqlite_url", "store", "url"]
