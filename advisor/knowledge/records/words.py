"""Words: the lexicon of aliases and phrases. The dialogue room owns the shape of `entries`."""

from __future__ import annotations

from typing import Any

from advisor.knowledge.records.common import Id, Record, Words


class Lexicon(Record):
    """One list of words; `entries` maps or lists them as its reader expects."""

    id: Id
    meaning: Words
    entries: dict[str, Any] | list[Any]
