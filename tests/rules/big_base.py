"""Run as a program: a generated base of 1,000 rules and 600 facts, consulted, compared with the twin."""

from __future__ import annotations

import random
import sys

from advisor.rules import RuleBase
from advisor.rules.language import Language
from tests.rules import generate
from tests.rules.test_engine_twin import brute, engine

RULES, FACTS, CONSULTATIONS = 1000, 600, 8


def main() -> int:
    """Print how many rulesets and firings there were; exit 1 where engine and twin differ."""
    rng = random.Random(2026)
    specs = generate.facts(FACTS, rng)
    rules = generate.rules(RULES + RULES // 5, specs, rng, calm=True)[:RULES]
    plain = [generate.for_twin(rule) for rule in rules]
    told = 0
    with RuleBase(rules, Language(specs, {}, (), ())) as base:
        for _ in range(CONSULTATIONS):
            facts = generate.given(specs, rng, share=0.9, concluded=0.0)
            found = engine(base, facts)
            if found != brute(plain, specs, facts):
                return 1
            told += 0 if found == "conflict" else len(found[0])
        print(len(rules), len(base.reads), base.rulesets, told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
