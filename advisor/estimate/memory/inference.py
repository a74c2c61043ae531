"""What serving a model holds: weights, the cache of keys and values, a workspace; a server's fixed share.

The cache grows with batch and length in the layers that look back at everything, stops at the window in the sliding
ones, and is constant in linear layers. A server engine reserves a share of the card whatever the model needs, so that
its figure is that share; what it *needs* is weights and cache all the same. Bytes per card.
"""

from __future__ import annotations

from advisor.estimate.memory.arch import Shape
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.phases import Peak
from advisor.estimate.memory.states import B16, stored_bytes
from advisor.estimate.memory.workload import Job


def cache_bytes(shape: Shape, length: float, batch: float) -> float:
    """Bytes of a 16-bit cache over all layers for `batch` sequences of `length` tokens."""
    far = shape.cache_layers - shape.window_layers
    near = min(length, shape.window) if shape.window else length
    return B16 * batch * shape.cache_width * (far * length + shape.window_layers * near)


def inference_peak(job: Job, c: Constants) -> Peak:
    """The peak of generating with a model."""
    shape = job.shape
    split = job.tp * job.pp if job.tp * job.pp > 1 else (job.n_gpus if job.sharding in _SPLITS else 1)
    ends = shape.embedding + shape.head
    per_param = stored_bytes(job.weights, c)
    if job.weights in ("bf16", "fp16", "fp32", "mixed"):
        weights = per_param * shape.params
    else:
        weights = per_param * (shape.block) + B16 * (ends + shape.vision)
    cache = cache_bytes(shape, job.seq_len + job.new_tokens, job.micro_batch)
    work = c.inference_workspace + _prefill(job, c) / split
    if job.defaults.server_share:
        work += c.server_overhead
    parts = (weights / split, 0.0, 0.0, 0.0, 0.0, 0.0, cache / split, work)
    return Peak(parts, "generation", {"generation": sum(parts)}, 0.0)


def _prefill(job: Job, c: Constants) -> float:
    """What the prompt's tokens hold in one layer's MLP while they go through together."""
    shape = job.shape
    inner = shape.ffn or shape.experts_per_token * shape.moe_ffn + shape.shared_ffn
    return B16 * c.prefill_transient * (2 if shape.gated else 1) * inner * job.seq_len * job.micro_batch


_SPLITS = frozenset({"device_map", "model_parallel", "fsdp", "zero3"})
