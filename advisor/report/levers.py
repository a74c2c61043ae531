"""What a lever sets: the same change as slots, so that a button can say it in a conversation or a form.

A lever's own words stand in `compose`; here are its values alone.
"""

from __future__ import annotations

from typing import Any

from advisor.core.answer import Lever
from advisor.report import sentences
from advisor.report.wording import Wording

Json = dict[str, Any]
_TASK = {"full": "full_ft"}
_CHOICE_OF = {"sharding": "plan.sharding", "optimizer": "plan.optimizer", "precision": "tuning.precision"}


def changed_slots(lever: Lever) -> Json:
    """Slot -> value of everything that a lever changes."""
    slots: Json = {}
    for kind, _, after in ((lever.kind, lever.before, lever.after), *lever.also):
        slots.update(_slots(kind, after, lever))
    return slots


def _slots(kind: str, after: str, lever: Lever) -> Json:
    option = lever.judged.option
    if kind in ("cards", "card") and option is not None:
        hardware = option.hardware
        return {"gpu_model": hardware.label, "gpu_count": hardware.per_node, "nodes": hardware.nodes}
    if kind == "method":
        return {"task": _TASK.get(after, after)}
    if kind == "quant":
        return {"quant_bits": int(float(after))}
    if kind in ("seq_len", "micro_batch"):
        return {kind: int(float(after))}
    if kind in ("offload", "grad_ckpt"):
        return {kind: True}
    return {kind: after}


def steps(lever: Lever, wording: Wording) -> list[Json]:
    """The steps of a lever: its kind, and what it becomes in a word or two."""
    return [
        {"kind": kind, "after": _after(kind, after, lever, wording)}
        for kind, _, after in ((lever.kind, lever.before, lever.after), *lever.also)
    ]


def _after(kind: str, after: str, lever: Lever, wording: Wording) -> str:
    option = lever.judged.option
    if kind in ("cards", "card") and option is not None:
        return wording.hardware(option.hardware)
    if kind in _CHOICE_OF:
        return wording.value(_CHOICE_OF[kind], after)
    return wording.fixed(sentences.METHOD, after)
