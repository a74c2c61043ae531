"""What lies on the desk during one consultation: the question, the knowledge, the rules, the place and the day.

It holds no step of the work; `consultation` has those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from advisor.core.answer import Assumption
from advisor.core.facts import Facts
from advisor.core.text import Text
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.library import Library
from advisor.plan.hardware import Market
from advisor.plan.search import Candidate
from advisor.plan.task import Task
from advisor.rules.run import RuleBase


@dataclass(frozen=True, slots=True)
class Asked:
    """What one message asks, understood: one set of facts for each alternative named."""

    answers: tuple[Facts, ...]
    intent: str
    understood: Mapping[str, object]
    rejected: tuple[Mapping[str, str], ...] = ()
    problems: tuple[Text, ...] = ()
    config: Architecture | None = None


@dataclass
class Desk:
    """What stands on the desk during one consultation, and how many plans were judged."""

    library: Library
    base: RuleBase
    market: Market
    asked: Asked
    day: date
    judged: int = 0
    assumed: dict[str, Assumption] = field(default_factory=dict)
    tried: dict[int, tuple[Facts, Task, Candidate]] = field(default_factory=dict)
    """For each judged plan, by identity: the facts, the job as the user has it, and the candidate."""
    beside: dict[int, list[Candidate]] = field(default_factory=dict)
    """For a plan, by identity: the candidates that its options were chosen from."""
