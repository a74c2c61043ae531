"""Parsed files, kept between processes: a brief command then reads YAML only where a file is new.

A parsed file is found by the hash of its bytes, so that a changed file is never taken for the old one, and only plain
data is kept (no code, no objects). The file lies in the user's cache folder; where it can't be read, is spoiled or was
written by another Python, everything is parsed as usual. Nothing is kept unless `use` was called.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

MISSING: Final = object()
# Beyond so many files only those of this process are kept: overlays come and go.
MOST = 2**13
_TAG = f"{sys.implementation.cache_tag}-{marshal.version}"


class Kept:
    """Parsed data by the hash of the file's bytes."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.known: dict[bytes, Any] = {}
        self.used: dict[bytes, Any] = {}
        self.fresh = False
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
            tag, known = marshal.loads(file.read_bytes())
            if tag == _TAG and isinstance(known, dict):
                self.known = known

    def get(self, raw: bytes) -> Any:
        """The data of a file with these bytes, or `MISSING`."""
        key = _key(raw)
        data = self.known.get(key, MISSING)
        if data is not MISSING:
            self.used[key] = data
        return data

    def put(self, raw: bytes, data: Any) -> None:
        """Keep the data of a file with these bytes."""
        self.used[_key(raw)] = data
        self.fresh = True

    def save(self) -> None:
        """Write what was used, and what was known before as long as there is room; quietly gives up where it can't."""
        if not self.fresh:
            return
        kept = {**self.known, **self.used} if len(self.known) + len(self.used) <= MOST else self.used
        with contextlib.suppress(OSError, ValueError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.file.parent)
            with os.fdopen(handle, "wb") as out:
                out.write(marshal.dumps((_TAG, kept)))
            os.replace(name, self.file)
        self.fresh = False


def _key(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=2**4).digest()


_kept: Kept | None = None


def use(folder: Path) -> Kept:
    """Keep parsed files in this folder from now on; the caller saves when it is done reading."""
    global _kept
    _kept = Kept(folder / "parsed")
    return _kept


def rest() -> None:
    """Keep nothing any more."""
    global _kept
    _kept = None


def find(raw: bytes) -> Any:
    """The kept data of a file with these bytes, or `MISSING`."""
    return MISSING if _kept is None else _kept.get(raw)


def note(raw: bytes, data: Any) -> None:
    """Keep the data of a file, where keeping was asked for."""
    if _kept is not None:
        _kept.put(raw, data)
