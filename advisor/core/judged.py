"""What judging brings out: a verdict for each output and one for each checklist item, with figure, limit and source.

`advisor.consult.judge` fills these, `advisor.report.judged` words them. Worst first: fail, inconclusive, warn, pass; an
item that only an order could judge "does not apply" where there is no order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from advisor.core.facts import Value
from advisor.core.findings import Verdict
from advisor.core.text import Text

Judgement = Literal["fail", "inconclusive", "warn", "pass", "does not apply"]
# A rule's verdict on an output is a rule's verdict like any other; here is what it means for a delivery.
OF_RULING: Mapping[Verdict, Judgement] = {"no": "fail", "unknown": "inconclusive", "yes_if": "warn", "yes": "pass"}
# The source of a limit that only the order says.
ORDER = "order"
WORST_FIRST: tuple[Judgement, ...] = ("fail", "inconclusive", "warn", "pass", "does not apply")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule said of one output: `figure` and `limit` are the sides of its deciding comparison."""

    rule: str
    judgement: Judgement
    item: str | None
    say: Text
    values: Mapping[str, Value]
    figure: Value | None
    limit: Value | None
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileJudged:
    """One output; `tool` is empty where nobody knows it. `items` are the checklist items it speaks of."""

    file: str
    tool: str
    version: str
    judgement: Judgement
    values: Mapping[str, float | int | str]
    items: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    problem: str = ""
    named: str = ""
    """The tool that the file's name speaks of, where nothing of any tool was read in it."""


@dataclass(frozen=True, slots=True)
class ItemJudged:
    """One checklist item over all outputs; `finding` is the one that decided."""

    item: str
    judgement: Judgement
    finding: Finding | None
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """All outputs of one delivery, judged."""

    files: tuple[FileJudged, ...]
    items: tuple[ItemJudged, ...]
    ordered: Mapping[str, Value] = field(default_factory=dict)
    card: str = ""
    """The card as the order names it."""

    @property
    def failed(self) -> bool:
        """Whether any output or item failed."""
        words = [*(file.judgement for file in self.files), *(item.judgement for item in self.items)]
        return "fail" in words
