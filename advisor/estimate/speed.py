"""How fast a training job runs: tokens a second on each card, and the share of the card's peak that this is.

Time is counted as physics has it: operations at an achieved share of the peak, memory traffic, kernel launches, bytes
over PCIe, NVLink or the network, the pipeline's bubble, the optimizer's step. The achieved shares are heuristics; none
is tied to a model or a source. What nobody stated is taken as frameworks usually have it, and named among the
assumptions. Refuses a job without parameters or a card without peak and bandwidth (`BadInput`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal
from weakref import WeakKeyDictionary

from advisor.core.errors import BadInput
from advisor.core.units import Range, convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import Step, positive, whole
from advisor.estimate.speed_machine import Machine
from advisor.estimate.speed_terms import Terms, Weights, compute, link_rate, seconds

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


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens/s of one card, the share of the dense bf16 peak (per cent; recomputation not counted), and why."""

    range: Range
    mfu: Range
    steps: tuple[Step, ...]
    assumptions: tuple[str, ...]


_WEIGHTS: WeakKeyDictionary[Heuristics, Weights] = WeakKeyDictionary()


def weights(library: Heuristics) -> Weights:
    """The constants of the arithmetic as plain numbers, read once."""
    found = _WEIGHTS.get(library)
    if found is None:
        found = Weights(**{each.name: _plain(library, each.name) for each in fields(Weights)})
        _WEIGHTS[library] = found
    return found


def _plain(library: Heuristics, name: str) -> float:
    accepted = library.heuristic(f"speed.{name}")
    return accepted.to("s").value if accepted.unit in ("ms", "min") else accepted.value


def constants(library: Heuristics) -> SpeedConstants:
    """The other heuristics of this room, read once."""
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


def training(job: Job, on: Machine, library: Heuristics) -> Speed:
    """Tokens/s of each card for `job` on `on`, with the share of the bf16 peak; raises `BadInput` (see the module)."""
    c, w = constants(library), weights(library)
    terms, assumed = terms_of(job, on, c)
    step = seconds(terms, w)
    likely = terms.accumulation * terms.tokens / step
    wide = spread(job, assumed, c)
    tokens = Range(likely / wide, likely, likely * wide, "tokens/s")
    each = operations(job, c, recomputed=False)
    share = convert(each * likely / on.bf16, "share", "%")
    mfu = Range(share / wide, share, share * wide, "%")
    return Speed(tokens, mfu, _steps(terms, w, step, likely, each, share), assumed)


def spread(job: Job, assumed: tuple[str, ...], c: SpeedConstants) -> float:
    """The factor by which the truth may lie above or below: wider for what is hard, and for what nobody stated."""
    wide = c.spread.value
    wide *= c.spread_moe.value if job.widths.moe else 1
    wide *= (
        c.spread_small.value if job.widths.active < convert(c.small_model.value, c.small_model.unit, "params") else 1
    )
    wide *= c.spread_capped.value if job.capped else 1
    return wide * (c.spread_unstated.value if assumed else 1)


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
    return 2 * job.widths.active * times + _attention(job, c.attention_passes.value + again, _length(job, c))


def _length(job: Job, c: SpeedConstants) -> float:
    length = positive("sequence length", job.seq_len) if job.seq_len is not None else c.sequence.value
    return length * (c.capped_length.value if job.capped else 1)


def _attention(job: Job, times: float, length: float) -> float:
    # Scores and their use: 2 x 2 operations a key and value; a causal token sees half of the keys.
    keys = length / 2 if job.causal else length
    return 2 * 2 * job.widths.attention_layers * job.widths.attention * keys * times


@dataclass(frozen=True, slots=True)
class _Laid:
    """A job laid over the cards: what the terms are counted from."""

    held: int
    replicas: float
    length: float
    tokens: float
    here: float
    accumulation: float
    passes: float
    again: float
    own: float
    adapter: bool
    assumed: tuple[str, ...]


def _laid(job: Job, on: Machine, c: SpeedConstants) -> _Laid:
    s = job.split
    held = whole("tensor parallel", s.tensor) * whole("pipeline stages", s.pipeline)
    group = held * whole("context parallel", s.context)
    if group > on.cards:
        raise BadInput(f"the job is split over {group} cards, there are {on.cards}", expected="at least as many cards")
    times, again, assumed = passes(job, c)
    length = _length(job, c)
    assumed += () if job.seq_len is not None else ("workload.seq_len",)
    batch = job.micro_batch
    if batch is None:
        batch, assumed = max(1.0, c.micro_tokens.value // length), (*assumed, "workload.micro_batch")
    accumulation = job.accumulation
    if accumulation is None:
        # A pipeline of one micro-batch would stand still; nobody runs that.
        accumulation = s.pipeline * c.batches_per_stage.value if s.pipeline > 1 else 1.0
    tokens = positive("micro-batch", batch) * length
    return _Laid(
        held=held,
        replicas=on.cards / group,
        length=length,
        tokens=tokens,
        here=tokens / s.context / held,
        accumulation=max(1.0, accumulation),
        passes=times,
        again=again,
        own=1 / held / min(whole("expert parallel", s.expert), on.cards / s.pipeline),
        adapter=job.method in ("lora", "qlora"),
        assumed=assumed,
    )


def terms_of(job: Job, on: Machine, c: SpeedConstants) -> tuple[Terms, tuple[str, ...]]:
    """The terms of a job on a machine and what was assumed for them; raises `BadInput` for an impossible split."""
    at = _laid(job, on, c)
    work, moved, step, flags = _work(job, on, c, at), _moved(job, on, c, at), _step(job, on, c, at), _flags(job, on)
    return Terms(**work, **moved, **step, **flags), at.assumed


def _work(job: Job, on: Machine, c: SpeedConstants, at: _Laid) -> dict[str, float]:
    """Operations and memory traffic of a micro-batch on one card."""
    m, bytes_time = job.widths, at.here / on.memory
    grown = 1 + at.again * c.traffic_recomputed.value
    scores = m.attention_layers * m.attention / c.head_width.value * at.length * grown
    return {
        "matmul": 2 * m.active * at.passes * at.here / _peak(job, on)[0],
        "attention": _attention(job, c.attention_passes.value + at.again, at.length) * at.here / on.bf16,
        "traffic": m.layers * (2 * m.hidden + m.ffn) * grown * bytes_time,
        "moe_traffic": m.layers * m.experts_per_token * m.hidden * grown * bytes_time if m.moe else 0.0,
        "logits": m.vocab * bytes_time,
        "scores": 0.0 if job.flash else scores * bytes_time,
        "dequantise": m.total * (2 + at.again) / on.memory if job.method == "qlora" else 0.0,
        "layers": m.layers / job.split.pipeline * grown * (c.moe_launches.value if m.moe else 1),
        "tokens": at.here,
    }


def _moved(job: Job, on: Machine, c: SpeedConstants, at: _Laid) -> dict[str, float]:
    """Bytes over links of a micro-batch, as seconds at the raw rate within (`near`) and between servers (`far`)."""
    s, m = job.split, job.widths
    near, far = on.near, min(on.far, on.near)
    here, layers = at.tokens / s.context, m.layers / s.pipeline
    # Activations of two bytes: a ring passes each twice; two exchanges forward, two backward, two when repeated.
    tensor = layers * (2 + 2 + 2 * at.again) * 2 * m.hidden * here * 2 * (1 - 1 / s.tensor)
    routed = layers * (2 + 2) * 2 * m.hidden * m.experts_per_token * here / s.tensor * (1 - 1 / s.expert)
    outside = max(0.0, 1 - on.per_server / (s.expert * s.tensor)) if s.expert > 1 else 0.0
    shards = 0.0
    if s.shards and on.cards > 1:
        each = c.quantised_bytes.value if job.method == "qlora" else 2.0
        shards = m.total * each * (2 if at.adapter else 2 + 1) * (1 - 1 / on.cards)
    inside = on.cards <= on.per_server
    return {
        "tensor_near": tensor / near if s.tensor <= on.per_server else 0.0,
        "tensor_far": 0.0 if s.tensor <= on.per_server else tensor / far,
        "expert_near": routed * (1 - outside) / near,
        "expert_far": routed * outside / far,
        "shards_near": shards / near if inside else 0.0,
        "shards_far": 0.0 if inside else shards / far,
    }


def _step(job: Job, on: Machine, c: SpeedConstants, at: _Laid) -> dict[str, float]:
    """What comes once a step: gradient exchange, optimizer, pipeline bubble."""
    s = job.split
    near, far = on.near, min(on.far, on.near)
    trained = job.widths.total * (c.adapter_share.value if at.adapter else 1)
    spread_over = min(at.replicas, c.sharded_optimizer.value) if on.cards > at.replicas else 1.0
    owned = trained / on.cards if s.shards else trained * at.own / max(1.0, spread_over)
    exchanged = 0.0 if s.shards or on.cards == 1 else 2 * 2 * trained * at.own * (1 - 1 / at.replicas)
    inside = on.cards <= on.per_server
    return {
        "gradients_near": exchanged / near if inside else 0.0,
        "gradients_far": 0.0 if inside else exchanged / far,
        "step_params": 0.0 if s.offload else owned / on.memory,
        "cpu_params": convert(owned * min(on.cards, on.per_server), "params", "Gparams") if s.offload else 0.0,
        "pcie_offload": owned * c.offload_bytes.value / on.pcie if s.offload else 0.0,
        "bubble": (s.pipeline - 1) / (whole("interleaving", s.interleave) * at.accumulation),
        "accumulation": at.accumulation,
    }


def _flags(job: Job, on: Machine) -> dict[str, float]:
    """Switches of 0 or 1, and how far above the reference card's the peak lies (in powers of ten)."""
    _, fp8, fp4, int8 = _peak(job, on)
    return {
        "newer": on.newer,
        "moe": float(job.widths.moe),
        "moe_loop": float(job.widths.moe and not job.grouped_experts),
        "fp8": fp8,
        "fp4": fp4,
        "int8": int8,
        "tuned": float(job.stack == "tuned"),
        "older": float(job.stack == "older"),
        "cdna": float(on.cdna),
        "power_limited": float(on.power_limited),
        "fused": float(job.fused or job.stack == "tuned"),
        "by_pcie": float(on.by_pcie),
    }


def _peak(job: Job, on: Machine) -> tuple[float, float, float, float]:
    """The peak in the precision of the products, and the switches of fp8, fp4 and int8; bf16 where the card cannot."""
    if job.precision == "fp8" and on.fp8:
        return on.fp8, 1.0, 0.0, 0.0
    if job.precision == "fp4" and (on.fp4 or on.fp8):
        return on.fp4 or positive("the fp8 peak", on.fp8), float(bool(on.fp4)), float(not on.fp4), 0.0
    if job.precision == "int8" and on.int8:
        return on.int8, 0.0, 0.0, 1.0
    return (on.bf16 / 2 if job.precision == "fp32" else on.bf16), 0.0, 0.0, 0.0


def _steps(t: Terms, w: Weights, step: float, rate: float, each: float, share: float) -> tuple[Step, ...]:
    arithmetic, traffic = compute(t, w)
    near = link_rate(t, w)
    links = (t.tensor_near + t.expert_near + t.shards_near) / near
    links += (t.tensor_far + t.expert_far + t.shards_far) / w.node_link_share
    exchange = w.exposed_share * (t.gradients_near / near + t.gradients_far / w.node_link_share)
    update = t.step_params * w.optimizer_bytes / w.memory_share + t.cpu_params * w.cpu_step_time
    lines = [
        Step("arithmetic", "operations / (peak x achieved share)", arithmetic, "s", ("speed.matmul_share",)),
        Step("memory traffic", "bytes / bandwidth", traffic, "s", ("speed.traffic_bytes",)),
        Step("links", "bytes / link rate, partly hidden", links, "s", ("speed.link_share", "speed.exposed_share")),
        Step("micro-batches a step", "global batch / replicas / micro-batch", t.accumulation, ""),
        Step("pipeline bubble", "(stages - 1) / (interleaving x micro-batches)", t.bubble, "share"),
        Step("optimizer", "bytes / bandwidth, once a step", update, "s", ("speed.optimizer_bytes",)),
        Step("gradient exchange", "bytes / link rate, once a step", exchange, "s"),
        Step("one step", "sum, with what hides behind what", step, "s"),
        Step("speed", f"{t.accumulation * t.tokens:g} tokens a card / step", rate, "tokens/s"),
        Step("share of the bf16 peak", f"{each:.3g} FLOP a token x speed / peak", share, "%"),
    ]
    return tuple(line for line in lines if line.value)
