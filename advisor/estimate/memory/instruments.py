"""What a peak looks like through each instrument, and what it needs to run.

`allocated` is what tensors occupy; `reserved` is what the caching allocator took from the card for them, more where
sizes vary; `nvidia-smi` sees the context and the communication library too. What a job *needs* is the allocated peak,
the fragmentation that cannot be avoided and the context: a cache beyond that is given back when memory runs short.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.phases import Peak
from advisor.estimate.memory.workload import Job


@dataclass(frozen=True, slots=True)
class Seen:
    """Bytes: the figure of each instrument, and the need that decides whether it fits."""

    allocated: float
    reserved: float
    nvidia_smi: float
    need: float

    def by(self, instrument: str) -> float:
        """The figure that an instrument shows."""
        return {"allocated": self.allocated, "reserved": self.reserved, "nvidia-smi": self.nvidia_smi}[instrument]


def seen(job: Job, peak: Peak, c: Constants, gib: float) -> Seen:
    """The peak through each instrument; `gib` is the size of a GiB in bytes."""
    allocated = peak.total
    weights, gradients, optimizer, adapters, acts, logits, buffers, _ = peak.parts
    moving = c.reserved_activations * acts + c.reserved_logits * logits
    if not job.adapters:
        moving += c.reserved_left_out * peak.left_out
    alike = {"fixed": c.reserved_fixed, "packed": 1.0, "variable": c.reserved_variable}[job.defaults.lengths]
    cache = c.reserved_states * (weights + gradients + optimizer + adapters + buffers) + alike * moving
    context = c.context + (c.context_multi if job.n_gpus > 1 else 0.0)
    need = allocated * (1 + c.fragmentation_floor if job.trains else 1.0)
    reserved = max(allocated + cache, need) if job.trains else allocated
    if job.usable_gib is not None:
        reserved = min(reserved, max(job.usable_gib * gib - context, need))
    shown = reserved + context
    if job.defaults.server_share and not job.trains and job.usable_gib is not None:
        # A server engine fills its share of the card with cache, whatever the model needs.
        shown = max(shown, job.defaults.server_share * job.usable_gib * gib)
    return Seen(allocated, reserved, shown, need + context)
