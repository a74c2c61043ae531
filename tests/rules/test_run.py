"""One run: facts in, an outcome out; worked by hand on the small base."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.core.errors import BadInput, EngineFailure, RuleConflict
from advisor.core.facts import NOT_APPLICABLE, Fact, Facts
from advisor.core.text import Text
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.rules import RuleBase
from advisor.rules.language import Conclusion, Condition, FactRef, Language, RuleSpec

HERE = Path(__file__).parent
GIB, GB = 2**30, 10**9


def said(**facts: object) -> Facts:
    """Facts by id, with `__` for the dot."""
    return Facts({key.replace("__", "."): Fact(key.replace("__", "."), value, "said") for key, value in facts.items()})


def gib(value: float) -> Quantity:
    return Quantity(value, "GiB")


TOO_LARGE = said(memory__peak=gib(96), memory__usable=gib(80), plan__method="full", plan__sharding="none")


def rule(like: RuleSpec, name: str, *, fact: str, word: str, right: object, concludes: dict[str, object]) -> RuleSpec:
    """A rule with one condition that only concludes."""
    return replace(
        like,
        id=name,
        phase="judge",
        all=(Condition(fact, word, right, "x:1"),),
        groups=(),
        concludes=tuple(Conclusion(key, value, "x:1") for key, value in concludes.items()),
        advice=None,
        risk=None,
        checks=(),
        verdict=None,
        examples=(),
    )


def test_a_chain_of_two_rules_gives_verdict_advice_risk_and_check_with_their_rules(small: RuleBase) -> None:
    outcome = small.run(TOO_LARGE)
    assert outcome.verdict == "no"
    assert outcome.decided_by == ("sizing.sharding_is_missing",)
    assert [one.rule for one in outcome.firings] == ["sizing.exceeds", "sizing.sharding_is_missing"]
    assert outcome.firings[1].facts == {"size.sharding": "needed", "plan.sharding": "none"}
    assert outcome.facts["size.sharding"] == Fact("size.sharding", "needed", "concluded", "sizing.exceeds")
    assert [one.item for one in outcome.checks] == ["acceptance.cards"]
    assert outcome.risks[0].mitigation == Text("Shard it.", "切分。")
    advice = outcome.advice[0]
    assert (advice.level, advice.because) == ("warning", ("bench",))
    assert advice.values["memory.peak"] == gib(96)
    assert advice.values["heuristic.sizing.reserve"] == Quantity(4, "GiB")


def test_a_comparison_holds_on_the_side_of_its_border_that_it_says(small: RuleBase) -> None:
    at_border = TOO_LARGE.plus(Fact("memory.peak", gib(80), "said"))
    assert small.run(at_border).firings == ()
    just_above = TOO_LARGE.plus(Fact("memory.peak", gib(80.000001), "said"))
    assert len(small.run(just_above).firings) == 2


def test_nothing_known_gives_unknown_and_nothing_else(small: RuleBase) -> None:
    outcome = small.run(Facts())
    assert (outcome.verdict, outcome.firings, outcome.advice, outcome.checks) == ("unknown", (), (), ())


def test_a_gap_is_reported_only_where_the_fact_stays_unknown_to_the_end(small: RuleBase) -> None:
    assert small.run(said(gpu__count=2)).verdict == "yes_if"
    assert small.run(said(gpu__count=2, host__ram=Quantity(512, "GB"))).verdict == "unknown"


def test_not_applicable_is_neither_known_nor_unknown(small: RuleBase) -> None:
    assert small.run(said(gpu__count=2, host__ram=NOT_APPLICABLE)).firings == ()
    assert small.run(TOO_LARGE.plus(Fact("memory.usable", NOT_APPLICABLE, "said"))).firings == ()


def test_two_branches_of_any_that_both_hold_fire_once(small: RuleBase) -> None:
    outcome = small.run(TOO_LARGE.plus(Fact("gpu.count", 1, "said")))
    assert [one.rule for one in outcome.firings].count("sizing.sharding_is_missing") == 1
    assert outcome.firings[1].facts["gpu.count"] == Quantity(1, "count")


def test_the_verdict_is_the_worst_that_any_rule_gives(small: RuleBase) -> None:
    outcome = small.run(TOO_LARGE.plus(Fact("gpu.count", 8, "said")))
    assert [one.verdict for one in outcome.rulings] == ["yes_if", "no"]
    assert outcome.verdict == "no"
    assert outcome.decided_by == ("sizing.sharding_is_missing",)


def test_a_quantity_in_another_unit_is_converted_and_one_of_another_kind_is_refused(small: RuleBase) -> None:
    in_gb = TOO_LARGE.plus(Fact("memory.peak", Quantity(96 * GIB / GB, "GB"), "said"))
    assert len(small.run(in_gb).firings) == 2
    with pytest.raises(BadInput, match=r"memory\.peak: 300 W is power, not bytes; expected a quantity in GiB"):
        small.run(said(memory__peak=Quantity(300, "W")))


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (said(memory__peek=gib(1)), r'there is no fact "memory\.peek"; did you mean "memory\.peak"\?'),
        (said(memory__peak=80), r"memory\.peak: 80 has no unit; expected a quantity in GiB"),
        (said(memory__peak=True), r"memory\.peak: true is no number"),
        (said(host__ecc=1), r"host\.ecc: 1 is neither true nor false"),
        (said(host__ecc="true"), r'host\.ecc: "true" is neither true nor false'),
        (said(plan__method="loora"), r'"loora" is not among the choices of plan\.method; .*did you mean "lora"\?'),
        (said(plan__method="my own text \ud800"), r"is not among the choices of plan\.method"),
        (said(gpu__count=float("nan")), r"gpu\.count: nan is no finite number"),
        (said(plan__method=("lora", "full")), r"plan\.method: plan\.method has several values; expected one value"),
    ],
)
def test_a_fact_that_does_not_fit_is_refused_before_the_engine_sees_it(
    small: RuleBase, facts: Facts, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        small.run(facts)


@pytest.mark.parametrize("value", [1e-9, 1e16, 7.62e9, 0.1 + 0.2, 123456789.123456789, 5e-324])
def test_numbers_of_any_size_compare_exactly(small: RuleBase, value: float) -> None:
    language = small.language
    like = small.rules["sizing.exceeds"].spec
    at_least = rule(
        like, "a", fact="memory.peak", word="at_least", right=f"{value!r} GiB", concludes={"line.need": True}
    )
    above = rule(like, "b", fact="memory.peak", word="gt", right=f"{value!r} GiB", concludes={})
    free = {**language.facts, "memory.peak": replace(language.facts["memory.peak"], high=1e300)}
    with RuleBase([at_least, above], replace(language, facts=free)) as base:
        assert [one.rule for one in base.run(said(memory__peak=gib(value))).firings] == ["a"]
        assert base.run(said(memory__peak=gib(-value))).firings == ()


def test_minus_zero_is_zero_in_a_join(small: RuleBase) -> None:
    like = small.rules["sizing.exceeds"].spec
    same = rule(like, "same", fact="memory.peak", word="is", right=FactRef("memory.usable"), concludes={})
    with RuleBase([same], small.language) as base:
        assert len(base.run(said(memory__peak=gib(-0.0), memory__usable=gib(0.0))).firings) == 1


def test_two_rules_that_conclude_different_values_stop_the_run_with_both_names(small: RuleBase) -> None:
    like = small.rules["sizing.exceeds"].spec
    one = rule(like, "room.one", fact="host.ecc", word="is", right=True, concludes={"size.sharding": "needed"})
    two = rule(like, "room.two", fact="host.ecc", word="is", right=True, concludes={"size.sharding": "not_needed"})
    with RuleBase([one, two], small.language) as base:
        with pytest.raises(RuleConflict, match=r"room\.two concludes not_needed .* room\.one concludes needed"):
            base.run(said(host__ecc=True))
        assert base.run(said(host__ecc=False)).firings == ()


def test_a_rule_that_contradicts_a_given_fact_stops_the_run(small: RuleBase) -> None:
    with pytest.raises(RuleConflict, match=r"sizing\.exceeds concludes needed .* which was given as not_needed"):
        small.run(TOO_LARGE.plus(Fact("size.sharding", "not_needed", "said")))


def test_a_fact_with_many_values_collects_them_and_fires_once_a_value(small: RuleBase) -> None:
    like = small.rules["sizing.exceeds"].spec
    rules = [
        rule(like, f"room.{method}", fact="host.ecc", word="known", right=True, concludes={"size.methods": method})
        for method in ("lora", "full")
    ]
    rules.append(rule(like, "room.each", fact="size.methods", word="in", right=("lora", "full"), concludes={}))
    with RuleBase(rules, small.language) as base:
        outcome = base.run(said(host__ecc=True, size__methods="qlora"))
    assert outcome.facts.value("size.methods") == ("qlora", "full", "lora")
    assert sorted(one.facts["size.methods"] for one in outcome.firings if one.rule == "room.each") == ["full", "lora"]


def test_a_conclusion_takes_another_facts_value(small: RuleBase) -> None:
    like = small.rules["sizing.exceeds"].spec
    copy = rule(
        like, "copy", fact="memory.usable", word="known", right=True, concludes={"size.limit": FactRef("memory.usable")}
    )
    with RuleBase([copy], small.language) as base:
        outcome = base.run(said(memory__usable=gib(79.5)))
    assert outcome.facts.value("size.limit") == gib(79.5)
    assert outcome.facts["size.limit"].why == "copy"


def test_a_conclusion_that_nobody_reads_is_kept(small: RuleBase) -> None:
    like = small.rules["sizing.exceeds"].spec
    lonely = rule(like, "lonely", fact="host.ecc", word="is", right=True, concludes={"line.need": True})
    with RuleBase([lonely], small.language) as base:
        assert base.run(said(host__ecc=True)).facts.value("line.need") is True
        assert base.reads == {"host.ecc"}


def test_an_exception_in_an_action_is_raised_after_the_run(small: RuleBase, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(small._program, "_conclude", breaks)
    with pytest.raises(EngineFailure, match="inside"):
        small.run(TOO_LARGE)
    monkeypatch.undo()
    assert small.run(TOO_LARGE).verdict == "no"


def test_a_retired_rule_does_not_fire(small: RuleBase) -> None:
    retired = [replace(one.spec, status="retired") for one in small.rules.values()]
    with RuleBase(retired, small.language) as base:
        assert base.run(TOO_LARGE).firings == ()


def test_a_reload_with_a_mistake_leaves_the_old_base_running(small: RuleBase, tmp_path: Path) -> None:
    (tmp_path / "rules" / "sizing").mkdir(parents=True)
    (tmp_path / "rules" / "sizing" / "exceeds.yaml").write_text("id: sizing.exceeds\n", "utf-8")
    with pytest.raises(Exception, match='has no "status"'):
        small.reload(Library([HERE / "small", tmp_path]))
    assert small.run(TOO_LARGE).verdict == "no"
    small.reload(Library([HERE / "small"]))
    assert small.run(TOO_LARGE).verdict == "no"


def test_an_empty_rule_base_answers_unknown(small: RuleBase) -> None:
    with RuleBase([], small.language) as base:
        outcome = base.run(TOO_LARGE)
    assert (outcome.verdict, outcome.advice, outcome.risks, outcome.checks) == ("unknown", (), (), ())


def test_the_order_of_the_given_facts_changes_nothing(small: RuleBase) -> None:
    expected = small.run(TOO_LARGE)
    for seed in range(20):
        keys = list(TOO_LARGE)
        random.Random(seed).shuffle(keys)
        outcome = small.run(Facts({key: TOO_LARGE[key] for key in keys}))
        assert (outcome.verdict, outcome.advice, outcome.risks) == (expected.verdict, expected.advice, expected.risks)


def test_without_durable_rules_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "durable_rules_engine.py").write_text("raise ImportError('undefined symbol')\n", "utf-8")
    code = "import advisor.core.errors as e\ntry:\n import advisor.rules\nexcept e.HkgpuError as error:\n print(error)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=HERE.parents[1],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{HERE.parents[1]}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "CPPFLAGS=-DPyEval_CallObject=PyObject_CallObject pip install --no-cache-dir" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_a_language_without_facts_is_no_error() -> None:
    with RuleBase([], Language({}, {}, (), ())) as base:
        assert base.run(Facts()).verdict == "unknown"
