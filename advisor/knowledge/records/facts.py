"""Declared facts: every fact that a rule may name, with its type, unit, slot and question."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from advisor.knowledge.records.common import BiText, Id, Items, Record, Unit

FactKind = Literal["quantity", "number", "choice", "boolean", "ref"]


class Default(Record):
    """What is taken where the user said nothing, and why that is reasonable."""

    value: bool | float | str
    why: BiText
    methods: Items[str] | None = None
    """The methods that it matters for; None = all."""


class FactRecord(Record):
    """One fact. `unit` and `range` for quantities, `choices` for choices, `ref` for the id of a card or a model."""

    id: Id
    kind: FactKind
    unit: Unit | None = None
    range: Items[float] | None = Field(default=None, min_length=2, max_length=2)
    choices: Items[str] | None = None
    ref: Literal["gpus", "models", "frameworks", "routes", "offers"] | None = None
    many: bool = False
    set_by: Literal["said", "plan", "rule"]
    slot: Id | None = None
    values: dict[str, bool | float | str] = Field(default_factory=dict)
    name: BiText
    question: BiText | None = None
    why: BiText | None = None
    default: Default | None = None

    @model_validator(mode="after")
    def _parts_of_its_kind(self) -> FactRecord:
        needs = {"quantity": "unit", "choice": "choices", "ref": "ref"}.get(self.kind)
        for part in ("unit", "choices", "ref"):
            has = getattr(self, part) is not None
            if has != (part == needs):
                raise ValueError(f"a fact of kind {self.kind} has {'no ' if has else 'a '}`{part}`")
        if self.range is not None and (self.kind not in ("quantity", "number") or self.range[0] > self.range[1]):
            raise ValueError("`range` is [low, high] of a quantity or a number")
        if self.slot is not None and self.set_by != "said":
            raise ValueError("only a fact that is said has a slot")
        return self
