"""Phrases of a lexicon found in a normalised sentence.

A phrase that begins or ends with a letter or digit matches whole words; blanks inside an English phrase stand for
blanks or hyphens. Blanks in a phrase with Han characters, and & in any, mean that each part occurs somewhere. It
refuses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

_HAN = re.compile(r"[\u3400-\u9fff]")


@lru_cache(maxsize=4096)
def pattern(phrase: str) -> re.Pattern[str]:
    """The phrase as a regular expression."""
    body = re.escape(phrase.lower()).replace(r"\ ", r"[\s-]+").replace(r"\-", "[ -]?")
    before = r"(?<![a-z0-9.])" if phrase[:1].isascii() and phrase[:1].isalnum() else ""
    after = r"(?![a-z0-9])" if phrase[-1:].isascii() and phrase[-1:].isalnum() else ""
    return re.compile(before + body + after)


@lru_cache(maxsize=4096)
def _parts(phrase: str) -> tuple[re.Pattern[str], ...]:
    pieces = phrase.split(" & ") if "&" in phrase else phrase.split() if _HAN.search(phrase) else [phrase]
    return tuple(pattern(piece) for piece in pieces)


def holds(text: str, phrase: str) -> bool:
    """Whether the sentence holds the phrase."""
    return all(part.search(text) for part in _parts(str(phrase)))


def any_of(text: str, phrases: Iterable[object]) -> bool:
    """Whether the sentence holds one of the phrases."""
    return any(holds(text, str(phrase)) for phrase in phrases)


def keys_in(text: str, table: Mapping[Any, Iterable[object]]) -> tuple[str, ...]:
    """The keys of a table whose phrases occur, in the order of the table."""
    return tuple(str(key) for key, phrases in table.items() if any_of(text, phrases))
