"""Frameworks: what training and serving software does by default, as far as it moves memory or speed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from advisor.knowledge.records.common import BiText, Id, Items, Record, Status, Unit, WholeDay, Words


class Setting(Record):
    """One default: a switch, a word from the estimators' vocabulary, or a number with its unit."""

    value: bool | float | Words
    unit: Unit | None = None
    source: Id = Field(alias="from")
    status: Status
    note: Words | None = None

    @model_validator(mode="after")
    def _unit_for_numbers(self) -> Setting:
        if isinstance(self.value, float) and self.unit is None:
            raise ValueError('a number has a unit (`unit: ""` for a bare number)')
        return self


class Framework(Record):
    """One framework, with its defaults by the estimators' names."""

    id: Id
    name: Words
    aliases: Items[str] = ()
    said: Items[str] = ()
    """Names that mean it in a running text; shorter ones (`hf`, `swift`) only where a framework is asked for."""
    use: Literal["training", "serving", "both"]
    version: Words | None = None
    checked: WholeDay
    defaults: dict[Id, Setting]
    note: BiText | None = None
