"""Checklist items: what to verify, when, with which command, and what counts as passing.

An item may read otherwise for cards of another maker or for another kind of work: its variants say how, or leave it out
with the reason. So a checklist never asks for a tool that the ordered machine does not have.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from advisor.knowledge.records.common import BiText, Id, Items, Record, Words

Moment = Literal["before_order", "on_delivery", "first_run", "in_operation"]
Severity = Literal["must", "should", "nice"]
Vendor = Literal["NVIDIA", "AMD", "Huawei"]
Work = Literal["training", "serving"]


class Variant(Record):
    """What of an item reads otherwise for a maker's cards, a kind of work, or both; unsaid parts stay as they are."""

    vendor: Vendor | None = None
    work: Work | None = None
    leave_out: Words | None = None
    """Why the item is not asked for here."""
    title: BiText | None = None
    why: BiText | None = None
    ask: BiText | None = None
    command: Words | None = None
    no_command: bool = False
    """The item's command does not fit, and no other is known: a person looks."""
    pass_if: BiText | None = None
    because: Items[Id] | None = None

    @model_validator(mode="after")
    def _for_something(self) -> Variant:
        if self.vendor is None and self.work is None:
            raise ValueError("a variant is for a vendor, for a kind of work, or both")
        return self

    def fits(self, vendor: str | None, work: str | None) -> bool:
        """Whether it is for this maker and this work."""
        return self.vendor in (None, vendor) and self.work in (None, work)


class Item(Record):
    """One item; `command` and the texts may hold `{fact.id}`.

    `command` holds lines that a shell runs; what people settle by asking or reading paper stands in `ask`.
    """

    kind: Literal["item"]
    id: Id
    moment: Moment
    severity: Severity
    title: BiText
    why: BiText
    ask: BiText | None = None
    command: Words | None = None
    pass_if: BiText
    remedy: BiText | None = None
    """What to ask of the vendor where it fails, as the end of "please ..."."""
    because: Items[Id] = Field(min_length=1)
    variants: Items[Variant] = ()

    def suited(self, vendor: str | None, work: str | None) -> Item | None:
        """The item as it reads for a maker's cards and a kind of work; None where it is not asked for there."""
        item = self
        for variant in self.variants:
            if not variant.fits(vendor, work):
                continue
            if variant.leave_out is not None:
                return None
            said = {name: getattr(variant, name) for name in ("title", "why", "ask", "command", "pass_if", "because")}
            if variant.no_command:
                said["command"] = None
                item = item.model_copy(update={"command": None})
            item = item.model_copy(update={name: value for name, value in said.items() if value is not None})
        return item
