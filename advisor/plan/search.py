"""The search: which hardware, split and way of running hold a job, and what each is worth.

It ranks with the estimators and judges nothing: what comes out are candidates for the rules. What the user stated is
never varied. Memory is worked out once for all kinds of card, and for few options, since more cards never need more
memory a card (a property test); the micro-batch grows only on candidates that hold the job already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from advisor.core.answer import Hardware, Option
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.hardware import NODES, PER_NODE, SERVING_NODES, Market, shapes
from advisor.plan.measure import host_holds, hours_at, start, with_memory, with_pace
from advisor.plan.serve import layouts, throughput, too_little
from advisor.plan.task import Task

# How a job may be split over several cards where nobody said it, the fastest way first.
_SPLITS = {
    "full": ("zero2", "zero3"),
    "pretrain": ("zero2", "zero3"),
    "lora": ("ddp", "zero3"),
    "qlora": ("ddp", "fsdp"),
    "inference": ("tp",),
}
LIGHT_OPTIMIZER = "adamw_8bit"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An option, the card, and the job as it would be run: what the user left open is filled in."""

    task: Task
    option: Option
    card: Gpu


def splits(task: Task, cards: int) -> tuple[str, ...]:
    """The ways to split a job over `cards` cards; the user's own where one was said."""
    if cards == 1:
        return ("none",)
    if task.sharding is not None and task.sharding != "none":
        return (task.sharding,)
    if task.split_by_degree:
        return ("tp_pp",)
    if task.offload:
        return ("zero3",)
    return (task.usual_sharding,) if task.usual_sharding else _SPLITS[task.method]


def holds(option: Option, *, surely: bool) -> bool:
    """True where the peak lies below the usable memory: its upper end if `surely`, else the likely figure."""
    if option.peak is None or option.usable is None:
        return False
    return (option.peak.high if surely else option.peak.likely) <= option.usable


def on_hardware(task: Task, hardware: Hardware, card: Gpu, library: Library) -> Option:
    """The job on given hardware, split the first way that holds it, else the way that needs least."""
    if not task.trains:
        return _laid_out(task, hardware, card, library)
    tried = []
    for split in splits(task, hardware.cards):
        option = with_memory(task, start(task, hardware, split), card, library)
        if holds(option, surely=True):
            return option
        tried.append(option)
    return min(tried, key=lambda option: option.peak.likely if option.peak else float("inf"))


def _laid_out(task: Task, hardware: Hardware, card: Gpu, library: Library) -> Option:
    """A service on given hardware: of the layouts that hold it the one that serves most, else the one closest to it."""
    tried = [
        with_memory(task, start(task, hardware, split, copies), card, library)
        for split, copies in layouts(task, hardware)
    ]
    held = [option for option in tried if holds(option, surely=True)]
    if held:
        # Among equals the fewest cards a copy: they come first.
        return max(held, key=lambda option: throughput(task, option, card, library))
    return min(tried, key=lambda option: option.peak.likely if option.peak else float("inf"))


def tuned(task: Task, option: Option, card: Gpu, library: Library) -> Candidate:
    """The option at the largest power of two of a micro-batch that surely fits, as long as each step gains speed.

    It leaves the headroom that a steady plan keeps, and a batch over all cards that is usual. A micro-batch that the
    user stated stays; so does one where the speed is unknown.
    """
    best = Candidate(task, with_pace(task, option, card, library), card)
    if not task.trains or "micro_batch" not in task.open or not roomy(option, library):
        return best
    limit = library.heuristic("plan.largest_batch").value / option.hardware.cards
    gain = 1 + library.heuristic("plan.micro_batch_gain").to("share").value
    while best.option.tokens_per_s is not None and best.option.micro_batch * 2 <= limit:
        more = replace(task, micro_batch=float(best.option.micro_batch * 2))
        grown = with_memory(more, start(more, option.hardware, option.sharding), card, library)
        if not roomy(grown, library):
            break
        grown = with_pace(more, grown, card, library)
        if grown.tokens_per_s is None or grown.tokens_per_s.likely < gain * best.option.tokens_per_s.likely:
            break
        best = Candidate(more, grown, card)
    return best


def least(candidate: Candidate, library: Library) -> Candidate:
    """The same at micro-batch 1 where the user left it open: what the job cannot do without."""
    if not candidate.task.trains or "micro_batch" not in candidate.task.open or candidate.option.micro_batch == 1:
        return candidate
    task, card = replace(candidate.task, micro_batch=1.0), candidate.card
    option = start(task, candidate.option.hardware, candidate.option.sharding)
    return Candidate(task, with_pace(task, with_memory(task, option, card, library), card, library), card)


def roomy(option: Option, library: Library) -> bool:
    """True where the job surely fits and the likely peak leaves the headroom of a steady plan."""
    if not holds(option, surely=True) or option.peak is None or option.usable is None:
        return False
    free = library.heuristic("sizing.headroom").to("share").value
    return option.peak.likely <= option.usable * (1 - free)


def candidates(
    task: Task, market: Market, library: Library, *, cards: tuple[Gpu, ...], per_node: int | None, nodes: int | None
) -> Iterator[Candidate]:
    """For each card the smallest hardware that holds the job, in the market's order; cards that can't are left out.

    Where no card of the place can, the same with the first lighter way to run it that some card can.
    """
    none = True
    for way in (task, *lighter(task)):
        for card in cards:
            limit = market.limits.get(card.id)
            found = smallest(way, card, library, limit=limit, per_node=per_node, nodes=nodes)
            if found is not None:
                none = False
                yield tuned(way, found, card, library)
        if not none:
            return


def smallest(
    task: Task, card: Gpu, library: Library, *, limit: int | None = None, per_node: int | None = None,
    nodes: int | None = None,
) -> Option | None:  # fmt: skip
    """The smallest hardware of a card that surely holds the job, in time and under its load where they are stated.

    Failing deadline or load, the smallest that holds; failing that, the smallest that likely does.
    """
    late: Option | None = None
    likely: Option | None = None
    every = shapes(card, limit, per_node=per_node, nodes=nodes, servers=NODES if task.trains else SERVING_NODES)
    for hardware in every:
        option = on_hardware(task, hardware, card, library)
        if not host_holds(task, option, card, library):
            continue
        if holds(option, surely=True) and too_little(task, option, card, library):
            late = late or option
        elif holds(option, surely=True):
            if task.deadline_h is None or not misses_deadline(tuned(task, option, card, library), library):
                return option
            late = late or option
        elif likely is None and holds(option, surely=False):
            likely = option
    return late or likely


def misses_deadline(candidate: Candidate, library: Library) -> bool:
    """True where the run would likely end after the user's deadline; False where that is unknown."""
    task, rate = candidate.task, candidate.option.tokens_per_s
    if task.deadline_h is None or rate is None:
        return False
    hours = hours_at(task, rate, candidate.option.hardware.cards, library)
    return hours is not None and hours.likely > task.deadline_h


def variants(task: Task, market: Market, library: Library, base: Candidate) -> Iterator[Candidate]:
    """Other ways to run what `base` runs, on its card: faster in its hardware and in a whole server, and on less."""
    card, hardware = base.card, base.option.hardware
    limit = market.limits.get(card.id)
    whole = [one for one in shapes(card, limit, per_node=PER_NODE[-1], nodes=1) if one.cards > hardware.cards]
    for size in (hardware, *whole):
        for way in (task, *faster(task)):
            option = on_hardware(way, size, card, library)
            if holds(option, surely=True) and (size != hardware or way is not task):
                yield tuned(way, option, card, library)
    for way in lighter(task):
        found = smallest(way, card, library, limit=min(limit or hardware.cards, hardware.cards - 1))
        if found is not None and holds(found, surely=True):
            yield tuned(way, found, card, library)
            break


def faster(task: Task) -> Iterator[Task]:
    """Ways to run the job that take more memory for more speed."""
    if task.trains and task.grad_ckpt and "grad_ckpt" in task.open:
        yield replace(task, grad_ckpt=False)


def lighter(task: Task) -> Iterator[Task]:
    """Ways to run the job that take less memory, the gentlest on quality and speed first."""
    if task.method == "inference" and {"quant", "precision"} <= task.open:
        yield replace(task, quant="bits_8")
        yield replace(task, quant="bits_4")
    if task.method not in ("full", "pretrain"):
        return
    light = task
    if "optimizer" in task.open:
        light = replace(task, optimizer=LIGHT_OPTIMIZER)
        yield light
    if "offload" in task.open and not task.offload:
        yield replace(light, offload=True)
