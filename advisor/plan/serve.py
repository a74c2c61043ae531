"""How a service is laid out: how many cards hold one copy of the model, and how many copies stand side by side.

One copy on few cards and many copies serve more than one copy on all cards, since splitting costs speed; so the layout
with the largest throughput at the stated lengths is taken. Nothing here judges whether that is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.core.answer import Hardware, Option
from advisor.core.errors import HkgpuError
from advisor.core.units import Quantity
from advisor.estimate import serving
from advisor.estimate.memory.inference import cache_bytes
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.task import Task


@dataclass(frozen=True, slots=True)
class Capacity:
    """What all copies together give: sequences at once, answered tokens/s, and tokens/s that one user sees."""

    at_once: float
    tokens: float
    user_rate: float


def layouts(task: Task, hardware: Hardware) -> Iterator[tuple[str, int]]:
    """Splits and copies that the cards allow: one copy on 1, 2, 3, ... cards of a server, or over all servers.

    A split by tensor needs a number of cards that divides the attention heads; over several servers the layers are
    split too, so that each server holds its share of them.
    """
    if task.sharding is not None and task.sharding != "none":
        yield task.sharding, 1
        return
    for each in range(1, hardware.per_node + 1):
        if hardware.per_node % each == 0 and _divides(each, task):
            yield ("none" if each == 1 else "tp"), hardware.cards // each
    if hardware.nodes > 1 and _divides(hardware.per_node, task) and hardware.nodes <= task.shape.layers:
        yield ("tp_pp" if hardware.per_node > 1 else "pp"), 1


def _divides(cards: int, task: Task) -> bool:
    """Whether so many cards can share the attention heads; true where the shape is a generic one."""
    heads = task.shape.heads
    return task.model is None or heads % cards == 0


def served(task: Task, option: Option) -> serving.Served:
    """The model as the serving estimator takes it; bytes a weight follow from the weights in memory."""
    params = task.shape.params
    held = Quantity(option.parts.get("weights", 0.0) * option.hardware.cards / option.copies, "GiB").to("B").value
    return serving.Served(
        active_b=Quantity(min(task.shape.active or params, params), "params").to("Gparams").value,
        total_b=Quantity(params, "params").to("Gparams").value,
        weight_bytes=held / params,
        cache_bytes_per_token=cache_bytes(task.shape, 1, 1),
    )


def one_copy(option: Option, card: Gpu) -> serving.Hardware | None:
    """The cards of one copy, None where a figure of the card is unknown or the memory could not be estimated."""
    if card.bandwidth.value is None or card.bf16.value is None or option.usable is None or option.peak is None:
        return None
    cards = option.hardware.cards // option.copies
    linked = card.nvlink_kind not in ("none", "nvlink_bridge", "unknown")
    return serving.Hardware(cards, card.bandwidth.value, card.bf16.value, option.usable, linked)


def capacity(task: Task, option: Option, card: Gpu, library: Library) -> Capacity | None:
    """What the plan gives at the stated lengths and, where one is stated, the stated concurrency; None if unknown."""
    on = one_copy(option, card)
    answer = task.output_len
    if on is None or not answer:
        return None
    prompt = task.seq_len or 0.0
    model = served(task, option)
    try:
        room = serving.concurrency(model, on, prompt + answer, library).range.likely
        if room < 1:
            return Capacity(0, 0, 0)
        wanted = max(1.0, -(-(task.concurrency or room * option.copies) // option.copies))
        at_once = min(room, wanted)
        rate = serving.requests(model, on, prompt, answer, at_once, library).range.likely
        batch = serving.batch_of(at_once, library)
        user = serving.decode(model, on, batch, prompt + answer, library).range.likely / batch
    except HkgpuError:
        return None
    return Capacity(room * option.copies, rate * answer * option.copies, user)


def too_little(task: Task, option: Option, card: Gpu, library: Library) -> bool:
    """True where a stated load surely asks for more than the plan gives; False without a load or a figure."""
    if task.trains or (task.qps is None and task.concurrency is None):
        return False
    found = capacity(task, option, card, library)
    if found is None:
        return False
    if task.qps and task.output_len and serving.tokens_needed(task.qps, task.output_len) > found.tokens:
        return True
    return task.concurrency is not None and task.concurrency > found.at_once


def throughput(task: Task, option: Option, card: Gpu, library: Library) -> float:
    """For comparing layouts: answered tokens/s, 0 where unknown."""
    found = capacity(task, option, card, library)
    return found.tokens if found is not None else 0.0
