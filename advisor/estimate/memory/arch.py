"""The shape of a model as the memory estimator needs it: widths a token passes through, parameters by part.

A shape comes from a record of `knowledge/models` or a `config.json` (both an `Architecture`), or is drawn from the size
alone: a generic decoder whose proportions are heuristics, and which says so (`known` is false). Widths may then be
fractions; the figures are continuous in the size on purpose, so that a rounding in the size never moves a result much.
Raises `BadInput` where a size is missing or impossible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from advisor.core.errors import BadInput
from advisor.core.units import convert
from advisor.estimate.derivation import positive
from advisor.estimate.memory.constants import Constants
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.parameter_count import count

if TYPE_CHECKING:
    from advisor.knowledge.records.models import Model


@dataclass(frozen=True, slots=True)
class Shape:
    """Parameters (counts) by part and widths in elements; `known` is false for a shape drawn from a size alone."""

    params: float
    embedding: float
    head: float
    experts_params: float
    vision: float
    layers: float
    hidden: float
    query: float
    kv: float
    heads: float
    ffn: float
    gated: bool
    vocab: float
    moe: bool
    experts_per_token: float
    moe_ffn: float
    shared_ffn: float
    moe_layers: float
    experts: float
    cache_width: float
    cache_layers: float
    window: float
    window_layers: float
    active: float
    known: bool
    multimodal: bool
    norms: float = 2.0
    """Norms over the hidden width in a layer."""
    native_norm: bool = False
    """A layer norm, which has one kernel everywhere; an RMSNorm is often written out."""
    head_norms: bool = False
    """Queries and keys are normalised too."""
    makes_logits: bool = True
    """False for encoders, embedding models and rankers: no logits over the vocabulary."""

    @property
    def block(self) -> float:
        """Parameters of the layers: all but embedding, head and vision tower."""
        return self.params - self.embedding - self.head - self.vision

    @property
    def tied_head(self) -> float:
        """Parameters of the matrix that makes logits, wherever it is stored."""
        return self.head if self.head else self.embedding

    def guessed(self) -> Shape:
        """The same, as a shape that nobody stated."""
        return replace(self, known=False)

    def named(self, makes_logits: bool, multimodal: bool) -> Shape:
        """The same with what its name adds: an embedding model makes no logits, a tower comes on top."""
        logits, towers = self.makes_logits and makes_logits, self.multimodal or multimodal
        if (logits, towers) == (self.makes_logits, self.multimodal):
            return self
        return replace(self, makes_logits=logits, multimodal=towers)

    def resized(self, params: float) -> Shape:
        """The same proportions at another size: used where a size is stated that is not the record's."""
        ratio = positive("the model's size", params) / self.params
        side = ratio ** (1 / (2 + 1))
        block = ratio * self.params - self.vision - (self.embedding + self.head) * side
        if block <= 0:
            return replace(self, params=params)
        kept = ("hidden", "query", "kv", "ffn", "moe_ffn", "shared_ffn", "layers", "embedding", "head")
        more = ("heads", "moe_layers", "cache_width", "cache_layers", "window_layers")
        wider = {name: getattr(self, name) * side for name in kept + more}
        experts = self.experts_params / self.block * block if self.experts_params else 0.0
        return replace(self, params=params, experts_params=experts, active=self.active * ratio, **wider)


def from_architecture(
    arch: Architecture, params: float | None = None, vision: float = 0.0, active: float | None = None
) -> Shape:
    """A shape from a published architecture; `params` and `vision` are counts, the former as published where known."""
    parts = count(arch, int(vision))
    total = float(params or parts.total)
    other = total - parts.embedding - parts.head - vision
    if other <= 0:
        raise BadInput("the embedding alone is larger than the model", expected="a size that fits the architecture")
    query, kv = _attention_widths(arch)
    scale = other / max(parts.total - parts.embedding - parts.head - int(vision), 1)
    return Shape(
        params=total,
        embedding=float(parts.embedding),
        head=float(parts.head),
        experts_params=parts.experts * scale,
        vision=float(vision),
        layers=float(arch.layers),
        hidden=float(arch.hidden),
        query=query,
        kv=kv,
        heads=float(arch.heads or 0),
        ffn=float(arch.ffn or 0),
        gated=bool(arch.gated_mlp),
        vocab=float(arch.vocab),
        moe=arch.is_moe,
        experts_per_token=float(arch.experts_per_token or 0),
        moe_ffn=float(arch.moe_ffn or 0),
        shared_ffn=float(arch.shared_expert_ffn or 0),
        moe_layers=float(arch.expert_layers),
        experts=float(arch.experts or 0),
        cache_width=float(arch.cache_per_token()),
        cache_layers=float(arch.cache_layers),
        window=float(arch.sliding_window or 0),
        window_layers=float(arch.window_layers),
        active=float(active or parts.active),
        known=True,
        multimodal=vision > 0,
        norms=float(arch.norms_per_layer),
        native_norm=bool(arch.norm and arch.norm.startswith("layer")),
        head_norms=arch.qk_norm != "none",
    )


def _attention_widths(arch: Architecture) -> tuple[float, float]:
    """Widths of the queries and of the keys (or values) that attention works on."""
    heads = float(arch.heads or 0)
    if arch.is_mla:
        nope = float(arch.mla_qk_nope_dim or 0)
        return heads * (nope + float(arch.mla_qk_rope_dim or 0)), heads * (nope + float(arch.mla_v_dim or 0)) / 2
    head_dim = float(arch.head_dim or (arch.hidden / heads if heads else 0))
    return heads * head_dim, float(arch.kv_heads or 0) * head_dim


def from_size(params: float, c: Constants, active: float | None = None) -> Shape:
    """A generic decoder of `params` parameters; with `active` below it, a mixture of experts of these two sizes."""
    size = positive("the model's size", params)
    dense = min(positive("the model's active size", active), size) if active is not None else size
    ffn_ratio, kv_share = c.generic_ffn_ratio, c.generic_kv_share
    per_layer = 2 + 2 * kv_share + (2 + 1) * ffn_ratio
    vocab = c.generic_vocab
    # hidden^3 * per_layer / width_per_layer + 2 * vocab * hidden = size; Newton from above falls until it stands.
    cubic = per_layer / c.width_per_layer
    hidden = (dense / cubic) ** (1 / (2 + 1))
    lower = _newton(hidden, cubic, vocab, dense)
    while lower < hidden:
        hidden, lower = lower, _newton(lower, cubic, vocab, dense)
    layers = hidden / c.width_per_layer
    moe = dense < size
    return Shape(
        params=size,
        embedding=vocab * hidden,
        head=vocab * hidden,
        experts_params=size - dense if moe else 0.0,
        vision=0.0,
        layers=layers,
        hidden=hidden,
        query=hidden,
        kv=hidden * kv_share,
        heads=hidden / c.generic_head_dim,
        ffn=hidden * ffn_ratio,
        gated=True,
        vocab=vocab,
        moe=False,
        experts_per_token=0.0,
        moe_ffn=0.0,
        shared_ffn=0.0,
        moe_layers=0.0,
        experts=0.0,
        cache_width=2 * hidden * kv_share,
        cache_layers=layers,
        window=0.0,
        window_layers=0.0,
        active=dense,
        known=False,
        multimodal=False,
    )


def _newton(hidden: float, cubic: float, vocab: float, size: float) -> float:
    square = cubic * hidden**2
    return hidden - (square * hidden + 2 * vocab * hidden - size) / ((2 + 1) * square + 2 * vocab)


def from_model(model: Model) -> Shape:
    """The shape of a catalogue record; raises `BadInput` where the record does not fix it."""
    unit = convert(1, "Gparams", "params")
    if not model.countable:
        raise BadInput(f"the shape of {model.name} is not fully known", where=model.id)
    active = model.params_active * unit if model.params_active else None
    shape = from_architecture(model, model.params * unit, (model.vision_params or 0.0) * unit, active)
    return shape if model.kind in ("decoder", "vlm") else replace(shape, makes_logits=False)
