"""Where labels of points stand: beside their points, inside the drawing, and never on one another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
) -> list[Box | None]:
    """A box for each label, None for one that finds no room. No box meets another or any point's marker."""
    taken = [Box(x - radius, y - radius, 2 * radius, 2 * radius) for x, y in points]
    found: list[Box | None] = []
    for point, size in zip(points, sizes, strict=True):
        free = (box for box in _around(point, size, reach) if box.inside(room))
        box = next((box for box in free if not any(box.meets(other) for other in taken)), None)
        found.append(box)
        if box is not None:
            taken.append(box)
    return found


def _around(point: tuple[float, float], size: tuple[float, float], reach: Sequence[float]) -> Iterator[Box]:
    (x, y), (width, height) = point, size
    for far in reach:
        for turn in _TURNS:
            across, down = math.cos(turn * _EIGHTH), math.sin(turn * _EIGHTH)
            left = x + far * across - width * (1 - across) / 2
            yield Box(left, y + far * down - height * (1 - down) / 2, width, height)
