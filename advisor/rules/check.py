"""The semantic check: it speaks before the engine does, since the engine answers a mistake with a bare number.

Each problem has file and line, what was expected and, for a misspelt word, the nearest known one. Shapes were judged in
`load`; here is what the words mean: facts, heuristics, sources and items that exist, values of the right kind, unit
and range, conditions that can hold, conclusions that may be drawn. Examples and texts have their own modules.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from advisor.core.errors import UnitError, did_you_mean
from advisor.knowledge.reader import Where
from advisor.rules.check_base import check_base
from advisor.rules.check_examples import check_examples
from advisor.rules.check_texts import check_texts
from advisor.rules.compile import MAX_BRANCHES, MAX_COMPARISONS_A_FACT, MAX_SLOTS, bound, named, right_value
from advisor.rules.language import (
    ORDER,
    Condition,
    FactRef,
    FactSpec,
    HeuristicRef,
    Language,
    Problem,
    Right,
    RuleSpec,
)
from advisor.rules.together import one_value, possible
from advisor.rules.values import WrongValue, in_range, shown

# A comparison holds where its partner does not.
_ELSE = {"gt": "at_most", "at_most": "gt", "lt": "at_least", "at_least": "lt"}
# What may stand between quotes in the engine's JSON without escaping.
_CHOICE = re.compile(r"[A-Za-z0-9_.+-]+")


def check(rules: Sequence[RuleSpec], language: Language) -> list[Problem]:
    """Everything that is wrong with the facts and the rules, in the order of files and lines."""
    problems = list(_facts(language))
    right: list[RuleSpec] = []
    for rule in rules:
        wrong = check_rule(rule, language)
        problems += wrong
        if rule.status != "retired" and not wrong:
            right.append(rule)
    problems += _gaps([rule for rule in rules if rule.status != "retired"])
    # What stands between rules is judged where each is right in itself.
    return [*problems, *check_base(right, language)]


def check_rule(rule: RuleSpec, language: Language) -> list[Problem]:
    """What is wrong with one rule; the later checks are left out where they would only repeat the earlier ones."""
    problems = [*_because(rule, language), *_items(rule, language)]
    problems += [problem for condition in rule.conditions for problem in _condition(rule, condition, language)]
    problems += _conclusions(rule, language)
    if problems:
        return problems
    problems += _branches(rule, language)
    if problems:
        return problems
    problems += check_texts(rule, language)
    problems += check_examples(rule, language)
    return problems


def _facts(language: Language) -> Iterable[Problem]:
    for spec in language.facts.values():
        if spec.kind == "choice":
            for choice in spec.choices:
                if not _CHOICE.fullmatch(choice):
                    yield Problem(spec.where, f'the choice "{choice}" is no id', "letters, digits and _ . + -")


def _because(rule: RuleSpec, language: Language) -> Iterable[Problem]:
    for index, source in enumerate(rule.because):
        if source not in language.sources:
            near = did_you_mean(source, language.sources)
            yield Problem(rule.places("because", index), f'there is no source "{source}"', "a source or a claim", near)


def _items(rule: RuleSpec, language: Language) -> Iterable[Problem]:
    where = rule.places("then", "check")
    for item in dict.fromkeys(rule.checks):
        if item not in language.items:
            near = did_you_mean(item, language.items)
            yield Problem(where, f'there is no checklist item "{item}"', "a file under rules/acceptance", near)
        if rule.checks.count(item) > 1:
            yield Problem(where, f'the checklist item "{item}" stands twice', do="keep one of them")


def _condition(rule: RuleSpec, condition: Condition, language: Language) -> Iterable[Problem]:
    spec = language.facts.get(condition.fact)
    if spec is None:
        yield _no_fact(condition.fact, condition.where, language)
        return
    where, word, right = condition.where, condition.word, condition.right
    if word == "known":
        if not isinstance(right, bool):
            yield Problem(where, f"`known` is {shown(right)}", "true or false")
        elif not right and rule.phase != "gaps":
            yield Problem(where, "`known: false` outside `phase: gaps`", do="add `phase: gaps` to the rule")
        return
    if word in ORDER and not spec.numeric:
        yield Problem(where, f"{spec.id} is a {spec.kind}, which has no order", "is, not or in")
    elif word == "not" and spec.many:
        yield Problem(
            where, f"`not` on {spec.id}, which may have several values, asks for some other value", "is or in"
        )
    else:
        yield from _right(spec, right, where, language)
        if word in ORDER and not isinstance(right, FactRef):
            yield from _idle(spec, condition, language)


def _idle(spec: FactSpec, condition: Condition, language: Language) -> Iterable[Problem]:
    """A threshold at or beyond the end of the fact's range, which every value meets."""
    try:
        value = right_value(language, spec, condition.right)
        in_range(spec, value)
    except (WrongValue, UnitError, KeyError):
        return
    if not one_value(spec, [(_ELSE[condition.word], value)]):
        yield Problem(condition.where, f"every value of {spec.id} meets this", "a threshold inside its range")


def _no_fact(fact: str, where: Where | str, language: Language) -> Problem:
    return Problem(where, f'there is no fact "{fact}"', "a file under rules/facts", did_you_mean(fact, language.facts))


def _right(spec: FactSpec, right: Right, where: Where | str, language: Language) -> Iterable[Problem]:
    if isinstance(right, FactRef):
        other = language.facts.get(right.fact)
        if other is None:
            yield _no_fact(right.fact, where, language)
        elif other.id == spec.id:
            yield Problem(where, f"{spec.id} is compared with itself", "another fact")
        elif not _comparable(spec, other):
            yield Problem(
                where, f"{spec.id} is {_nature(spec)} and {other.id} is {_nature(other)}", "facts of one kind and unit"
            )
    elif isinstance(right, HeuristicRef) and right.heuristic not in language.heuristics:
        near = did_you_mean(right.heuristic, language.heuristics)
        yield Problem(where, f'there is no heuristic "{right.heuristic}"', "a file under knowledge/heuristics", near)
        return
    if not isinstance(right, FactRef):
        try:
            value = right_value(language, spec, right)
            if isinstance(right, HeuristicRef):
                in_range(spec, value)
        except (WrongValue, UnitError) as error:
            yield Problem(where, str(getattr(error, "what", error)), error.expected, error.do)
        if isinstance(right, tuple) and len(set(right)) < len(right):
            yield Problem(where, "a value stands twice in the list", do="keep one of them")


def _comparable(one: FactSpec, other: FactSpec) -> bool:
    if one.numeric and other.numeric:
        return one.unit == other.unit
    return one.kind == other.kind


def _nature(spec: FactSpec) -> str:
    return f"in {spec.unit}" if spec.unit else f"a {spec.kind}"


def _conclusions(rule: RuleSpec, language: Language) -> Iterable[Problem]:
    asked = {condition.fact for condition in rule.conditions}
    asked |= {condition.right.fact for condition in rule.conditions if isinstance(condition.right, FactRef)}
    for entry in rule.concludes:
        spec = language.facts.get(entry.fact)
        if spec is None:
            yield _no_fact(entry.fact, entry.where, language)
            continue
        if spec.set_by != "rule":
            yield Problem(entry.where, f"{spec.id} is set by {spec.set_by}, not by rules", "a fact with `set_by: rule`")
        if entry.fact in asked:
            yield Problem(entry.where, f"{spec.id} is concluded from itself", do="conclude another fact")
        if isinstance(entry.value, FactRef) and entry.value.fact not in bound(rule):
            yield Problem(
                entry.where,
                f"{entry.value.fact} may be unknown when the rule fires",
                "a fact that every branch asks about",
            )
        yield from _right(spec, entry.value, entry.where, language)


def _branches(rule: RuleSpec, language: Language) -> Iterable[Problem]:
    for group in rule.groups:
        if len(group) < 2:
            yield Problem(rule.places("when"), "an `any` with one condition", do="move the condition to `all`")
    chosen = list(itertools.product(*rule.groups))
    if len(chosen) > MAX_BRANCHES:
        yield Problem(
            rule.where, f"its `any` lists multiply to {len(chosen)} branches", f"at most {MAX_BRANCHES}", "split it"
        )
        return
    seen: set[str] = set()
    for some in chosen:
        conditions = (*rule.all, *some)
        facts = named(conditions) | {one.fact for one in conditions}
        if len(facts) > MAX_SLOTS:
            yield Problem(rule.where, f"names {len(facts)} facts", f"at most {MAX_SLOTS}", "split the rule")
        found = [
            problem
            for fact in sorted(facts)
            for problem in _satisfiable(
                fact, [one for one in conditions if one.fact == fact], named(conditions), language
            )
        ]
        if not found and not possible(conditions, language):
            found = [Problem(conditions[-1].where, "no facts can meet all that is asked", "conditions that can hold")]
        for problem in found:
            if problem.what not in seen:
                seen.add(problem.what)
                yield problem


def _satisfiable(fact: str, conditions: Sequence[Condition], needed: set[str], language: Language) -> Iterable[Problem]:
    """Whether one value of the fact can meet all that one branch asks of it, and whether something is asked twice."""
    spec = language.facts[fact]
    tests = [
        (one, right_value(language, spec, one.right))
        for one in conditions
        if one.word != "known" and not isinstance(one.right, FactRef)
    ]
    if conditions and len({(one.word, str(one.right)) for one in conditions}) < len(conditions):
        yield Problem(conditions[-1].where, f"the same is asked twice about {fact}", do="keep one of them")
    if fact in needed and any(one.word == "known" and one.right is False for one in conditions):
        yield Problem(conditions[-1].where, f"{fact} is to be unknown and to have a value", "one of the two")
    listed = [value for one, value in tests if one.word in ("is", "in")]
    if any(isinstance(value, tuple) and len(value) > MAX_COMPARISONS_A_FACT - 2 for value in listed):
        yield Problem(
            conditions[-1].where, f"lists more values of {fact} than the engine can hold", "fewer than 48 values"
        )
    if tests and not one_value(spec, [(one.word, value) for one, value in tests]):
        yield Problem(
            tests[-1][0].where, f"no value of {fact} can meet all that is asked of it", "conditions that can hold"
        )


def _gaps(rules: Sequence[RuleSpec]) -> Iterable[Problem]:
    """A gap that a rule of the second phase might still fill would have been reported too early."""
    late: dict[str, str] = {one.fact: rule.id for rule in rules if rule.phase == "gaps" for one in rule.concludes}
    grew = True
    while grew:
        grew = False
        for rule in rules:
            if named(rule.conditions) & late.keys():
                for one in rule.concludes:
                    grew |= one.fact not in late
                    late.setdefault(one.fact, rule.id)
    for rule in rules:
        for condition in rule.conditions:
            if condition.word == "known" and condition.right is False and condition.fact in late:
                yield Problem(
                    condition.where,
                    f"{condition.fact} may still become known in the gaps phase, by {late[condition.fact]}",
                    do="ask for another fact",
                )
