"""How a figure came about: a list of readable steps beside every estimate.

An estimator returns an `Estimate`: the range, the steps that led to it in order, and what was assumed because nobody
said it. Where an input is missing or impossible no figure is made up: the estimator raises `BadInput` whose line is the
reason, and the caller says "unknown, because ...". Nothing here computes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

from advisor.core.errors import BadInput
from advisor.core.units import Range, number

# From here on a figure is easier to read with an exponent than with a row of digits.
_LONGEST = 10**12


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a derivation: `name = formula = value unit`, with the ids of the sources or heuristics behind it."""

    name: str
    formula: str
    value: float
    unit: str
    sources: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = number(self.value) if abs(self.value) < _LONGEST else f"{self.value:.3g}"
        line = f"{self.name} = {self.formula} = {shown} {self.unit}".rstrip()
        return f"{line} [{', '.join(self.sources)}]" if self.sources else line


@dataclass(frozen=True, slots=True)
class Estimate:
    """A range with its derivation and what it assumes (ids of facts or heuristics taken because nothing was said)."""

    range: Range
    steps: tuple[Step, ...] = ()
    assumptions: tuple[str, ...] = ()

    def readable(self) -> list[str]:
        """The derivation, one line a step."""
        return [str(step) for step in self.steps]


def positive(name: str, value: float | None) -> float:
    """`value` where it is a finite number above 0; raises `BadInput` naming the input otherwise."""
    if value is None:
        raise BadInput(f"{name} is not known", expected="a number above 0")
    if not isfinite(value) or value <= 0:
        raise BadInput(f"{name} is {value:g}", expected="a number above 0")
    return value


def not_negative(name: str, value: float | None) -> float:
    """`value` where it is a finite number of at least 0; raises `BadInput` naming the input otherwise."""
    if value is None:
        raise BadInput(f"{name} is not known", expected="a number of at least 0")
    if not isfinite(value) or value < 0:
        raise BadInput(f"{name} is {value:g}", expected="a number of at least 0")
    return value


def whole(name: str, value: int | None) -> int:
    """`value` where it is a count of at least 1; raises `BadInput` naming the input otherwise."""
    if value is None:
        raise BadInput(f"{name} is not known", expected="a whole number from 1")
    if value != int(value) or value < 1:
        raise BadInput(f"{name} is {value:g}", expected="a whole number from 1")
    return int(value)


def over_ends(compute: Callable[[str], float], unit: str) -> Range:
    """A range from one function of the end's name: low, likely, high."""
    return Range(compute("low"), compute("likely"), compute("high"), unit)
