"""Random rule sets of the whole language, valid, from a seed; values on a small grid, so that borders are met."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.core.facts import NOT_APPLICABLE, Fact, Facts
from advisor.core.units import Quantity
from advisor.rules.check import check_rule
from advisor.rules.language import Conclusion, Condition, FactRef, FactSpec, Language, Right, RuleSpec

GRID = (-2.5, 0.0, 1.0, 1.5, 2.0, 3.0, 7.62e9, 1e-9, 1e16)
WORDS = ("lora", "qlora", "full", "no", "yes", "a100_80gb")
_ORDERED = ("is", "not", "gt", "lt", "at_least", "at_most", "in", "known")
_NAMED = ("is", "not", "in", "known")


def facts(count: int, rng: random.Random) -> dict[str, FactSpec]:
    """About half of them said, half concluded; numbers, quantities, choices and booleans, some with many values."""
    found = {}
    for index in range(count):
        kind = rng.choice(("number", "quantity", "choice", "choice", "boolean"))
        name = f"room{index % 3}.fact_{index}"
        found[name] = FactSpec(
            id=name,
            kind=kind,
            where=f"{name}:1",
            unit="GB" if kind == "quantity" else "",
            choices=WORDS if kind == "choice" else (),
            many=rng.random() < 0.15 and kind != "boolean",
            set_by="rule" if index % 2 else "said",
        )
    return found


def rules(count: int, specs: Mapping[str, FactSpec], rng: random.Random, calm: bool = False) -> list[RuleSpec]:
    """At most `count` rules that the checker has nothing against, but for the examples that they lack.

    Calm rules never conflict: whoever concludes a fact concludes the same value.
    """
    language = Language(specs, {}, (), ())
    found: list[RuleSpec] = []
    while len(found) < count:
        rule = _rule(f"rule_{len(found)}", list(specs.values()), rng, calm)
        if not [one for one in check_rule(rule, language) if "example" not in one.what]:
            found.append(rule)
    late = _late(found)
    return [
        rule
        for rule in found
        if not any(one.word == "known" and one.right is False and one.fact in late for one in rule.conditions)
    ]


def _late(rules: Sequence[RuleSpec]) -> set[str]:
    """Facts that the gaps phase may still conclude: rules that ask for their absence would be refused."""
    late = {one.fact for rule in rules if rule.phase == "gaps" for one in rule.concludes}
    for _ in rules:
        for rule in rules:
            named = {one.fact for one in rule.conditions} | {
                one.right.fact for one in rule.conditions if isinstance(one.right, FactRef)
            }
            if named & late:
                late |= {one.fact for one in rule.concludes}
    return late


def _rule(name: str, specs: Sequence[FactSpec], rng: random.Random, calm: bool) -> RuleSpec:
    gaps = rng.random() < 0.15
    every = [_condition(specs, rng, gaps) for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))]
    groups = [
        tuple(_condition(specs, rng, False) for _ in range(rng.choice((2, 2, 3))))
        for _ in range(rng.choice((0, 0, 0, 0, 1, 1, 2)))
    ]
    if groups and rng.random() < 0.3:
        every = every[: rng.randrange(2)] if gaps else []
    concludes = tuple(
        _conclusion(spec, specs, [] if calm else every, random.Random(spec.id) if calm else rng)
        for spec in rng.sample([one for one in specs if one.set_by == "rule"], rng.choice((0, 1, 1, 2)))
    )
    return RuleSpec(
        id=name,
        status="trial",
        phase="gaps" if gaps else "judge",
        because=(),
        all=tuple(every),
        groups=tuple(groups),
        concludes=concludes,
        advice=None,
        risk=None,
        checks=(),
        verdict=rng.choice((None, None, None, "no", "unknown", "yes_if", "yes")),
        examples=(),
        where=f"{name}.yaml:1",
        places=lambda *_: f"{name}.yaml:1",
    )


def _condition(specs: Sequence[FactSpec], rng: random.Random, gaps: bool) -> Condition:
    spec = rng.choice(specs)
    if gaps and rng.random() < 0.5:
        return Condition(spec.id, "known", False, "x:1")
    word = rng.choice(_ORDERED if spec.numeric else _NAMED)
    if word == "known":
        return Condition(spec.id, word, True, "x:1")
    others = [one for one in specs if one.id != spec.id and one.kind == spec.kind]
    if word != "in" and others and rng.random() < 0.35:
        return Condition(spec.id, word, FactRef(rng.choice(others).id), "x:1")
    right: Right = tuple(_literals(spec, rng, 3)) if word == "in" else _literals(spec, rng, 1)[0]
    return Condition(spec.id, word, right, "x:1")


def _literals(spec: FactSpec, rng: random.Random, count: int) -> list[str | bool | float]:
    if spec.kind == "boolean":
        return rng.sample((True, False), min(count, 2))
    if spec.kind == "choice":
        return rng.sample(WORDS, count)
    numbers = rng.sample(GRID, count)
    return [f"{one!r} GB" if spec.kind == "quantity" else one for one in numbers]


def _conclusion(
    spec: FactSpec, specs: Sequence[FactSpec], asked: Sequence[Condition], rng: random.Random
) -> Conclusion:
    same = [one.fact for one in asked if next(s for s in specs if s.id == one.fact).kind == spec.kind]
    if same and rng.random() < 0.4:
        return Conclusion(spec.id, FactRef(rng.choice(same)), "x:1")
    return Conclusion(spec.id, _literals(spec, rng, 1)[0], "x:1")


def given(specs: Mapping[str, FactSpec], rng: random.Random, share: float = 0.6, concluded: float = 0.05) -> Facts:
    """Values for some of the facts that are said; a few do not apply, a few have several values.

    `concluded` is the share of facts set by rules that are given too, which the rules may contradict.
    """
    found = {}
    for spec in specs.values():
        if (spec.set_by == "said" or rng.random() < concluded) and rng.random() < share:
            found[spec.id] = Fact(spec.id, _given(spec, rng), "said")
    return Facts(found)


def _given(spec: FactSpec, rng: random.Random) -> object:
    if rng.random() < 0.05:
        return NOT_APPLICABLE
    count = rng.choice((1, 2, 3)) if spec.many else 1
    if spec.kind == "boolean":
        return rng.random() < 0.5
    values: list[object] = [*rng.sample(WORDS if spec.kind == "choice" else GRID, count)]
    if spec.kind == "quantity":
        values = [Quantity(one, "GB") for one in values]
    return tuple(values) if spec.many and count > 1 else values[0]


def plain(value: object) -> object:
    """A value as the twin compares it: quantities as their number, `1.5 GB` literals too."""
    if isinstance(value, Quantity):
        return value.value
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, str) and value.endswith(" GB"):
        return float(value[:-3])
    return value


def for_twin(rule: RuleSpec) -> RuleSpec:
    """The same rule with its literals as plain values."""

    def condition(one: Condition) -> Condition:
        return replace(one, right=plain(one.right))

    return replace(
        rule,
        all=tuple(map(condition, rule.all)),
        groups=tuple(tuple(map(condition, group)) for group in rule.groups),
        concludes=tuple(replace(one, value=plain(one.value)) for one in rule.concludes),
    )


def given_for_twin(facts: Facts) -> dict[str, list[object] | None]:
    """The same facts for the twin."""
    found: dict[str, list[object] | None] = {}
    for key, fact in facts.items():
        value = plain(fact.value)
        found[key] = None if value == NOT_APPLICABLE else list(value) if isinstance(value, tuple) else [value]
    return found
