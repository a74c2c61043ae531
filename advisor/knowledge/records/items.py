"""Checklist items: what to verify, when, with which command, and what counts as passing."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.knowledge.records.common import BiText, Id, Items, Record, Words

Moment = Literal["before_order", "on_delivery", "first_run", "in_operation"]
Severity = Literal["must", "should", "nice"]


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
    because: Items[Id] = Field(min_length=1)
