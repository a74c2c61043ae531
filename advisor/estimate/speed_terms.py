"""The arithmetic of training speed: what one micro-batch costs on one card, term by term, and how the terms add up.

`Terms` holds seconds at ideal rates (operations over peak, bytes over bandwidth) and switches of 0 or 1; nothing in it
is a heuristic. `seconds` weighs them with the constants. It uses arithmetic and two comparisons only, so that the same
function serves plain floats and, given numpy's `maximum` and `minimum`, whole columns of candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Weights:
    """The accepted values of the constants (knowledge/heuristics/speed), as plain numbers."""

    matmul_share: float
    moe_matmul: float
    fp8_share: float
    fp4_share: float
    int8_share: float
    newer_card_share: float
    newer_attention_share: float
    tuned_share: float
    older_software_share: float
    cdna_share: float
    power_limited_share: float
    attention_share: float
    traffic_bytes: float
    fused_traffic: float
    low_precision_traffic: float
    moe_traffic: float
    logit_bytes: float
    score_bytes: float
    dequantise_bytes: float
    memory_share: float
    launch_time: float
    launch_hidden: float
    moe_loop: float
    adapter_launches: float
    optimizer_bytes: float
    link_share: float
    pcie_share: float
    node_link_share: float
    exposed_share: float
    cpu_step_time: float


@dataclass(frozen=True, slots=True)
class Terms:
    """One card's share of a micro-batch (times in s at ideal rates) and of a step; flags are 0 or 1.

    `matmul`, `attention`: operations over the dense peak. `traffic` to `dequantise`: bytes over memory bandwidth, to be
    multiplied by bytes per unit. `tensor`, `expert`, `shards`, `gradients`: bytes over the raw link, within a server
    (`_near`) or between servers (`_far`). `step_params`: parameters over bandwidth that this card's optimizer moves.
    """

    matmul: Any
    attention: Any
    traffic: Any
    moe_traffic: Any
    logits: Any
    scores: Any
    dequantise: Any
    layers: Any
    tensor_near: Any
    tensor_far: Any
    expert_near: Any
    expert_far: Any
    shards_near: Any
    shards_far: Any
    gradients_near: Any
    gradients_far: Any
    step_params: Any
    cpu_params: Any
    pcie_offload: Any
    bubble: Any
    accumulation: Any
    tokens: Any
    newer: Any
    moe: Any
    moe_loop: Any
    adapter: Any
    fp8: Any
    fp4: Any
    int8: Any
    tuned: Any
    older: Any
    cdna: Any
    power_limited: Any
    fused: Any
    by_pcie: Any


def compute(t: Terms, w: Weights) -> tuple[Any, Any]:
    """Seconds of arithmetic and of memory traffic for one micro-batch, before launches and communication."""
    common = w.newer_card_share**t.newer * w.cdna_share**t.cdna * w.power_limited_share**t.power_limited
    share = w.matmul_share * common * w.moe_matmul**t.moe * w.tuned_share**t.tuned * w.older_software_share**t.older
    share = share * w.fp8_share**t.fp8 * w.fp4_share**t.fp4 * w.int8_share**t.int8
    fused = w.attention_share * common * w.newer_attention_share**t.newer
    arithmetic = t.matmul / share + t.attention / fused
    kernels = w.fused_traffic**t.fused
    casts = w.low_precision_traffic ** (t.fp8 + t.fp4)
    units = t.traffic * w.traffic_bytes * kernels * casts + t.moe_traffic * w.moe_traffic + t.scores * w.score_bytes
    units = units + t.logits * w.logit_bytes * kernels + t.dequantise * w.dequantise_bytes
    return arithmetic, units / w.memory_share


def link_rate(t: Terms, w: Weights) -> Any:
    """The achieved share of the link between the cards of a server."""
    return w.link_share ** (1 - t.by_pcie) * w.pcie_share**t.by_pcie


def seconds(
    t: Terms, w: Weights, larger: Callable[[Any, Any], Any] = max, smaller: Callable[[Any, Any], Any] = min
) -> Any:
    """Seconds of one optimizer step.

    A launch queue hides behind the arithmetic or the other way round, up to a share; shards are fetched beside the
    arithmetic, up to the exposed share; a pipeline waits its bubble; the optimizer and what is left of the gradient
    exchange come once a step.
    """
    arithmetic, traffic = compute(t, w)
    work = arithmetic + traffic
    launches = t.layers * w.launch_time * w.moe_loop**t.moe_loop * w.adapter_launches**t.adapter
    busy = larger(work, launches) + (1 - w.launch_hidden) * smaller(work, launches)
    near, far = link_rate(t, w), w.node_link_share
    busy = busy + w.exposed_share * ((t.tensor_near + t.expert_near) / near + (t.tensor_far + t.expert_far) / far)
    fetch = t.shards_near / near + t.shards_far / far
    micro = larger(busy, fetch) + w.exposed_share * smaller(busy, fetch)
    exchange = w.exposed_share * (t.gradients_near / near + t.gradients_far / far)
    update = t.step_params * w.optimizer_bytes / w.memory_share
    offload = t.cpu_params * w.cpu_step_time + t.pcie_offload / w.pcie_share
    return t.accumulation * micro * (1 + t.bubble) + exchange + update + offload
