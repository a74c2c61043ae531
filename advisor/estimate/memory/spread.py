"""How far the truth may lie from the figure: by part, by what nobody said, by instrument.

Each part has a spread of its own (states are arithmetic, logits and caches are not), and each gap in the description
adds one. They are independent, so their squares add; the range reaches a number of standard deviations to each side,
fewer below than above, since too low a figure costs a failed run. All figures are heuristics.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.phases import Peak
from advisor.estimate.memory.workload import Job, Workload


@dataclass(frozen=True, slots=True)
class Spread:
    """Factors on the likely figure."""

    low: float
    high: float


def spread_of(w: Workload, job: Job, top: Peak, c: Constants) -> Spread:
    """The factors for a job."""
    total = top.total
    weights, gradients, optimizer, adapters, acts, logits, buffers, overhead = top.parts
    held = weights + gradients + optimizer + adapters
    if not job.trains:
        variance = c.spread_inference**2
        variance += (c.spread_unstated_length * (buffers / total) ** 2) if w.seq_len is None else 0.0
    else:
        loss = c.spread_logits_unstated if w.fused_ce is None else c.spread_logits
        moving = [
            c.spread_states * held,
            c.spread_activations * acts,
            loss * logits,
            c.spread_buffers * buffers,
            c.spread_overhead * overhead,
        ]
        variance = sum(part * part for part in moving) / (total * total)
        fluid = (acts + logits) / total
        if w.seq_len is None or w.length_is_cap:
            variance += (c.spread_unstated_length * fluid) ** 2
        if w.grad_ckpt is None:
            variance += (c.spread_unstated_checkpointing * acts / total) ** 2
        if w.framework is None:
            variance += c.spread_unknown_framework**2
        if job.shape.moe or job.shape.multimodal:
            variance += c.spread_moe**2
        if job.engine == "megatron" or job.sharding in ("zero2", "zero3", "device_map"):
            variance += c.spread_parallel**2
    if not job.shape.known:
        variance += c.spread_generic_shape**2
    if job.instrument != "allocated" and job.trains:
        variance += c.spread_reserved**2
    width = sqrt(variance)
    return Spread(exp(-c.reach_low * width), exp(c.reach_high * width))
