"""Literals and facts on their way to the engine: numbers in the fact's canonical unit, or ids from closed lists.

The engine compares `True == 1` and texts with numbers without complaint, and fails on an exponent, so nothing reaches
it that has not passed here: a text that is in no closed list is refused, a unit that does not fit is refused.
"""

from __future__ import annotations

import math
from decimal import Decimal

from advisor.core.errors import BadInput, UnitError, did_you_mean
from advisor.core.facts import NOT_APPLICABLE, Value
from advisor.core.units import Quantity, dimension, parse_quantity
from advisor.rules.language import Atom, FactSpec

_BOOLEANS = {True: "true", False: "false"}
# Units of plain numbers: a literal may leave them out ("at_least: 4"), every other unit must be written.
_PLAIN = ("number", "count")
# Quantities of these dimensions are whole: between 4 and 5 there is nothing.
_COUNTED = ("count", "tokens", "rows")


class WrongValue(ValueError):
    """A value that does not fit its fact; says what was expected."""

    def __init__(self, what: str, expected: str, do: str = "") -> None:
        self.what, self.expected, self.do = what, expected, do
        super().__init__(what)


def plain_unit(spec: FactSpec) -> bool:
    """Whether a bare number is unambiguous for this fact."""
    return spec.kind == "number" or dimension(spec.unit) in _PLAIN


def counted(spec: FactSpec) -> bool:
    """Whether the fact has whole numbers only."""
    return spec.kind == "quantity" and dimension(spec.unit) in _COUNTED


def literal(spec: FactSpec, raw: object) -> Value:
    """A literal as typed in YAML -> a value of the fact's kind in its canonical unit; raises `WrongValue`."""
    if isinstance(raw, str) and spec.numeric:
        try:
            raw = parse_quantity(raw)
        except UnitError as error:
            raise WrongValue(error.what, _expected(spec), error.do) from None
    value = canonical(spec, raw)
    in_range(spec, value)
    return value


def canonical(spec: FactSpec, value: object) -> Value:
    """A value of the fact's kind, quantities converted to its unit; raises `WrongValue`. Ranges are not looked at."""
    if spec.numeric:
        return _number(spec, value)
    if spec.kind == "boolean":
        if isinstance(value, bool):
            return value
        raise WrongValue(f"{shown(value)} is neither true nor false", _expected(spec))
    if isinstance(value, str) and value in spec.choices:
        return value
    near = did_you_mean(value, spec.choices) if isinstance(value, str) else ""
    raise WrongValue(f"{shown(value)} is not among the choices of {spec.id}", _expected(spec), near)


def _number(spec: FactSpec, value: object) -> Value:
    if isinstance(value, Quantity):
        try:
            figure = value if value.unit == spec.unit else value.to(spec.unit)
        except UnitError as error:
            raise WrongValue(error.what, _expected(spec)) from None
        return figure if spec.kind == "quantity" else figure.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongValue(f"{shown(value)} is no number", _expected(spec))
    if not plain_unit(spec):
        raise WrongValue(f"{shown(value)} has no unit", _expected(spec))
    if not math.isfinite(value):
        raise WrongValue(f"{value} is no finite number", _expected(spec))
    return Quantity(float(value), spec.unit) if spec.kind == "quantity" else float(value)


def in_range(spec: FactSpec, value: object) -> None:
    """Refuse a number outside the fact's range. Raises `WrongValue`."""
    if isinstance(value, Quantity):
        value = value.value
    if not isinstance(value, float):
        return
    if (spec.low is not None and value < spec.low) or (spec.high is not None and value > spec.high):
        raise WrongValue(
            f"{_short(value)} {spec.unit}".rstrip() + f" is outside the range of {spec.id}",
            f"{_short(spec.low)} to {_short(spec.high)} {spec.unit}".rstrip(),
        )


def _short(value: float | None) -> str:
    return "anything" if value is None else plain(float(value)).removesuffix(".0")


def _expected(spec: FactSpec) -> str:
    if spec.kind == "boolean":
        return "true or false"
    if not spec.numeric:
        return "one of " + ", ".join(sorted(spec.choices)[:12]) + (", ..." if len(spec.choices) > 12 else "")
    if plain_unit(spec):
        return "a number"
    return f'a quantity in {spec.unit}, as in "1 {spec.unit}"'


def atom(value: Value) -> Atom:
    """A canonical value as the engine compares it."""
    if isinstance(value, bool):
        return _BOOLEANS[value]
    if isinstance(value, Quantity):
        return value.value + 0.0
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        raise TypeError("a tuple is several atoms")
    # Adding zero turns -0.0 into 0.0, which compares equal but is not found by its hash.
    return float(value) + 0.0


def atoms(spec: FactSpec, value: Value) -> tuple[tuple[Value, Atom], ...]:
    """The (value, atom) pairs of a fact of a run; empty where it does not apply. Raises `BadInput` naming the fact."""
    if value == NOT_APPLICABLE and NOT_APPLICABLE not in spec.choices:
        return ()
    if isinstance(value, tuple) and not spec.many:
        raise BadInput(f"{spec.id} has several values", where=spec.id, expected="one value")
    try:
        several = [canonical(spec, one) for one in (value if isinstance(value, tuple) else (value,))]
    except WrongValue as error:
        raise BadInput(error.what, where=spec.id, expected=error.expected, do=error.do) from None
    return tuple((one, atom(one)) for one in several)


def plain(value: float) -> str:
    """A number without exponent, exactly: the engine's parser stops at an `e`."""
    text = repr(value)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text if "." in text else text + ".0"


def to_json(value: object) -> str:
    """JSON for the engine: numbers without exponent, texts that are ids."""
    if isinstance(value, dict):
        return "{" + ",".join(f'"{key}":{to_json(one)}' for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    if isinstance(value, float):
        return plain(value)
    if isinstance(value, int):
        return str(value)
    return f'"{value}"'


def shown(value: object) -> str:
    """A value as written in a file, for messages."""
    if isinstance(value, bool):
        return _BOOLEANS[value]
    return f'"{value}"' if isinstance(value, str) else str(value)
