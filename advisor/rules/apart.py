"""Facts that tell two versions of a rule apart, or the proof that there are none.

For each fact that either version names it takes one value out of every stretch in which no comparison changes its
answer (the thresholds, one value between each two, one beyond the ends; whole numbers only where the fact is counted;
one choice that nobody names), and unknown. If no combination of these makes a difference, none does: the versions are
equivalent. Where there are too many combinations to try, it says so instead of guessing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from advisor.core.units import dimension
from advisor.rules.alone import Known, Prepared, firings, prepare
from advisor.rules.language import Atom, FactRef, FactSpec, Language, RuleSpec
from advisor.rules.values import counted

# Combinations tried before giving up.
MOST: Final = 100_000

Values = tuple[Atom, ...] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Facts for which exactly one of the two versions fires, or both with other conclusions."""

    known: Known


Apart = Difference | Literal["equivalent", "too many"]


def apart(one: RuleSpec, other: RuleSpec, language: Language, near: Iterable[Known] = ()) -> Apart:
    """The facts that tell two rules apart, as near as possible to facts that are already in use."""
    rules = prepare(one, language), prepare(other, language)
    cells = {fact: _cells(language.facts[fact], rules) for fact in _facts((one, other))}
    for known in _nearest(near, cells):
        if differ(rules, known):
            return Difference(known)
    if math.prod(map(len, cells.values())) > MOST:
        return "too many"
    for values in itertools.product(*cells.values()):
        known = _known(dict(zip(cells, values, strict=True)))
        if differ(rules, known):
            return Difference(known)
    return "equivalent"


def differ(rules: tuple[Prepared, Prepared], known: Known) -> bool:
    """Whether two rules do different things on some facts; what they bind besides is no difference."""
    one, other = ({concluded for _, concluded in firings(rule, known)} for rule in rules)
    return one != other


def _facts(rules: Sequence[RuleSpec]) -> list[str]:
    names = {one.fact for rule in rules for one in rule.conditions}
    names |= {one.right.fact for rule in rules for one in rule.conditions if isinstance(one.right, FactRef)}
    return sorted(names)


def _nearest(near: Iterable[Known], cells: Mapping[str, Sequence[Values]]) -> Iterator[Known]:
    """The facts in use with one fact changed, then with two."""
    near = [{fact: value for fact, value in known.items() if fact in cells} for known in near]
    for count in (1, 2):
        for facts in itertools.combinations(cells, count):
            for known in near:
                for values in itertools.product(*(cells[fact] for fact in facts)):
                    yield _known({**known, **dict(zip(facts, values, strict=True))})


def _known(values: Mapping[str, Values]) -> Known:
    return {fact: value for fact, value in values.items() if value is not None}


def _cells(spec: FactSpec, rules: Iterable[Prepared]) -> list[Values]:
    asked = [one for rule in rules for way in rule.ways for one in way.asks]
    literal: set[Atom] = set()
    joined = False
    for one in asked:
        if isinstance(one.right, FactRef):
            joined |= spec.id in (one.fact, one.right.fact)
        elif one.fact == spec.id:
            literal |= set(one.right)
    values = _numbers(spec, literal, joined) if spec.numeric else _choices(spec, literal)
    several = [tuple(pair) for pair in itertools.combinations(values, 2)] if spec.many else []
    return [*((one,) for one in values), *several, None]


def _choices(spec: FactSpec, literal: set[Atom]) -> list[Atom]:
    if spec.kind == "boolean":
        return ["true", "false"]
    unnamed = [one for one in sorted(spec.choices) if one not in literal]
    return [*sorted(literal, key=str), *unnamed[:1]]


def _numbers(spec: FactSpec, literal: set[Atom], joined: bool) -> list[Atom]:
    """One number of each stretch; a fact that is compared with others has a grid that both share."""
    edges = sorted({float(one) for one in literal} | ({1.0, 2.0} if joined else set()))
    if not edges:
        edges = [_or(spec.low, 1.0)]
    candidates = [edges[0] - 1, *edges, edges[-1] + 1]
    candidates += [middle for low, high in itertools.pairwise(edges) for middle in _between(spec, low, high)]
    candidates += [edges[0] / 2, edges[-1] * 2]
    inside = {one for one in candidates if _inside(spec, one)}
    return sorted(inside)


def _between(spec: FactSpec, low: float, high: float) -> list[float]:
    middle = (low + high) / 2
    if not counted(spec):
        return [float(f"{middle:.3g}"), middle] if low < float(f"{middle:.3g}") < high else [middle]
    whole = [float(math.floor(middle)), float(math.ceil(middle)), math.floor(low) + 1.0, math.ceil(high) - 1.0]
    return [one for one in whole if low < one < high]


def _inside(spec: FactSpec, value: float) -> bool:
    if counted(spec) and value != int(value):
        return False
    low = _least(spec)
    return (low is None or value >= low) and (spec.high is None or value <= spec.high)


def _least(spec: FactSpec) -> float | None:
    """The least value; amounts without a range are not negative, but for degrees."""
    if spec.low is not None or spec.kind != "quantity" or dimension(spec.unit) == "temperature":
        return spec.low
    return 0.0


def _or(bound: float | None, value: float) -> float:
    return value if bound is None else bound
