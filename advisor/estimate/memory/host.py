"""Memory of the host, and what one checkpoint takes on disk.

A host holds what was moved off its cards (optimizer states, their fp32 masters and gradients, parameters), a copy of
the weights for every rank while they are loaded or one gathered copy while a sharded model is saved, and what each
process needs anyway. Counted per host, in GB (10^9 bytes). Raises `BadInput` like `peak`.
"""

from __future__ import annotations

from typing import Any

from advisor.core.units import Range, convert
from advisor.estimate.derivation import Estimate, Step, whole
from advisor.estimate.memory.constants import Constants, constants
from advisor.estimate.memory.frameworks import find
from advisor.estimate.memory.states import B16, B32, adapter_params, kind_of_states, optimizer_bytes, stored_bytes
from advisor.estimate.memory.workload import Job, Workload, fill


def host_ram(workload: Workload, library: Any, cards_per_host: int | None = None) -> Estimate:
    """RAM of one host in GB: low with weights mapped and shared, high with a copy in every rank."""
    c = constants(library)
    job = fill(workload, find(workload.framework, library), c)
    ranks = whole("cards a host", cards_per_host if cards_per_host is not None else job.n_gpus)
    hosts = max(job.n_gpus / ranks, 1.0)
    copy = _on_host(job, c) * job.shape.params * (1 + job.frozen_copies)
    moved = _moved(job, c) / hosts
    base = c.host_per_rank * ranks
    low, likely, high = (base + moved * pinned + load for pinned, load in _cases(job, c, copy, ranks))
    steps = (
        Step("processes", f"{ranks} ranks x what a rank needs", _gb(base), "GB", ("memory.host_per_rank",)),
        Step(
            "one copy of the weights", "bytes a parameter x parameters, with the models that look on", _gb(copy), "GB"
        ),
        Step("moved off the cards", "states and parameters that are offloaded, on this host", _gb(moved), "GB"),
        Step("host RAM", "processes + offload x pinning + copies while loading", _gb(likely), "GB"),
    )
    return Estimate(Range(_gb(low), _gb(likely), _gb(high), "GB"), steps, job.assumed)


def checkpoint_size(workload: Workload, library: Any) -> Estimate:
    """One checkpoint that training can resume from, in GB; low is the weights alone."""
    c = constants(library)
    job = fill(workload, find(workload.framework, library), c)
    params = job.shape.params
    if job.adapters:
        trained = adapter_params(job.shape, job.lora_targets, job.lora_rank)
        weights, states = B32 * trained, optimizer_bytes(job.optimizer, B32, c) * trained
    else:
        kind = kind_of_states(job)
        weights = (B32 if kind in ("autocast", "fp32") else B16) * params
        states = optimizer_bytes(job.optimizer, B16 if kind == "pure" else B32, c) * params
        states += B32 * params if kind == "masters" else 0.0
    if not job.trains:
        weights, states = stored_bytes(job.weights, c) * params, 0.0
    total = _gb(weights + states)
    steps = (
        Step("weights", "bytes a parameter x parameters", _gb(weights), "GB"),
        Step("optimizer", "moments and fp32 masters", _gb(states), "GB"),
        Step("checkpoint", "weights + optimizer", total, "GB"),
    )
    return Estimate(Range(_gb(weights), total, total, "GB"), steps, job.assumed)


def _moved(job: Job, c: Constants) -> float:
    """Bytes that live on hosts instead of cards, over all of them."""
    if job.offload == "none":
        return 0.0
    moved = 0.0
    if job.trains and not job.adapters:
        per_param = optimizer_bytes(job.optimizer, B32, c) + B32 + B32  # moments, masters, fp32 gradients
        moved += per_param * job.shape.params * job.trained_copies
    if job.offload == "params+optimizer":
        # FSDP trains the fp32 parameters themselves; DeepSpeed keeps 16-bit ones beside their masters.
        own = 0.0 if job.engine == "torch" and not job.adapters else 1.0
        moved += _on_host(job, c) * job.shape.params * (own + job.frozen_copies)
    return moved


def _on_host(job: Job, c: Constants) -> float:
    """Bytes a parameter of one copy of the weights on a host: what is loaded, moved there or gathered to be saved."""
    sixteen = job.weights == "mixed" and job.engine != "torch"
    return B16 if sixteen else stored_bytes(job.weights, c)


def _cases(job: Job, c: Constants, copy: float, ranks: int) -> tuple[tuple[float, float], ...]:
    """Factor for pinned memory and bytes for loading or saving: least, usual, most."""
    # Weights in safetensors are mapped, and ranks share the pages; a sharded model is gathered once to be saved.
    usual = copy if job.sharding in ("fsdp", "zero3") or ranks == 1 else copy / 2
    return ((1.0, 0.0), (c.host_pinned, usual), (2.0, copy * ranks))


def _gb(value: float) -> float:
    return convert(value, "B", "GB")
