"""The databases that conversations are tested on."""

from tests.store.databases import postgres, postgres_url, sqlite_url, store, url

__all__ = ["postgres", "postgres_url", "sqlite_url", "store", "url"]
