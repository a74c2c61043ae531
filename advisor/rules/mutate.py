"""Are the rules' examples any good? Each rule is spoiled a little, and its examples must notice.

A mutant meets its own rule's examples first; who survives meets the scenarios in which that rule fired, where there
are any. Mutants that no facts can tell from the rule (a count threshold between two whole numbers, a bound at the end
of the fact's range) are no test of anything and are not counted. What survives is listed with the facts that would
have told it apart, which is the example to write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from advisor.core.errors import UnitError
from advisor.rules.alone import Known, Trial, prepare, trial
from advisor.rules.apart import Apart, Difference, apart
from advisor.rules.examples import wrong_verdict
from advisor.rules.language import Atom, FactSpec, Language, RuleSpec
from advisor.rules.mutants import Mutant, mutants
from advisor.rules.values import WrongValue, plain, plain_unit

# Asked about a mutant that the examples let pass: the name of the scenario that notices, or "".
Witness = Callable[[Mutant], str]


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that nobody noticed; `by` are facts that would have told (none where they were not found)."""

    mutant: Mutant
    by: Known | None


@dataclass(frozen=True, slots=True)
class Mutation:
    """The count of mutants made, caught by examples, caught by scenarios, equivalent; and who survived."""

    made: int
    by_examples: int
    by_scenarios: int
    equivalent: int
    survivors: tuple[Survivor, ...]

    @property
    def counted(self) -> int:
        """Mutants that could be caught."""
        return self.made - self.equivalent

    @property
    def caught(self) -> int:
        """Mutants that were caught."""
        return self.by_examples + self.by_scenarios


def mutate(rules: Iterable[RuleSpec], language: Language, witness: Witness | None = None) -> Mutation:
    """Spoil every rule that is not retired in every small way, and count who notices."""
    made = by_examples = by_scenarios = equivalent = 0
    survivors: list[Survivor] = []
    for rule in rules:
        if rule.status == "retired":
            continue
        trials = [trial(example, language) for example in rule.examples]
        for mutant in mutants(rule, language):
            made += 1
            if noticed(mutant.rule, trials, language) or any(wrong_verdict(mutant.rule, one) for one in rule.examples):
                by_examples += 1
                continue
            found = _difference(rule, mutant.rule, trials, language)
            if found == "equivalent":
                equivalent += 1
            elif witness is not None and witness(mutant):
                by_scenarios += 1
            else:
                survivors.append(Survivor(mutant, found.known if isinstance(found, Difference) else None))
    return Mutation(made, by_examples, by_scenarios, equivalent, tuple(survivors))


def _difference(rule: RuleSpec, mutant: RuleSpec, trials: Sequence[Trial], language: Language) -> Apart:
    if mutant.verdict != rule.verdict:
        return Difference(next((one.known for one in trials if one.fires), {}))
    return apart(rule, mutant, language, [one.known for one in trials])


def noticed(mutant: RuleSpec, trials: Sequence[Trial], language: Language) -> bool:
    """Whether some example of the rule fails on the mutant."""
    try:
        prepared = prepare(mutant, language)
    except (WrongValue, UnitError):
        return True  # the checker refuses it
    try:
        return not all(one.holds(prepared) for one in trials)
    except KeyError:
        return True  # it concludes a fact that it no longer asks for: refused too


def told(known: Known | None, language: Language) -> str:
    """Facts as an example would give them."""
    if known is None:
        return "facts that were not found"
    given = {fact: [_written(language.facts[fact], one) for one in values] for fact, values in known.items()}
    return (
        "{"
        + ", ".join(f"{fact}: {one[0] if len(one) == 1 else '[' + ', '.join(one) + ']'}" for fact, one in given.items())
        + "}"
    )


def _written(spec: FactSpec, value: Atom) -> str:
    if isinstance(value, str):
        return value
    return plain(value).removesuffix(".0") + ("" if plain_unit(spec) else f" {spec.unit}")
