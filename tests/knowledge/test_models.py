"""Every model's shape gives the parameter count that was published for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from advisor.core.errors import BadInput
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.parameter_count import count, per_layer
from advisor.knowledge.reader import read_file
from advisor.knowledge.records.models import Model

ROOT = Path(__file__).resolve().parents[2] / "knowledge"
# Shapes that are known in part only; whoever completes one takes it out of this list.
NOT_COUNTABLE = {
    "deepseek_v4_flash",
    "deepseek_v4_pro",
    "gemma_4_26b_a4b",
    "gemma_4_31b",
    "minimax_m3",
    "mistral_large_3",
}
# The published figure is a rounded size label, and the computed count is the better one.
ROUNDED_LABELS = {
    "baichuan2_13b",
    "internlm_7b",
    "minicpm3_4b",
    "minitron_8b",
    "nemotron_4_15b",
    "nemotron_mini_4b",
    "opt_13b",
    "opt_2_7b",
    "qwen3_reranker_8b",
}


@cache
def models() -> dict[str, Model]:
    """All models, by the stem of their file."""
    return {path.stem: Model.model_validate(read_file(path).data) for path in sorted((ROOT / "models").glob("*.yaml"))}


def off(model: Model) -> float:
    """Computed over published, less one."""
    return model.parameters().total / (model.params * 1e9) - 1


def test_all_306_models_are_there_and_each_file_is_named_after_its_id() -> None:
    assert len(models()) >= 306
    assert [stem for stem, model in models().items() if model.id != stem] == []


def test_computed_count_agrees_with_the_published_one_within_1_percent_and_2_for_vision() -> None:
    checked = set(models()) - NOT_COUNTABLE - ROUNDED_LABELS
    limits = {name: 0.02 if models()[name].kind == "vlm" else 0.01 for name in checked}
    wrong = {name: f"{off(models()[name]):+.2%}" for name, limit in limits.items() if abs(off(models()[name])) > limit}
    assert wrong == {}
    assert len(checked) == len(models()) - 15


def test_exceptions_to_the_count_are_marked_unverified_and_lie_within_7_percent() -> None:
    for name in ROUNDED_LABELS:
        assert models()[name].count_status == "unverified"
        assert 0.01 < abs(off(models()[name])) < 0.07, name


def test_more_than_200_counts_equal_the_stored_one_to_the_published_digit() -> None:
    exact = [n for n, m in models().items() if m.countable and abs(m.parameters().total - m.params * 1e9) <= 1000]
    assert len(exact) >= 240


def test_at_most_a_third_of_the_counts_has_no_source_of_its_own() -> None:
    unverified = [name for name, model in models().items() if model.count_status == "unverified"]
    assert len(unverified) <= len(models()) / 3


def test_shapes_known_in_part_refuse_to_be_counted_and_say_why() -> None:
    assert {name for name, model in models().items() if not model.countable} == NOT_COUNTABLE
    for name in NOT_COUNTABLE:
        with pytest.raises(BadInput, match=name):
            models()[name].parameters()
        with pytest.raises(BadInput):
            models()[name].cache_per_token()


def test_active_parameters_agree_with_the_published_ones_within_9_percent_with_or_without_embeddings() -> None:
    # The label A1B of Granite 4.0 H Tiny is rounded down from 1.5 thousand millions.
    for name, model in models().items():
        if model.params_active is None or not model.countable or name == "granite_4_0_h_tiny":
            continue
        parts = model.parameters()
        readings = [parts.active, parts.active - parts.embedding, parts.active - parts.embedding - parts.head]
        assert min(abs(x / 1e9 / model.params_active - 1) for x in readings) < 0.09, name


def test_no_alias_leads_to_two_models() -> None:
    seen: dict[str, str] = {}
    for name, model in models().items():
        for alias in model.aliases:
            assert seen.setdefault(alias.casefold(), name) == name, alias


def test_llama_3_1_70b_by_part_as_worked_by_hand() -> None:
    parts = models()["llama_3_1_70b"].parameters()
    assert parts.embedding == parts.head == 128256 * 8192
    assert parts.attention == 80 * (8192 * 8192 * 2 + 2 * 8192 * 1024)
    assert parts.mlp == 80 * 3 * 8192 * 28672
    assert parts.norms == (2 * 80 + 1) * 8192
    assert parts.total == 70_553_706_496


def test_deepseek_v3_keeps_576_elements_a_token_and_layer() -> None:
    model = models()["deepseek_v3"]
    assert model.cache_per_token() == 512 + 64
    assert model.expert_layers == 58
    assert model.parameters().total == pytest.approx(671.026e9, rel=1e-5)


def test_hybrid_shapes_cache_only_in_their_attention_layers() -> None:
    assert models()["qwen3_next_80b_a3b"].cache_layers == 12
    assert models()["nemotron_3_nano_30b_a3b"].cache_layers == 6
    assert models()["granite_4_0_h_small"].cache_layers == 4
    assert models()["llama_3_2_11b_vision"].cache_layers == 32


def test_sliding_layers_follow_the_published_mix() -> None:
    assert models()["gemma_3_27b"].window_layers == 52  # 62 layers, every sixth is full
    assert models()["gpt_oss_120b"].window_layers == 18
    assert models()["mistral_7b_v0_1"].window_layers == 32
    assert models()["llama_3_1_8b"].window_layers == 0


def test_parts_of_one_layer_sum_to_the_whole() -> None:
    model = models()["qwen3_30b_a3b"]
    layer, parts = per_layer(model), model.parameters()
    assert parts.experts == 48 * 128 * layer["expert"]
    assert parts.attention == 48 * layer["attention"]
    assert layer["mlp"] == 0


def test_a_missing_width_is_named() -> None:
    shape = Architecture(layers=2, hidden=8, vocab=16, heads=2, tied_embeddings=True, gated_mlp=True, qkv_bias=False)
    with pytest.raises(BadInput, match="norm, kv_heads, head_dim, ffn"):
        count(shape)


def test_the_table_of_the_shared_data_is_complete_where_it_is_at_hand() -> None:
    table = ROOT.parents[1] / "shared" / "data" / "knowledge" / "models.csv"
    if not table.exists():
        pytest.skip("the shared data are not at hand")
    import csv
    import re

    with table.open(encoding="utf-8") as rows:
        wanted = {re.sub(r"[^a-z0-9]+", "_", row["id"].lower()).strip("_") for row in csv.DictReader(rows)}
    assert wanted <= set(models())
