"""The estimators' constants: heuristic files read once into frozen objects.

Every constant of this room is a heuristic under knowledge/heuristics/ROOM/NAME.yaml; a room declares a frozen dataclass
whose field names are the file names, and `load` fills it. An estimator then works on plain attributes, so that a call
costs microseconds. Nothing here knows a figure of its own, and a missing file is an error, never a default.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from advisor.core.units import Quantity


class Heuristics(Protocol):
    """What the estimators ask of the library: the accepted value, and the record with its spread."""

    def heuristic(self, id: str, /) -> Quantity: ...

    def heuristic_record(self, id: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Figure:
    """One constant: the accepted value, the lowest and highest that people defend, its unit and its heuristic id."""

    value: float
    low: float
    high: float
    unit: str
    id: str

    def __float__(self) -> float:
        return self.value


def figure(library: Heuristics, id: str) -> Figure:
    """The heuristic `id` as a figure."""
    accepted = library.heuristic(id)
    low, high = library.heuristic_record(id).spread
    return Figure(accepted.value, float(low), float(high), accepted.unit, id)


Kind = TypeVar("Kind")
_READ: WeakKeyDictionary[Heuristics, dict[type, Any]] = WeakKeyDictionary()


def load(kind: type[Kind], room: str, library: Heuristics) -> Kind:
    """`kind`, a dataclass of figures, with each field filled from `room.FIELD`; read once a library and kind."""
    read = _READ.setdefault(library, {})
    if kind not in read:
        names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
        read[kind] = kind(**{name: figure(library, f"{room}.{name}") for name in names})
    found: Kind = read[kind]
    return found
