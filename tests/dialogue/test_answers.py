"""From slots to facts: which card is meant, alternatives as sets, contradictions by name, forms with their errors."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.core.errors import BadInput
from advisor.core.units import Quantity
from advisor.dialogue.answers import AnswerSets, answers_from, answers_of, resolve_card
from advisor.dialogue.questions import missing, question_for
from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library


def sets(text: str) -> AnswerSets:
    library = open_library()
    return answers_of(understand(text, library), library)


def values(text: str) -> list[dict[str, Any]]:
    return [{fact.id: fact.value for fact in facts.values()} for facts in sets(text).answers]


@pytest.mark.parametrize(
    ("name", "memory", "ids"),
    [
        ("RTX 4090", None, ["rtx_4090"]),
        ("RTX 4090", 48, ["rtx_4090_48gb"]),
        ("RTX 4090D", None, ["rtx_4090_d"]),
        ("A100", 80, ["a100_80gb_sxm", "a100_80gb_pcie"]),
        ("A100 PCIe", 40, ["a100_40gb_pcie"]),
        ("A100", 24, []),
        ("A40", 46, ["a40"]),
        ("H20", None, ["h20_96gb"]),
        ("RTX A6000", None, ["rtx_a6000"]),
        ("no such card", None, []),
    ],
)
def test_a_name_means_the_cards_that_bear_it(name: str, memory: float | None, ids: list[str]) -> None:
    assert resolve_card(name, memory, open_library()) == ids


def test_a_family_name_without_memory_stands_for_every_size_it_is_sold_in() -> None:
    sizes = {open_library().gpus[id_].memory.value for id_ in resolve_card("A100", None, open_library())}
    assert sizes == {40, 80}


def test_what_is_said_becomes_facts_with_units() -> None:
    got = values("单卡A100 80G QLoRA Qwen2.5-72B，序列 4096，8bit adam")[0]
    assert got["model.id"] == "qwen2_5_72b"
    assert got["model.params"] == Quantity(72.0, "Gparams")
    assert got["tuning.method"] == "qlora"
    assert got["workload.seq_len"] == Quantity(4096.0, "tokens")
    assert got["tuning.optimizer"] == "adamw_8bit"


def test_stage_and_method_are_two_facts_and_lora_on_a_four_bit_base_is_qlora() -> None:
    got = values("7B DPO 全参 8xA100 80G")[0]
    assert (got["tuning.method"], got["tuning.stage"]) == ("full", "dpo")
    assert values("13B int4 lora")[0]["tuning.method"] == "qlora"
    assert values("7B 推理 qps 5")[0]["tuning.stage"] == "serve"
    assert values("7B grpo lora")[0]["tuning.stage"] == "grpo"


def test_alternatives_become_sets_of_their_own() -> None:
    got = values("7B全参，两张L40S或者一张A100 80G")
    assert [(each["gpu.id"], each["gpu.count"].value) for each in got] == [
        ("l40s", 2),
        (("a100_80gb_sxm", "a100_80gb_pcie"), 1),
    ]
    assert [each["tuning.method"] for each in values("13B 先lora后面可能全参")] == ["lora", "full"]
    assert [each["model.params"].value for each in values("7-13B lora")] == [7, 13]


def test_a_total_is_shared_out_over_the_cards() -> None:
    assert values("34B lora, 3x A100 = 240 GB total")[0]["gpu.memory"] == Quantity(80.0, "GB")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("13B lora on one A100 24GB", "A100 with 24 GB"),
        ("fp8 training of a 7B on 8x A100", "cannot compute in FP8"),
        ("8 张 A100 80G 共 320G 显存，7B", "640 GB"),
        ("UnheardOf-9 lora", ""),
    ],
)
def test_contradictions_are_named(text: str, words: str) -> None:
    found = [problem.en for problem in sets(text).problems]
    assert any(words in problem for problem in found) if words else not found


def test_an_unknown_model_without_a_size_is_asked_about() -> None:
    assert any("MiniCPM-V" in problem.en for problem in sets("MiniCPM-V 3张4090").problems)


def test_facts_without_a_slot_are_added() -> None:
    assert values("Our parent company is in Shenzhen, 8x H100 bare metal")[0]["company.parent"] == "mainland"


def test_a_form_is_read_by_slot_and_by_fact() -> None:
    library = open_library()
    given = {
        "gpu_model": "H100 80GB",
        "gpu.count": 8,
        "params_b": "70",
        "task": ["qlora"],
        "company.parent": "mainland",
    }
    facts = answers_from(given, library).answers[0]
    assert facts.value("gpu.count") == Quantity(8.0, "count")
    assert facts.value("company.parent") == "mainland"
    assert facts.value("tuning.method") == "qlora"
    assert answers_from({"tuning.method": "full"}, library).answers[0].value("tuning.method") == "full"
    assert answers_from({"gpu.id": "l40s"}, library).answers[0].value("gpu.id") == "l40s"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"gpu_modle": "A100"}, 'did you mean "gpu_model"'),
        ({"gpu_model": "A1000000"}, "no card"),
        ({"params_b": "many"}, "no number"),
        ({"params_b": -3}, "params_b is -3"),
        ({"precision": "fp7"}, "no precision"),
        ({"grad_ckpt": "maybe"}, "no yes or no"),
    ],
)
def test_a_form_that_is_wrong_says_where_and_what_was_expected(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        answers_from(given, open_library())
    assert words in str(caught.value)


def test_the_next_question_is_the_one_that_matters_and_the_currency_comes_first() -> None:
    library = open_library()
    facts = sets("预算3万/月，想微调大模型，给个方案").answers[0]
    asked = [question.slot for question in missing(facts, facts, "ask_recommendation", library)]
    assert asked[0] == "budget_currency"
    assert asked[1] == "params_b"
    assert "budget_amount" not in asked


def test_the_memory_of_a_card_is_asked_only_where_its_name_leaves_it_open() -> None:
    library = open_library()
    open_one, closed = sets("7B lora 一张A100").answers[0], sets("7B lora 一张L40S").answers[0]
    assert "gpu.memory" in [q.fact for q in missing(open_one, open_one, "ask_feasibility", library)]
    assert "gpu.memory" not in [q.fact for q in missing(closed, closed, "ask_feasibility", library)]


def test_a_question_has_wording_reason_and_named_choices() -> None:
    question = question_for("tuning.method", open_library())
    assert question.text.zh
    assert question.why.en
    assert dict(question.choices)["full"].zh == "全参微调"


def test_every_question_in_the_order_has_a_fact_with_wording() -> None:
    library = open_library()
    orders = library.words["questions"].entries
    for order in orders.values():
        for fact in order:
            assert question_for(fact, library).text.en


def test_more_cards_than_a_server_holds_are_all_of_them() -> None:
    got = values("128 x A800 80GB, full fine-tune Qwen2-72B")[0]
    assert got["gpu.count_total"] == Quantity(128.0, "count")
    assert (got["gpu.count"], got["gpu.nodes"]) == (Quantity(8.0, "count"), Quantity(16.0, "count"))


def test_the_batch_of_a_single_card_is_no_second_set_up() -> None:
    assert understand("7B LoRA，4张3090，单卡 batch 1", open_library()).slots["gpu_count"] == 4


def test_moving_the_reference_model_alone_is_no_offload() -> None:
    assert "offload" not in understand("34B DPO, zero3 + ref offload", open_library()).slots
    assert understand("34B DPO, zero3 + optimizer offload", open_library()).slots["offload"] is True


def test_degrees_of_parallelism_are_read_and_so_is_a_device_map() -> None:
    slots = understand("LoRA 80B, 8xH20, megatron TP2 EP4", open_library()).slots
    assert (slots["tp"], slots["ep"]) == (2, 4)
    assert values("7B LoRA device_map=auto, 2x3090")[0]["tuning.sharding"] == "pp"


@pytest.mark.parametrize(
    ("text", "model", "size"),
    [
        ("Qwen3-Coder-Next-Base (80B MoE) QLoRA", "Qwen3-Coder-Next-Base", 80),
        ("finetune LLaVA train_mem.py, LLaVA-7B", "LLaVA-7B", 7),
    ],
)
def test_a_name_and_its_size_are_one_model(text: str, model: str, size: float) -> None:
    slots = understand(text, open_library()).slots
    assert (slots["model"], slots["params_b"]) == (model, size)


def test_the_name_of_a_framework_is_no_model_and_fills_its_own_fact() -> None:
    for text, id in (
        ("13B LoRA with Chinese-Vicuna", "chinese_vicuna"),
        ("7B SFT，框架 LLaMA-Factory", "llama_factory"),
    ):
        assert "model" not in understand(text, open_library()).slots
        assert values(text)[0]["tuning.framework"] == id


def test_a_form_takes_a_framework_by_any_name_and_an_unknown_one_as_none() -> None:
    def framework(name: str) -> Any:
        return answers_from({"framework": name}, open_library()).answers[0].value("tuning.framework")

    assert framework("open-r1/TRL") == "trl"
    assert framework("our own loop") is None


@pytest.mark.parametrize(("model", "bits"), [("Qwen3-30B-A3B-AWQ", "bits_4"), ("Qwen1.5-72B-Chat-GPTQ-Int8", "bits_8")])
def test_a_base_that_is_stored_quantised_makes_lora_a_qlora(model: str, bits: str) -> None:
    got = values(f"LoRA on {model}")[0]
    assert (got["tuning.method"], got["quant.bits"]) == ("qlora", bits)
