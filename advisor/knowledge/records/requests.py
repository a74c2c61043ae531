"""Requests: what an order asks of a vendor, line by line, and what in an offer answers it.

A line is exact and can be tested: it names the figure it takes from the plan or from a heuristic, and the checklist
item that proves it on delivery. `reads` names what is read off an offer (knowledge/words/offer.yaml); `relation` says
when an offer meets the line, and `stated` is met by any plain answer.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from advisor.knowledge.records.common import BiText, Id, Items, Record, Unit

Group = Literal["hardware", "network", "site", "terms", "operations"]
Relation = Literal["card", "at_least", "at_most", "among", "is", "stated"]


class Condition(Record):
    """A name of the plan that must have one of these values; `known` asks only that there is one."""

    name: Id
    known: bool | None = None
    among: Items[str | bool | int | float] | None = None
    above: float | None = None

    @model_validator(mode="after")
    def _one(self) -> Condition:
        if sum(each is not None for each in (self.known, self.among, self.above)) != 1:
            raise ValueError("a condition has one of `known`, `among`, `above`")
        return self


class Request(Record):
    """One line of a request to vendors."""

    id: Id
    group: Group
    order: int = Field(ge=0)
    severity: Literal["must", "should", "nice"]
    title: BiText
    ask: BiText
    """The line in the message, with `{name}` of the plan; a line whose name is unknown is left out."""
    when: Items[Condition] = ()
    reads: Items[Id] = Field(min_length=1)
    """What answers it in an offer; the first that is read decides."""
    relation: Relation
    takes: Id | None = None
    """The name of the plan that holds the figure asked for."""
    heuristic: Id | None = None
    value: bool | str | Items[str] | None = None
    also: Items[str] = ()
    """Words that meet a line of choices too."""
    vague: Items[str] = ()
    """Words that leave a line of choices open."""
    mixed: Literal["met", "not_stated", "contradicts"] = "contradicts"
    """What it is when the offer names what is asked for and something else beside it."""
    spoiled_by: Items[Id] = ()
    """Rules of rules/quoting that, with the verdict "no", make what the offer says here impossible."""
    unit: Unit = ""
    proven_by: Id
    because: Items[Id] = Field(min_length=1)

    @model_validator(mode="after")
    def _whole(self) -> Request:
        held = [each for each in (self.takes, self.heuristic, self.value) if each is not None]
        if self.relation == "stated" and held:
            raise ValueError("a line that asks only for an answer takes no figure")
        if self.relation != "stated" and len(held) != 1:
            raise ValueError("a line takes one figure: `takes`, `heuristic` or `value`")
        return self
