"""A brute-force matcher that knows the rule language and nothing of the engine, of slots or of branches.

It tries every choice of values for the facts that a rule names, until nothing new follows. It is slow and plain on
purpose: where it and the engine differ, the engine is wrong.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from advisor.rules.language import Condition, FactRef, FactSpec, RuleSpec

Plain = float | str | bool
Values = dict[str, list[Plain]]


class Conflict(Exception):
    """Two values for a fact that has one."""


@dataclass
class Told:
    """What the matcher found: (rule, values of the facts that are bound in every case) and the facts known."""

    fired: set[tuple[object, ...]] = field(default_factory=set)
    known: Values = field(default_factory=dict)


def match(
    rules: Sequence[RuleSpec], facts: Mapping[str, FactSpec], given: Mapping[str, Sequence[Plain] | None]
) -> Told:
    """`given`: fact -> its values in the canonical unit; None where the fact does not apply."""
    told = Told(known={fact: list(values) for fact, values in given.items() if values is not None})
    not_applicable = {fact for fact, values in given.items() if values is None}
    for phases in (("judge",), ("judge", "gaps")):
        before = {fact for fact, values in told.known.items() if values} | not_applicable
        while _round([rule for rule in rules if rule.phase in phases], facts, told, before):
            pass
    return told


def _round(rules: Iterable[RuleSpec], facts: Mapping[str, FactSpec], told: Told, before: set[str]) -> bool:
    new = [(rule, choice) for rule in rules for choice in _choices(rule, told.known, before)]
    grew = False
    for rule, choice in new:
        common = sorted(_always(rule))
        key = (rule.id, *(choice[fact] for fact in common))
        if key in told.fired:
            continue
        told.fired.add(key)
        grew = True
        for entry in rule.concludes:
            value = choice[entry.value.fact] if isinstance(entry.value, FactRef) else entry.value
            values = told.known.setdefault(entry.fact, [])
            if value in values:
                continue
            if values and not facts[entry.fact].many:
                raise Conflict(entry.fact)
            values.append(value)
    return grew


def _choices(rule: RuleSpec, known: Values, before: set[str]) -> Iterator[dict[str, Plain]]:
    """Every choice of values under which the rule holds."""
    for some in itertools.product(*rule.groups):
        conditions = (*rule.all, *some)
        if any(one.fact in before for one in conditions if one.word == "known" and one.right is False):
            continue
        asked = [one for one in conditions if not (one.word == "known" and one.right is False)]
        names = sorted(set().union(*(_names(one) for one in asked)) if asked else ())
        for values in itertools.product(*(known.get(name, []) for name in names)):
            choice = dict(zip(names, values, strict=True))
            if all(_true(one, choice) for one in asked):
                yield choice


def _names(condition: Condition) -> set[str]:
    if condition.word == "known" and condition.right is False:
        return set()
    return {condition.fact} | ({condition.right.fact} if isinstance(condition.right, FactRef) else set())


def _always(rule: RuleSpec) -> set[str]:
    found = set().union(*(_names(one) for one in rule.all)) if rule.all else set()
    for group in rule.groups:
        found |= set.intersection(*(_names(one) for one in group))
    return found


def _true(condition: Condition, choice: Mapping[str, Plain]) -> bool:
    left = choice[condition.fact]
    right = choice[condition.right.fact] if isinstance(condition.right, FactRef) else condition.right
    match condition.word:
        case "known":
            return True
        case "is":
            return left == right
        case "not":
            return left != right
        case "in":
            return left in right
        case "gt":
            return left > right
        case "lt":
            return left < right
        case "at_least":
            return left >= right
        case "at_most":
            return left <= right
    raise AssertionError(condition.word)
