"""A rule's examples, run as data: the given facts are the only facts, and only that rule may fire.

An example judges whether its rule fires and, where it says so, what the rule concludes. `coverage` says which
conditions and which branches of `any` the examples exercise: a condition that could be dropped without any example
noticing is a condition nobody has proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from advisor.core.errors import HkgpuError
from advisor.core.facts import Fact, Facts, Value
from advisor.rules.check_examples import concluded_values, given_values
from advisor.rules.compile import CompiledRule, compile_rule, holds, right_value
from advisor.rules.language import Condition, Example, FactRef, Language, RuleSpec
from advisor.rules.program import Program, Run
from advisor.rules.values import atom, atoms


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """One example: passed where `why` is empty."""

    rule: str
    name: str
    where: str
    why: str = ""

    @property
    def passed(self) -> bool:
        return not self.why


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """What a rule's examples exercise: branches that held alone or together, and conditions seen to be false."""

    rule: str
    branches: int
    held: int
    conditions: int
    seen_false: int
    untested: tuple[str, ...]


@contextmanager
def alone(rule: CompiledRule, language: Language) -> Iterator[Program]:
    """A base of this rule only."""
    program = Program([rule], language.facts)
    try:
        yield program
    finally:
        program.close()


def facts_of(example: Example, language: Language) -> Facts:
    """The example's facts as a run takes them."""
    return Facts({fact: Fact(fact, value, "said") for fact, value in given_values(example, language).items()})


def run_examples(rules: Iterable[RuleSpec], language: Language) -> list[ExampleResult]:
    """Every example of every rule that is not retired."""
    found: list[ExampleResult] = []
    for rule in rules:
        if rule.status != "retired" and rule.examples:
            with alone(compile_rule(rule, language), language) as program:
                found += [check_example(rule, example, program, language) for example in rule.examples]
    return found


def check_example(rule: RuleSpec, example: Example, program: Program, language: Language) -> ExampleResult:
    """One example on a base of its rule alone."""
    try:
        run = program.run(facts_of(example, language))
        why = _difference(example, run, language) or wrong_verdict(rule, example)
    except HkgpuError as error:
        why = str(error)
    return ExampleResult(rule.id, example.name, str(example.where), why)


def _difference(example: Example, run: Run, language: Language) -> str:
    if bool(run.firings) is not example.fires:
        return "it is silent, and should fire" if example.fires else "it fires, and should be silent"
    for fact, expected in concluded_values(example, language).items():
        found = {atom(one.concluded[fact]) for one in run.firings.values() if fact in one.concluded}
        wanted = {one for _, one in atoms(language.facts[fact], expected)}
        if found != wanted:
            return f"it concludes {_shown(found)} for {fact}, and should conclude {_shown(wanted)}"
    return ""


def wrong_verdict(rule: RuleSpec, example: Example) -> str:
    """How the rule's verdict differs from what the example says; "" where it says nothing."""
    if example.verdict is None or example.verdict == rule.verdict:
        return ""
    return f"its verdict is {rule.verdict}, and should be {example.verdict}"


def _shown(values: Iterable[object]) -> str:
    return ", ".join(sorted(map(str, values))) or "nothing"


def cover(rules: Iterable[RuleSpec], language: Language) -> list[RuleCoverage]:
    """What the examples of each rule exercise."""
    found = []
    for rule in rules:
        compiled = compile_rule(rule, language)
        held: set[str] = set()
        with alone(compiled, language) as program:
            for example in rule.examples:
                for firing in program.run(facts_of(example, language)).firings.values():
                    held |= firing.branches
        given = [given_values(example, language) for example in rule.examples]
        false = [any(not _true(one, facts, language) for facts in given) for one in rule.conditions]
        untested = [f"{one.where}: never false" for one, seen in zip(rule.conditions, false, strict=True) if not seen]
        untested += [
            f"{rule.where}: branch {one.name} never holds" for one in compiled.branches if one.name not in held
        ]
        found.append(RuleCoverage(rule.id, len(compiled.branches), len(held), len(false), sum(false), tuple(untested)))
    return found


def _true(condition: Condition, facts: dict[str, Value], language: Language) -> bool:
    """Whether a condition alone holds for some values of the facts."""
    left = _atoms(facts.get(condition.fact))
    if condition.word == "known":
        return bool(left) is condition.right
    right = right_value(language, language.facts[condition.fact], condition.right)
    others = _atoms(facts.get(right.fact) if isinstance(right, FactRef) else right)
    word = "is" if condition.word == "in" else condition.word
    return any(holds(one, word, other) for one in left for other in others)


def _atoms(value: object) -> list[float | str]:
    if value is None:
        return []
    several = value if isinstance(value, tuple) else (value,)
    return [atom(one) for one in several]
