"""Simplified to Traditional Chinese as it is written in Hong Kong.

OpenCC maps characters; terms that differ (服务器, 内存, 默认) are ours, in `knowledge/words/hant_terms.yaml`, longest
first. Placeholders, code in backquotes and whatever is no Chinese stay exactly as they are. Nothing else is translated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from advisor.knowledge.library import Library

_CODE = re.compile(r"```.*?```|`[^`\n]*`|\{[a-z0-9_.]+\}", re.DOTALL)
# A sign of the private area stands for a term while the characters around it are mapped together.
_SIGN = "\ue000"
_MOST = 2**12

Converter = Callable[[str], str]


@cache
def _characters() -> Converter:
    # Imported with the first Traditional answer: OpenCC then reads its dictionaries.
    from opencc import OpenCC

    converter: Converter = OpenCC("s2hk").convert
    return converter


class Hant:
    """The mapping of one table of terms."""

    def __init__(self, terms: Mapping[str, str]) -> None:
        self._terms = dict(terms)
        longest_first = sorted(self._terms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self.convert = lru_cache(maxsize=_MOST)(self._convert)

    def _convert(self, text: str) -> str:
        out: list[str] = []
        place = 0
        for kept in _CODE.finditer(text):
            out += [self._plain(text[place : kept.start()]), kept[0]]
            place = kept.end()
        return "".join([*out, self._plain(text[place:])])

    def _plain(self, text: str) -> str:
        if text.isascii() or self._pattern is None:
            return text if text.isascii() else _characters()(text)
        found: list[str] = []

        def sign(match: re.Match[str]) -> str:
            found.append(self._terms[match[0]])
            return _SIGN

        marked = _characters()(self._pattern.sub(sign, text.replace(_SIGN, "")))
        first, *rest = marked.split(_SIGN)
        return first + "".join(term + part for term, part in zip(found, rest, strict=True))


_BUILT: WeakKeyDictionary[Library, Hant] = WeakKeyDictionary()


def _terms(library: Library) -> dict[str, str]:
    entries = library.words["hant_terms"].entries
    assert isinstance(entries, dict), "knowledge/words/hant_terms.yaml is a mapping"
    return {str(key): str(value) for key, value in entries.items()}


def to_hant(text: str, library: Library) -> str:
    """`text` as written in Hong Kong; texts without Chinese characters come back as they are."""
    if text.isascii():
        return text
    if (built := _BUILT.get(library)) is None:
        built = _BUILT[library] = Hant(_terms(library))
    return built.convert(text)


def mainland_terms(library: Library) -> dict[str, str]:
    """Traditional spellings of mainland terms that no Traditional text may hold -> what Hong Kong writes."""
    found = {_characters()(term): wanted for term, wanted in _terms(library).items()}
    return {term: wanted for term, wanted in found.items() if term not in wanted and len(term) > 1}
