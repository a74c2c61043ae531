"""Bilingual text with strict placeholders.

A text has an English and a Chinese wording with the same placeholders. Placeholders are replaced by one small
function; nothing is ever evaluated, so an overlay's sentence cannot become code. Traditional Chinese is made from the
Simplified wording by `advisor.report`, unless the file gives its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from advisor.core.errors import BadData

Lang = Literal["en", "zh", "zh-Hant"]
LANGS: tuple[Lang, ...] = ("en", "zh", "zh-Hant")

_PLACEHOLDER = re.compile(r"\{([a-z0-9_]+(?:\.[a-z0-9_]+)*)\}")


def placeholders(template: str) -> tuple[str, ...]:
    """The names inside `{...}`, in order of first appearance."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(template)))


def fill(template: str, values: Mapping[str, str], where: str = "") -> str:
    """Replace every `{name}` by its value; raises `BadData` for a name without a value."""

    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        if name not in values:
            raise BadData(f"nothing is known to put in {{{name}}}", where=where, expected="a fact of this run")
        return values[name]

    return _PLACEHOLDER.sub(value_of, template)


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence in both languages; `zh_hant` only where the converted wording would be wrong."""

    en: str
    zh: str
    zh_hant: str | None = None

    def in_lang(self, lang: Lang) -> str:
        """The wording for a language; Simplified stands in for Traditional where none is written."""
        if lang == "en":
            return self.en
        if lang == "zh-Hant" and self.zh_hant is not None:
            return self.zh_hant
        return self.zh
