"""Spoiled rules, the plain matcher that meets them, and the facts that tell two rules apart."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from advisor.core.facts import NOT_APPLICABLE
from advisor.knowledge.library import open_library
from advisor.rules import RuleBase, load
from advisor.rules.alone import Known, atoms_of, firings, given, prepare, trial
from advisor.rules.apart import Difference, apart
from advisor.rules.compile import compile_rule
from advisor.rules.examples import alone, facts_of
from advisor.rules.language import Condition, Language, RuleSpec
from advisor.rules.mutants import mutants
from advisor.rules.mutate import mutate, told
from tests.rules import generate


def test_the_plain_matcher_agrees_with_the_engine_on_every_example_of_every_rule() -> None:
    library = open_library()
    language = load.language(library)
    for rule in load.rules(library)[0]:
        prepared = prepare(rule, language)
        with alone(compile_rule(rule, language), language) as program:
            for example in rule.examples:
                found = program.run(facts_of(example, language)).firings.values()
                by_engine = {tuple((k, atoms_of(v)) for k, v in one.concluded.items()) for one in found}
                by_hand = {concluded for _, concluded in firings(prepared, trial(example, language).known)}
                assert by_hand == by_engine, f"{rule.id}: {example.name}"


@pytest.mark.parametrize("seed", range(20))
def test_the_plain_matcher_agrees_with_the_engine_on_random_rules(seed: int) -> None:
    rng = random.Random(seed)
    specs = generate.facts(8, rng)
    language = Language(specs, {}, (), ())
    for rule in generate.rules(12, specs, rng):
        prepared = prepare(rule, language)
        with alone(compile_rule(rule, language), language) as program:
            for _ in range(6):
                facts = generate.given(specs, rng)
                known: Known = {
                    key: () if one.value == NOT_APPLICABLE else atoms_of(one.value) for key, one in facts.items()
                }
                # One rule alone may conclude what was given otherwise; that is a conflict and no question of matching.
                free = {key: one for key, one in known.items() if key not in {c.fact for c in rule.concludes}}
                asked = type(facts)({key: facts[key] for key in free})
                assert len(program.run(asked).firings) == len(firings(prepared, free)), rule


@pytest.fixture
def exceeds(small: RuleBase) -> RuleSpec:
    return small.rules["sizing.exceeds"].spec


def test_a_rule_is_spoiled_in_every_small_way(small: RuleBase, exceeds: RuleSpec) -> None:
    # memory.peak gt memory.usable; plan.method in [full, lora]; concludes needed (of needed, not_needed).
    assert [one.what for one in mutants(exceeds, small.language)] == [
        "`memory.peak gt memory.usable` as `memory.peak lt memory.usable`",
        "`memory.peak gt memory.usable` as `memory.peak at_least memory.usable`",
        "without `memory.peak gt memory.usable`",
        "`plan.method in [full, lora]` as `plan.method in [qlora, lora]`",
        "`plan.method in [full, lora]` as `plan.method in [full, qlora]`",
        "without `plan.method in [full, lora]`",
        "concludes size.sharding: not_needed for needed",
    ]


def test_a_threshold_is_moved_by_a_tenth_and_a_boolean_is_negated(small: RuleBase, exceeds: RuleSpec) -> None:
    conditions = (Condition("memory.peak", "at_most", "50 GiB", "x:1"), Condition("host.ecc", "is", True, "x:2"))
    found = [one.what for one in mutants(replace(exceeds, all=conditions, concludes=()), small.language)]
    assert "`memory.peak at_most 50 GiB` as `memory.peak at_most 45.0 GiB`" in found
    assert "`memory.peak at_most 50 GiB` as `memory.peak at_most 55.0 GiB`" in found
    assert "`host.ecc is true` as `host.ecc is false`" in found


def test_a_branch_is_dropped(small: RuleBase) -> None:
    spec = small.rules["sizing.sharding_is_missing"].spec
    found = [one for one in mutants(spec, small.language) if one.what == "without the branch `plan.sharding is none`"]
    assert [one.rule.groups for one in found] == [(spec.groups[0][1:],)]


def test_examples_notice_what_they_prove_and_no_more(small: RuleBase, exceeds: RuleSpec) -> None:
    language = small.language
    assert mutate([exceeds], language).survivors == ()
    # Without the silent example of QLoRA nobody asks about the method any more.
    poor = replace(exceeds, examples=exceeds.examples[:2])
    survivors = mutate([poor], language).survivors
    assert [one.mutant.what for one in survivors] == [
        "`plan.method in [full, lora]` as `plan.method in [full, qlora]`",
        "without `plan.method in [full, lora]`",
    ]
    assert told(survivors[1].by, language) == "{memory.peak: 90 GiB, memory.usable: 80 GiB, plan.method: qlora}"


def test_what_the_examples_let_pass_is_shown_to_the_scenarios(small: RuleBase, exceeds: RuleSpec) -> None:
    poor = replace(exceeds, examples=exceeds.examples[:2])
    asked: list[str] = []
    found = mutate([poor], small.language, lambda mutant: asked.append(mutant.what) or "a scenario")  # type: ignore[func-returns-value]
    assert len(asked) == found.by_scenarios == 2
    assert found.survivors == ()


def test_a_count_between_two_whole_numbers_is_no_mutant_worth_catching(small: RuleBase, exceeds: RuleSpec) -> None:
    def at_least(threshold: object) -> RuleSpec:
        return replace(exceeds, all=(Condition("gpu.count", "at_least", threshold, "x:1"),), concludes=())  # type: ignore[arg-type]

    assert apart(at_least(2), at_least(1.8), small.language) == "equivalent"
    told_apart = apart(at_least(20), at_least(18), small.language)
    assert isinstance(told_apart, Difference)
    assert 18 <= told_apart.known["gpu.count"][0] < 20  # type: ignore[operator]


def test_the_facts_that_tell_two_rules_apart_do_tell_them_apart(small: RuleBase, exceeds: RuleSpec) -> None:
    for mutant in mutants(exceeds, small.language):
        found = apart(exceeds, mutant.rule, small.language)
        assert isinstance(found, Difference), mutant.what
        one, other = (prepare(rule, small.language) for rule in (exceeds, mutant.rule))
        told_by = [{concluded for _, concluded in firings(rule, found.known)} for rule in (one, other)]
        assert told_by[0] != told_by[1]


def test_given_values_come_in_the_unit_of_their_fact(small: RuleBase) -> None:
    assert given(small.language, "memory.peak", "2048 MiB") == (2.0,)


def test_the_examples_of_the_repository_notice_what_they_must() -> None:
    library = open_library()
    found = mutate(load.rules(library)[0], load.language(library))
    assert 100 * found.caught / found.counted >= library.heuristic("rules.mutants_caught").value


def test_a_turned_verdict_is_noticed_by_an_example_that_names_it(small: RuleBase) -> None:
    spec = small.rules["sizing.sharding_is_missing"].spec
    turned = [one for one in mutants(spec, small.language) if one.what == "the verdict yes for no"]
    assert [one.rule.verdict for one in turned] == ["yes"]
    silent = replace(spec, examples=tuple(replace(one, verdict=None) for one in spec.examples))
    assert "the verdict yes for no" in [one.mutant.what for one in mutate([silent], small.language).survivors]
    named = replace(silent, examples=(replace(silent.examples[0], verdict="no"), *silent.examples[1:]))
    assert "the verdict yes for no" not in [one.mutant.what for one in mutate([named], small.language).survivors]
