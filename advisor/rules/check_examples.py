"""A rule's examples: facts that exist, values that fit, one that fires, one that is silent, one on each border.

Whether an example comes true is a test's business (`examples`); here is whether the proof is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.core.errors import UnitError, did_you_mean
from advisor.core.facts import Value
from advisor.rules.compile import right_value
from advisor.rules.language import ORDER, Condition, Example, FactRef, HeuristicRef, Language, Problem, Right, RuleSpec
from advisor.rules.values import WrongValue, atom


def given_values(example: Example, language: Language) -> dict[str, Value]:
    """The example's facts as canonical values. Raises `WrongValue`."""
    return {fact: _value(language, fact, right) for fact, right in example.given.items()}


def concluded_values(example: Example, language: Language) -> dict[str, Value]:
    """What the example says that the rule concludes. Raises `WrongValue`."""
    return {fact: _value(language, fact, right) for fact, right in example.concludes.items()}


def _value(language: Language, fact: str, right: Right) -> Value:
    value = right_value(language, language.facts[fact], right)
    assert not isinstance(value, FactRef)
    return value


def check_examples(rule: RuleSpec, language: Language) -> Iterable[Problem]:
    """Problems with the examples of a rule whose conditions are right."""
    problems = [problem for example in rule.examples for problem in _facts(rule, example, language)]
    yield from problems
    names = [example.name for example in rule.examples]
    for index, example in enumerate(rule.examples):
        if example.name in names[:index]:
            yield Problem(example.where, f'two examples are called "{example.name}"', do="rename one")
    if not any(example.fires for example in rule.examples):
        yield Problem(rule.where, "has no example that fires", "an example with `fires: true`")
    if all(example.fires for example in rule.examples):
        yield Problem(rule.where, "has no example that is silent", "an example with `fires: false`")
    if not problems:
        yield from _borders(rule, language)


def _facts(rule: RuleSpec, example: Example, language: Language) -> Iterable[Problem]:
    concluded = {entry.fact for entry in rule.concludes}
    for fact, right in (*example.given.items(), *example.concludes.items()):
        where = example.places[fact]
        if fact not in language.facts:
            yield Problem(
                where, f'there is no fact "{fact}"', "a file under rules/facts", did_you_mean(fact, language.facts)
            )
            continue
        if isinstance(right, FactRef) or (
            isinstance(right, HeuristicRef) and right.heuristic not in language.heuristics
        ):
            yield Problem(
                where, f"{fact} is given no value", "a value with its unit or a {heuristic: ID} that is there"
            )
            continue
        if isinstance(right, tuple) and not language.facts[fact].many:
            yield Problem(where, f"{fact} is given several values", "one value")
            continue
        try:
            right_value(language, language.facts[fact], right)
        except (WrongValue, UnitError) as error:
            yield Problem(where, str(getattr(error, "what", error)), error.expected, error.do)
    if example.verdict is not None and not example.fires:
        yield Problem(example.where, "a silent example has a verdict", do="leave it out")
    for fact in example.concludes:
        if fact not in concluded:
            yield Problem(example.places[fact], f"the rule does not conclude {fact}", ", ".join(sorted(concluded)))


def _borders(rule: RuleSpec, language: Language) -> Iterable[Problem]:
    given = [given_values(example, language) for example in rule.examples]
    for condition in rule.conditions:
        if condition.word in ORDER and not any(_on_border(condition, facts, language) for facts in given):
            edge = condition.right.fact if isinstance(condition.right, FactRef) else _edge(condition, language)
            yield Problem(
                condition.where,
                f"no example stands on the border of {condition.fact} {condition.word} {edge}",
                f"an example in which {condition.fact} is exactly that",
            )


def _edge(condition: Condition, language: Language) -> object:
    return right_value(language, language.facts[condition.fact], condition.right)


def _on_border(condition: Condition, facts: Mapping[str, Value], language: Language) -> bool:
    edge = _edge(condition, language)
    right = facts.get(edge.fact) if isinstance(edge, FactRef) else edge
    return bool(_atoms(facts.get(condition.fact)) & _atoms(right))


def _atoms(value: object) -> set[object]:
    if value is None:
        return set()
    return {atom(one) for one in (value if isinstance(value, tuple) else (value,))}
