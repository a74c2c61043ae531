"""Phrases of intents as patterns: what to look for in a message, one pattern an intent.

A phrase with … leaves a gap within one sentence; Latin words match whole, with or without the s of a plural. Nothing in
a phrase is a pattern of its own: an operator writes plain words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from advisor.dialogue.text import normalised

_GAP = r"[^。!?\n]{0,14}?"


def compiled(phrases: Sequence[object], *, anchors: bool = False) -> re.Pattern[str] | None:
    """One pattern for a list of phrases; with `anchors`, ^ and $ mean the ends of the message."""
    parts = []
    for phrase in phrases:
        text = normalised(str(phrase))
        begin, finish = anchors and text.startswith("^"), anchors and text.endswith("$")
        text = text[begin : len(text) - finish]
        body = _GAP.join(re.escape(part) for part in text.split("…"))
        head = "^" if begin else _head(text)
        tail = "$" if finish else (r"s?(?![a-z0-9])" if text[-1:].isascii() and text[-1:].isalnum() else "")
        if text == "么":
            tail = r"(?=\s*(?:[?。!,]|$))"
        parts.append(f"{head}{body}{tail}")
    return re.compile("|".join(parts)) if parts else None


def _head(text: str) -> str:
    if text[:1].isascii() and text[:1].isalnum():
        return r"(?<![a-z0-9])"
    # 可能全参 holds 能全参, but asks nothing.
    return {"能": "(?<!可)(?<!只)(?<!才)", "么": "(?<![什怎多这那要])"}.get(text[:1], "")


@lru_cache(maxsize=8)
def _patterns(entries: tuple[tuple[str, tuple[object, ...]], ...]) -> dict[str, re.Pattern[str]]:
    found = {name: compiled(phrases, anchors=name == "ellipsis") for name, phrases in entries}
    return {name: pattern for name, pattern in found.items() if pattern is not None}


class Cues:
    """The phrases of all intents, ready to be looked for."""

    def __init__(self, entries: Mapping[str, Sequence[object]]) -> None:
        self._patterns = _patterns(tuple((name, tuple(phrases)) for name, phrases in entries.items()))

    def seen(self, text: str) -> dict[str, re.Match[str]]:
        """The first match of each intent's phrases in a normalised text."""
        out = {}
        for name, pattern in self._patterns.items():
            if (match := pattern.search(text)) is not None:
                out[name] = match
        return out
