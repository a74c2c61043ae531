"""The repository's own rules: right in themselves, and every example in every rule comes true."""

from __future__ import annotations

import pytest

from advisor.knowledge.library import open_library
from advisor.rules import RuleBase, load
from advisor.rules.compile import compile_rule
from advisor.rules.examples import alone, check_example
from advisor.rules.language import Example, Language, RuleSpec

LIBRARY = open_library()
SPECS, _ = load.rules(LIBRARY)
CASES = [(rule, example) for rule in SPECS if rule.status != "retired" for example in rule.examples]


@pytest.fixture(scope="module")
def language() -> Language:
    return load.language(LIBRARY)


def test_nothing_is_wrong_with_the_rules() -> None:
    assert list(map(str, RuleBase.check(LIBRARY))) == []


@pytest.mark.parametrize(("rule", "example"), CASES, ids=[f"{rule.id}: {example.name}" for rule, example in CASES])
def test_the_example_comes_true(rule: RuleSpec, example: Example, language: Language) -> None:
    with alone(compile_rule(rule, language), language) as program:
        assert check_example(rule, example, program, language).why == ""
