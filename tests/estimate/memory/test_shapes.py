"""Where a shape comes from changes no figure: the catalogue, a config.json under another name, a size alone."""

from __future__ import annotations

import json

import pytest

from advisor.core.errors import BadInput
from advisor.estimate.memory import Workload, from_architecture, from_model, from_size, peak
from advisor.estimate.memory.constants import constants
from advisor.estimate.memory.lookup import shape_of
from advisor.knowledge.hub_config import read_config
from advisor.knowledge.library import open_library

LIBRARY = open_library()
C = constants(LIBRARY)
LLAMA_3_8B = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "tie_word_embeddings": False, "hidden_act": "silu", "rms_norm_eps": 1e-5, "max_position_embeddings": 8192,
    "attention_bias": False, "mlp_bias": False,
}  # fmt: skip


@pytest.mark.parametrize("method", ["full", "lora", "qlora", "inference"])
def test_a_renamed_model_given_by_its_config_needs_what_the_named_one_needs(method: str) -> None:
    named = from_model(LIBRARY.models["llama_3_8b"])
    renamed = from_architecture(read_config(json.dumps(LLAMA_3_8B)).architecture)
    figures = [
        peak(Workload(shape, method, seq_len=4096, framework="hf_trainer"), LIBRARY).range.likely  # type: ignore[arg-type]
        for shape in (named, renamed)
    ]
    assert figures[1] == pytest.approx(figures[0], rel=0.01)


def test_the_parts_of_llama_3_8b_are_its_published_counts() -> None:
    shape = from_model(LIBRARY.models["llama_3_8b"])
    assert shape.params == pytest.approx(8.030e9, rel=0.001)
    assert shape.embedding == shape.head == 128256 * 4096
    assert shape.kv == 8 * 128
    assert shape.known


def test_a_generic_shape_holds_exactly_the_parameters_asked_for() -> None:
    for size in (1e8, 1e9, 7e9, 70e9, 1e12):
        shape = from_size(size, C)
        per_layer = shape.hidden**2 * (2 + 2 * C.generic_kv_share + 3 * C.generic_ffn_ratio)
        assert shape.layers * per_layer + shape.embedding + shape.head == pytest.approx(size, rel=1e-6)
        assert not shape.known


def test_a_mixture_of_experts_drawn_from_its_name_weighs_what_it_has_and_computes_with_what_is_active() -> None:
    shape = shape_of("Somebody/NewModel-30B-A3B-Instruct", None, LIBRARY, C)
    assert shape.params == pytest.approx(30e9)
    assert shape.active == pytest.approx(3e9)
    assert shape.hidden < from_size(30e9, C).hidden


def test_an_embedding_model_makes_no_logits_and_a_name_with_a_tower_is_multimodal() -> None:
    assert not shape_of("Qwen/Qwen3-VL-Embedding-8B", 8e9, LIBRARY, C).makes_logits
    assert shape_of("Qwen/Qwen2.5-Omni-7B", 7e9, LIBRARY, C).multimodal


def test_neither_a_known_name_nor_a_size_is_an_error_and_no_number() -> None:
    with pytest.raises(BadInput, match="is not known"):
        shape_of("nobody/ever-heard-of-it", None, LIBRARY, C)
