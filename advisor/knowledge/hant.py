"""Simplified to Traditional Chinese as it is written in Hong Kong.

OpenCC maps characters; terms that differ (服务器, 内存, 硬盘) are ours, in `knowledge/words/hant_terms.yaml`. Only Chinese
characters change: placeholders, ids and figures stay what they are. Commands are never given to this module.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.knowledge.library import Library

_KEPT = 2**12


class Hant:
    """The mapping of one lexicon; the longest term wins, and no character of a term is mapped twice."""

    def __init__(self, terms: dict[str, str]) -> None:
        from opencc import OpenCC

        self._characters: Any = OpenCC("s2hk")
        self._terms = terms
        longest_first = sorted(terms, key=len, reverse=True)
        self._split = re.compile("(" + "|".join(map(re.escape, longest_first)) + ")") if terms else None

    @lru_cache(maxsize=_KEPT)  # noqa: B019  # one instance a library, kept for the life of the process
    def convert(self, text: str) -> str:
        """The text in Traditional Chinese."""
        parts = self._split.split(text) if self._split else [text]
        return "".join(self._terms.get(part) or self._characters.convert(part) for part in parts)


@lru_cache(maxsize=2)
def _hant(version: str, terms: tuple[tuple[str, str], ...]) -> Hant:
    return Hant(dict(terms))


def to_hant(text: str, library: Library) -> str:
    """`text` as written in Hong Kong; texts without Chinese characters come back as they are."""
    if text.isascii():
        return text
    entries = library.words["hant_terms"].entries
    assert isinstance(entries, dict), "knowledge/words/hant_terms.yaml is a mapping"
    return _hant(library.version, tuple((str(key), str(value)) for key, value in entries.items())).convert(text)
