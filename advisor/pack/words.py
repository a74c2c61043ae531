"""The fixed texts of the pack: they stand in knowledge/words/pack.yaml, and a wording of the report's puts them in.

The rooms of one floor do not import each other, so the wording comes as what it can do, not as a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from advisor.core.errors import BadData
from advisor.core.facts import Value
from advisor.core.text import Lang, Text, fill
from advisor.core.units import Quantity
from advisor.knowledge.library import Library


class Wording(Protocol):
    """What the pack needs of a wording: one language over one library."""

    lang: Lang
    library: Library

    def text(self, text: Text) -> str:
        """A text without placeholders."""
        ...

    def filled(self, text: Text, values: Mapping[str, Value]) -> str:
        """A text with its placeholders filled."""
        ...

    def quantity(self, quantity: Quantity) -> str:
        """A figure with its unit."""
        ...


def text(wording: Wording, key: str, **values: str | Quantity) -> str:
    """A fixed text of the pack, by its key; raises `BadData` where there is none. Words are put in as they stand."""
    entries: Any = wording.library.words.require("pack").entries
    entry = entries.get(key)
    if not isinstance(entry, Mapping):
        raise BadData(f'there is no text "{key}"', where="knowledge/words/pack.yaml")
    shown = {name: wording.quantity(each) if isinstance(each, Quantity) else each for name, each in values.items()}
    en, zh, own = (fill(entry[lang], shown) if lang in entry else None for lang in ("en", "zh", "zh_hant"))
    return wording.text(Text(en or "", zh or "", own))


def pair(wording: Wording, name: str, value: str) -> str:
    """`name: value`, with the colon of the language."""
    return f"{name}: {value}" if wording.lang == "en" else f"{name}：{value}"


def listed(wording: Wording, key: str) -> Any:
    """A list of knowledge/words/pack.yaml that is no text: symptoms, limits, kinds of findings."""
    entries: Any = wording.library.words.require("pack").entries
    return entries[key]
