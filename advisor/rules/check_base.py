"""What is wrong between rules: they contradict, one repeats another, a conclusion follows from itself.

Two rules contradict where facts exist on which both would fire and conclude different values for a fact that has one
value, or where the same conditions lead to opposite verdicts. `remarks` are no faults of a rule: facts that nobody
concludes or reads and values that nobody gives, which an overlay or an emptied folder may well leave behind.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from advisor.core.text import placeholders
from advisor.rules.compile import named
from advisor.rules.language import Condition, FactRef, Language, Problem, RuleSpec
from advisor.rules.together import possible
from advisor.rules.values import shown

_OPPOSITE = {"no": "yes", "yes": "no"}


def check_base(rules: Sequence[RuleSpec], language: Language) -> list[Problem]:
    """What is wrong between rules that are right in themselves; retired rules are not given."""
    return [*_repeats(rules), *_contradictions(rules, language), *_verdicts(rules), *_cycles(rules)]


def conditions_of(rule: RuleSpec) -> str:
    """A rule's phase and conditions, the same for every order in which they may be written."""
    asked = sorted(map(_text, rule.all))
    groups = sorted(str(sorted(map(_text, group))) for group in rule.groups)
    return repr((rule.phase, asked, groups))


def _text(condition: Condition) -> str:
    return f"{condition.fact} {condition.word} {condition.right!r}"


def _repeats(rules: Iterable[RuleSpec]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for rule in rules:
        then = [(one.fact, one.value) for one in rule.concludes], rule.verdict, rule.checks
        said = [sentence.text for sentence in rule.sentences]
        key = conditions_of(rule) + repr((then, said))
        if key in seen:
            yield Problem(rule.where, f"says the same as {seen[key]}", do="keep one of the two rules")
        seen.setdefault(key, rule.id)


def _contradictions(rules: Iterable[RuleSpec], language: Language) -> Iterator[Problem]:
    concluding: dict[str, list[tuple[RuleSpec, object]]] = defaultdict(list)
    for rule in rules:
        for entry in rule.concludes:
            if entry.fact in language.facts and not language.facts[entry.fact].many:
                value = entry.value
                if not isinstance(value, FactRef):
                    concluding[entry.fact].append((rule, value))
    for fact, several in concluding.items():
        for (one, first), (other, second) in itertools.combinations(several, 2):
            if first != second and _both(one, other, language):
                yield Problem(
                    next(entry.where for entry in other.concludes if entry.fact == fact),
                    f"{fact} is {shown(second)} here and {shown(first)} in {one.id}, which can fire on the same facts",
                    do="narrow one of the rules, or declare the fact `many: true`",
                )


def _both(one: RuleSpec, other: RuleSpec, language: Language) -> bool:
    """Whether two rules can fire on the same facts."""
    return any(
        possible((*one.all, *some, *other.all, *others), language)
        for some in itertools.product(*one.groups)
        for others in itertools.product(*other.groups)
    )


def _verdicts(rules: Iterable[RuleSpec]) -> Iterator[Problem]:
    given: dict[tuple[str, str], str] = {}
    for rule in rules:
        if rule.verdict in _OPPOSITE:
            conditions = conditions_of(rule)
            other = given.get((conditions, _OPPOSITE[rule.verdict]))
            if other is not None:
                yield Problem(
                    rule.places("then", "verdict"),
                    f"the verdict is {rule.verdict}, and {_OPPOSITE[rule.verdict]} in {other} on the same conditions",
                    do="keep one of the two rules",
                )
            given.setdefault((conditions, rule.verdict), rule.id)


def _cycles(rules: Sequence[RuleSpec]) -> Iterator[Problem]:
    """Each conclusion that, over other rules, comes from itself."""
    leads: dict[str, dict[str, RuleSpec]] = defaultdict(dict)
    for rule in rules:
        for fact in sorted(named(rule.conditions)):
            for entry in rule.concludes:
                leads[fact].setdefault(entry.fact, rule)
    reported: set[str] = set()
    for rule in rules:
        for entry in rule.concludes:
            way = _way(leads, entry.fact)
            # The line to mend is that of a rule on the way, not of another that concludes the same.
            if way and way[-2] in named(rule.conditions) and not reported.intersection(way):
                reported.update(way)
                chain = " -> ".join(way)
                yield Problem(entry.where, f"{entry.fact} follows from itself: {chain}", do="break the chain")


def _way(leads: dict[str, dict[str, RuleSpec]], fact: str) -> list[str]:
    """The shortest way from a fact back to itself, or nothing."""
    ways, seen = [[fact]], {fact}
    while ways:
        way = ways.pop(0)
        for after in leads.get(way[-1], ()):
            if after == fact:
                return [*way, fact]
            if after not in seen:
                seen.add(after)
                ways.append([*way, after])
    return []


def remarks(rules: Sequence[RuleSpec], language: Language, elsewhere: Collection[str] = ()) -> list[Problem]:
    """Facts that nobody sets or reads, and conditions that ask for a value nobody concludes.

    `elsewhere`: facts that others than rules read or set (the planner, the estimators, the order).
    """
    read = set().union(*(named(rule.conditions) for rule in rules)) if rules else set()
    read |= {one.fact for rule in rules for one in rule.conditions}
    read |= {name for rule in rules for one in rule.sentences for name in placeholders(one.text.en)}
    given: dict[str, set[object]] = defaultdict(set)
    for rule in rules:
        for entry in rule.concludes:
            given[entry.fact].add(entry.value)
    found: list[Problem] = []
    for spec in language.facts.values():
        if spec.set_by == "rule" and spec.id not in given and spec.id not in elsewhere:
            found.append(Problem(spec.where, f"no rule concludes {spec.id}"))
        if spec.id not in read and not _named_elsewhere(spec.id, elsewhere):
            found.append(Problem(spec.where, f"nobody reads {spec.id}"))
    return [*found, *(remark for rule in rules for remark in _never(rule, language, given))]


def _named_elsewhere(fact: str, elsewhere: Collection[str]) -> bool:
    """Named in full, or by its folder with a dot behind it."""
    parts = fact.split(".")
    return any(".".join(parts[:count]) + "." in elsewhere for count in range(1, len(parts))) or fact in elsewhere


def _never(rule: RuleSpec, language: Language, given: dict[str, set[object]]) -> Iterator[Problem]:
    for one in rule.conditions:
        if language.facts[one.fact].set_by != "rule" or one.word not in ("is", "in") or isinstance(one.right, FactRef):
            continue
        values = given.get(one.fact, set())
        if any(isinstance(value, FactRef) for value in values):
            continue
        for value in one.right if isinstance(one.right, tuple) else (one.right,):
            if value not in values:
                yield Problem(one.where, f"no rule concludes {one.fact}: {shown(value)}")


def distinct(rules: Iterable[RuleSpec]) -> int:
    """How many rules there are, if those that differ in nothing but a literal and their wording count as one."""
    return len({_shape(rule) for rule in rules})


def _shape(rule: RuleSpec) -> str:
    asked = sorted(f"{one.fact} {one.word}" for one in rule.all)
    groups = sorted(str(sorted(f"{one.fact} {one.word}" for one in group)) for group in rule.groups)
    said = rule.advice is not None, rule.risk is not None, bool(rule.checks), rule.verdict is not None
    return repr((rule.phase, asked, groups, [one.fact for one in rule.concludes], said))
