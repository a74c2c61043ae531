"""Rules as they stand in the file: the shape only. What the conditions mean is checked in `advisor.rules`.

`when` and `then` stay plain data: the rules room checks each word against the declared facts and names the line by
the shelf's `document(id).at("when", "all", 0)`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from advisor.knowledge.records.common import Id, Items, Record, WholeDay, Words


class Example(Record):
    """One proof of a rule: facts given, whether it fires, and what it then concludes or says."""

    name: Words
    given: dict[str, Any]
    fires: bool
    concludes: dict[str, Any] | None = None
    verdict: str | None = None


class RuleRecord(Record):
    """One rule of one file."""

    id: Id
    status: Literal["trial", "settled", "retired"]
    since: WholeDay
    because: Items[Id] = Field(min_length=1)
    phase: Literal["judge", "gaps"] = "judge"
    when: dict[str, Any]
    then: dict[str, Any]
    examples: Items[Example] = ()
    note: Words | None = None
