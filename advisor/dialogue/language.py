"""Which language a message is in: en, zh, zh-Hant, or mixed (Chinese with English words that are no terms)."""

from __future__ import annotations

import re
from functools import cache

from advisor.dialogue.text import is_cjk, simplified

_WORD = re.compile(r"(?<![a-z0-9.\-_])[a-z]+(?:'[a-z]+)?(?![a-z0-9\-_])")
# Characters that only Cantonese writing uses, whatever the script of the rest.
_CANTONESE = frozenset("唔係嘅咁喺冇佢哋乜嘢睇搵㗎喎啲嗰嚟咗俾揀諗嗌咩冧瞓攞嘥")
# Characters that simplify to another one but are at home in Simplified texts too.
_SHARED = frozenset("著乾後裡裏於妳昇")


@cache
def _traditional(char: str) -> bool:
    return is_cjk(char) and char not in _SHARED and simplified(char) != char


def of(raw: str, text: str, ordinary: frozenset[str]) -> str:
    """The language of a message; `text` is its normalised form."""
    han = sum(map(is_cjk, raw))
    if not han:
        return "en"
    words = [word for word in _WORD.findall(text) if word in ordinary]
    old = sum(1 for char in raw if char in _CANTONESE or _traditional(char))
    if old and old * len("十二") >= len(words):
        return "zh-Hant"
    if len(words) > han * 2:
        return "en" if han <= 2 else "mixed"
    return "mixed" if words else "zh"
