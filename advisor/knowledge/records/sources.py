"""Sources: where a figure or a sentence comes from, how old it is, and when somebody last looked."""

from __future__ import annotations

from typing import Literal

from advisor.knowledge.records.common import Address, Day, Id, Record, WholeDay, Words

SourceKind = Literal[
    "paper",
    "documentation",
    "source_code",
    "measurement",
    "price_list",
    "catalogue",
    "regulation",
    "vendor_claim",
    "press",
    "report",
    "arithmetic",
    "general_knowledge",
    "seed",
]


class Source(Record):
    """One source; `date` is as exact as the source itself, `checked` is the day of the last look."""

    id: Id
    title: Words
    date: Day
    checked: WholeDay
    kind: SourceKind
    address: Address | None = None
    note: Words | None = None
