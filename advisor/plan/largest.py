"""The turned question: how large a model do these cards hold?

It asks the memory estimator about generic models of rising size and returns the largest that surely fits. The answer
is a size, not a model: a model's own shape moves it, and the range of the estimate is already on the safe side.
"""

from __future__ import annotations

from dataclasses import replace

from advisor.core.answer import Hardware
from advisor.core.units import Quantity, convert
from advisor.estimate.memory import from_size
from advisor.estimate.memory.constants import constants
from advisor.knowledge.library import Library
from advisor.plan.search import holds, on_hardware
from advisor.plan.task import Task


def largest(task: Task, hardware: Hardware, library: Library) -> Quantity | None:
    """The largest size in Gparams whose peak surely fits, to about a twentieth; None where not even the smallest does.

    `task` says everything but the size. The bounds of the search are heuristics.
    """
    span = library.heuristic_range("plan.sizes_searched")
    low, high = span.low, span.high
    if not _fits(task, low, hardware, library):
        return None
    step = library.heuristic("plan.size_step").value
    while high / low > step:
        middle = (low * high) ** (1 / 2)
        low, high = (middle, high) if _fits(task, middle, hardware, library) else (low, middle)
    return Quantity(low, "Gparams")


def _fits(task: Task, size: float, hardware: Hardware, library: Library) -> bool:
    shape = from_size(convert(size, "Gparams", "params"), constants(library))
    option = on_hardware(replace(task, shape=shape, sizes={}), hardware, library.gpus[hardware.gpu], library)
    return holds(option, surely=True)
