"""The smallest changes that could turn a "no": one at a time, each on an otherwise equal plan.

It proposes only changes after which the memory estimate fits; whether the changed plan is a good one, the rules say. A
change that the user's plan already holds is not proposed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from advisor.core.answer import Hardware, Option
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.hardware import Market, shapes
from advisor.plan.search import holds, on_hardware
from advisor.plan.task import Task

_LIGHTER_METHODS = {"full": ("lora", "qlora"), "lora": ("qlora",)}
_LIGHT_OPTIMIZER = "adamw_8bit"


@dataclass(frozen=True, slots=True)
class Change:
    """A changed job and its option; `before` and `after` are ids or figures, not sentences."""

    kind: str
    before: str
    after: str
    task: Task
    option: Option
    card: Gpu


def changes(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> Iterator[Change]:
    """Single changes after which the job fits, the gentlest on the user's plan first."""
    for kind, before, after, changed in _task_changes(task, option):
        tried = on_hardware(changed, option.hardware, card, library)
        if holds(tried, surely=False):
            yield Change(kind, before, after, changed, tried, card)
    more = more_cards(task, option, card, market, library)
    if more is not None:
        yield Change("cards", str(option.hardware.cards), str(more.hardware.cards), task, more, card)
    bigger = bigger_card(task, option, card, market, library)
    if bigger is not None:
        found, other = bigger
        yield Change("card", option.hardware.label, other.label, task, found, other)


def _task_changes(task: Task, option: Option) -> Iterator[tuple[str, str, str, Task]]:
    """Changes of the job on the same hardware, as (kind, before, after, changed job)."""
    if task.precision == "fp32":
        yield "precision", "fp32", "bf16", replace(task, precision="bf16")
    if task.trains and task.grad_ckpt is False:
        yield "grad_ckpt", "off", "on", replace(task, grad_ckpt=True)
    many = option.hardware.cards > 1
    if task.trains and many and task.sharding in ("none", "ddp", "zero1", "zero2"):
        yield "sharding", task.sharding, "zero3", replace(task, sharding="zero3")
    if task.trains and (task.micro_batch or 1) > 1:
        yield "micro_batch", f"{task.micro_batch:g}", "1", replace(task, micro_batch=1)
    if task.seq_len and task.seq_len >= 2:
        half = float(int(task.seq_len) // 2)
        yield "seq_len", f"{task.seq_len:g}", f"{half:g}", replace(task, seq_len=half)
    if task.method in ("full", "pretrain") and task.optimizer in (None, "adamw"):
        yield "optimizer", task.optimizer or "adamw", _LIGHT_OPTIMIZER, replace(task, optimizer=_LIGHT_OPTIMIZER)
    if task.method in ("full", "pretrain") and not task.offload:
        sharding = "zero3" if many else task.sharding
        yield "offload", "off", "on", replace(task, offload=True, sharding=sharding)
    for method in _LIGHTER_METHODS.get(task.method, ()):
        yield "method", task.method, method, replace(task, method=method, sharding=None, optimizer=None)
    if task.method == "inference" and task.quant in (None, "none"):
        yield "quant", "bf16", "4", replace(task, quant="bits_4")


def more_cards(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> Option | None:
    """The fewest cards of the same kind, above the present count, that hold the job."""
    split = replace(task, sharding=None) if task.sharding in (None, "none", "ddp") else task
    for hardware in sorted(shapes(card, market.limits.get(card.id)), key=lambda hardware: hardware.cards):
        if hardware.cards > option.hardware.cards:
            tried = on_hardware(split, hardware, card, library)
            if holds(tried, surely=True):
                return tried
    return None


def bigger_card(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> tuple[Option, Gpu] | None:
    """The next larger card of the place that holds the job with the same number of cards."""
    usable = card.memory_usable.value or 0
    larger = [other for other in market.cards if (other.memory_usable.value or 0) > usable]
    for other in sorted(larger, key=lambda other: other.memory_usable.value or 0):
        hardware = Hardware(other.id, other.label, option.hardware.per_node, option.hardware.nodes)
        tried = on_hardware(task, hardware, other, library)
        if holds(tried, surely=True):
            return tried, other
    return None
