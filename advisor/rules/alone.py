"""One rule by itself, matched in plain Python: what it binds and concludes for given facts, without the engine.

Testing the tests asks this question some ten thousand times, each time of another rule; building a ruleset for each
would take minutes. It follows no chains and knows no other rule. Where it and the engine differ the engine is right,
and a test compares the two on every example of every rule and on random rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from advisor.core.facts import Value
from advisor.rules.compile import bound, holds, named, right_value
from advisor.rules.language import Atom, Condition, Example, FactRef, Language, RuleSpec
from advisor.rules.values import atom

# Fact -> its values as the engine compares them: none where it does not apply, no key where it is unknown.
Known = Mapping[str, tuple[Atom, ...]]
# What one firing binds in every case, and what it concludes.
Firing = tuple[tuple[tuple[str, Atom], ...], tuple[tuple[str, tuple[Atom, ...]], ...]]


@dataclass(frozen=True, slots=True)
class Ask:
    """A condition with its right side made comparable: atoms (one must meet the word), or another fact."""

    fact: str
    word: str
    right: tuple[Atom, ...] | FactRef
    absent: bool = False

    def true(self, choice: Mapping[str, Atom]) -> bool:
        """Whether it holds for one choice of values; absence is not judged here."""
        if self.word == "known":
            return True
        left = choice[self.fact]
        if isinstance(self.right, FactRef):
            return holds(left, self.word, choice[self.right.fact])
        return any(holds(left, self.word, one) for one in self.right)


@dataclass(frozen=True, slots=True)
class Way:
    """One choice of the `any` lists: what must hold, and the facts that must have a value."""

    asks: tuple[Ask, ...]
    absent: frozenset[str]
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A rule ready to be matched many times."""

    ways: tuple[Way, ...]
    common: tuple[str, ...]
    concludes: tuple[tuple[str, tuple[Atom, ...] | FactRef], ...]


def prepare(rule: RuleSpec, language: Language) -> Prepared:
    """A checked rule made ready. Raises `WrongValue` where a literal does not fit its fact."""
    ways = []
    for chosen in itertools.product(*rule.groups):
        conditions = (*rule.all, *chosen)
        asks = tuple(ask(one, language) for one in conditions)
        absent = frozenset(one.fact for one in asks if one.absent)
        ways.append(Way(tuple(one for one in asks if not one.absent), absent, tuple(sorted(named(conditions)))))
    concludes = tuple((one.fact, _right(language, one.fact, one.value)) for one in rule.concludes)
    return Prepared(tuple(ways), tuple(sorted(bound(rule))), concludes)


def ask(condition: Condition, language: Language) -> Ask:
    """A condition made comparable. Raises `WrongValue`."""
    if condition.word == "known":
        return Ask(condition.fact, "known", (), condition.right is False)
    word = "is" if condition.word == "in" else condition.word
    return Ask(condition.fact, word, _right(language, condition.fact, condition.right))


def _right(language: Language, fact: str, right: object) -> tuple[Atom, ...] | FactRef:
    value = right_value(language, language.facts[fact], right)  # type: ignore[arg-type]
    return value if isinstance(value, FactRef) else atoms_of(value)


def atoms_of(value: Value) -> tuple[Atom, ...]:
    """A canonical value as atoms."""
    several = value if isinstance(value, tuple) else (value,)
    return tuple(atom(cast(Value, one)) for one in several)


def firings(rule: Prepared, known: Known) -> frozenset[Firing]:
    """Every firing of the rule on these facts."""
    return frozenset(_firing(rule, choice) for way in rule.ways for choice in _choices(way, known))


def _choices(way: Way, known: Known) -> Iterator[dict[str, Atom]]:
    if not way.absent.isdisjoint(known):
        return
    for values in itertools.product(*(known.get(fact, ()) for fact in way.facts)):
        choice = dict(zip(way.facts, values, strict=True))
        if all(one.true(choice) for one in way.asks):
            yield choice


def _firing(rule: Prepared, choice: Mapping[str, Atom]) -> Firing:
    concluded = tuple(
        (fact, (choice[value.fact],) if isinstance(value, FactRef) else value) for fact, value in rule.concludes
    )
    return tuple((fact, choice[fact]) for fact in rule.common), concluded


@dataclass(frozen=True, slots=True)
class Trial:
    """An example made comparable: the facts, whether the rule is to fire, and what it is to conclude."""

    known: Known
    fires: bool
    concludes: tuple[tuple[str, frozenset[Atom]], ...]

    def holds(self, rule: Prepared) -> bool:
        """Whether a rule does what the example says."""
        found = firings(rule, self.known)
        if bool(found) is not self.fires:
            return False
        return all(
            frozenset(one for _, concluded in found for key, values in concluded if key == fact for one in values)
            == expected
            for fact, expected in self.concludes
        )


def trial(example: Example, language: Language) -> Trial:
    """An example of a checked rule made comparable."""
    known = {fact: given(language, fact, right) for fact, right in example.given.items()}
    concludes = tuple((fact, frozenset(given(language, fact, right))) for fact, right in example.concludes.items())
    return Trial(known, example.fires, concludes)


def given(language: Language, fact: str, right: object) -> tuple[Atom, ...]:
    """A value of an example as atoms."""
    found = _right(language, fact, right)
    assert not isinstance(found, FactRef)
    return found
