"""Units as types: a quantity is a number with a unit, and GiB and GB never mix by accident.

Converting is always explicit (`to`). Adding or comparing two quantities of different units raises `UnitError`, even
where both measure bytes. Money has one dimension a currency, so that no rate is ever applied silently.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from advisor.core.errors import UnitError, did_you_mean

# unit -> (dimension, factor to the dimension's base unit). Factors are definitions, not domain figures.
_UNITS: dict[str, tuple[str, float]] = {
    "": ("number", 1.0),
    "count": ("count", 1.0),
    "%": ("share", 0.01),
    "share": ("share", 1.0),
    "B": ("bytes", 1.0),
    "KB": ("bytes", 1e3),
    "MB": ("bytes", 1e6),
    "GB": ("bytes", 1e9),
    "TB": ("bytes", 1e12),
    "KiB": ("bytes", 2.0**10),
    "MiB": ("bytes", 2.0**20),
    "GiB": ("bytes", 2.0**30),
    "TiB": ("bytes", 2.0**40),
    "B/param": ("bytes per parameter", 1.0),
    "B/logit": ("bytes per logit", 1.0),
    "B/token": ("bytes per token", 1.0),
    "FLOP/token": ("operations per token", 1.0),
    "FLOP/param/token": ("operations per parameter and token", 1.0),
    "params": ("parameters", 1.0),
    "Mparams": ("parameters", 1e6),
    "Gparams": ("parameters", 1e9),
    "tokens": ("tokens", 1.0),
    "Gtokens": ("tokens", 1e9),
    "tokens/row": ("tokens per row", 1.0),
    "tokens/s": ("tokens per second", 1.0),
    "rows": ("rows", 1.0),
    "requests/s": ("requests per second", 1.0),
    "TFLOPS": ("operations per second", 1e12),
    "TOPS": ("operations per second", 1e12),
    "GB/s": ("bytes per second", 1e9),
    "MB/s": ("bytes per second", 1e6),
    "B/s": ("bytes per second", 1.0),
    "Gbps": ("bits per second", 1e9),
    "Mbps": ("bits per second", 1e6),
    "kbps": ("bits per second", 1e3),
    "bps": ("bits per second", 1.0),
    "s": ("time", 1.0),
    "ms": ("time", 1e-3),
    "min": ("time", 60.0),
    "h": ("time", 3600.0),
    "days": ("time", 86400.0),
    "months": ("months", 1.0),
    "W": ("power", 1.0),
    "kW": ("power", 1e3),
    "kWh": ("energy", 1.0),
    "C": ("temperature", 1.0),
    "km": ("length", 1e3),
    "GPU-h": ("card hours", 1.0),
    "FLOP": ("operations", 1.0),
    "FLOPS": ("operations per second", 1.0),
    "IOPS": ("operations per second of a disk", 1.0),
    "CNY": ("CNY", 1.0),
    "HKD": ("HKD", 1.0),
    "USD": ("USD", 1.0),
}

BITS_PER_BYTE = 8

_QUANTITY = re.compile(r"\s*([-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(\S*)\s*")


def check_unit(unit: str) -> str:
    """The unit itself; raises `UnitError` with the nearest known one."""
    if unit not in _UNITS:
        raise UnitError(
            f'unknown unit "{unit}"',
            expected="one of the units in advisor/core/units.py",
            do=did_you_mean(unit, _UNITS),
        )
    return unit


def dimension(unit: str) -> str:
    """What a unit measures, e.g. `bytes`."""
    return _UNITS[check_unit(unit)][0]


def convert(value: float, unit: str, to: str) -> float:
    """`value` of `unit` expressed in `to`; raises `UnitError` where the dimensions differ."""
    if dimension(unit) != dimension(to):
        raise UnitError(f"{value:g} {unit} is {dimension(unit)}, not {dimension(to)}", expected=f"a quantity in {to}")
    return value * _UNITS[unit][1] / _UNITS[to][1]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A finite number with a unit."""

    value: float
    unit: str

    def __post_init__(self) -> None:
        check_unit(self.unit)
        if not math.isfinite(self.value):
            raise UnitError(f"{self.value} {self.unit} is no finite number")

    def to(self, unit: str) -> Quantity:
        """The same quantity in another unit of the same dimension."""
        return Quantity(convert(self.value, self.unit, unit), unit)

    def _same(self, other: Quantity) -> float:
        if self.unit != other.unit:
            raise UnitError(f"{self.unit} and {other.unit} never mix", do="convert one of them with .to() first")
        return other.value

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.value + self._same(other), self.unit)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.value - self._same(other), self.unit)

    def __mul__(self, factor: float) -> Quantity:
        return Quantity(self.value * factor, self.unit)

    def __lt__(self, other: Quantity) -> bool:
        return self.value < self._same(other)

    def __le__(self, other: Quantity) -> bool:
        return self.value <= self._same(other)

    def __str__(self) -> str:
        return f"{number(self.value)} {self.unit}".rstrip() if self.unit != "%" else f"{number(self.value)} %"


@dataclass(frozen=True, slots=True)
class Range:
    """`low <= likely <= high` in one unit: what every estimator answers."""

    low: float
    likely: float
    high: float
    unit: str

    def __post_init__(self) -> None:
        check_unit(self.unit)
        if not all(map(math.isfinite, (self.low, self.likely, self.high))):
            raise UnitError(f"{self.low}, {self.likely}, {self.high} {self.unit} are not all finite")
        if not self.low <= self.likely <= self.high:
            raise UnitError(f"{self.low} <= {self.likely} <= {self.high} {self.unit} does not hold")

    def to(self, unit: str) -> Range:
        """The same range in another unit of the same dimension."""
        low, likely, high = (convert(x, self.unit, unit) for x in (self.low, self.likely, self.high))
        return Range(low, likely, high, unit)

    def scaled(self, factor: float) -> Range:
        """The range times a factor of at least 0."""
        return Range(self.low * factor, self.likely * factor, self.high * factor, self.unit)


def parse_quantity(text: str, where: str = "") -> Quantity:
    """`"80 GiB"` -> Quantity(80, "GiB"); raises `UnitError` for anything else."""
    found = _QUANTITY.fullmatch(text)
    if not found:
        raise UnitError(f'"{text}" is no quantity', where=where, expected='a number and a unit, as in "80 GiB"')
    try:
        return Quantity(float(found[1].replace("_", "")), found[2])
    except UnitError as error:
        raise UnitError(error.what, where=where, expected=error.expected, do=error.do) from None


def number(value: float) -> str:
    """A figure as a person reads it: three significant digits, no exponent, thousands grouped."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{round(value, digits):,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
