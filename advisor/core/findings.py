"""What a run of the rules brings out: verdict, advice, risks, checklist items, conclusions and who fired.

Findings carry texts in both languages with the placeholders still open, and the values to put in, so that a face can
render the same finding in any language. They hold no advice themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from advisor.core.facts import Facts, Value
from advisor.core.text import Text

Verdict = Literal["no", "unknown", "yes_if", "yes"]
# Worst first: the merged verdict of a run is the first of these that any rule gave.
VERDICTS: tuple[Verdict, ...] = ("no", "unknown", "yes_if", "yes")
Level = Literal["note", "warning", "blocker"]
Degree = Literal["high", "medium", "low"]


def worst(verdicts: list[Verdict]) -> Verdict:
    """The merged verdict; `unknown` where nobody gave one."""
    return min(verdicts, key=VERDICTS.index) if verdicts else "unknown"


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence of a rule that fired."""

    rule: str
    level: Level
    say: Text
    values: Mapping[str, Value]
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Risk:
    """A risk and its mitigation."""

    rule: str
    severity: Degree
    likelihood: Degree
    say: Text
    mitigation: Text
    values: Mapping[str, Value]
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A rule asks for a checklist item; the item itself is a file under rules/acceptance."""

    rule: str
    item: str
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A rule's verdict on the plan as stated."""

    rule: str
    verdict: Verdict
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Firing:
    """One firing: the rule, the facts that it matched and what it concluded."""

    rule: str
    facts: Mapping[str, Value]
    concluded: Mapping[str, Value]
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that one run brought out."""

    facts: Facts
    verdict: Verdict
    rulings: tuple[Ruling, ...] = ()
    advice: tuple[Advice, ...] = ()
    risks: tuple[Risk, ...] = ()
    checks: tuple[Check, ...] = ()
    firings: tuple[Firing, ...] = ()
    decided_by: tuple[str, ...] = field(default=())


def opposite(verdict: Verdict) -> Verdict:
    """The verdict of the denied sentence: yes and no change places, the others stay."""
    if verdict == "yes":
        return "no"
    return "yes" if verdict == "no" else verdict
