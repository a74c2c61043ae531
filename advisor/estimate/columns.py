"""Memory for many rows at once: jobs that differ only in length, batch, adapter rank and card, as columns of numbers.

The formulas are the estimator's own (`activations`, `states`, `inference_peak`, the spreads); here stand only the steps
that choose between numbers (which phase is the peak, what bounds a range), over columns of them. A property test holds
every figure against `peak` of the same row. Columns are float64 of one length, all above 0; `usable` is NaN where the
card's memory is not known. A row for which no figure can be given is NaN in every column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.estimate.memory.activations import Activations, activations
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.frameworks import find
from advisor.estimate.memory.inference import inference_peak
from advisor.estimate.memory.peak import GIB, rivals
from advisor.estimate.memory.phases import Peak
from advisor.estimate.memory.spread import variances
from advisor.estimate.memory.states import B16, Stage, States, states
from advisor.estimate.memory.workload import Job, Workload, fill, tokens_of

Column = NDArray[np.float64]
VERDICTS = ("fits", "tight", "oom", "unknown")


@dataclass(frozen=True, slots=True)
class Varying:
    """What differs from row to row; None where nobody said it in any row."""

    seq_len: Column | None
    micro_batch: Column | None
    lora_rank: Column | None
    usable: Column


@dataclass(frozen=True, slots=True)
class Columns:
    """GiB per card, and the verdict as a place in `VERDICTS`."""

    low: Column
    likely: Column
    high: Column
    verdict: NDArray[np.int8]


def by_columns(workload: Workload) -> bool:
    """Whether rows of this job can be worked out together."""
    # What is kept of a layer is then a choice between a width and a length.
    return not (workload.grad_ckpt == "selective" and workload.attention == "eager")


def estimate(workload: Workload, varying: Varying, library: Any, c: Constants) -> Columns:
    """The memory of one card for each row of `varying`; raises `BadInput` where no row of this job can be."""
    size = len(varying.usable)
    plain = replace(workload, usable_gib=None)
    defaults = find(workload.framework, library)
    with np.errstate(all="ignore"):
        job = _columns(plain, fill(plain, defaults, c), varying, c, size)
        top = _top(job, c)
        seen = _seen(job, top, c, varying.usable)
        low = high = likely = seen[0]
        need_low = need_high = seen[1]
        for other in rivals(plain, job, c):
            rival = _seen(other, _top(other, c), c, varying.usable)
            low, high = np.minimum(low, rival[0]), np.maximum(high, rival[0])
            need_low, need_high = np.minimum(need_low, rival[1]), np.maximum(need_high, rival[1])
        below, above, shown = variances(plain, job, top, c)
        need_low = need_low * np.exp(-c.reach_need * np.sqrt(below))
        need_high = need_high * np.exp(c.reach_need * np.sqrt(above))
        low = low * np.exp(-c.reach_low * np.sqrt(below + shown))
        high = high * np.exp(c.reach_high * np.sqrt(above + shown))
        good = np.isfinite(low + likely + high + need_low + need_high) & (low <= likely) & (likely <= high)
        return _within(low, likely, high, need_low, need_high, varying.usable, good)


def _columns(w: Workload, job: Job, varying: Varying, c: Constants, size: int) -> Job:
    """The job with its varying numbers as columns."""

    def column(found: Column | None, otherwise: float) -> Any:
        return np.full(size, otherwise) if found is None else found

    seq_len, micro = column(varying.seq_len, job.seq_len), column(varying.micro_batch, job.micro_batch)
    rank = column(varying.lora_rank, job.lora_rank)
    tokens = tokens_of(w, job.defaults, c, seq_len, micro, job.cp)
    return replace(job, seq_len=seq_len, micro_batch=micro, lora_rank=rank, tokens=tokens)


def _top(job: Job, c: Constants) -> Peak:
    return _training(job, c) if job.trains else _inference(job, c)


def _inference(job: Job, c: Constants) -> Peak:
    shape = job.shape
    if not shape.window:
        return inference_peak(job, c)
    # The sliding layers stop growing at the window: the whole cache is that of two models without one.
    length: Any = job.seq_len + job.new_tokens
    none = inference_peak(replace(job, shape=replace(shape, window=0.0)), c)
    far = shape.cache_layers - shape.window_layers
    near = np.minimum(length, shape.window)
    cache = B16 * job.micro_batch * shape.cache_width * (far * length + shape.window_layers * near)
    full = B16 * job.micro_batch * shape.cache_width * (far * length + shape.window_layers * length)
    parts = list(none.parts)
    split = np.where(none.parts[-2] > 0, full / none.parts[-2], 1.0)
    parts[-2] = cache / split
    return Peak(tuple(parts), none.phase, {none.phase: reduce(add, parts)}, 0.0)


def _training(job: Job, c: Constants) -> Peak:
    acts = activations(job, c)
    stages: tuple[Stage, ...] = ("first", "last") if job.pp > 1 else ("only",)
    first, *others = (_stage(job, c, acts, stage) for stage in stages)
    for other in others:
        more = other.total > first.total
        parts = tuple(np.where(more, b, a) for a, b in zip(first.parts, other.parts, strict=True))
        first = Peak(parts, "", {}, np.where(more, other.left_out, first.left_out))  # type: ignore[arg-type]
    return first


def _stage(job: Job, c: Constants, acts: Activations, stage: Stage) -> Peak:
    """The largest phase of a step, row by row; see `phases`."""
    held: States = states(job, c, stage)
    in_flight = job.micro_in_flight if stage == "first" else 1.0
    kept: Any = acts.kept_per_layer * job.shape.layers / job.pp * in_flight
    if job.grad_ckpt == "yes" and job.defaults.checkpoints_on_host:
        kept = np.minimum(kept, acts.kept_per_layer)
    logits, final = (acts.logits, acts.final) if stage != "first" else (0.0, 0.0)
    early = held.gradients if held.resident_gradients else 0.0
    work = c.workspace
    loading = work + (c.load_overhead if held.load else 0.0)
    base = (held.weights, held.optimizer, held.adapters, held.buffers)
    weights, optimizer, adapters, buffers = base
    back = acts.one_layer_back
    rows = (
        (held.load, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, loading),
        (weights, early, optimizer, adapters, kept + final, logits, buffers, work),
        (weights, early, optimizer, adapters, kept + final + back, 0.0, buffers, work),
        (weights, held.gradients, optimizer, adapters, acts.kept_per_layer + back, 0.0, buffers, work),
        (weights, held.gradients, optimizer + held.step, adapters, 0.0, 0.0, 0.0, work),
    )
    like = np.zeros_like(job.tokens)
    totals = np.stack([like + reduce(add, row) for row in rows])
    top = np.argmax(totals, axis=0)
    parts = tuple(np.choose(top, [like + part for part in column]) for column in zip(*rows, strict=True))
    union = reduce(add, base) + held.gradients + held.step + kept + final + np.maximum(logits, back) + work
    return Peak(parts, "", {}, np.maximum(union - np.max(totals, axis=0), 0.0))


def _seen(job: Job, peak: Peak, c: Constants, usable: Column) -> tuple[Column, Column]:
    """GiB that the instrument shows, and GiB that the job needs; see `instruments`."""
    allocated: Any = peak.total
    weights, gradients, optimizer, adapters, acts, logits, buffers, _ = peak.parts
    moving = c.reserved_activations * acts + c.reserved_logits * logits
    if not job.adapters:
        moving = moving + c.reserved_left_out * peak.left_out
    alike = {"fixed": c.reserved_fixed, "packed": 1.0, "variable": c.reserved_variable}[job.defaults.lengths]
    cache = c.reserved_states * (weights + gradients + optimizer + adapters + buffers) + alike * moving
    context = c.context + (c.context_multi if job.n_gpus > 1 else 0.0)
    need = allocated * (1 + c.fragmentation_floor if job.trains else 1.0)
    reserved = np.maximum(allocated + cache, need) if job.trains else allocated
    # A comparison with NaN, a card that nobody knows, changes nothing.
    reserved = np.fmin(reserved, np.maximum(usable * GIB - context, need))
    shown = reserved + context
    if job.defaults.server_share and not job.trains:
        shown = np.fmax(shown, job.defaults.server_share * usable * GIB)
    found = {"allocated": allocated, "reserved": reserved, "nvidia-smi": shown}[job.instrument]
    return found / GIB, (need + context) / GIB


def _within(
    low: Column, likely: Column, high: Column, need_low: Column, need_high: Column, usable: Column, good: Any
) -> Columns:
    """The verdict, and the shown range made to agree with it; see `peak`."""
    fits, known = need_high <= usable, ~np.isnan(usable)
    oom = known & ~fits & (need_low > usable)
    tight = known & ~fits & ~oom
    high = np.where(fits, np.maximum(np.minimum(high, usable), likely), high)
    low = np.where(oom, np.maximum(low, need_low), low)
    likely = np.where(oom, np.maximum(likely, low), likely)
    low = np.where(tight, np.minimum(low, usable), low)
    high = np.where(tight, np.maximum(high, usable), high)
    high = np.maximum(high, likely)
    verdict = np.select([fits & good, tight & good, oom & good], [0, 1, 2], len(VERDICTS) - 1).astype(np.int8)
    nothing = np.where(good, 0.0, np.nan)
    return Columns(low + nothing, likely + nothing, high + nothing, verdict)
