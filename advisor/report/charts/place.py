"""Where labels of points stand: beside their points, inside the drawing, and never on one another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

# Directions from a point to its label, the most natural to read first: right, above right, below right, ...
_EIGHTH = math.pi / 2**2
_TURNS = (0, -1, 1, -2, 2, 2 + 2, -2 - 1, 2 + 1)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in px, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def meets(self, other: Box) -> bool:
        """True where the two share any area."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def inside(self, other: Box) -> bool:
        """True where this one lies wholly in the other."""
        return (
            other.x <= self.x
            and other.y <= self.y
            and self.x + self.width <= other.x + other.width
            and self.y + self.height <= other.y + other.height
        )


def labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    room: Box,
    reach: Sequence[float],
    radius: float,
    avoid: Sequence[Box] = (),
) -> list[Box | None]:
    """A box for each label, None for one that finds no room. No box meets another or any point's marker.

    `avoid` is kept free where that is possible.
    """
    taken = [Box(x - radius, y - radius, 2 * radius, 2 * radius) for x, y in points]
    found: list[Box | None] = []
    for point, size in zip(points, sizes, strict=True):
        inside = [box for box in _around(point, size, reach) if box.inside(room)]
        free = [box for box in inside if not any(box.meets(other) for other in taken)]
        box = next((box for box in free if not any(box.meets(other) for other in avoid)), free[0] if free else None)
        found.append(box)
        if box is not None:
            taken.append(box)
    return found


def along(path: Sequence[tuple[float, float]], step: float) -> list[Box]:
    """A line as small boxes, close enough that no label can lie across it unseen."""
    boxes = []
    for (x1, y1), (x2, y2) in pairwise(path):
        parts = max(1, math.ceil(math.hypot(x2 - x1, y2 - y1) / step))
        boxes += [Box(x1 + (x2 - x1) * n / parts, y1 + (y2 - y1) * n / parts, 1, 1) for n in range(parts + 1)]
    return boxes


def _around(point: tuple[float, float], size: tuple[float, float], reach: Sequence[float]) -> Iterator[Box]:
    (x, y), (width, height) = point, size
    for far in reach:
        for turn in _TURNS:
            across, down = math.cos(turn * _EIGHTH), math.sin(turn * _EIGHTH)
            left = x + far * across - width * (1 - across) / 2
            yield Box(left, y + far * down - height * (1 - down) / 2, width, height)
