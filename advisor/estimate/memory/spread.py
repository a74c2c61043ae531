"""How far the truth may lie from the figure: by part, by what nobody said, by instrument.

Each part has a spread of its own (states are arithmetic, logits and caches are not), and each gap in the description
adds one. They are independent, so their squares add; the range reaches a number of standard deviations to each side.
Samples of varying length pull both ways: the figure is too high where they are short, and too low where an allocator
keeps the room of every size it has seen. All figures are heuristics.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

from advisor.estimate.memory.activations import kind_of_loss
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.phases import Peak
from advisor.estimate.memory.workload import Job, Workload


@dataclass(frozen=True, slots=True)
class Spread:
    """Factors on the likely figure, and on the likely need."""

    low: float
    high: float
    need_low: float
    need_high: float


def spread_of(w: Workload, job: Job, top: Peak, c: Constants) -> Spread:
    """The factors for a job."""
    below, above, seen = variances(w, job, top, c)
    return Spread(
        exp(-c.reach_low * sqrt(below + seen)),
        exp(c.reach_high * sqrt(above + seen)),
        exp(-c.reach_need * sqrt(below)),
        exp(c.reach_need * sqrt(above)),
    )


def variances(w: Workload, job: Job, top: Peak, c: Constants) -> tuple[float, float, float]:
    """Squares of the standard deviations below and above, and what an instrument adds; a peak may hold columns."""
    below, above = _inference(top, c) if not job.trains else _training(w, job, top, c)
    if not job.shape.known:
        below, above = below + c.spread_generic_shape**2, above + c.spread_generic_shape**2
    return below, above, c.spread_reserved**2 if job.instrument != "allocated" and job.trains else 0.0


def _inference(top: Peak, c: Constants) -> tuple[float, float]:
    variance = c.spread_inference**2
    # What the prompt holds for a moment is in the workspace, half of it at the likely figure.
    work = (top.parts[-1] - c.inference_workspace) / top.total
    return variance + work * work, variance + work * work


def _training(w: Workload, job: Job, top: Peak, c: Constants) -> tuple[float, float]:
    total = top.total
    weights, gradients, optimizer, adapters, acts, logits, buffers, overhead = top.parts
    held = weights + gradients + optimizer + adapters
    loss = c.spread_logits_unstated if kind_of_loss(job) == "unstated" else c.spread_logits
    parts = (
        c.spread_states * held,
        c.spread_activations * acts,
        loss * logits,
        c.spread_buffers * buffers,
        c.spread_overhead * overhead,
    )
    variance = sum(part * part for part in parts) / (total * total)
    fluid = (acts + logits) / total
    if w.grad_ckpt is None:
        variance += (c.spread_unstated_checkpointing * acts / total) ** 2
    if w.framework is None:
        variance += c.spread_unknown_framework**2
    if job.shape.moe or job.shape.multimodal:
        variance += c.spread_moe**2
    if job.engine != "torch" or job.pp > 1:
        variance += c.spread_parallel**2
    below = above = variance
    if w.length_is_cap:
        below = above = variance + (c.spread_unstated_length * fluid) ** 2
    if job.defaults.lengths == "variable":
        # Not in place: of columns both would be one.
        below = below + (c.spread_shorter * fluid) ** 2
        above = above + (c.spread_longer * fluid) ** 2
    return below, above
