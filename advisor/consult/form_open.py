"""Which questions of a form still matter: one whose answer can change nothing is not shown.

A question matters while a rule that reads its fact can still fire beside what was said, or, where no rule reads it,
while values far apart bring out another plan, time, price, risk or checklist. It judges nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

from advisor.consult import answer
from advisor.consult.consultation import judged_rows
from advisor.consult.desk import Asked
from advisor.consult.worth import probes
from advisor.core.answer import Judged
from advisor.core.errors import HkgpuError
from advisor.core.facts import Fact, Facts, Value
from advisor.core.units import Quantity, parse_quantity
from advisor.dialogue.answers import answers_from
from advisor.dialogue.questions import applies
from advisor.knowledge.library import Library, open_library
from advisor.rules.language import Condition, FactRef, HeuristicRef, RuleSpec


def open_facts(given: Mapping[str, object], facts: Iterable[str]) -> tuple[str, ...]:
    """Those of the facts whose question can still change the answer, answered or not."""
    library = open_library()
    try:
        sets = answers_from(given, library)
    except HkgpuError:
        return tuple(facts)
    asked = Asked(tuple(sets.answers), "ask_feasibility", dict(given))
    shown = []
    # From the end, so that of two answers that exclude each other the earlier question stays.
    for fact in reversed(tuple(facts)):
        if _matters(fact, asked, answer.today(), library):
            shown.append(fact)
        else:
            asked = replace(asked, answers=tuple(_without(each, fact) for each in asked.answers))
    return tuple(reversed(shown))


def _without(said: Facts, fact: str) -> Facts:
    return Facts({key: each for key, each in said.items() if key != fact})


def _matters(fact: str, asked: Asked, day: date, library: Library) -> bool:
    said = asked.answers[0]
    without = _without(said, fact)
    if not applies(fact, without, library) or not _method_asks(fact, without, library):
        return False
    if any(_can_fire(rule, fact, without) for rule in _readers(library.version).get(fact, ())):
        return True
    return _changes(fact, replace(asked, answers=(without,)), day, library)


def _method_asks(fact: str, said: Facts, library: Library) -> bool:
    """Whether the question belongs to the method that was chosen: its default names the methods it is about."""
    default, method = library.facts[fact].default, said.value("tuning.method")
    return default is None or default.methods is None or method is None or method in default.methods


@lru_cache(maxsize=2)
def _readers(version: str) -> Mapping[str, tuple[RuleSpec, ...]]:
    """The rules that read each fact."""
    found: dict[str, list[RuleSpec]] = {}
    for compiled in answer.rules().rules.values():
        if compiled.spec.status == "retired":
            continue
        names = {each.fact for each in compiled.spec.conditions}
        names |= {each.right.fact for each in compiled.spec.conditions if isinstance(each.right, FactRef)}
        for name in names:
            found.setdefault(name, []).append(compiled.spec)
    return {name: tuple(rules) for name, rules in found.items()}


def _can_fire(rule: RuleSpec, fact: str, said: Facts) -> bool:
    """Whether no condition on what was said forbids the rule, whatever the fact is answered."""
    if any(_refuted(each, fact, said) for each in rule.all):
        return False
    return all(any(not _refuted(each, fact, said) for each in group) for group in rule.groups)


def _refuted(condition: Condition, fact: str, said: Facts) -> bool:
    value = said.value(condition.fact)
    if condition.fact == fact or value is None or isinstance(condition.right, FactRef | HeuristicRef):
        return False
    values = value if isinstance(value, tuple) else (value,)
    return not any(_holds(each, condition) for each in values)


def _holds(value: Value, condition: Condition) -> bool:
    right: Any = condition.right
    word = condition.word
    if word == "known":
        return bool(right)
    if word == "in":
        return any(_same(value, each) for each in right)
    if word in ("is", "not"):
        return _same(value, right) == (word == "is")
    one, other = _plain(value), _plain(right, like=value)
    if one is None or other is None:
        return True
    return {"gt": one > other, "lt": one < other, "at_least": one >= other, "at_most": one <= other}[word]


def _same(value: Value, right: object) -> bool:
    if isinstance(value, bool) or isinstance(right, bool):
        return value is right
    if isinstance(value, str):
        return value == right
    one, other = _plain(value), _plain(right, like=value)
    return one is None or other is None or one == other


def _plain(value: object, like: Value | None = None) -> float | None:
    """A figure in its own unit, or in that of `like`; None where it is none."""
    try:
        if isinstance(value, str):
            value = parse_quantity(value)
        if isinstance(value, Quantity):
            return value.to(like.unit).value if isinstance(like, Quantity) else value.value
        return float(value) if isinstance(value, int | float) else None
    except (HkgpuError, ValueError):
        return None


def _changes(fact: str, asked: Asked, day: date, library: Library) -> bool:
    """Whether values far apart bring out another answer; yes where nobody named values to try."""
    values = probes(fact, library)
    if len(values) < 2:
        return True
    said = asked.answers[0]
    first = _tried(tuple(said.values()), day, library.version)
    if first is None:
        return True
    return any(_tried((*said.values(), Fact(fact, value, "said")), day, library.version) != first for value in values)


@lru_cache(maxsize=2048)
def _tried(said: tuple[Fact, ...], day: date, version: str) -> str | None:
    """What comes out of these facts, comparable; None where nothing is sized yet and so nothing can be compared."""
    facts = Facts().plus(*said)
    asked = Asked((facts,), "ask_feasibility", {"gpu_model": True} if "gpu.id" in facts else {})
    rows = judged_rows(asked, day, open_library(), answer.rules(), answer.here())
    if all(row.option is None for row in rows):
        return None
    return repr([_row(row) for row in rows])


def _row(row: Judged) -> tuple[object, ...]:
    outcome, option = row.outcome, row.option
    said = [sorted({each.rule for each in kind}) for kind in (outcome.advice, outcome.risks, outcome.checks)]
    if option is None:
        return row.method, row.verdict, said
    plan = (option.hardware, option.sharding, option.optimizer, option.offload, option.precision)
    return row.method, row.verdict, said, plan, option.peak, option.time, option.price, option.storage, option.host_ram
