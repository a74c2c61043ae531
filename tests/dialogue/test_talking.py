"""Commands, bare answers and what a later message replaces: what a person says to the assistant itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.dialogue.bare import NOTHING, bare_answer, leaning, says_only_which
from advisor.dialogue.commands import Command, command_of
from advisor.dialogue.merge import alternatives, merged, replaced
from advisor.knowledge.library import open_library


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("why?", Command("why")),
        ("点解？", Command("why")),
        ("點解要問？", Command("why")),
        ("skip please", Command("skip")),
        ("跳過", Command("skip")),
        ("I don't know", Command("unknown")),
        ("唔知", Command("unknown")),
        ("Back!", Command("back")),
        ("上一步", Command("back")),
        ("start over", Command("restart")),
        ("由頭嚟過", Command("restart")),
        ("explain", Command("explain")),
        ("解釋一下", Command("explain")),
        ("export the checklist", Command("export")),
        ("导出清单", Command("export")),
        ("匯出清單", Command("export")),
        ("請導出驗收清單", Command("export")),
        ("帮助", Command("help")),
        ("?", Command("help")),
        ("change the card", Command("change", "gpu_model")),
        ("改显卡", Command("change", "gpu_model")),
        ("我想改預算", Command("change", "budget_amount")),
        ("change gpu count to 4", Command("change", "gpu_count", "4")),
        ("把卡數改成4", Command("change", "gpu_count", "4")),
        ("seq_len=4096", Command("change", "seq_len", "4096")),
        ("explain the deadline", Command("explain", "deadline_days")),
        ("compare lora and qlora", Command("compare", value="lora and qlora")),
        ("比較A100和H100", Command("compare", value="a100和h100")),
    ],
)
def test_a_command_is_recognised_in_every_language(text: str, command: Command) -> None:
    assert command_of(text, open_library()) == command


@pytest.mark.parametrize(
    "text",
    [
        "Can I change the card to 4090 and still fit?",
        "Why does 7B need 2 cards?",
        "为什么全参微调7B要两张卡？",
        "改成4张",
        "no",
        "back up 500 GB to Hong Kong",
        "export control for H100?",
        "LoRA 7B on one 4090",
        "",
        "\ud800",
        "改" * 5000,
    ],
)
def test_a_question_that_holds_a_commands_word_is_no_command(text: str) -> None:
    assert command_of(text, open_library()) is None


@pytest.mark.parametrize(
    ("text", "fact", "slots"),
    [
        ("2048", "workload.seq_len", {"seq_len": 2048}),
        ("about 8k tokens", "workload.seq_len", {"seq_len": 8192}),
        ("大概四千吧", "workload.seq_len", {"seq_len": 4000}),
        ("second one", "tuning.method", {"task": ["lora"]}),
        ("2", "tuning.method", {"task": ["lora"]}),
        ("第三個", "tuning.method", {"task": ["qlora"]}),
        ("最后一个", "tuning.method", {"task": ["pretrain"]}),
        ("full fine-tuning", "tuning.method", {"task": ["full_ft"]}),
        ("没有", "data.sensitive", {"sensitive_data": False}),
        ("冇", "data.sensitive", {"sensitive_data": False}),
        ("yes", "data.sensitive", {"sensitive_data": True}),
        ("係", "data.sensitive", {"sensitive_data": True}),
        ("没有", "schedule.deadline", NOTHING),
        ("两周", "schedule.deadline", {"deadline_days": 14}),
        ("3万/月", "budget.amount", {"budget_amount": 30000, "budget_period": "month"}),
        ("港币", "budget.currency", {"budget_currency": "HKD"}),
        ("每月", "budget.period", {"budget_period": "month"}),
        ("13", "model.params", {"params_b": 13}),
        ("两张", "gpu.count", {"gpu_count": 2}),
        ("80", "gpu.memory", {"gpu_mem_gb": 80}),
        ("20亿", "data.tokens", {"dataset_tokens": 2_000_000_000}),
        ("1T", "data.size", {"dataset_gb": 1000}),
        ("1G", "line.bandwidth", {"bandwidth_mbps": 1000}),
        ("租裸金屬", "company.mode", {"company.mode": "rent_bare_metal"}),
        ("香港", "company.parent", {"company.parent": "hong_kong"}),
        ("电信", "carrier.users", {"carrier.users": "telecom"}),
    ],
)
def test_a_bare_value_answers_the_question_that_was_asked(text: str, fact: str, slots: Any) -> None:
    assert bare_answer(text, fact, open_library()) == slots


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("0", "gpu.count"),
        ("99999999999", "gpu.count"),
        ("5e9", "data.tokens"),
        ("1e309", "workload.seq_len"),
        ("maybe tomorrow", "workload.seq_len"),
        ("99", "tuning.method"),
        ("", "gpu.count"),
        ("9" * 500, "workload.seq_len"),
    ],
)
def test_what_is_no_value_of_the_fact_answers_nothing(text: str, fact: str) -> None:
    assert bare_answer(text, fact, open_library()) is None


@given(st.integers(64, 100_000), st.sampled_from(["{}", "{} tokens", "大概{}", "about {}", "{}吧", "最多 {}"]))
@settings(max_examples=60, deadline=None)
def test_any_length_is_read_as_it_was_said(length: int, frame: str) -> None:
    assert bare_answer(frame.format(length), "workload.seq_len", open_library()) == {"seq_len": length}


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_a_bare_answer_or_a_command(text: str) -> None:
    library = open_library()
    command_of(text, library)
    for fact in ("workload.seq_len", "tuning.method", "data.sensitive", "gpu.id", "budget.amount"):
        bare_answer(text, fact, library)


def test_a_figure_alone_changes_the_slot_of_its_unit_that_was_said_last() -> None:
    library = open_library()
    assert leaning("and for 1 TB?", {"params_b": 7, "dataset_gb": 500}, library) == {"dataset_gb": 1000}
    assert leaning("那2T呢", {"dataset_gb": 500, "storage_gb": 960}, library) == {"storage_gb": 2000}
    assert leaning("and for 1 TB?", {"params_b": 7}, library) == {}
    assert leaning("and 13 cards?", {"dataset_gb": 500}, library) == {}


def test_yes_no_numbers_and_places_answer_only_what_was_asked() -> None:
    library = open_library()
    assert all(says_only_which(text, library) for text in ("yes", "没有", "2", "2048", "第二个", "the last one"))
    assert not any(says_only_which(text, library) for text in ("港币", "per month", "China Telecom"))


def test_what_was_true_of_the_value_before_goes_with_it() -> None:
    before = {"gpu_model": "A100", "gpu_mem_gb": 80, "gpu_count": 8, "gpu_count_total": 8, "params_b": 7}
    assert merged(before, {"gpu_model": "RTX 4090"}) == {
        "gpu_model": "RTX 4090", "gpu_count": 8, "gpu_count_total": 8, "params_b": 7,
    }  # fmt: skip
    assert "gpu_count_total" not in merged(before, {"gpu_count": 4})
    assert merged(before, {"gpu_model": "H100", "gpu_mem_gb": 94})["gpu_mem_gb"] == 94
    assert "model" not in merged({"model": "Qwen2.5-7B", "params_b": 7}, {"params_b": 14})


def test_a_method_replaces_the_method_and_a_stage_the_stage() -> None:
    assert merged({"task": ["dpo", "full_ft"]}, {"task": ["lora"]})["task"] == ["dpo", "lora"]
    assert merged({"task": ["sft", "lora"]}, {"task": ["dpo"]})["task"] == ["dpo", "lora"]
    assert merged({"task": ["sft", "lora"]}, {"task": ["inference"]})["task"] == ["inference"]
    assert "quant_bits" not in merged({"task": ["qlora"], "quant_bits": 4}, {"task": ["lora"]})


def test_only_a_changed_answer_is_a_change() -> None:
    assert replaced({"gpu_count": 1, "params_b": 7}, {"gpu_count": 2, "params_b": 7, "seq_len": 2048}) == ["gpu_count"]
    assert replaced({"gpu_model": ["A100", "H100"]}, {"gpu_model": ["H100", "A100"]}) == []
    assert replaced({"gpu_count": 1}, {}) == ["gpu_count"]


def test_a_comparison_with_one_side_takes_the_other_from_what_holds() -> None:
    assert alternatives({"gpu_model": "RTX 4090"}, {"gpu_model": "A100"}) == {"gpu_model": ["RTX 4090", "A100"]}
    assert alternatives({"gpu_model": "RTX 4090"}, {"gpu_model": ["A100", "H100"]}) == {"gpu_model": ["A100", "H100"]}
    assert alternatives({"task": ["sft", "lora"]}, {"task": ["qlora"]}) == {"task": ["lora", "qlora"]}
