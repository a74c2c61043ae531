"""Rows are read by meaning; what cannot be read is named, and the figure is given where it can be."""

from __future__ import annotations

import pytest

from advisor.estimate.memory.constants import constants
from advisor.estimate.rows import COLUMNS, estimate_rows, workload_of
from advisor.knowledge.library import open_library

LIBRARY = open_library()
C = constants(LIBRARY)
ROW = {
    "id": "r1", "model": "meta-llama/Meta-Llama-3-8B", "params_b": "8.03", "framework": "hf_trainer", "method": "full",
    "weights": "bf16", "seq_len": "4096", "micro_batch": "1", "grad_ckpt": "yes", "attn": "flash", "sharding": "none",
    "n_gpus": "1", "gpu": "A100 80GB", "gpu_gib": "80",
}  # fmt: skip


def answer(**changes: str) -> dict[str, str]:
    return next(iter(estimate_rows([{**ROW, **changes}], LIBRARY)))


def test_the_contract_columns_come_out_in_order_for_every_row_and_a_bad_row_stops_nothing() -> None:
    found = list(estimate_rows([ROW, {"id": "bad", "model": "no such thing"}, ROW], LIBRARY))
    assert [tuple(row) for row in found] == [COLUMNS] * 3
    assert found[1]["verdict"] == "unknown"
    assert found[1]["likely_gib"] == ""
    assert "no such thing" in found[1]["error"]


def test_llama_3_8b_in_pure_bf16_needs_the_measured_74_8_gib_and_fits_an_80_gib_card() -> None:
    found = answer(instrument="allocated")
    assert float(found["likely_gib"]) == pytest.approx(74.8, rel=0.01)
    assert found["verdict"] == "fits"


@pytest.mark.parametrize(
    ("column", "text", "field", "meaning"),
    [
        ("sharding", "none (DDP)", "sharding", "ddp"),
        ("sharding", "zero3 + offload", "sharding", "zero3"),
        ("sharding", "zero3 + offload", "offload", "params+optimizer"),
        ("sharding", "DeepSpeed ZeRO-2", "sharding", "zero2"),
        ("sharding", "FSDP2 full_shard", "sharding", "fsdp"),
        ("sharding", "device_map=auto", "sharding", "device_map"),
        ("weights", "bfloat16", "weights", "bf16"),
        ("weights", "GPTQ-Int4", "weights", "int4"),
        ("weights", "bnb 4-bit NF4", "weights", "nf4"),
        ("weights", "amp (fp16)", "weights", "mixed"),
        ("grad_ckpt", "true", "grad_ckpt", "yes"),
        ("grad_ckpt", "selective", "grad_ckpt", "selective"),
        ("grad_ckpt", "off", "grad_ckpt", "no"),
        ("attn", "flash_attention_2", "attention", "flash"),
        ("fused_ce", "liger", "fused_ce", True),
        ("optimizer", "AdamW 8-bit", "optimizer", "adamw_8bit"),
        ("method", "DoRA", "method", "lora"),
        ("method", "full_ft", "method", "full"),
        ("seq_len", "8K", "seq_len", 8192.0),
        ("seq_len", "4,096", "seq_len", 4096.0),
        ("instrument", "unknown", "instrument", "reserved"),
        ("instrument", "", "instrument", "reserved"),
        ("instrument", "nvidia-smi", "instrument", "nvidia-smi"),
        ("lora_targets", "q_proj,v_proj", "lora_targets", "qv"),
        ("lora_targets", "all-linear", "lora_targets", "all"),
        ("method", "DPO (LoRA)", "stage", "dpo"),
        ("method", "GRPO", "stage", "grpo"),
        ("sharding", "tp2 + pp1", "tp", 2),
    ],
)
def test_a_value_is_read_by_meaning(column: str, text: str, field: str, meaning: object) -> None:
    workload, _, errors = workload_of({**ROW, "n_gpus": "2", column: text}, LIBRARY, C)
    assert getattr(workload, field) == meaning
    assert errors == []


@pytest.mark.parametrize(
    ("name", "stated", "usable"),
    [
        ("A100-SXM4-80GB", "", 80.0),
        ("NVIDIA H100 80GB", "80", 79.65),
        ("RTX 3090", "", 24.0),
        ("RTX 4090", "", 23.99),
        ("RTX 4090", "48", 47.28),
        ("RTX 4090 48GB", "", 47.99),
        ("H100", "", None),
        ("8x A100 80G", "", 80.0),
        ("A100", "", None),
        ("some card", "48", 47.28),
        ("", "", None),
    ],
)
def test_a_card_offers_what_the_catalogue_knows_else_what_is_stated(
    name: str, stated: str, usable: float | None
) -> None:
    _, found, _ = workload_of({**ROW, "gpu": name, "gpu_gib": stated}, LIBRARY, C)
    assert found == (None if usable is None else pytest.approx(usable, rel=0.005))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("NousResearch/Llama-2-70b-hf", 68.98),
        ("TheBloke/Mistral-7B-v0.1-GPTQ", 7.24),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", 30.53),
        ("Llama 2 7 B", 6.74),
        ("bert-large-uncased (seq-cls)", 0.335),
    ],
)
def test_a_known_model_needs_no_stated_size(name: str, params: float) -> None:
    workload, _, errors = workload_of({**ROW, "model": name, "params_b": ""}, LIBRARY, C)
    assert workload.shape.params / 1e9 == pytest.approx(params, rel=0.01)
    assert errors == []


def test_a_label_like_7b_does_not_shrink_a_model_that_is_known_to_be_larger() -> None:
    workload, _, _ = workload_of({**ROW, "model": "Qwen2.5-7B", "params_b": "7"}, LIBRARY, C)
    assert workload.shape.params == pytest.approx(7.616e9, rel=0.001)


def test_a_plain_count_of_parameters_is_read_as_one() -> None:
    assert answer(model="", params_b="8030000000")["likely_gib"] == answer(model="", params_b="8.03")["likely_gib"]


def test_an_unknown_value_is_named_and_the_figure_is_still_given() -> None:
    found = answer(optimizer="made_up", seq_len="many")
    assert 'optimizer "made_up"' in found["error"]
    assert 'seq_len "many"' in found["error"]
    assert float(found["likely_gib"]) > 0


def test_a_negative_length_is_named_and_never_computed_with() -> None:
    assert 'seq_len "-4" is not above 0' in answer(seq_len="-4")["error"]


@pytest.mark.parametrize("stated", ["7.9", "8.0", "8.03", "8.1", "9.5", "12"])
def test_a_thousandth_more_stated_parameters_moves_the_figure_by_at_most_a_hundredth(stated: str) -> None:
    one = float(answer(params_b=stated)["likely_gib"])
    two = float(answer(params_b=str(float(stated) * 1.001))["likely_gib"])
    assert two == pytest.approx(one, rel=0.01)


def test_the_verdict_agrees_with_the_printed_range_and_the_card() -> None:
    for length in ("512", "4096", "16384", "65536"):
        found = answer(seq_len=length, weights="bf16", instrument="")
        low, high = float(found["low_gib"]), float(found["high_gib"])
        expected = "fits" if high <= 80 else "oom" if low > 80 else "tight"
        assert found["verdict"] == expected


@pytest.mark.parametrize(
    ("column", "text", "said"),
    [
        ("seq_len", "-4096", 'seq_len "-4096" is not above 0 (expected a number above 0)'),
        ("n_gpus", "0", 'n_gpus "0" is not above 0 (expected a number above 0)'),
        ("n_gpus", "2.5", 'n_gpus "2.5" is no whole number (expected a whole number from 1)'),
        ("micro_batch", "many", 'micro_batch "many" is no number (expected a number above 0)'),
        ("seq_len", "1e30", 'seq_len "1e30" is beyond anything known (expected at most 10,000,000)'),
        ("n_gpus", "1000000", 'n_gpus "1000000" is beyond anything known (expected at most 100,000)'),
        ("gpu_gib", "-80", 'gpu_gib "-80" is not above 0 (expected a number above 0)'),
    ],
)
def test_a_number_that_cannot_be_is_named_and_no_verdict_speaks_of_another_job(
    column: str, text: str, said: str
) -> None:
    found = answer(**{column: text})
    assert found["error"] == said
    assert found["verdict"] == "unknown"
    assert float(found["likely_gib"]) > 0


def test_a_card_that_nobody_knows_is_named_and_judged_by_the_memory_that_is_stated() -> None:
    said = 'gpu "FOO" is no known card (expected a card of the catalogue)'
    stated, unstated = answer(gpu="FOO", gpu_gib="192"), answer(gpu="FOO", gpu_gib="")
    assert (stated["error"], stated["verdict"]) == (said, "fits")
    assert (unstated["error"], unstated["verdict"]) == (said, "unknown")


def test_a_family_of_cards_of_several_sizes_asks_for_the_size() -> None:
    assert answer(gpu="A100", gpu_gib="")["error"] == 'gpu "A100" comes in several sizes (expected the size in gpu_gib)'


def test_a_word_that_means_nothing_is_answered_with_those_that_do() -> None:
    assert "(expected one of no, yes)" in answer(fused_ce="perhaps")["error"]
    assert answer(fused_ce="perhaps")["verdict"] == answer()["verdict"]


def test_the_rank_of_adapters_says_nothing_of_a_full_tuning() -> None:
    assert answer(lora_rank="0")["error"] == ""


def test_every_problem_of_a_row_is_named_also_where_no_figure_can_be_given() -> None:
    found = answer(model="no such thing", params_b="", gpu="FOO")
    assert "no such thing" in found["error"]
    assert "FOO" in found["error"]
