"""The firings of a run -> an `Outcome`: verdict, advice, risks, checks, conclusions, and who decided.

Order never depends on the engine: firings stay in the order of the chain, everything else is sorted by rule.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

from advisor.core.facts import NOT_APPLICABLE, Fact, Facts, Value
from advisor.core.findings import Advice, Check, Degree, Firing, Level, Outcome, Risk, Ruling, Verdict, worst
from advisor.rules.program import RawFiring, Run


def outcome(run: Run, facts: Facts, many: Collection[str] = ()) -> Outcome:
    """All that the run brought out, with the concluded facts added to the given ones."""
    order = [run.firings[key] for key in sorted(run.firings)]
    rulings = _rulings(order)
    verdict = worst([ruling.verdict for ruling in rulings])
    return Outcome(
        facts=facts.plus(*_concluded(run, facts, many)),
        verdict=verdict,
        rulings=rulings,
        advice=tuple(_advice(one) for one in order if one.rule.spec.advice is not None),
        risks=tuple(_risk(one) for one in order if one.rule.spec.risk is not None),
        checks=_checks(order),
        firings=tuple(
            Firing(one.rule.spec.id, one.facts, one.concluded, one.rule.spec.because) for one in run.firings.values()
        ),
        decided_by=tuple(ruling.rule for ruling in rulings if ruling.verdict == verdict),
    )


def _concluded(run: Run, facts: Facts, many: Collection[str]) -> list[Fact]:
    found = []
    for key, values in run.concluded.items():
        rules = sorted({rule for _, rules in values.values() for rule in rules})
        several = sorted((value for value, _ in values.values()), key=str)
        if key not in many:
            found.append(Fact(key, several[0], "concluded", ", ".join(rules)))
            continue
        given = facts.value(key)
        before = given if isinstance(given, tuple) else () if given in (None, NOT_APPLICABLE) else (given,)
        found.append(Fact(key, cast(Value, (*before, *several)), "concluded", ", ".join(rules)))
    return found


def _values(firing: RawFiring) -> dict[str, Value]:
    return {**firing.rule.heuristics, **firing.facts, **firing.concluded}


def _rulings(firings: Sequence[RawFiring]) -> tuple[Ruling, ...]:
    found: dict[str, Ruling] = {}
    for firing in firings:
        spec = firing.rule.spec
        if spec.verdict is not None:
            found.setdefault(spec.id, Ruling(spec.id, cast(Verdict, spec.verdict), spec.because))
    return tuple(found.values())


def _advice(firing: RawFiring) -> Advice:
    spec, said = firing.rule.spec, firing.rule.spec.advice
    assert said is not None
    return Advice(spec.id, cast(Level, said.level), said.say.text, _values(firing), spec.because)


def _risk(firing: RawFiring) -> Risk:
    spec, risk = firing.rule.spec, firing.rule.spec.risk
    assert risk is not None
    return Risk(
        spec.id,
        cast(Degree, risk.severity),
        cast(Degree, risk.likelihood),
        risk.say.text,
        risk.mitigation.text,
        _values(firing),
        spec.because,
    )


def _checks(firings: Sequence[RawFiring]) -> tuple[Check, ...]:
    return tuple(Check(one.rule.spec.id, item, _values(one)) for one in firings for item in one.rule.spec.checks)
