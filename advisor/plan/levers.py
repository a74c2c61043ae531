"""The smallest changes that could turn a "no": one at a time, then two together, each on an otherwise equal plan.

It proposes only changes after which the memory estimate fits, those that change least first, and no pair of which one
part alone would do. What the user's plan already holds is never proposed. Whether the changed plan is a good one, the
rules say; what it costs in speed stands beside it, at the same micro-batch before and after.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from advisor.core.answer import Hardware, Option
from advisor.core.errors import HkgpuError
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.figures import decode_rate
from advisor.plan.hardware import Market, shapes
from advisor.plan.measure import host_holds, pace
from advisor.plan.price import price_of
from advisor.plan.search import LIGHT_OPTIMIZER, Candidate, holds, misses_deadline, on_hardware, smallest, tuned
from advisor.plan.serve import too_little
from advisor.plan.task import Task

_LIGHTER_METHODS = {"full": ("lora", "qlora"), "lora": ("qlora",)}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that changes: `before` and `after` are ids or figures, not sentences."""

    kind: str
    before: str
    after: str
    fields: Mapping[str, Any]

    def on(self, task: Task) -> Task:
        """The job with this change; what was changed is no longer open."""
        return replace(task, open=task.open - set(self.fields), **self.fields)


@dataclass(frozen=True, slots=True)
class Change:
    """One or two steps and the plan after them; `speed_factor` is tokens/s of all cards, after over before."""

    steps: tuple[Step, ...]
    candidate: Candidate
    speed_factor: float | None


def changes(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> Iterator[Change]:
    """Changes after which the job fits: single ones from the gentlest, then pairs.

    Where it fits already, something else stands in the way: then other hardware and lighter methods alone.
    """
    before = _rate(task, option, card, library)

    def change(steps: tuple[Step, ...], changed: Task, found: Option, on: Gpu) -> Change:
        after = _rate(changed, found, on, library)
        factor = after / before if after and before else None
        return Change(steps, tuned(changed, found, on, library), factor)

    if holds(option, surely=True):
        for step, changed, other, on in _beside_memory(task, option, card, market, library):
            yield change((step,), changed, other, on)
        return
    failed: list[Step] = []
    for step in steps_of(task, option):
        changed = step.on(task)
        tried = on_hardware(changed, option.hardware, card, library)
        if not host_holds(changed, tried, card, library):
            continue
        if holds(tried, surely=False):
            yield change((step,), changed, tried, card)
        else:
            failed.append(step)
    more = more_cards(task, option, card, market, library)
    if more is not None:
        yield change((_cards(option, more),), task, more, card)
    bigger = bigger_card(task, option, card, market, library)
    if bigger is not None:
        yield change((Step("card", option.hardware.label, bigger[1].label, {}),), task, *bigger)
    for pair in combinations(failed, 2):
        if not set(pair[0].fields) & set(pair[1].fields):
            changed = pair[1].on(pair[0].on(task))
            tried = on_hardware(changed, option.hardware, card, library)
            if holds(tried, surely=False) and host_holds(changed, tried, card, library):
                yield change(pair, changed, tried, card)
    for step in failed if more is None else ():
        changed = step.on(task)
        found = more_cards(changed, option, card, market, library)
        if found is not None:
            yield change((step, _cards(option, found)), changed, found, card)


def _beside_memory(
    task: Task, option: Option, card: Gpu, market: Market, library: Library
) -> Iterator[tuple[Step, Task, Option, Gpu]]:
    """Changes for a job that fits but comes too late or costs too much: other hardware, lighter methods."""
    present = Candidate(task, option, card)
    limit = market.limits.get(card.id)
    short = _late(present, library) or too_little(task, option, card, library)
    found = more_cards(task, option, card, market, library) if short else None
    found = found or smallest(task, card, library, limit=limit)
    if found is not None and found.hardware != option.hardware:
        yield _cards(option, found), task, found, card
    for other in market.cards:
        if other.label != card.label:
            fewest = smallest(task, other, library, limit=market.limits.get(other.id))
            if fewest is not None and _comparable(Candidate(task, fewest, other), market, library):
                yield Step("card", option.hardware.label, other.label, {}), task, fewest, other
    for step in steps_of(task, option):
        if step.kind == "method":
            changed = step.on(task)
            yield step, changed, on_hardware(changed, option.hardware, card, library), card


def _comparable(candidate: Candidate, market: Market, library: Library) -> bool:
    """Known to be in time where there is a deadline, and priced in the currency that the user thinks in."""
    task, card = candidate.task, candidate.card
    found = tuned(task, candidate.option, card, library)
    if task.deadline_h is not None and (found.option.tokens_per_s is None or misses_deadline(found, library)):
        return False
    price = price_of(task, found.option, market, library) if task.currency else None
    return task.currency is None or (price is not None and price.currency == task.currency)


def _late(candidate: Candidate, library: Library) -> bool:
    return misses_deadline(tuned(candidate.task, candidate.option, candidate.card, library), library)


def _cards(before: Option, after: Option) -> Step:
    return Step("cards", str(before.hardware.cards), str(after.hardware.cards), {})


def _rate(task: Task, option: Option, card: Gpu, library: Library) -> float | None:
    """Tokens a second of all cards, trained or decoded; None where the estimator has not enough."""
    try:
        if not task.trains:
            return decode_rate(task, option, card, library)
        return pace(task, option, card, library).range.likely * option.hardware.cards
    except HkgpuError:
        return None


def steps_of(task: Task, option: Option) -> Iterator[Step]:
    """Changes of the job on the same hardware: settings first, then what touches quality, then the job itself."""
    yield from _settings(task, option)
    if task.method == "inference" and task.quant in (None, "none") and task.precision not in ("int8", "int4", "fp4"):
        yield Step("quant", task.precision or "bf16", "8", {"quant": "bits_8", "precision": None})
        yield Step("quant", task.precision or "bf16", "4", {"quant": "bits_4", "precision": None})
    if task.method in ("full", "pretrain") and not task.offload and _may_offload(task, option):
        yield Step("offload", "off", "on", {"offload": True})
    if task.seq_len and task.seq_len >= 2:
        half = float(int(task.seq_len) // 2)
        yield Step("seq_len", f"{task.seq_len:g}", f"{half:g}", {"seq_len": half})
    for method in _LIGHTER_METHODS.get(task.method, ()):
        fields = {"method": method, "sharding": None, "optimizer": None, "offload": False}
        yield Step("method", task.method, method, fields)


def _settings(task: Task, option: Option) -> Iterator[Step]:
    if task.precision == "fp32":
        yield Step("precision", "fp32", "bf16", {"precision": "bf16"})
    if not task.trains:
        return
    if task.sharding in ("none", "ddp", "zero1", "zero2") and option.hardware.cards > 1:
        yield Step("sharding", task.sharding, "zero3", {"sharding": "zero3"})
    if task.grad_ckpt is False:
        yield Step("grad_ckpt", "off", "on", {"grad_ckpt": True})
    if (task.micro_batch or 1) > 1:
        yield Step("micro_batch", f"{task.micro_batch:g}", "1", {"micro_batch": 1.0})
    if task.method in ("full", "pretrain") and task.optimizer in (None, "adamw", "paged_adamw"):
        yield Step("optimizer", task.optimizer or "adamw", LIGHT_OPTIMIZER, {"optimizer": LIGHT_OPTIMIZER})


def _may_offload(task: Task, option: Option) -> bool:
    """Offload goes with a whole model on one card or with ZeRO-3, which a stated other split rules out."""
    return option.hardware.cards == 1 or task.sharding in (None, "zero3")


def more_cards(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> Option | None:
    """The fewest cards of the same kind, above the present count, that hold the job in time and under its load."""
    split = replace(task, sharding=None) if task.sharding == "none" else task
    for hardware in sorted(shapes(card, market.limits.get(card.id)), key=lambda hardware: hardware.cards):
        if hardware.cards > option.hardware.cards:
            tried = on_hardware(split, hardware, card, library)
            late = _late(Candidate(task, tried, card), library) or too_little(task, tried, card, library)
            if holds(tried, surely=True) and not late:
                return tried
    return None


def bigger_card(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> tuple[Option, Gpu] | None:
    """The next larger card of the place that holds the job with the same number of cards."""
    usable = card.memory_usable.value or 0
    larger = [other for other in market.cards if (other.memory_usable.value or 0) > usable]
    for other in sorted(larger, key=lambda other: other.memory_usable.value or 0):
        limit = market.limits.get(other.id)
        if limit is not None and limit < option.hardware.cards:
            continue
        hardware = Hardware(other.id, other.label, option.hardware.per_node, option.hardware.nodes)
        tried = on_hardware(task, hardware, other, library)
        if holds(tried, surely=True):
            return tried, other
    return None
