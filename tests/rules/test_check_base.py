"""What is wrong between rules, what is only worth a remark, and how many rules there are really."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from advisor.knowledge.library import Library
from advisor.rules import RuleBase, load
from advisor.rules.check_base import distinct, remarks
from advisor.rules.language import Condition, FactRef
from advisor.rules.review import past_review
from advisor.rules.together import possible

HERE = Path(__file__).parent
BROKEN = HERE.parent / "broken" / "rules"
REVIEW = """\
id: rules.review_after
meaning: {en: days, zh: 天}
unit: days
scope: sources
use: one
spread: [1, 400]
chosen_because: a test
values: [{key: one, value: 180, status: accepted, from: bench, recorded: '2026-11-30'}]
"""


def laid_over(tmp_path: Path, files: Sequence[Path]) -> Library:
    rules = tmp_path / "rules" / "spoiled"
    sources = tmp_path / "knowledge" / "sources"
    heuristics = tmp_path / "knowledge" / "heuristics" / "rules"
    for folder in (rules, sources, heuristics):
        folder.mkdir(parents=True)
    for file in files:
        shutil.copy(file, rules)
    shutil.copy(BROKEN / "remarks" / "old_bench.source", sources / "old_bench.yaml")
    (heuristics / "review_after.yaml").write_text(REVIEW, "utf-8")
    return Library([HERE / "small", tmp_path])


def test_a_conclusion_that_follows_from_itself_over_two_rules_is_refused(tmp_path: Path) -> None:
    files = sorted((BROKEN / "follows_from_itself").glob("*.yaml"))
    expected = files[0].read_text("utf-8").splitlines()[0].removeprefix("# expects: ")
    found = [str(one) for one in RuleBase.check(laid_over(tmp_path, files))]
    assert found == [f"{tmp_path}/rules/spoiled/one.yaml:{expected}"]


@pytest.mark.parametrize("file", sorted((BROKEN / "remarks").glob("*.yaml")), ids=lambda file: file.stem)
def test_a_spoiled_rule_gives_the_remark_it_promises(file: Path, tmp_path: Path) -> None:
    library = laid_over(tmp_path, [file])
    assert RuleBase.check(library) == []
    specs, language = load.rules(library)[0], load.language(library)
    found = [*remarks(specs, language), *past_review(specs, library, date(2026, 12, 1))]
    said = [str(one).partition(".yaml:")[2] for one in found]
    assert file.read_text("utf-8").splitlines()[0].removeprefix("# remarks: ") in said


def test_a_fact_that_nobody_reads_is_remarked_unless_others_read_it(small: RuleBase) -> None:
    specs = [rule.spec for rule in small.rules.values()]
    unread = {one.what for one in remarks(specs, small.language)}
    assert "nobody reads size.small" in unread
    assert "nobody reads memory.peak" not in unread
    assert "nobody reads size.small" not in {one.what for one in remarks(specs, small.language, ["size.small"])}
    assert "nobody reads size.small" not in {one.what for one in remarks(specs, small.language, ["size."])}


def test_a_look_at_a_source_holds_for_half_a_year(tmp_path: Path) -> None:
    # old_bench was checked on 2020-01-31; 180 days later is 2020-07-29.
    library = laid_over(tmp_path, [BROKEN / "remarks" / "source_past_its_review.yaml"])
    specs = [rule for rule in load.rules(library)[0] if "old_bench" in rule.because]
    assert past_review(specs, library, date(2020, 7, 29)) == []
    assert len(past_review(specs, library, date(2020, 7, 30))) == 1


def test_rules_that_differ_in_a_literal_only_count_as_one(small: RuleBase) -> None:
    spec = small.rules["sizing.exceeds"].spec
    like = replace(spec, id="sizing.like", all=(spec.all[0], replace(spec.all[1], right=("qlora",))))
    other = replace(spec, id="sizing.other", all=(spec.all[0], replace(spec.all[1], word="is", right="qlora")))
    assert distinct([spec, like]) == 1
    assert distinct([spec, like, other]) == 2


def asks(*conditions: tuple[str, str, object]) -> list[Condition]:
    return [Condition(fact, word, right, "x:1") for fact, word, right in conditions]  # type: ignore[arg-type]


def test_conditions_that_order_facts_in_a_ring_cannot_hold_together(small: RuleBase) -> None:
    # a > b and a <= b; a > b, a <= 40, b >= 48; but a > b, a <= 48, b >= 40 can be.
    peak, usable = "memory.peak", FactRef("memory.usable")
    language = small.language
    assert not possible(asks((peak, "gt", usable), (peak, "at_most", usable)), language)
    assert possible(asks((peak, "at_least", usable), (peak, "at_most", usable)), language)
    bounds = [("at_most", "40 GiB", "48 GiB", False), ("at_most", "48 GiB", "40 GiB", True)]
    for word, high, low, can in bounds:
        found = possible(asks((peak, "gt", usable), (peak, word, high), ("memory.usable", "at_least", low)), language)
        assert found is can


def test_the_ends_of_a_range_stand_in_their_order(small: RuleBase) -> None:
    facts = dict(small.language.facts)
    for end in ("_low", "_high"):
        facts[f"memory.peak{end}"] = replace(facts["memory.peak"], id=f"memory.peak{end}")
    language = replace(small.language, facts=facts)
    usable = FactRef("memory.usable")
    assert not possible(asks(("memory.peak_low", "gt", usable), ("memory.peak_high", "at_most", usable)), language)
    assert possible(asks(("memory.peak_high", "gt", usable), ("memory.peak_low", "at_most", usable)), language)


def test_a_fact_with_several_values_is_never_in_the_way(small: RuleBase) -> None:
    assert possible(asks(("size.methods", "is", "full"), ("size.methods", "is", "lora")), small.language)
    assert not possible(asks(("plan.method", "is", "full"), ("plan.method", "is", "lora")), small.language)
