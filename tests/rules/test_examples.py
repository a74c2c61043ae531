"""Examples as data, coverage, a rule in words, and the base as a graph."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.core.errors import BadInput
from advisor.rules import RuleBase
from advisor.rules.examples import cover, run_examples


def test_every_example_of_the_small_base_comes_true(small: RuleBase) -> None:
    results = small.test()
    assert [(one.rule, one.name) for one in results if not one.passed] == []
    assert len(results) == 10


def test_an_example_that_does_not_come_true_says_why_and_where(small: RuleBase) -> None:
    spec = small.rules["sizing.exceeds"].spec
    turned = replace(spec, examples=tuple(replace(one, fires=not one.fires, concludes={}) for one in spec.examples))
    why = [one.why for one in run_examples([turned], small.language)]
    assert why == ["it fires, and should be silent", *["it is silent, and should fire"] * 2]
    wrong = replace(spec, examples=(replace(spec.examples[0], concludes={"size.sharding": "not_needed"}),))
    result = run_examples([wrong], small.language)[0]
    assert result.why == "it concludes needed for size.sharding, and should conclude not_needed"
    assert result.where.endswith("exceeds.yaml:17")


def test_an_example_is_run_with_its_rule_alone(small: RuleBase) -> None:
    # sizing.sharding_is_missing needs what sizing.exceeds concludes; given only the memory it must stay silent.
    spec = small.rules["sizing.sharding_is_missing"].spec
    given = {"memory.peak": "96 GiB", "memory.usable": "80 GiB", "plan.method": "full", "plan.sharding": "none"}
    alone = replace(spec, examples=(replace(spec.examples[0], given=given, fires=False),))
    assert run_examples([alone], small.language)[0].passed


def test_coverage_names_the_branch_and_the_condition_that_no_example_exercises(small: RuleBase) -> None:
    assert all(one.untested == () for one in small.coverage())
    spec = small.rules["sizing.sharding_is_missing"].spec
    poor = replace(spec, examples=spec.examples[:1])
    found = cover([poor], small.language)[0]
    assert (found.branches, found.held, found.conditions, found.seen_false) == (2, 1, 3, 1)
    assert [one.partition(": ")[2] for one in found.untested] == [
        "never false",
        "never false",
        "branch sizing.sharding_is_missing#1 never holds",
    ]


def test_a_rule_is_explained_in_both_languages(small: RuleBase) -> None:
    assert small.explain("sizing.exceeds").splitlines() == [
        "If Peak memory is more than Usable memory and Method is one of full, lora, then Need for sharding is set to "
        "needed; it says (warning): The peak of {memory.peak} does not fit into {memory.usable}; keep "
        "{heuristic.sizing.reserve} free.",
        "Because of: bench.",
        "Examples: larger (fires), as large (silent), qlora (silent).",
    ]
    assert small.explain("sizing.ram_unknown", "zh").startswith("如果内存尚未知道，并且卡数至少为 2，那么")
    with pytest.raises(BadInput, match=r'there is no rule "sizing\.exceed"; did you mean "sizing\.exceeds"\?'):
        small.explain("sizing.exceed")


def test_the_graph_leads_from_facts_over_rules_to_facts(small: RuleBase) -> None:
    dot = small.graph("dot")
    assert '"fact memory.peak" -> "rule sizing.exceeds";' in dot
    assert '"rule sizing.exceeds" -> "fact size.sharding";' in dot
    assert '"fact size.sharding" -> "rule sizing.sharding_is_missing";' in dot
    assert small.graph().startswith("flowchart LR\n")
