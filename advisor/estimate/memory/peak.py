"""`peak`: how much memory one card of a job needs, as a range, part by part.

A pure function of a `Workload` and the library. The answer holds the range for the instrument asked, the range of what
the job needs to run (which decides whether it fits), the parts at the peak, every phase, and on demand the derivation
in readable lines. Missing or impossible inputs raise `BadInput` whose line is the reason; there is never a made-up
number. Deterministic; about a hundred microseconds a call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from advisor.core.units import Range
from advisor.estimate.derivation import Step
from advisor.estimate.memory.constants import Constants, constants
from advisor.estimate.memory.frameworks import find
from advisor.estimate.memory.inference import inference_peak
from advisor.estimate.memory.instruments import Seen, seen
from advisor.estimate.memory.phases import PARTS, Peak, training_peak
from advisor.estimate.memory.spread import spread_of
from advisor.estimate.memory.states import in_doubt
from advisor.estimate.memory.workload import Job, Workload, fill

GIB = 2.0**30
Fit = Literal["fits", "tight", "oom", "unknown"]


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """GiB per card. `range` is what the instrument would show, `need` what the job cannot do without."""

    range: Range
    need: Range
    parts: dict[str, float]
    phase: str
    phases: dict[str, float]
    assumptions: tuple[str, ...]
    job: Job
    seen: Seen

    def fits(self, usable_gib: float | None) -> Fit:
        """Against the memory a card offers: `tight` where it lies inside the range of the need."""
        if usable_gib is None:
            return "unknown"
        if self.need.high <= usable_gib:
            return "fits"
        return "oom" if self.need.low > usable_gib else "tight"

    @property
    def derivation(self) -> list[Step]:
        """The parts at the peak, the instruments and the range, as steps."""
        steps = [Step(name, f"at the {self.phase}", value, "GiB") for name, value in self.parts.items() if value]
        show = self.seen
        steps.append(Step("allocated", "sum of the parts", show.allocated / GIB, "GiB"))
        steps.append(Step("reserved", "allocated + what the cache keeps", show.reserved / GIB, "GiB"))
        steps.append(Step("need", "allocated + fragmentation + context", show.need / GIB, "GiB"))
        steps.append(Step("low", "likely less the spread", self.range.low, "GiB"))
        steps.append(Step("high", "likely plus the spread", self.range.high, "GiB"))
        return steps


def peak(workload: Workload, library: Any) -> MemoryEstimate:
    """The memory of one card; raises `BadInput` for what is missing or impossible."""
    return peak_with(workload, library, constants(library))


def peak_with(workload: Workload, library: Any, c: Constants) -> MemoryEstimate:
    """`peak` with constants of the caller's: how a calibration tries values."""
    job = fill(workload, find(workload.framework, library), c)
    top = _top(job, c)
    view = seen(job, top, c, GIB)
    spread = spread_of(workload, job, top, c)
    likely, need = view.by(job.instrument) / GIB, view.need / GIB
    low, high, need_low, need_high = likely, likely, need, need
    for other in rivals(workload, job, c):
        rival = seen(other, _top(other, c), c, GIB)
        low, high = min(low, rival.by(job.instrument) / GIB), max(high, rival.by(job.instrument) / GIB)
        need_low, need_high = min(need_low, rival.need / GIB), max(need_high, rival.need / GIB)
    needs = Range(need_low * spread.need_low, need, need_high * spread.need_high, "GiB")
    return MemoryEstimate(
        range=_within(Range(low * spread.low, likely, high * spread.high, "GiB"), needs, job.usable_gib),
        need=needs,
        parts={name: value / GIB for name, value in zip(PARTS, top.parts, strict=True)},
        phase=top.phase,
        phases={name: value / GIB for name, value in top.phases.items()},
        assumptions=job.assumed,
        job=job,
        seen=view,
    )


def rivals(workload: Workload, job: Job, c: Constants) -> tuple[Job, ...]:
    """The same job as it might also be run, where what is stated does not tell which: the range covers them."""
    return (
        *in_doubt(job, c),
        *_without_checkpoints(workload, job),
        *_other_lengths(workload, job, c),
        *_more_cards(workload, job, c),
    )


def _without_checkpoints(workload: Workload, job: Job) -> tuple[Job, ...]:
    """Where nobody said it and the framework was seen both ways: the same job with all activations kept."""
    doubted = job.trains and workload.grad_ckpt is None and job.defaults.checkpointing_in_doubt
    return (replace(job, grad_ckpt="no"),) if doubted else ()


def _other_lengths(workload: Workload, job: Job, c: Constants) -> tuple[Job, ...]:
    """Where nobody said how long the samples are: the same job with short and with long ones."""
    if workload.seq_len is not None or (job.trains and job.defaults.seq_len is not None):
        return ()
    return tuple(
        replace(job, seq_len=length, tokens=job.tokens / job.seq_len * length)
        for length in (c.short_seq_len, c.long_seq_len)
    )


def _more_cards(workload: Workload, job: Job, c: Constants) -> tuple[Job, ...]:
    """Where nobody said on how many cards: the same split with more data-parallel ranks."""
    shards = job.engine != "torch" or job.sharding == "fsdp"
    if workload.n_gpus is not None or not shards or not job.trains:
        return ()
    return (replace(job, dp=job.dp * c.more_cards, n_gpus=int(job.n_gpus * c.more_cards)),)


def _top(job: Job, c: Constants) -> Peak:
    return training_peak(job, c) if job.trains else inference_peak(job, c)


def _within(shown: Range, need: Range, usable: float | None) -> Range:
    """The shown range made to agree with the verdict: what fits shows no more than the card, the rest shows more."""
    if usable is None:
        return shown
    low, likely, high = shown.low, shown.likely, shown.high
    if need.high <= usable:
        high = max(min(high, usable), likely)
    elif need.low > usable:
        low = max(low, need.low)
        likely = max(likely, low)
    else:
        low, high = min(low, usable), max(high, usable)
    return Range(low, likely, max(high, likely), "GiB")
