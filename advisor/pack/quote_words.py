"""The fixed texts of requests and judged offers (knowledge/words/quote.yaml), in one language over one library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.core.errors import BadData
from advisor.core.text import Lang, Text, fill
from advisor.core.units import number
from advisor.knowledge.hant import to_hant
from advisor.knowledge.library import Library


class Speech:
    """One language over one library."""

    def __init__(self, library: Library, lang: Lang) -> None:
        self.library, self.lang = library, lang
        entries: Any = library.words.require("quote").entries
        self._entries: Mapping[str, Any] = entries

    def fixed(self, key: str, **values: object) -> str:
        """A fixed text by its key; what is put in stays as it stands. Raises `BadData` where there is none."""
        entry = self._entries.get(key)
        if entry is None:
            raise BadData(f'there is no text "{key}"', where="knowledge/words/quote.yaml")
        template = entry["en" if self.lang == "en" else "zh"]
        if self.lang == "zh-Hant":
            template = entry.get("zh_hant") or to_hant(template, self.library)
        return fill(template, {name: str(value) for name, value in values.items()})

    def text(self, text: Text) -> str:
        """A bilingual text without placeholders."""
        line = text.in_lang(self.lang)
        return to_hant(line, self.library) if self.lang == "zh-Hant" and text.zh_hant is None else line

    def pair(self, name: str, value: str) -> str:
        """`name: value`, with the colon of the language."""
        return f"{name}: {value}" if self.lang == "en" else f"{name}：{value}"

    def listed(self, words: list[str]) -> str:
        """Words in a row."""
        return (", " if self.lang == "en" else "、").join(words)

    def money(self, sums: tuple[float, float], currency: str) -> str:
        """A sum or a span of money, without false precision."""
        low, high = (_money(value) for value in sums)
        return f"{low} {currency}".strip() if low == high else f"{low}–{high} {currency}".strip()


def _money(value: float) -> str:
    return f"{value:,.0f}" if value >= _WHOLE else number(value)


# From here on cents tell nothing.
_WHOLE = 100
