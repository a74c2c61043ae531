"""Can some facts meet several conditions at once?

Each fact's own comparisons are judged by trying one value of every stretch between its thresholds; comparisons between
facts by the order that they demand: an order in which something would be less than itself cannot be. Facts named
`X_low`, `X` and `X_high` are the ends and the middle of one range and are taken to stand in that order. "No" is a
proof; "yes" may still fail for facts that the world ties together in other ways.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from advisor.rules.compile import holds, named, right_value
from advisor.rules.language import ORDER, Atom, Condition, FactRef, FactSpec, Language
from advisor.rules.values import atom

# One step of an order: from, to, and whether the two must differ.
Step = tuple[object, object, bool]


def possible(conditions: Sequence[Condition], language: Language) -> bool:
    """Whether some facts meet all of the conditions; a fact that may have several values is never in the way."""
    needed = named(conditions)
    if any(one.word == "known" and one.right is False and one.fact in needed for one in conditions):
        return False
    for fact in {one.fact for one in conditions}:
        spec = language.facts[fact]
        tests = [
            (one.word, right_value(language, spec, one.right))
            for one in conditions
            if one.fact == fact and one.word != "known" and not isinstance(one.right, FactRef)
        ]
        if tests and not spec.many and not one_value(spec, tests):
            return False
    return _ordered(list(_steps(conditions, language)))


def one_value(spec: FactSpec, tests: Sequence[tuple[str, object]]) -> bool:
    """Whether one value of a fact meets all tests (word, canonical right side)."""
    flat = [(word, _atoms(value)) for word, value in tests]
    lists = [values for word, values in flat if word in ("is", "in")]
    comparisons = [(word, values[0]) for word, values in flat if word not in ("is", "in")]
    if lists:
        candidates: Iterable[Atom] = set(lists[0]).intersection(*lists[1:])
    elif spec.kind == "boolean":
        candidates = ("true", "false")
    elif not spec.numeric:
        candidates = spec.choices
    else:
        edges = sorted(
            {float(value) for _, value in comparisons} | {one for one in (spec.low, spec.high) if one is not None}
        )
        between = [(low + high) / 2 for low, high in itertools.pairwise(edges)]
        around = [edges[0] - 1, *edges, *between, edges[-1] + 1] if edges else [0.0]
        candidates = [one for one in around if inside(spec, one)]
    return any(all(holds(one, *test) for test in comparisons) for one in candidates)


def inside(spec: FactSpec, value: float) -> bool:
    """Whether a number lies in the fact's range."""
    return (spec.low is None or value >= spec.low) and (spec.high is None or value <= spec.high)


def _atoms(value: object) -> list[Atom]:
    return [atom(one) for one in (value if isinstance(value, tuple) else (value,))]


def _steps(conditions: Sequence[Condition], language: Language) -> Iterator[Step]:
    """Every `at most` and `less than` between facts and numbers, those of ranges and of numbers included."""
    numbers: set[float] = set()
    facts = {one.fact for one in conditions} | {one.right.fact for one in conditions if isinstance(one.right, FactRef)}
    for fact in facts:
        spec = language.facts[fact]
        for bound, lowest in ((spec.low, True), (spec.high, False)):
            if bound is not None and spec.numeric and not spec.many:
                numbers.add(bound)
                yield (bound, fact, False) if lowest else (fact, bound, False)
        for lower, upper in ((f"{fact}_low", fact), (fact, f"{fact}_high")):
            if lower in facts and upper in facts:
                yield lower, upper, False
        if fact.endswith("_low") and f"{fact.removesuffix('_low')}_high" in facts:
            yield fact, f"{fact.removesuffix('_low')}_high", False
    for one in conditions:
        spec = language.facts[one.fact]
        if one.word not in (*ORDER, "is") or not spec.numeric or spec.many:
            continue
        right = right_value(language, spec, one.right)
        other: object = right.fact if isinstance(right, FactRef) else _atoms(right)[0]
        if isinstance(other, float):
            numbers.add(other)
        if one.word in ("lt", "at_most", "is"):
            yield one.fact, other, one.word == "lt"
        if one.word in ("gt", "at_least", "is"):
            yield other, one.fact, one.word == "gt"
    for low, high in itertools.pairwise(sorted(numbers)):
        yield low, high, True


def _ordered(steps: Sequence[Step]) -> bool:
    """Whether the order can be: no way leads from a thing back to itself over a `less than`."""
    after: dict[object, set[object]] = {}
    for low, high, _ in steps:
        after.setdefault(low, set()).add(high)
    return not any(strict and _leads(after, high, low) for low, high, strict in steps)


def _leads(after: dict[object, set[object]], start: object, goal: object) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for one in after.get(waiting.pop(), ()):
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return goal in seen
