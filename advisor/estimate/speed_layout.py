"""A job laid over a machine: from what is stated to the terms that `speed_terms.seconds` adds up.

Counts operations, bytes and launches of one micro-batch on one card and of one step; ideal rates only, no achieved
share. Refuses a split over more cards than there are (`BadInput`).
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.core.errors import BadInput
from advisor.core.units import convert
from advisor.estimate.derivation import positive, whole
from advisor.estimate.speed_job import Job, SpeedConstants, attention_operations, length_of, passes
from advisor.estimate.speed_machine import Machine
from advisor.estimate.speed_terms import Terms


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
    length = length_of(job, c)
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
        "attention": attention_operations(job, c.attention_passes.value + at.again, at.length) * at.here / on.bf16,
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
        "tensor_far": 0.0 if s.tensor <= on.per_server else tensor / _ring(on, 1),
        "expert_near": routed * (1 - outside) / near,
        "expert_far": routed * outside / far,
        "shards_near": shards / near if inside else 0.0,
        "shards_far": 0.0 if inside else shards / _ring(on, 1),
    }


def _ring(on: Machine, held: int) -> float:
    """Bytes a second of a ring over servers: the members inside a server pass on what all their network ports bring."""
    return min(on.near, on.far * max(1, on.per_server // held))


def _step(job: Job, on: Machine, c: SpeedConstants, at: _Laid) -> dict[str, float]:
    """What comes once a step: gradient exchange, optimizer, pipeline bubble."""
    s = job.split
    trained = job.widths.total * (c.adapter_share.value if at.adapter else 1)
    spread_over = min(at.replicas, c.sharded_optimizer.value) if on.cards > at.replicas else 1.0
    owned = trained / on.cards if s.shards else trained * at.own / max(1.0, spread_over)
    exchanged = 0.0 if s.shards or on.cards == 1 else 2 * 2 * trained * at.own * (1 - 1 / at.replicas)
    inside = on.cards <= on.per_server
    return {
        "gradients_near": exchanged / on.near if inside else 0.0,
        "gradients_far": 0.0 if inside else exchanged / _ring(on, at.held),
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
        "adapter": float(job.method in ("lora", "qlora")),
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
    return ((on.fp32 or on.bf16) if job.precision == "fp32" else on.bf16), 0.0, 0.0, 0.0
