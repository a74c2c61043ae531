"""A user's config.json gives the shape of the model, or one clear sentence, and never anything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.knowledge.hub_config import MAX_BYTES, HubModel, parse_config, read_config
from advisor.knowledge.hub_types import HubTypes
from advisor.knowledge.parameter_count import count
from advisor.knowledge.reader import read_file
from advisor.knowledge.records.models import Model

ROOT = Path(__file__).resolve().parents[2] / "knowledge"
TYPES = HubTypes.model_validate(read_file(ROOT / "words" / "hub_config.yaml").data["entries"])


def shape(
    layers: int, hidden: int, heads: int, kv: int | None, ffn: int | None, vocab: int, **more: Any
) -> dict[str, Any]:
    """A configuration in the spelling that most models share."""
    base = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads, "vocab_size": vocab}
    base |= {"num_key_value_heads": kv} if kv is not None else {}
    base |= {"intermediate_size": ffn} if ffn is not None else {}
    return base | more


LLAMA = shape(32, 4096, 32, 8, 14336, 128256, model_type="llama", tie_word_embeddings=False, attention_bias=False,
              mlp_bias=False, max_position_embeddings=131072, rope_theta=500000.0, bos_token_id=128000,
              torch_dtype="bfloat16", architectures=["LlamaForCausalLM"])  # fmt: skip
MLA = {"kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
# Model of the knowledge -> the keys that its published configuration has.
CONFIGS: dict[str, dict[str, Any]] = {
    "llama_3_1_8b": LLAMA,
    "llama_3_2_1b": shape(16, 2048, 32, 8, 8192, 128256, model_type="llama", head_dim=64, tie_word_embeddings=True),
    "mistral_7b_v0_1": shape(32, 4096, 32, 8, 14336, 32000, model_type="mistral", sliding_window=4096),
    "mistral_nemo_12b": shape(40, 5120, 32, 8, 14336, 131072, model_type="mistral", head_dim=128),
    "qwen2_5_7b": shape(28, 3584, 28, 4, 18944, 152064, model_type="qwen2", use_sliding_window=False,
                        sliding_window=131072, tie_word_embeddings=False),
    "qwen2_5_0_5b": shape(24, 896, 14, 2, 4864, 151936, model_type="qwen2", tie_word_embeddings=True),
    "qwen_7b": shape(32, 4096, 32, None, 22016, 151936, model_type="qwen", kv_channels=128, no_bias=True),
    "qwen3_8b": shape(36, 4096, 32, 8, 12288, 151936, model_type="qwen3", head_dim=128, attention_bias=False),
    "qwen3_30b_a3b": shape(48, 2048, 32, 4, 6144, 151936, model_type="qwen3_moe", head_dim=128, num_experts=128,
                           num_experts_per_tok=8, moe_intermediate_size=768, decoder_sparse_step=1, mlp_only_layers=[]),
    "qwen2_57b_a14b": shape(28, 3584, 28, 4, 18944, 151936, model_type="qwen2_moe", num_experts=64,
                            num_experts_per_tok=8, moe_intermediate_size=2560,
                            shared_expert_intermediate_size=20480, decoder_sparse_step=1),
    "qwen3_coder_next": shape(48, 2048, 16, 2, 5120, 151936, model_type="qwen3_next", head_dim=256, num_experts=512,
                              num_experts_per_tok=10, moe_intermediate_size=512, shared_expert_intermediate_size=512,
                              linear_num_key_heads=16, linear_num_value_heads=32, linear_key_head_dim=128,
                              linear_value_head_dim=128, linear_conv_kernel_dim=4, full_attention_interval=4),
    "mixtral_8x7b": shape(32, 4096, 32, 8, 14336, 32000, model_type="mixtral", num_local_experts=8,
                          num_experts_per_tok=2, sliding_window=None),
    "deepseek_v3": shape(61, 7168, 128, 128, 18432, 129280, model_type="deepseek_v3", n_routed_experts=256,
                         n_shared_experts=1, num_experts_per_tok=8, moe_intermediate_size=2048, first_k_dense_replace=3,
                         moe_layer_freq=1, num_nextn_predict_layers=1, **MLA),
    "deepseek_v2_lite": shape(27, 2048, 16, 16, 10944, 102400, model_type="deepseek_v2", n_routed_experts=64,
                              n_shared_experts=2, num_experts_per_tok=6, moe_intermediate_size=1408, moe_layer_freq=1,
                              first_k_dense_replace=1, **(MLA | {"q_lora_rank": None})),
    "gemma_7b": shape(28, 3072, 16, 16, 24576, 256000, model_type="gemma", head_dim=256),
    "gemma_2_9b": shape(42, 3584, 16, 8, 14336, 256000, model_type="gemma2", head_dim=256, sliding_window=4096),
    "gemma_3_1b": shape(26, 1152, 4, 1, 6912, 262144, model_type="gemma3_text", head_dim=256, sliding_window=512,
                        sliding_window_pattern=6),
    "phi_3_mini": shape(32, 3072, 32, 32, 8192, 32064, model_type="phi3", sliding_window=2047),
    "phi_2": shape(32, 2560, 32, None, 10240, 51200, model_type="phi"),
    "glm_4_9b_0414": shape(40, 4096, 32, 2, 13696, 151552, model_type="glm4", head_dim=128, attention_bias=True),
    "glm_4_9b": {"model_type": "chatglm", "num_layers": 40, "hidden_size": 4096, "num_attention_heads": 32,
                 "multi_query_attention": True, "multi_query_group_num": 2, "ffn_hidden_size": 13696,
                 "kv_channels": 128, "padded_vocab_size": 151552, "add_qkv_bias": True, "seq_length": 131072},
    "gpt_neox_20b": shape(44, 6144, 64, None, 24576, 50432, model_type="gpt_neox", tie_word_embeddings=False),
    "falcon_7b": {"model_type": "falcon", "num_hidden_layers": 32, "hidden_size": 4544, "num_attention_heads": 71,
                  "vocab_size": 65024, "multi_query": True, "parallel_attn": True, "new_decoder_architecture": False,
                  "bias": False},
    "falcon_40b": {"model_type": "falcon", "num_hidden_layers": 60, "hidden_size": 8192, "num_attention_heads": 128,
                   "num_kv_heads": 8, "vocab_size": 65024, "new_decoder_architecture": True, "bias": False},
    "gpt2": {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024,
             "vocab_size": 50257},
    "opt_6_7b": {"model_type": "opt", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
                 "ffn_dim": 16384, "vocab_size": 50272, "max_position_embeddings": 2048},
    "gpt_oss_20b": shape(24, 2880, 64, 8, 2880, 201088, model_type="gpt_oss", head_dim=64, num_local_experts=32,
                         num_experts_per_tok=4, sliding_window=128, attention_bias=True,
                         layer_types=["sliding_attention", "full_attention"] * 12),
    "command_r7b": shape(32, 4096, 32, 8, 14336, 256000, model_type="cohere2", sliding_window=4096),
    "bert_base_uncased": shape(12, 768, 12, None, 3072, 30522, model_type="bert", max_position_embeddings=512,
                               type_vocab_size=2),
}  # fmt: skip


def parsed(config: object) -> HubModel:
    """What the room makes of a configuration."""
    return parse_config(config, TYPES)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_published_configuration_gives_the_shape_that_the_knowledge_holds(name: str) -> None:
    known = Model.model_validate(read_file(ROOT / "models" / f"{name}.yaml").data)
    shape = parsed(CONFIGS[name]).architecture
    assert count(shape).total == known.parameters().total
    assert shape.cache_layers == known.cache_layers
    assert shape.cache_per_token() == known.cache_per_token()
    assert (shape.sliding_window, shape.window_layers) == (known.sliding_window, known.window_layers)
    assert count(shape).active == known.parameters().active


def test_a_multimodal_file_is_read_by_its_text_part_and_says_so() -> None:
    found = parsed({"model_type": "llava", "text_config": LLAMA, "vision_config": {"hidden_size": 1024}})
    assert count(found.architecture).total == 8_030_261_248
    assert found.vision
    assert "vision tower" in found.notes[0]


def test_llama_4_alternates_dense_and_expert_layers() -> None:
    text = shape(48, 5120, 40, 8, 8192, 202048, model_type="llama4_text", head_dim=128, intermediate_size_mlp=16384,
                 num_local_experts=128, num_experts_per_tok=1, interleave_moe_layer_step=2)  # fmt: skip
    maverick = Model.model_validate(read_file(ROOT / "models" / "llama_4_maverick.yaml").data)
    counted = maverick.parameters()
    assert (
        count(parsed({"model_type": "llama4", "text_config": text}).architecture).total
        == counted.total - counted.vision
    )


def test_an_unknown_type_is_refused_by_the_name_of_the_key_it_lacks() -> None:
    config = {key: value for key, value in LLAMA.items() if key not in ("tie_word_embeddings", "attention_bias")}
    with pytest.raises(BadInput, match=r"config\.json: lacks tie_word_embeddings, attention_bias"):
        parsed(config | {"model_type": "newcomer"})
    with pytest.raises(BadInput, match="lacks num_hidden_layers"):
        parsed({"model_type": "newcomer", "hidden_size": 4096})


def test_an_unknown_type_with_all_keys_is_read_as_a_plain_decoder_with_a_remark() -> None:
    found = parsed(LLAMA | {"model_type": "newcomer"})
    assert count(found.architecture).total == 8_030_261_248
    assert "not known" in found.notes[0]


@pytest.mark.parametrize("name", ["mamba", "t5", "deepseek_v4", "jamba"])
def test_shapes_that_are_not_covered_are_declined_with_the_reason(name: str) -> None:
    with pytest.raises(BadInput, match=name):
        parsed(LLAMA | {"model_type": name})


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("num_hidden_layers", -1, "num_hidden_layers is no whole number"),
        ("num_hidden_layers", 0, "lacks num_hidden_layers"),
        ("num_hidden_layers", 10**6, "num_hidden_layers: input should be less"),
        ("hidden_size", "4096", "hidden_size is no whole number"),
        ("hidden_size", 4096.5, "hidden_size is no whole number"),
        ("hidden_size", True, "hidden_size is no whole number"),
        ("hidden_size", [4096], "hidden_size is no whole number"),
        ("hidden_size", 4097, "lacks head_dim"),
        ("vocab_size", 10**20, "vocab_size is too large"),
        ("vocab_size", float("nan"), "vocab_size is no finite number"),
        ("rope_theta", float("inf"), "rope_theta is no finite number"),
        ("num_key_value_heads", 64, "num_key_value_heads is more than there are heads"),
        ("tie_word_embeddings", "no", "tie_word_embeddings is neither true nor false"),
        ("model_type", 7, "model_type is no short text"),
    ],
)
def test_a_bad_value_is_named_by_its_key(key: str, value: object, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parsed(LLAMA | {key: value})


def test_widths_that_are_possible_one_by_one_and_absurd_together_are_refused() -> None:
    with pytest.raises(BadInput, match="parameters"):
        parsed(LLAMA | {"num_hidden_layers": 2000, "hidden_size": 2**19, "intermediate_size": 2**20})


def test_more_experts_a_token_than_there_are_is_refused() -> None:
    with pytest.raises(BadInput, match="num_experts_per_tok is more"):
        parsed(CONFIGS["mixtral_8x7b"] | {"num_experts_per_tok": 9})


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "is not JSON"),
        (b"[]", "is no JSON object"),
        (b"null", "is no JSON object"),
        (b"\xff\xfe", "is not UTF-8"),
        (b'{"a": NaN}', "holds NaN"),
        (b'{"a": -Infinity}', "holds -Infinity"),
        (b'{"a": 1e999}', "a is no finite number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "too large"),
        (b"[" * 100_000, "nested too deep|is not JSON"),
        (b"[" * 40 + b"]" * 40, "nested too deep"),
        (b"[" + b"0," * 70_000 + b"0]", "too many values"),
        (b" " * (MAX_BYTES + 1), "at most 1048576"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused_in_one_line(raw: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said) as caught:
        read_config(raw, TYPES)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_the_text_of_a_real_file_is_read() -> None:
    assert read_config(json.dumps(LLAMA), TYPES).model_type == "llama"


numbers = st.one_of(st.integers(), st.integers(0, 9000), st.floats(), st.booleans(), st.none(), st.text(max_size=5))
values = st.recursive(numbers, lambda inner: st.lists(inner, max_size=4), max_leaves=6)
every_key = sorted({key for keys in TYPES.keys.values() for key in keys} | set(TYPES.moe_step) | {"layer_types"})


@settings(max_examples=300, deadline=None)
@given(
    base=st.sampled_from(sorted(CONFIGS)),
    changes=st.dictionaries(st.sampled_from(every_key), values, max_size=4),
    model_type=st.sampled_from([None, *TYPES.types]),
)
def test_whatever_is_changed_in_a_file_the_answer_is_a_shape_or_bad_input(
    base: str, changes: dict[str, Any], model_type: str | None
) -> None:
    config = CONFIGS[base] | changes | ({"model_type": model_type} if model_type else {})
    try:
        shape = parsed(config).architecture
    except BadInput:
        return
    assert count(shape).total >= count(shape).active > 0
    assert 0 <= shape.window_layers <= shape.cache_layers <= shape.layers


@settings(max_examples=300, deadline=None)
@given(
    st.recursive(numbers, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner), max_leaves=20)
)
def test_any_json_whatsoever_is_bad_input(data: object) -> None:
    with pytest.raises(BadInput):
        parsed(data)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_or_text_whatsoever_are_bad_input(raw: bytes | str) -> None:
    with pytest.raises(BadInput):
        read_config(raw, TYPES)
