"""Facts that have no slot of their own, said outright by a phrase: whose company it is, what the data looks like.

They never stand among the slots; `answers` adds them. A phrase inside an instruction, or one that the words before it
deny, says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from advisor.dialogue.lexicon import Matcher
from advisor.dialogue.text import normalised

_DENIED = ("不是", "没有", "唔系", "冇", "不用", "换", "not a ", "not ", "no ", "without ", "非")


class SaidFacts:
    """Finds such phrases in a normalised text."""

    def __init__(self, entries: Mapping[str, Mapping[str, Iterable[object]]]) -> None:
        self._matcher = Matcher()
        for fact, values in entries.items():
            for value, phrases in values.items():
                for phrase in phrases:
                    self._matcher.add(str(phrase), f"{fact}={value}")
        self._matcher.freeze()
        self._starts = {normalised(str(p))[0] for v in entries.values() for ps in v.values() for p in ps}

    def found(self, text: str) -> dict[str, Any]:
        """Fact id -> value (text or True); of two values of one fact the first."""
        out: dict[str, Any] = {}
        place = 0
        while place < len(text):
            char = text[place]
            inside = (
                char.isascii() and char.isalnum() and place and text[place - 1].isascii() and text[place - 1].isalnum()
            )
            hit = self._matcher.at(text, place) if char in self._starts and not inside else None
            if hit is None:
                place += 1
                continue
            if not text[:place].endswith(_DENIED):
                for tag in sorted(hit.tags):
                    fact, _, value = tag.partition("=")
                    out.setdefault(fact, True if value == "true" else value)
            place = hit.end
        return out
