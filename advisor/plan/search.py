"""The search: which hardware and split hold a job, cheapest first.

It ranks with the estimators and judges nothing: what comes out are candidates for the rules, best first. Memory is
estimated for few options a card, since more cards never need more memory a card (a property test of the estimators).
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.core.answer import Hardware, Option
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.hardware import Market, shapes
from advisor.plan.measure import start, with_memory
from advisor.plan.task import Task

# How a job may be split over several cards where nobody said it, the usual way first.
_SPLITS = {
    "full": ("zero3",),
    "pretrain": ("zero3",),
    "lora": ("ddp", "zero3"),
    "qlora": ("ddp", "fsdp"),
    "inference": ("tp",),
}


def splits(task: Task, cards: int) -> tuple[str, ...]:
    """The ways to split a job over `cards` cards; the user's own where one was said."""
    if cards == 1:
        return ("none",)
    if task.sharding is not None and task.sharding != "none":
        return (task.sharding,)
    return _SPLITS[task.method]


def holds(option: Option, *, surely: bool) -> bool:
    """True where the peak lies below the usable memory: its upper end if `surely`, else the likely figure."""
    if option.peak is None or option.usable is None:
        return False
    return (option.peak.high if surely else option.peak.likely) <= option.usable


def on_hardware(task: Task, hardware: Hardware, card: Gpu, library: Library) -> Option:
    """The job on given hardware, split the first way that holds it, else the way that needs least."""
    tried = [with_memory(task, start(task, hardware, split), card, library) for split in splits(task, hardware.cards)]
    for option in tried:
        if holds(option, surely=True):
            return option
    return min(tried, key=lambda option: option.peak.likely if option.peak else float("inf"))


def candidates(
    task: Task, market: Market, library: Library, *, cards: tuple[Gpu, ...], per_node: int | None, nodes: int | None
) -> Iterator[Option]:
    """For each card the smallest hardware that holds the job, in the market's order; cards that can't are left out."""
    for card in cards:
        found = smallest(task, card, library, limit=market.limits.get(card.id), per_node=per_node, nodes=nodes)
        if found is not None:
            yield found


def smallest(
    task: Task, card: Gpu, library: Library, *, limit: int | None = None, per_node: int | None = None,
    nodes: int | None = None,
) -> Option | None:  # fmt: skip
    """The smallest hardware of a card that surely holds the job; failing that, the smallest that likely does."""
    likely: Option | None = None
    for hardware in shapes(card, limit, per_node=per_node, nodes=nodes):
        option = on_hardware(task, hardware, card, library)
        if holds(option, surely=True):
            return option
        if likely is None and holds(option, surely=False):
            likely = option
    return likely
