"""The rule language as plain values: what a rule file says, with no YAML and no engine in it.

Everything else in this room works on these values. They hold what was written (texts, literals still as typed) plus
`where` (file:line) for messages; meaning is given to them by `check` and `compile`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from advisor.core.errors import BadData
from advisor.core.facts import Value
from advisor.core.text import Text
from advisor.knowledge.reader import Where

# The condition words, complete. There is no arithmetic and no function: those are estimators.
EQUALITY: Final = ("is", "not", "in")
ORDER: Final = ("gt", "lt", "at_least", "at_most")
WORDS: Final = (*EQUALITY, *ORDER, "known")
FLIPPED: Final[Mapping[str, str]] = {
    "is": "is",
    "not": "not",
    "gt": "lt",
    "lt": "gt",
    "at_least": "at_most",
    "at_most": "at_least",
}

KINDS: Final = ("quantity", "number", "choice", "boolean", "ref")
PHASES: Final = ("judge", "gaps")
STATUSES: Final = ("trial", "settled", "retired")
LEVELS: Final = ("note", "warning", "blocker")
DEGREES: Final = ("high", "medium", "low")

# A sentence shows a heuristic's accepted value as {heuristic.ID}, as it shows a fact as {ID}.
HEURISTIC: Final = "heuristic."

# What the engine compares: a number in the fact's canonical unit, or an id from a closed list.
Atom = float | str


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file: where (file:line), what, what was expected and what to do."""

    where: Where | str
    what: str
    expected: str = ""
    do: str = ""

    def error(self) -> BadData:
        """The same as an error to raise."""
        return BadData(self.what, where=str(self.where), expected=self.expected, do=self.do)

    def __str__(self) -> str:
        return self.error().line()


@dataclass(frozen=True, slots=True)
class FactSpec:
    """A fact that rules may name: its kind, canonical unit, range or choices, and who sets it."""

    id: str
    kind: str
    where: Where | str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: Collection[str] = ()
    many: bool = False
    set_by: str = "said"
    name: Text = field(default_factory=lambda: Text("", ""))

    @property
    def numeric(self) -> bool:
        """Whether its values are ordered."""
        return self.kind in ("quantity", "number")


@dataclass(frozen=True, slots=True)
class FactRef:
    """A right side `{fact: id}`."""

    fact: str


@dataclass(frozen=True, slots=True)
class HeuristicRef:
    """A right side `{heuristic: id}`: the accepted value, put in when compiling."""

    heuristic: str


Right = FactRef | HeuristicRef | str | bool | int | float | tuple["str | bool | int | float", ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """`fact word right`, as in `memory.peak at_most card.memory_usable`."""

    fact: str
    word: str
    right: Right
    where: Where | str


@dataclass(frozen=True, slots=True)
class Conclusion:
    """`conclude: {fact: value}`; the value may be another fact's or a heuristic's."""

    fact: str
    value: Right
    where: Where | str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A bilingual sentence of a rule with its place, for messages."""

    text: Text
    where: Where | str


@dataclass(frozen=True, slots=True)
class AdviceSpec:
    """`advise: {level, say}`."""

    level: str
    say: Sentence


@dataclass(frozen=True, slots=True)
class RiskSpec:
    """`risk: {severity, likelihood, say, mitigation}`."""

    severity: str
    likelihood: str
    say: Sentence
    mitigation: Sentence


@dataclass(frozen=True, slots=True)
class Example:
    """A rule's proof: with exactly these facts it fires, or is silent; `concludes` and `verdict` are optional."""

    name: str
    given: Mapping[str, Right]
    fires: bool
    concludes: Mapping[str, Right]
    where: Where | str
    places: Mapping[str, Where | str]
    verdict: str | None = None


@dataclass(frozen=True, slots=True)
class RuleSpec:
    """One rule as written. `groups` are the `any` lists; one of each must hold beside all of `all`."""

    id: str
    status: str
    phase: str
    because: tuple[str, ...]
    all: tuple[Condition, ...]
    groups: tuple[tuple[Condition, ...], ...]
    concludes: tuple[Conclusion, ...]
    advice: AdviceSpec | None
    risk: RiskSpec | None
    checks: tuple[str, ...]
    verdict: str | None
    examples: tuple[Example, ...]
    where: Where | str
    places: Callable[..., Where]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions, those of the `any` lists included, as written."""
        return (*self.all, *(condition for group in self.groups for condition in group))

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Every sentence the rule may speak."""
        found = [self.advice.say] if self.advice else []
        return (*found, *((self.risk.say, self.risk.mitigation) if self.risk else ()))


@dataclass(frozen=True, slots=True)
class Language:
    """What rules may refer to: facts, heuristics (accepted values), checklist items, sources and claims."""

    facts: Mapping[str, FactSpec]
    heuristics: Mapping[str, Value]
    items: Collection[str]
    sources: Collection[str]
