"""Small wrongs done to a rule: the rule as it would stand after a slip of the pen.

A comparison turned round or moved by one border, a condition or a branch left out, a value swapped, a threshold ten per
cent higher or lower, a boolean negated, a conclusion changed. Each mutant is a whole rule of the same language, so that
it can be matched, checked and run like any other. Who notices is asked in `mutate`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from advisor.core.facts import Value
from advisor.core.units import Quantity
from advisor.knowledge.reader import Where
from advisor.rules.compile import right_value
from advisor.rules.language import FLIPPED, ORDER, Condition, FactRef, FactSpec, Language, Right, RuleSpec
from advisor.rules.values import atom, counted, plain_unit, shown

T = TypeVar("T")
# How far a threshold is moved.
STEP: Final = 0.1
_BORDER: Final = {"gt": "at_least", "at_least": "gt", "lt": "at_most", "at_most": "lt"}
_OTHER_VERDICT: Final = {"no": "yes", "yes": "no", "yes_if": "yes", "unknown": "yes"}
_OPPOSITE: Final = {"is": "not", "not": "is"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A rule with one thing wrong; `what` says what, `where` is the line that was changed."""

    rule: RuleSpec
    what: str
    where: Where | str


def mutants(rule: RuleSpec, language: Language) -> Iterator[Mutant]:
    """Every mutant of a checked rule; no two are written alike."""
    seen = {_written(rule)}
    for mutant in (*_conditions(rule, language), *_conclusions(rule, language), *_verdict(rule)):
        key = _written(mutant.rule)
        if key not in seen:
            seen.add(key)
            yield mutant


def _written(rule: RuleSpec) -> str:
    asked = [[(one.fact, one.word, one.right) for one in group] for group in (rule.all, *rule.groups)]
    return repr((asked, [(one.fact, one.value) for one in rule.concludes], rule.verdict))


def _conditions(rule: RuleSpec, language: Language) -> Iterator[Mutant]:
    for index, condition in enumerate(rule.all):
        for changed, what in _changes(condition, rule, language):
            yield Mutant(replace(rule, all=_swapped(rule.all, index, changed)), what, condition.where)
        if len(rule.conditions) > 1:
            left = (*rule.all[:index], *rule.all[index + 1 :])
            yield Mutant(replace(rule, all=left), f"without `{_text(condition)}`", condition.where)
    for place, group in enumerate(rule.groups):
        for index, condition in enumerate(group):
            for changed, what in _changes(condition, rule, language):
                groups = _swapped(rule.groups, place, _swapped(group, index, changed))
                yield Mutant(replace(rule, groups=groups), what, condition.where)
            left = (*group[:index], *group[index + 1 :])
            groups = _swapped(rule.groups, place, left)
            yield Mutant(replace(rule, groups=groups), f"without the branch `{_text(condition)}`", condition.where)


def _swapped(several: Sequence[T], index: int, one: T) -> tuple[T, ...]:
    return (*several[:index], one, *several[index + 1 :])


def _changes(condition: Condition, rule: RuleSpec, language: Language) -> Iterator[tuple[Condition, str]]:
    """Each way to write one condition wrongly, and how it then reads."""
    for word, right in _rewritten(condition, rule, language):
        changed = replace(condition, word=word, right=right)
        yield changed, f"`{_text(condition)}` as `{_text(changed)}`"


def _rewritten(condition: Condition, rule: RuleSpec, language: Language) -> Iterator[tuple[str, Right]]:
    spec, word, right = language.facts[condition.fact], condition.word, condition.right
    if word == "known":
        # In the first phase nobody may ask for absence: the checker would refuse it.
        if rule.phase == "gaps":
            yield "known", right is False
        return
    if word in ORDER:
        yield FLIPPED[word], right
        yield _BORDER[word], right
        if not isinstance(right, FactRef):
            yield from ((word, moved) for moved in _moved(spec, right_value(language, spec, right)))
        return
    if isinstance(right, FactRef):
        yield _OPPOSITE[word], right
        return
    value = right_value(language, spec, right)
    several = value if isinstance(value, tuple) else (value,)
    if word in _OPPOSITE and not spec.many and spec.kind != "boolean":
        yield _OPPOSITE[word], right
    for index, one in enumerate(several):
        for other in _others(spec, one, several):
            yield word, _plain(_swapped(several, index, other)) if word == "in" else _literal(other)


def _others(spec: FactSpec, value: object, taken: Sequence[object]) -> Iterable[Right]:
    """What may be written by mistake instead of a value: the negation, the next choice, a number near by."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        choices = sorted(spec.choices)
        start = choices.index(value)
        free = [one for one in (*choices[start + 1 :], *choices[:start]) if one not in taken]
        return free[:1]
    if counted(spec):
        figure = atom(value)  # type: ignore[arg-type]
        listed = {atom(one) for one in taken}  # type: ignore[arg-type]
        return [_figure(spec, next(one for one in itertools.count(float(figure) + 1) if one not in listed))]
    return _moved(spec, value)


def _moved(spec: FactSpec, value: object) -> list[Right]:
    """A number a step lower and higher, inside the fact's range."""
    figure = value.value if isinstance(value, Quantity) else float(value)  # type: ignore[arg-type]
    moved = [figure * (1 - STEP), figure * (1 + STEP)] if figure else [-STEP, STEP]
    inside = [min(max(one, _or(spec.low, one)), _or(spec.high, one)) for one in moved]
    # Twelve digits: enough for any figure, few enough to be read.
    return [_figure(spec, float(f"{one:.12g}")) for one in dict.fromkeys(inside) if one != figure]


def _or(bound: float | None, value: float) -> float:
    return value if bound is None else bound


def _figure(spec: FactSpec, value: float) -> Right:
    return value if plain_unit(spec) else f"{value!r} {spec.unit}"


def _literal(value: Value | Right) -> Right:
    return f"{value.value!r} {value.unit}" if isinstance(value, Quantity) else value  # type: ignore[return-value]


def _plain(values: Iterable[Value | Right]) -> Right:
    return tuple(_literal(one) for one in values)  # type: ignore[misc]


def _conclusions(rule: RuleSpec, language: Language) -> Iterator[Mutant]:
    for index, entry in enumerate(rule.concludes):
        if isinstance(entry.value, FactRef):
            continue
        spec = language.facts[entry.fact]
        value = right_value(language, spec, entry.value)
        for other in _others(spec, value, (value,)):
            changed = replace(entry, value=_literal(other))
            what = f"concludes {entry.fact}: {_side(changed.value)} for {_side(entry.value)}"
            yield Mutant(replace(rule, concludes=_swapped(rule.concludes, index, changed)), what, entry.where)


def _verdict(rule: RuleSpec) -> Iterator[Mutant]:
    if rule.verdict is not None:
        other = _OTHER_VERDICT[rule.verdict]
        what = f"the verdict {other} for {rule.verdict}"
        yield Mutant(replace(rule, verdict=other), what, rule.places("then", "verdict"))


def _text(condition: Condition) -> str:
    return f"{condition.fact} {condition.word} {_side(condition.right)}"


def _side(right: object) -> str:
    if isinstance(right, tuple):
        return "[" + ", ".join(map(_side, right)) + "]"
    if isinstance(right, str):
        return right
    return right.fact if isinstance(right, FactRef) else str(getattr(right, "heuristic", None) or shown(right))
