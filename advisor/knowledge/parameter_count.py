"""How many parameters a shape has, part by part.

A pure function of an `Architecture`: single weights, not bytes. It refuses a shape that lacks a field it needs, by
naming the field, and never fills one in. Vision towers are not computed from their shape: their published count is
passed in.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from advisor.core.errors import BadInput
from advisor.knowledge.architecture import Architecture

_NORM_WEIGHTS = {"rms": 1, "layer": 2, "layer_without_bias": 1, "layer_without_weights": 0}


@dataclass(frozen=True, slots=True)
class ParameterCount:
    """Parameters by part; `active` are those that one token uses."""

    embedding: int
    head: int
    attention: int
    mlp: int
    experts: int
    router: int
    norms: int
    mtp: int
    vision: int
    other: int
    idle_experts: int
    """Of `experts`: the part that one token does not touch."""

    @property
    def total(self) -> int:
        """All parameters."""
        return sum(self.parts().values())

    @property
    def active(self) -> int:
        """Parameters that one token uses, without layers for predicting several tokens and without a vision tower."""
        return self.total - self.idle_experts - self.mtp - self.vision

    def parts(self) -> dict[str, int]:
        """The parts that sum to `total`, by name."""
        return {part.name: getattr(self, part.name) for part in fields(self) if part.name != "idle_experts"}


def count(shape: Architecture, vision: int = 0) -> ParameterCount:
    """Count a shape; `vision` is the parameters of a vision tower. Raises `BadInput` naming the missing fields."""
    if shape.unmodelled:
        raise BadInput(f"its parameters cannot be counted: {shape.unmodelled}")
    missing = shape.missing()
    if missing:
        raise BadInput(f"its parameters cannot be counted without {', '.join(missing)}")
    return ParameterCount(
        embedding=_embedding(shape),
        head=_head(shape),
        attention=_all_attention(shape),
        mlp=shape.dense_layers * _mlp(shape) + shape.expert_layers * _shared(shape),
        experts=shape.expert_layers * _n(shape.experts) * _expert(shape),
        router=shape.expert_layers * _router(shape),
        norms=_norms(shape),
        mtp=shape.mtp_layers * _mtp(shape),
        vision=vision,
        other=_classifier(shape),
        idle_experts=_idle(shape),
    )


def per_layer(shape: Architecture) -> dict[str, int]:
    """Parameters of one layer by part: `attention`, `linear`, `mlp`, `expert` (one), `shared`, `router`, `norms`."""
    return {
        "attention": _attention(shape),
        "linear": _linear(shape),
        "mlp": _mlp(shape) if shape.ffn else 0,
        "expert": _expert(shape) if shape.is_moe else 0,
        "shared": _shared(shape),
        "router": _router(shape) if shape.is_moe else 0,
        "norms": shape.norms_per_layer * _norm(shape),
    }


def _n(value: int | None) -> int:
    return 0 if value is None else value


def _norm(shape: Architecture, width: int | None = None) -> int:
    return _NORM_WEIGHTS[shape.norm or "rms"] * (shape.hidden if width is None else width)


def _embedding(shape: Architecture) -> int:
    width = shape.embedding_width or shape.hidden
    rows = shape.vocab + shape.extra_embedding_rows + _n(shape.token_types)
    projections = 2 * width * shape.hidden if shape.embedding_width else 0
    return rows * width + _n(shape.learned_positions) * shape.hidden + projections


def _head(shape: Architecture) -> int:
    bias = shape.vocab if shape.head_bias else 0
    return bias if shape.tied_embeddings else shape.vocab * (shape.embedding_width or shape.hidden) + bias


def _all_attention(shape: Architecture) -> int:
    cross = 2 * shape.cross_attention_layers  # two gates
    if shape.cross_attention_layers:
        cross += shape.cross_attention_layers * 2 * _n(shape.head_dim)  # and norms on its queries and keys
    return shape.softmax_layers * _attention(shape) + shape.linear_layers * _linear(shape) + cross


def _attention(shape: Architecture) -> int:
    if shape.is_mla:
        return _mla(shape)
    h, query, key = shape.hidden, _n(shape.heads) * _n(shape.head_dim), _n(shape.kv_heads) * _n(shape.head_dim)
    gate = h * query if shape.gated_attention else 0
    bias = query + 2 * key if shape.qkv_bias else 0
    bias += h if shape.output_bias else 0
    sinks = _n(shape.heads) if shape.attention_sinks else 0
    return h * (query + 2 * key) + query * h + gate + bias + sinks + _qk_norm(shape, query, key)


def _qk_norm(shape: Architecture, query: int, key: int) -> int:
    if shape.qk_norm == "per_head":  # one vector that all heads share
        return 2 * _n(shape.head_dim)
    # Both others have a weight for each channel of every head: `every_head` normalises head by head.
    return query + key if shape.qk_norm != "none" else 0


def _mla(shape: Architecture) -> int:
    h, heads = shape.hidden, _n(shape.heads)
    rank, rope = _n(shape.mla_kv_lora_rank), _n(shape.mla_qk_rope_dim)
    per_query = heads * (_n(shape.mla_qk_nope_dim) + rope)
    q = shape.mla_q_lora_rank
    query = h * per_query if q is None else h * q + q + q * per_query
    values = heads * _n(shape.mla_v_dim)
    keys_values = h * (rank + rope) + rank + rank * (heads * _n(shape.mla_qk_nope_dim) + values)
    return query + keys_values + values * h + _indexer(shape)


def _indexer(shape: Architecture) -> int:
    if shape.indexer_heads is None:
        return 0
    width = _n(shape.indexer_head_dim)
    queries = (shape.mla_q_lora_rank or shape.hidden) * shape.indexer_heads * width
    return queries + shape.hidden * width + 2 * width + shape.hidden * shape.indexer_heads


def _linear(shape: Architecture) -> int:
    h = shape.hidden
    if shape.linear_kind == "lightning":
        width = _n(shape.heads) * _n(shape.head_dim)
        return len(("query", "key", "value", "gate", "output")) * h * width + width
    width, heads, conv = _n(shape.linear_head_dim), _n(shape.linear_value_heads), _n(shape.linear_conv_width)
    if shape.linear_kind == "delta":
        key, value = _n(shape.linear_key_heads) * width, heads * width
        projections = h * (2 * key + 2 * value) + 2 * h * heads + value * h
        return projections + conv * (2 * key + value) + 2 * heads + width
    if shape.linear_kind == "mamba2":
        inner, mixed = heads * width, heads * width + 2 * _n(shape.linear_groups) * _n(shape.linear_state)
        per_head = len(("step bias", "decay", "skip")) * heads
        return h * (inner + mixed + heads) + (conv + 1) * mixed + per_head + inner + inner * h
    return 0


def _mlp(shape: Architecture) -> int:
    ups = 2 if shape.gated_mlp else 1
    ffn = _n(shape.ffn)
    return (ups + 1) * shape.hidden * ffn + (ups * ffn + shape.hidden if shape.mlp_bias else 0)


def _expert(shape: Architecture) -> int:
    ups = 2 if shape.gated_mlp else 1
    ffn = _n(shape.moe_ffn)
    return (ups + 1) * shape.hidden * ffn + (ups * ffn + shape.hidden if shape.expert_bias else 0)


def _shared(shape: Architecture) -> int:
    ups = 2 if shape.gated_mlp else 1
    gate = shape.hidden if shape.shared_expert_gate else 0
    return (ups + 1) * shape.hidden * _n(shape.shared_expert_ffn) + gate


def _router(shape: Architecture) -> int:
    experts = _n(shape.experts)
    return shape.hidden * experts + (experts if shape.router_bias else 0)


def _norms(shape: Architecture) -> int:
    single = (1 if shape.final_norm else 0) + (1 if shape.embedding_norm else 0)
    return (shape.layers * shape.norms_per_layer + single) * _norm(shape)


def _mtp(shape: Architecture) -> int:
    """One more layer with two norms in front, a projection of both inputs, and its own final norm."""
    h = shape.hidden
    layer = _attention(shape) + shape.norms_per_layer * _norm(shape)
    if shape.is_moe and not shape.mtp_dense:
        layer += _n(shape.experts) * _expert(shape) + _shared(shape) + _router(shape)
    else:
        layer += _mlp(shape)
    own = 2 * shape.vocab * h if shape.mtp_own_embeddings else 0
    return layer + 2 * h * h + (2 + 1) * _norm(shape) + own


def _classifier(shape: Architecture) -> int:
    h = shape.hidden
    dense = h * h + h
    return {"none": 0, "pooler": dense, "two_layer": dense + h + 1}[shape.classifier]


def _idle(shape: Architecture) -> int:
    if not shape.is_moe or shape.experts_per_token is None:
        return 0
    return shape.expert_layers * max(_n(shape.experts) - shape.experts_per_token, 0) * _expert(shape)
