"""How fast a training job runs: tokens a second on each card, and the share of the card's peak that this is.

Time is counted as physics has it: operations at an achieved share of the peak, memory traffic, kernel launches, bytes
over PCIe, NVLink or the network, the pipeline's bubble, the optimizer's step. The achieved shares are heuristics; none
is tied to a model or a source. What nobody stated is taken as frameworks usually have it, and named among the
assumptions. Refuses a job without parameters or a card without peak and bandwidth (`BadInput`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from weakref import WeakKeyDictionary

from advisor.core.units import Range, convert
from advisor.estimate.constants import Heuristics
from advisor.estimate.derivation import Step
from advisor.estimate.speed_job import (
    Compute,
    Job,
    Method,
    Recompute,
    SpeedConstants,
    Split,
    Stack,
    Widths,
    constants,
    operations,
    spread,
    widths_of,
    widths_of_size,
)
from advisor.estimate.speed_layout import terms_of
from advisor.estimate.speed_machine import Machine
from advisor.estimate.speed_terms import Terms, Weights, compute, link_rate, seconds

__all__ = [
    "Compute",
    "Job",
    "Method",
    "Recompute",
    "Speed",
    "SpeedConstants",
    "Split",
    "Stack",
    "Widths",
    "constants",
    "operations",
    "spread",
    "terms_of",
    "training",
    "weights",
    "widths_of",
    "widths_of_size",
]


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
