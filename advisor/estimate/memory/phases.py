"""The peak of a training step: the largest of its phases, never their sum.

A step loads, goes forward to the loss, comes back layer by layer and lets the optimizer step. At the loss all
activations stand and few gradients; at the end all gradients and few activations; the optimizer's copies come when
the activations are gone. `left_out` is what stands in some phase but not at the peak: a caching allocator keeps much of
it. Bytes per card.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.estimate.memory.activations import Activations, activations
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.states import Stage, states
from advisor.estimate.memory.workload import Job

PARTS = ("weights", "gradients", "optimizer", "adapters", "activations", "logits", "buffers", "overhead")


@dataclass(frozen=True, slots=True)
class Peak:
    """Allocated bytes at the peak by part, which phase it is, and every phase's total."""

    parts: tuple[float, ...]
    phase: str
    phases: dict[str, float]
    left_out: float

    @property
    def total(self) -> float:
        """The peak."""
        return sum(self.parts)


def training_peak(job: Job, c: Constants) -> Peak:
    """The peak of the stage that needs most."""
    acts = activations(job, c)
    stages: tuple[Stage, ...] = ("first", "last") if job.pp > 1 else ("only",)
    found = [_stage_peak(job, c, acts, stage) for stage in stages]
    return max(found, key=lambda peak: peak.total)


def _stage_peak(job: Job, c: Constants, acts: Activations, stage: Stage) -> Peak:
    held = states(job, c, stage)
    in_flight = job.micro_in_flight if stage == "first" else 1.0
    kept = acts.kept_per_layer * job.shape.layers / job.pp * in_flight
    if job.grad_ckpt == "yes" and job.defaults.checkpoints_on_host:
        kept = min(kept, acts.kept_per_layer)
    logits = acts.logits if stage != "first" else 0.0
    final = acts.final if stage != "first" else 0.0
    early_gradients = held.gradients if held.resident_gradients else 0.0
    workspace = c.workspace
    base = (held.weights, held.optimizer, held.adapters, held.buffers)
    rows = {
        "load": (held.load, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, workspace + (c.load_overhead if held.load else 0.0)),
        "loss": _row(base, early_gradients, kept + final, logits, workspace),
        "backward": _row(base, early_gradients, kept + final + acts.one_layer_back, 0.0, workspace),
        "end of backward": _row(base, held.gradients, acts.kept_per_layer + acts.one_layer_back, 0.0, workspace),
        "optimizer step": _row(
            (held.weights, held.optimizer + held.step, held.adapters, 0.0), held.gradients, 0.0, 0.0, workspace
        ),
    }
    phases = {name: sum(row) for name, row in rows.items()}
    top = max(phases, key=lambda name: phases[name])
    union = sum(base) + held.gradients + held.step + kept + final + max(logits, acts.one_layer_back) + workspace
    return Peak(rows[top], top, phases, max(union - phases[top], 0.0))


def _row(
    base: tuple[float, float, float, float], gradients: float, acts: float, logits: float, workspace: float
) -> tuple[float, ...]:
    weights, optimizer, adapters, buffers = base
    return (weights, gradients, optimizer, adapters, acts, logits, buffers, workspace)
