"""Whether a figure can be at all: its unit and its bounds, as `knowledge/words/plausible.yaml` has them.

Bounds are wide; they catch a minus, a unit of another kind and a prefix too many, in our files as in an overlay's. A
place that no bound names is not looked at. Raises `BadData` with file and line, what was written and what is expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from advisor.core.errors import BadData, HkgpuError
from advisor.core.units import Quantity
from advisor.knowledge.locate import data_roots
from advisor.knowledge.reader import Document, Place, read_file

_FILE = "knowledge/words/plausible.yaml"


@lru_cache(maxsize=2)
def bounds() -> Mapping[str, Mapping[str, Any]]:
    """Kind -> place -> unit, from, to; empty where the data have no such file."""
    path = data_roots()[0] / _FILE
    found: Mapping[str, Mapping[str, Any]] = read_file(path).data["entries"] if path.is_file() else {}
    return found


def check(kind: str, document: Document) -> None:
    """Refuse the first figure of a file of this kind that cannot be."""
    for way, bound in bounds().get(kind, {}).items():
        for place, value in _at(document.data, tuple(way.split(".")), ()):
            _held(document, place, value, bound)


def _at(data: Any, way: tuple[str, ...], place: Place) -> Iterator[tuple[Place, Any]]:
    if not way:
        yield place, data
    elif way[0] == "*" and isinstance(data, list):
        for index, entry in enumerate(data):
            yield from _at(entry, way[1:], (*place, index))
    elif isinstance(data, dict) and way[0] in data:
        yield from _at(data[way[0]], way[1:], (*place, way[0]))


def _held(document: Document, place: Place, value: Any, bound: Mapping[str, Any]) -> None:
    figure = value if not isinstance(value, dict) else value.get("value")
    if isinstance(figure, bool) or not isinstance(figure, int | float):
        return  # null, or a pair whose ends have bounds of their own
    unit, low, high = str(bound["unit"]), float(bound["from"]), float(bound["to"])
    written = str(value.get("unit", unit)) if isinstance(value, dict) else unit
    name, expected = ".".join(map(str, place)), f"{low:g} to {high:g} {unit}"
    try:
        amount = float(figure) if written == unit else Quantity(float(figure), written).to(unit).value
    except HkgpuError:
        raise BadData(f"{name} is in {written}", where=document.at(*place), expected=f"a figure in {unit}") from None
    if not low <= amount <= high:
        told = f"{figure:g} {written}" if isinstance(value, dict) else f"{figure:g}"
        raise BadData(f"{name} is {told}", where=document.at(*place), expected=expected)
