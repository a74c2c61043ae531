"""Names compared by meaning: what remains of a name when case, spaces and punctuation do not count."""

from __future__ import annotations

import re
from functools import lru_cache

_ODD = re.compile(r"[^a-z0-9.]+")


@lru_cache(maxsize=4096)
def plain_key(name: str) -> str:
    """`"Meta-Llama 3.1 (8B)"` -> `"metallama3.18b"`."""
    return _ODD.sub("", name.casefold()).strip(".")
