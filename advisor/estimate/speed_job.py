"""A training job as the speed estimator knows it: the model's widths, the layout over cards, operations a token.

A value that nobody stated is None here and taken as frameworks usually have it when the job is laid out; what was taken
is named. Refuses a model without parameters (`BadInput`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from advisor.core.errors import BadInput
from advisor.core.units import convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import positive

Method = Literal["full", "pretrain", "lora", "qlora"]
Compute = Literal["bf16", "fp16", "fp32", "fp8", "fp4", "int8"]
Stack = Literal["tuned", "usual", "older"]
Recompute = Literal["none", "selective", "full"]


@dataclass(frozen=True, slots=True)
class SpeedConstants:
    """Heuristics of this room beside those of `Weights` (knowledge/heuristics/speed)."""

    head_width: Figure
    width_per_layer: Figure
    vocabulary: Figure
    ffn_ratio: Figure
    sequence: Figure
    micro_tokens: Figure
    capped_length: Figure
    recompute_selective: Figure
    recompute_unstated: Figure
    attention_passes: Figure
    traffic_recomputed: Figure
    moe_launches: Figure
    adapter_share: Figure
    quantised_bytes: Figure
    spread: Figure
    spread_moe: Figure
    spread_small: Figure
    spread_unstated: Figure
    spread_capped: Figure
    small_model: Figure
    sharded_optimizer: Figure
    offload_bytes: Figure
    batches_per_stage: Figure
    largest_micro_batch: Figure
    accumulated_micro_batch: Figure
    accumulated_capped: Figure


@dataclass(frozen=True, slots=True)
class Widths:
    """The model as the arithmetic needs it: parameter counts, layers, widths in elements, vocabulary."""

    active: float
    total: float
    layers: float
    hidden: float
    attention: float
    ffn: float
    vocab: float
    attention_layers: float
    experts_per_token: float = 0.0
    moe: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """How the job is laid over the cards; `shards`: each card holds a part of every layer (ZeRO-3, FSDP)."""

    tensor: int = 1
    pipeline: int = 1
    interleave: int = 1
    context: int = 1
    expert: int = 1
    shards: bool = False
    offload: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One training job; None = nobody said. `micro_batch` is sequences a card (a replica), `accumulation` per step."""

    widths: Widths
    method: Method = "full"
    precision: Compute = "bf16"
    seq_len: float | None = None
    micro_batch: float | None = None
    accumulation: float | None = None
    recompute: Recompute | None = None
    stack: Stack = "usual"
    fused: bool = False
    flash: bool = True
    causal: bool = True
    capped: bool = False
    grouped_experts: bool = True
    split: Split = Split()


def constants(library: Heuristics) -> SpeedConstants:
    """The heuristics of this room that are no weights of the arithmetic, read once."""
    return load(SpeedConstants, "speed", library)


def widths_of(shape: Any, library: Heuristics) -> Widths:
    """The widths of a memory `Shape` (which knows them from the catalogue, a config.json or a size)."""
    ffn = shape.experts_per_token * shape.moe_ffn + shape.shared_ffn if shape.moe and shape.moe_ffn else shape.ffn
    active = min(shape.active or shape.params, shape.params)
    return Widths(
        active=active,
        total=shape.params,
        layers=shape.layers,
        hidden=shape.hidden,
        attention=shape.query or shape.hidden,
        ffn=ffn or shape.hidden * constants(library).ffn_ratio.value,
        vocab=shape.vocab,
        attention_layers=shape.cache_layers or shape.layers,
        experts_per_token=shape.experts_per_token,
        moe=shape.moe or (not shape.known and active < shape.params),
    )


def widths_of_size(params: float, library: Heuristics, active: float | None = None) -> Widths:
    """A generic decoder of `params` parameters (`active` of them for each token): hidden = ratio x layers."""
    c, total = constants(library), positive("parameters", params)
    used = positive("active parameters", active) if active is not None else total
    if used > total:
        raise BadInput(f"{used:g} active of {total:g} parameters", expected="at most all of them")
    # Four square matrices of attention and the MLP's make a layer; layers = hidden / ratio.
    per_layer = 2 + 2 + 2 * c.ffn_ratio.value
    hidden = (used * c.width_per_layer.value / per_layer) ** (1 / (1 + 2))
    layers = hidden / c.width_per_layer.value
    ffn = hidden * c.ffn_ratio.value
    return Widths(used, total, layers, hidden, hidden, ffn, c.vocabulary.value, layers, moe=used < total)


def passes(job: Job, c: SpeedConstants) -> tuple[float, float, tuple[str, ...]]:
    """How often the weights are multiplied (in forward passes), the recomputed share, and what that assumes."""
    assumed: tuple[str, ...] = ()
    if job.recompute is None:
        adapts = job.method in ("lora", "qlora", "full")
        if job.stack == "usual":
            again = 1.0 if adapts else c.recompute_unstated.value if job.split.shards else 0.0
            assumed = ("tuning.grad_ckpt",)
        else:
            again = 1.0 if job.stack == "older" else 0.0
    else:
        again = {"none": 0.0, "selective": c.recompute_selective.value, "full": 1.0}[job.recompute]
    backward = 1 if job.method in ("lora", "qlora") else 2
    return 1 + backward + again, again, assumed


def operations(job: Job, c: SpeedConstants, *, recomputed: bool) -> float:
    """Operations a token: 2 an active parameter and pass, and attention over the (causal half of the) sequence."""
    times, again, _ = passes(job, c)
    times, again = (times, again) if recomputed else (times - again, 0.0)
    return 2 * job.widths.active * times + attention_operations(
        job, c.attention_passes.value + again, length_of(job, c)
    )


def length_of(job: Job, c: SpeedConstants) -> float:
    """Tokens of a sequence as it really runs: a cap over short rows is no length."""
    length = positive("sequence length", job.seq_len) if job.seq_len is not None else c.sequence.value
    return length * (c.capped_length.value if job.capped else 1)


def attention_operations(job: Job, times: float, length: float) -> float:
    """Operations a token of `times` forward passes of attention over `length` tokens."""
    # Scores and their use: 2 x 2 operations a key and value; a causal token sees half of the keys.
    keys = length / 2 if job.causal else length
    return 2 * 2 * job.widths.attention_layers * job.widths.attention * keys * times


def spread(job: Job, assumed: tuple[str, ...], c: SpeedConstants) -> float:
    """The factor by which the truth may lie above or below: wider for what is hard, and for what nobody stated."""
    wide = c.spread.value
    wide *= c.spread_moe.value if job.widths.moe else 1
    wide *= (
        c.spread_small.value if job.widths.active < convert(c.small_model.value, c.small_model.unit, "params") else 1
    )
    wide *= c.spread_capped.value if job.capped else 1
    return wide * (c.spread_unstated.value if assumed else 1)
