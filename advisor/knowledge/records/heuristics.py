"""Heuristics: figures that are judgement or measurement, with their rivals.

Exactly one value is accepted, and it is the one that `use` names; no rival is ever deleted.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from advisor.core.units import Quantity, Range
from advisor.knowledge.records.common import BiText, Id, Items, Record, Unit, WholeDay, Words


class Candidate(Record):
    """One of the rival values."""

    key: Id
    value: float
    status: Literal["accepted", "contested", "superseded", "refuted"]
    source: Id = Field(alias="from")
    recorded: WholeDay
    note: Words | None = None


class Heuristic(Record):
    """A figure with unit, meaning, scope, rivals and spread (low <= accepted <= high)."""

    id: Id
    meaning: BiText
    unit: Unit
    scope: Words
    use: Id
    spread: Items[float] = Field(min_length=2, max_length=2)
    chosen_because: Words
    values: Items[Candidate] = Field(min_length=1)

    @model_validator(mode="after")
    def _one_accepted(self) -> Heuristic:
        keys = [rival.key for rival in self.values]
        if len(set(keys)) < len(keys):
            raise ValueError("two values have the same key")
        accepted = [rival.key for rival in self.values if rival.status == "accepted"]
        if accepted != [self.use]:
            raise ValueError(f"`use` is {self.use}, accepted are {accepted}; exactly one value is accepted and used")
        low, high = self.spread
        if not low <= self.accepted.value <= high:
            raise ValueError(f"the spread [{low:g}, {high:g}] does not hold the accepted {self.accepted.value:g}")
        return self

    @property
    def accepted(self) -> Candidate:
        """The value in use, with its source."""
        return next(rival for rival in self.values if rival.key == self.use)

    @property
    def quantity(self) -> Quantity:
        """The accepted value with its unit."""
        return Quantity(self.accepted.value, self.unit)

    @property
    def range(self) -> Range:
        """low, accepted, high."""
        return Range(self.spread[0], self.accepted.value, self.spread[1], self.unit)
