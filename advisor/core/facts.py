"""Facts: what a run reasons over, and where each value came from.

A fact has an id, a value of a declared kind and a provenance. Unknown, absent, zero and not applicable are four
values: a fact that is not there is unknown, `NOT_APPLICABLE` is said outright, and zero is a number like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from advisor.core.units import Quantity, number

Provenance = Literal["said", "assumed", "default", "estimated", "known", "concluded"]
NOT_APPLICABLE: Final = "not_applicable"

Value = str | bool | float | int | Quantity | tuple["str | Quantity | float | int", ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One value with its provenance; `why` is a rule, a source or an assumption in the user's words."""

    id: str
    value: Value
    provenance: Provenance
    why: str = ""


class Facts(Mapping[str, Fact]):
    """The facts of one run, by id. Immutable: `plus` gives a new set, later facts replacing earlier ones."""

    def __init__(self, facts: Mapping[str, Fact] | None = None) -> None:
        self._facts = dict(facts or {})

    def __getitem__(self, key: str) -> Fact:
        return self._facts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def plus(self, *facts: Fact) -> Facts:
        """These facts, with others added or replaced."""
        return Facts({**self._facts, **{fact.id: fact for fact in facts}})

    def value(self, key: str) -> Value | None:
        """The value of a fact, or None where it is unknown."""
        fact = self._facts.get(key)
        return None if fact is None else fact.value


def shown(value: Value) -> str:
    """A value as a person reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(shown(item) for item in value)
    if isinstance(value, Quantity | str):
        return str(value)
    return number(value)
