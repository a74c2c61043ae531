"""Faults: the driver's Xid numbers and NVIDIA's published limits of cards, one file each.

What an Xid means for an acceptance (`class`) is ours and is said apart from what NVIDIA advises; a published limit that
is plainly a slip is kept, marked as suspect, and replaced for use.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.core.errors import BadData
from advisor.knowledge.reader import Document
from advisor.knowledge.records.common import BiText, Figure, Id, Items, Record, Words

# What an Xid means on a server that was just handed over.
XidClass = Literal["fail", "warn", "application"]


class Xid(Record):
    """One Xid of NVIDIA's catalogue."""

    kind: Literal["xid"]
    id: Id
    xid: int = Field(ge=0)
    mnemonic: Words
    meaning: Words
    immediate: Words | None = None
    """NVIDIA's first action, as its catalogue names it."""
    investigate: Words | None = None
    class_: XidClass = Field(alias="class")
    why: BiText
    because: Items[Id] = Field(min_length=1)


class CardLimits(Record):
    """What NVIDIA's own diagnostics ask of one card, by PCI device id."""

    kind: Literal["card"]
    id: Id
    name: Words
    device_id: Words
    power: Figure
    memory_bandwidth: Figure
    pcie_gen: Figure
    pcie_width: Figure
    temperature: Figure
    suspect: Items[Id] = ()
    """Names of the figures above that are plainly a slip and are not used."""
    note: Words | None = None
    because: Items[Id] = Field(min_length=1)


Fault = Xid | CardLimits
_BY_KIND: dict[str, type[Fault]] = {"xid": Xid, "card": CardLimits}


def record_for(document: Document) -> type[Fault]:
    """The record that a file says it is. Raises `BadData` for a kind nobody knows."""
    kind = document.data.get("kind") if isinstance(document.data, dict) else None
    if kind not in _BY_KIND:
        raise BadData(f"the kind is {kind!r}", where=document.at("kind"), expected=" or ".join(_BY_KIND))
    return _BY_KIND[kind]
