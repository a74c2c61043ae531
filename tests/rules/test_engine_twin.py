"""The engine agrees with a brute-force matcher that knows only the rule language."""

from __future__ import annotations

import random

from advisor.core.errors import RuleConflict
from advisor.core.facts import Facts
from advisor.rules import RuleBase
from advisor.rules.language import Language
from tests.rules import generate, twin

SETS = 3000
CONSULTATIONS = 3


def engine(base: RuleBase, facts: Facts) -> object:
    """What the engine found, in the twin's words."""
    try:
        outcome = base.run(facts)
    except RuleConflict:
        return "conflict"
    fired = set()
    for firing in outcome.firings:
        common = sorted(base.rules[firing.rule].common)
        fired.add((firing.rule, *(generate.plain(firing.facts[fact]) for fact in common)))
    known = {key: generate.plain(fact.value) for key, fact in outcome.facts.items() if fact.provenance == "concluded"}
    return fired, {key: set(value) if isinstance(value, tuple) else {value} for key, value in known.items()}


def brute(rules: list[object], specs: dict[str, object], facts: Facts) -> object:
    """What the twin found."""
    given = generate.given_for_twin(facts)
    try:
        told = twin.match(rules, specs, given)
    except twin.Conflict:
        return "conflict"
    concluded = {key: set(values) for key, values in told.known.items() if set(values) != set(given.get(key) or ())}
    return told.fired, concluded


def test_the_engine_agrees_with_the_twin_on_3000_random_rule_sets() -> None:
    told = conflicts = 0
    for seed in range(SETS):
        rng = random.Random(seed)
        specs = generate.facts(rng.randrange(4, 12), rng)
        rules = generate.rules(rng.randrange(2, 9), specs, rng)
        plain = [generate.for_twin(rule) for rule in rules]
        with RuleBase(rules, Language(specs, {}, (), ())) as base:
            for _ in range(CONSULTATIONS):
                facts = generate.given(specs, rng)
                found, expected = engine(base, facts), brute(plain, specs, facts)
                assert found == expected, f"seed {seed}"
                conflicts += found == "conflict"
                told += 0 if found == "conflict" else len(found[0])
    # The sets are worth something only if rules fire in them and conflicts happen.
    assert told > SETS
    assert conflicts > SETS / 100
