"""The shape of a language model: what its configuration fixes, and nothing that was measured.

One record serves the models of `knowledge/models` and a user's `config.json`. It holds widths and counts only; how many
parameters they make is `parameter_count`'s business. A field that is None is unknown or absent; the estimators ask
`missing()` first and refuse to count a shape that is incomplete.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from advisor.core.errors import BadInput
from advisor.knowledge.records.common import Record, Words

# Bounds of plausibility, in powers of two well above anything published: they keep a hostile file from making numbers
# that nobody can use, and are no statement on models.
LAYERS_MAX = 2**11
WIDTH_MAX = 2**20
HEADS_MAX = 2**12
VOCAB_MAX = 2**23
CONTEXT_MAX = 2**30

Layers = Annotated[int, Field(ge=0, le=LAYERS_MAX)]
Width = Annotated[int, Field(ge=1, le=WIDTH_MAX)]
Heads = Annotated[int, Field(ge=1, le=HEADS_MAX)]
Length = Annotated[int, Field(ge=1, le=CONTEXT_MAX)]

Attention = Literal["full", "gqa", "mqa", "mla", "sliding", "hybrid"]
Norm = Literal["rms", "layer", "layer_without_bias", "layer_without_weights"]
QkNorm = Literal["none", "per_head", "every_head", "full_width"]
LinearKind = Literal["delta", "lightning", "mamba2"]
Classifier = Literal["none", "pooler", "two_layer"]


class Architecture(Record):
    """Widths and counts of one model; lengths in tokens, everything else in weights, heads or layers."""

    layers: Annotated[int, Field(ge=1, le=LAYERS_MAX)]
    hidden: Width
    vocab: Annotated[int, Field(ge=1, le=VOCAB_MAX)]
    heads: Heads | None = None
    kv_heads: Heads | None = None
    head_dim: Width | None = None
    ffn: Width | None = None
    tied_embeddings: bool | None = None
    gated_mlp: bool | None = None
    qkv_bias: bool | None = None
    norm: Norm | None = None
    attention: Attention = "gqa"
    sliding_window: Length | None = None
    sliding_layers: Layers | None = None
    """How many layers slide, where it is known; without it and with a window, all of them."""
    max_context: Length | None = None

    experts: Heads | None = None
    experts_per_token: Heads | None = None
    moe_ffn: Width | None = None
    shared_experts: Annotated[int, Field(ge=0, le=HEADS_MAX)] | None = None
    shared_expert_ffn: Annotated[int, Field(ge=0, le=WIDTH_MAX)] | None = None
    """Total width over all shared experts."""
    first_dense_layers: Layers = 0
    moe_layers: Layers | None = None
    """Only where it is not `layers` less `first_dense_layers`."""
    router_bias: bool = False
    expert_bias: bool = False
    shared_expert_gate: bool = False

    mla_kv_lora_rank: Width | None = None
    mla_q_lora_rank: Width | None = None
    mla_qk_nope_dim: Width | None = None
    mla_qk_rope_dim: Width | None = None
    mla_v_dim: Width | None = None
    indexer_heads: Heads | None = None
    indexer_head_dim: Width | None = None

    linear_layers: Layers = 0
    """Layers whose state has a constant size; they hold no growing cache."""
    linear_kind: LinearKind | None = None
    linear_key_heads: Heads | None = None
    linear_value_heads: Heads | None = None
    linear_head_dim: Width | None = None
    linear_conv_width: Width | None = None
    linear_groups: Heads | None = None
    linear_state: Width | None = None
    gated_attention: bool = False
    attention_layers: Layers | None = None
    """Only where it is not `layers` less `linear_layers`: blocks of one part each."""
    cross_attention_layers: Layers = 0
    """Of the attention layers: those that look at an image and hold no text cache."""

    norms_per_layer: Annotated[int, Field(ge=0, le=LAYERS_MAX)] = 2
    final_norm: bool = True
    embedding_norm: bool = False
    qk_norm: QkNorm = "none"
    output_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    attention_sinks: bool = False
    learned_positions: Length | None = None
    token_types: Heads | None = None
    embedding_width: Width | None = None
    """Where the embedding is narrower than the layers, with a projection in and one out."""
    extra_embedding_rows: Annotated[int, Field(ge=0, le=WIDTH_MAX)] = 0
    classifier: Classifier = "none"
    mtp_layers: Layers = 0
    """Layers for predicting several tokens that the published count includes."""
    mtp_own_embeddings: bool = False
    mtp_dense: bool = False
    unmodelled: Words | None = None
    """What of the shape these fields cannot say; such a shape is neither counted nor sized."""

    @property
    def is_moe(self) -> bool:
        """Whether some layers route tokens to experts."""
        return self.experts is not None

    @property
    def is_mla(self) -> bool:
        """Whether attention keeps one compressed vector a token instead of keys and values."""
        return self.mla_kv_lora_rank is not None

    @property
    def expert_layers(self) -> int:
        """How many layers are mixtures of experts."""
        if not self.is_moe:
            return 0
        return self.moe_layers if self.moe_layers is not None else max(self.layers - self.first_dense_layers, 0)

    @property
    def softmax_layers(self) -> int:
        """How many layers attend with a growing cache or to an image."""
        if self.attention_layers is not None:
            return self.attention_layers
        return max(self.layers - self.linear_layers, 0)

    @property
    def dense_layers(self) -> int:
        """How many layers have an ordinary MLP."""
        return 0 if self.attention_layers is not None else self.layers - self.expert_layers

    @property
    def cache_layers(self) -> int:
        """How many layers hold a key-value cache that grows with the text."""
        return self.softmax_layers - self.cross_attention_layers

    @property
    def window_layers(self) -> int:
        """How many of the cache layers forget what lies outside the sliding window."""
        if self.sliding_window is None:
            return 0
        return self.cache_layers if self.sliding_layers is None else min(self.sliding_layers, self.cache_layers)

    def cache_per_token(self) -> int:
        """Elements that one token adds to the cache of one layer; raises `BadInput` where the shape is incomplete."""
        if self.unmodelled:
            raise BadInput(f"the cache of this shape is not known: {self.unmodelled}")
        if self.mla_kv_lora_rank is not None and self.mla_qk_rope_dim is not None:
            return self.mla_kv_lora_rank + self.mla_qk_rope_dim
        if self.kv_heads is None or self.head_dim is None:
            raise BadInput("the cache of this shape is not known without kv_heads and head_dim")
        return 2 * self.kv_heads * self.head_dim

    def missing(self) -> tuple[str, ...]:
        """The names of the fields without which this shape's parameters cannot be counted."""
        needed = ["heads", "tied_embeddings", "gated_mlp", "qkv_bias", "norm"]
        mla = ["mla_kv_lora_rank", "mla_qk_nope_dim", "mla_qk_rope_dim", "mla_v_dim"]
        needed += mla if self.is_mla or self.attention == "mla" else ["kv_heads", "head_dim"]
        needed += ["ffn"] if self.dense_layers else []
        needed += ["moe_ffn"] if self.is_moe else []
        needed += ["linear_kind"] if self.linear_layers else []
        needed += _LINEAR_NEEDS[self.linear_kind] if self.linear_kind else []
        return tuple(name for name in needed if getattr(self, name) is None)


_LINEAR_NEEDS: dict[str, list[str]] = {
    "delta": ["linear_key_heads", "linear_value_heads", "linear_head_dim", "linear_conv_width"],
    "lightning": [],
    "mamba2": ["linear_value_heads", "linear_head_dim", "linear_conv_width", "linear_groups", "linear_state"],
}
