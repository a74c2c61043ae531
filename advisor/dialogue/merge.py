"""What holds after another message: the slots of a conversation with those of the newest message laid over.

A later value replaces an earlier one. What was only true of the value replaced goes with it: the memory of the card
before, the size of the model before, the totals of the count before. Nothing is guessed beyond that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

METHODS = frozenset({"full_ft", "lora", "qlora", "inference", "pretrain"})
_TUNING = frozenset({"full_ft", "lora", "qlora"})
# What falls with a slot that gets another value, unless it is said anew in the same message.
_FALLS = {
    "model": ("params_b", "active_params_b"),
    "params_b": ("model", "active_params_b"),
    "gpu_model": ("gpu_mem_gb", "gpu_mem_total_gb", "nvlink"),
    "gpu_count": ("gpu_mem_total_gb", "gpu_count_total"),
    "nodes": ("gpu_count_total",),
    "gpu_count_total": ("gpu_count", "gpu_mem_total_gb"),
    "budget_amount": ("budget_period",),
}


def merged(before: Mapping[str, Any], new: Mapping[str, Any], notes: Collection[str] = ()) -> dict[str, Any]:
    """The slots after a message; `notes` may say `forget:SLOT`."""
    slots = dict(before)
    for slot in (note.removeprefix("forget:") for note in notes if note.startswith("forget:")):
        slots.pop(slot, None)
    for slot, value in new.items():
        if slot in slots and not same(slots[slot], value):
            for fallen in _FALLS.get(slot, ()):
                slots.pop(fallen, None)
    if "task" in new:
        slots["task"] = tasks(before.get("task", ()), new["task"])
        if methods(new["task"]) - methods(before.get("task", ())):
            slots.pop("quant_bits", None)
    slots.update({slot: value for slot, value in new.items() if slot != "task"})
    return slots


def tasks(before: Any, new: Any) -> list[str]:
    """A new method replaces the method and a new stage the stage; serving and pretraining have no stage of tuning."""
    old, said = _listed(before), _listed(new)
    if not said:
        return old
    if not methods(said):
        kept = [task for task in old if task in _TUNING]
        return [*said, *kept]
    if methods(said) <= _TUNING:
        stages = [task for task in old if task not in METHODS]
        new_stages = [task for task in said if task not in METHODS]
        return [*(new_stages or stages), *(task for task in said if task in METHODS)]
    return said


def methods(value: Any) -> set[str]:
    """The methods among the tasks named."""
    return set(METHODS.intersection(_listed(value)))


def same(one: Any, other: Any) -> bool:
    """Whether two values of a slot say the same; the order of alternatives does not matter."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return bool(one == other)


def replaced(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The slots that were said before and no longer say the same."""
    return [slot for slot, value in before.items() if slot not in after or not same(value, after[slot])]


def alternatives(before: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The sides of a comparison: where one side was named, the other is what holds so far."""
    sides: dict[str, Any] = {}
    for slot, value in new.items():
        sides[slot] = value
        if any(isinstance(each, list) and len(each) > 1 for each in new.values()):
            continue
        if slot == "task" and methods(before.get("task", ())) - methods(value):
            sides[slot] = [*sorted(methods(before["task"])), *_listed(value)]
        elif slot in ("gpu_model", "gpu_count", "params_b", "model") and slot in before and before[slot] != value:
            old = before[slot]
            sides[slot] = [*(old if isinstance(old, list) else [old]), value]
    return sides


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())
