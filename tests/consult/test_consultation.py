"""What a consultation answers, from facts alone. The figures are published or worked out by hand."""

from __future__ import annotations

import re

import pytest

from advisor.core.units import Quantity
from tests.consult.desk import billions, consulted, count, reply, tokens


def test_a_bare_70b_question_gets_a_verdict_for_each_method_and_depends() -> None:
    answer = consulted({"model.params": billions(70)})
    assert answer.verdict == "yes_if"
    assert {row.method for row in answer.rows} == {"full", "lora", "qlora"}
    by_method = {row.method: row for row in answer.rows}
    # 70e9 x 16 B of states are 1,043 GiB: 14 cards of 80 GB hold nothing else; published runs used 16 to 32.
    full = by_method["full"].option
    assert full is not None
    assert full.hardware.cards >= 14
    # QLoRA of 70B was measured at 57 to 65 GiB on one 80 GB card.
    qlora = by_method["qlora"].option
    assert qlora is not None
    assert qlora.peak is not None
    assert 34 <= qlora.peak.likely <= 77


def test_full_fine_tuning_of_7b_in_mixed_precision_does_not_fit_one_80_gb_card() -> None:
    answer = consulted(
        {
            "model.params": billions(7),
            "tuning.method": "full",
            "tuning.precision": "mixed",
            "gpu.id": "a100_80gb_sxm",
            "gpu.count": count(1),
            "workload.seq_len": tokens(1024),
        }
    )
    row = answer.rows[0]
    assert row.verdict == "no"
    assert row.option is not None
    assert row.option.peak is not None
    # 16 B for each of 7e9 parameters: 104 GiB of states alone.
    assert row.option.peak.low > 80
    assert {lever.kind for lever in answer.levers} >= {"method"}


def test_a_no_comes_with_changes_that_make_it_a_yes() -> None:
    answer = consulted(
        {"model.params": billions(70), "tuning.method": "lora", "gpu.id": "a100_80gb_sxm", "gpu.count": count(1)}
    )
    assert answer.verdict == "no"
    assert answer.levers
    assert all(lever.judged.verdict in ("yes", "yes_if") for lever in answer.levers)


def test_deepspeed_states_of_671b_fill_no_sixteen_cards() -> None:
    answer = consulted(
        {
            "model.params": billions(671),
            "tuning.method": "full",
            "gpu.id": "h100_80gb_sxm",
            "gpu.count": count(8),
            "gpu.nodes": count(2),
        }
    )
    row = answer.rows[0]
    assert row.verdict == "no"
    assert row.option is not None
    assert row.option.peak is not None
    # 671e9 x 16 B / 16 cards = 625 GiB a card.
    assert 400 <= row.option.peak.likely <= 1200


def test_every_sentence_of_the_answer_names_a_rule_and_a_source() -> None:
    answer = reply({"model.params": billions(70)})
    assert all(risk["id"] and risk["sources"] for risk in answer["risks"])
    assert all(entry["id"] and entry["sources"] for entry in answer["advice"])
    assert all(entry["because"] for entry in answer["explanation"])
    assert answer["sources"]


def test_controlled_cards_raise_the_export_risk_and_its_checklist_item() -> None:
    answer = reply(
        {"model.params": billions(7), "tuning.method": "lora", "gpu.id": "h100_80gb_sxm", "gpu.count": count(8)}
    )
    assert any("export" in risk["id"] or "export" in risk["text"].lower() for risk in answer["risks"])
    assert any(item["id"] == "acceptance.contract_provenance" for item in answer["checklist"])


def test_the_same_question_gives_the_same_plan_and_the_same_bytes() -> None:
    question = {"model.params": billions(13), "tuning.method": "lora", "gpu.id": "rtx_4090", "gpu.count": count(2)}
    assert reply(question) == reply(question)


def test_a_figure_that_nobody_gave_is_never_made_up() -> None:
    answer = reply({"tuning.method": "lora"})
    assert answer["by_method"] == [] or all(row["peak_gib"] is None for row in answer["by_method"])
    assert answer["recommended"] is None
    assert answer["verdict"] == "unknown"


SCENARIOS = {
    "a bare 70B question": {"model.params": billions(70)},
    "70B LoRA over two servers": {
        "model.params": billions(70), "tuning.method": "lora", "gpu.id": "h100_80gb_sxm", "gpu.count": count(8),
        "gpu.nodes": count(2),
    },
    "full 7B on eight A100": {
        "model.params": billions(7), "tuning.method": "full", "gpu.id": "a100_80gb_sxm", "gpu.count": count(8),
    },
    "full 13B on two 4090": {
        "model.params": billions(13), "tuning.method": "full", "gpu.id": "rtx_4090", "gpu.count": count(2),
    },
    "QLoRA of 70B on two 4090": {
        "model.params": billions(70), "tuning.method": "qlora", "gpu.id": "rtx_4090", "gpu.count": count(2),
    },
    "a very long context": {
        "model.params": billions(7), "tuning.method": "qlora", "gpu.id": "l40s", "gpu.count": count(1),
        "workload.seq_len": tokens(131072),
    },
    "personal data out of the mainland": {
        "model.params": billions(7), "tuning.method": "lora", "gpu.id": "a100_80gb_pcie", "gpu.count": count(1),
        "data.location": "mainland", "data.personal": True, "data.sensitive": True,
    },
    "a mainland parent and controlled cards": {
        "model.params": billions(13), "tuning.method": "lora", "gpu.id": "h200_sxm", "gpu.count": count(4),
        "company.parent": "mainland", "company.mode": "rent_bare_metal",
    },
    "a budget in another currency": {
        "model.params": billions(7), "tuning.method": "lora", "gpu.id": "a10", "gpu.count": count(1),
        "budget.amount": 30000.0, "budget.period": "month", "budget.currency": "CNY",
    },
    "DPO of 7B": {
        "model.params": billions(7), "tuning.method": "full", "tuning.stage": "dpo", "gpu.id": "a100_80gb_sxm",
        "gpu.count": count(4),
    },
    "a mixture of experts under LoRA": {
        "model.params": billions(30.5), "model.active_params": billions(3.3), "tuning.method": "lora",
        "gpu.id": "rtx_4090", "gpu.count": count(4),
    },
    "serving under load": {
        "model.params": billions(7), "tuning.method": "inference", "gpu.id": "a10", "gpu.count": count(1),
        "serving.qps": Quantity(30.0, "requests/s"), "serving.output_len": tokens(500),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_rests_on_chains_of_three_rules_and_the_explanation_shows_them(name: str) -> None:
    answer = consulted(SCENARIOS[name])
    assert max(depth(row.outcome.firings) for row in answer.rows) >= 3
    shown = reply(SCENARIOS[name])["explanation"]
    concluded = {fact for line in shown for fact in line["concluded"]}
    assert any(concluded & set(line["facts"]) for line in shown)


def depth(firings: tuple) -> int:
    """The longest chain of rules in which one concludes a fact that the next one read."""
    by_fact: dict[str, list] = {}
    for firing in firings:
        for fact in firing.concluded:
            by_fact.setdefault(fact, []).append(firing)

    def of(firing: object, seen: frozenset[str]) -> int:
        before = [
            other
            for fact in firing.facts  # type: ignore[attr-defined]
            for other in by_fact.get(fact, ())
            if other.rule not in seen
        ]
        return 1 + max((of(other, seen | {other.rule}) for other in before), default=0)

    return max((of(firing, frozenset({firing.rule})) for firing in firings), default=0)


def test_hardware_without_a_model_says_how_large_a_model_it_holds() -> None:
    answer = reply({"gpu.id": "rtx_4090", "gpu.count": count(1)}, "ask_recommendation")
    assert answer["verdict"] == "yes_if"
    sizes = {row["method"]: float(re.findall(r"about ([\d.]+)B", row["why"])[0]) for row in answer["by_method"]}
    # 24 GB: pure bf16 AdamW takes 8 to 10 B a parameter, a bf16 base 2 B, a 4-bit base about 0.55 B, plus activations.
    assert 0.5 <= sizes["full"] <= 2.5
    assert 5 <= sizes["lora"] <= 11
    assert 13 <= sizes["qlora"] <= 35
