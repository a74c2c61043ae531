"""Scales: from figures to places on an axis, and the round figures that stand beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# A round figure is one of these times a power of ten.
_ROUND = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low`..`high` of the data to `start`..`end` of the drawing; `logs` where each step is a factor."""

    low: float
    high: float
    start: float
    end: float
    logs: bool = False

    def at(self, value: float) -> float:
        """The place of a value; a value outside stands at the nearer end."""
        kept = min(max(value, self.low), self.high)
        if self.high <= self.low:
            return (self.start + self.end) / 2
        if self.logs:
            share = math.log(kept / self.low) / math.log(self.high / self.low)
        else:
            share = (kept - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round figures from `low` to `high`, at most so many, evenly spaced."""
    if high <= low:
        return [low]
    step = _round_up((high - low) / most)
    first = math.ceil(low / step - 1e-9)
    return [count * step for count in range(first, math.floor(high / step + 1e-9) + 1)]


def powers(low: float, high: float, most: int) -> list[float]:
    """Round figures on a scale of factors: the ends included, no more than `most`."""
    found = [
        factor * 10.0**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for factor in _ROUND[:-1]
    ]
    inside = [value for value in found if low <= value <= high]
    while len(inside) > most:
        inside = inside[::2]
    return inside


def _round_up(step: float) -> float:
    base = 10.0 ** math.floor(math.log10(step))
    return next(base * factor for factor in _ROUND if base * factor >= step * (1 - 1e-9))


def span(values: Sequence[float], log_from: float, most: int) -> tuple[float, float, bool]:
    """Ends of an axis that holds all values with room, and whether it goes by factors.

    It begins at zero unless that would leave half of it empty; values that lie so many times apart go by factors.
    """
    low, high = min(values), max(values)
    if low > 0 and high / low >= log_from:
        return _down(low), _round_up(high), True
    wide = high - low if high > low else high or 1.0
    step = _round_up(wide / most)
    begin = step * math.floor((low - step / 2) / step) if low > wide else 0.0
    return max(begin, 0.0), step * math.ceil((high + step / 2) / step), False


def _down(value: float) -> float:
    base = 10.0 ** math.floor(math.log10(value))
    return max(base * factor for factor in _ROUND if base * factor <= value * (1 + 1e-9))
