"""Time against money of the plans worth comparing: a point each, and the line of those that nothing beats in both.

Lower left is better. Points carry a number, which the list below the drawing explains; where there is room the label
stands beside the point as well. All plans are priced in one currency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.core.units import number
from advisor.report.charts import svg
from advisor.report.charts.layout import Layout
from advisor.report.charts.place import Box, along, labels
from advisor.report.charts.scale import Scale, powers, span, ticks
from advisor.report.charts.words import PICTURE
from advisor.report.wording import Wording

Kind = Literal["run", "amount", "serving"]


@dataclass(frozen=True, slots=True)
class Point:
    """One plan: what it is called, its hardware, likely time and cost, whether it is the plan shown or on the front."""

    label: str
    hardware: str
    time: float
    cost: float
    front: bool
    now: bool = False


@dataclass(frozen=True, slots=True)
class Frontier:
    """Plans in one currency. `kind`: hours and money of the whole run, of a set amount of tokens, or serving."""

    points: tuple[Point, ...]
    currency: str
    kind: Kind


_TITLES: dict[Kind, tuple[str, str]] = {
    "run": ("time_run", "cost_run"),
    "amount": ("time_amount", "cost_amount"),
    "serving": ("time_serving", "cost_month"),
}


def titles(data: Frontier, wording: Wording) -> tuple[str, str]:
    """What the two axes show: time, money."""
    time, cost = _TITLES[data.kind]
    return wording.fixed(PICTURE, time), wording.fixed(PICTURE, cost, currency=data.currency)


def frontier(data: Frontier, wording: Wording, lay: Layout) -> str:
    """The picture; empty where fewer than two plans have both figures."""
    if len(data.points) < 2:
        return ""
    across, down, drawn = _axes(data, wording, lay)
    places = [(across.at(point.cost), down.at(point.time)) for point in data.points]
    front = sorted((place for place, point in zip(places, data.points, strict=True) if point.front), key=lambda p: p[0])
    if len(front) > 1:
        path = " ".join(f"{svg.number(x)},{svg.number(y)}" for x, y in front)
        blue = lay.colour("front").fill
        drawn.append(svg.element("polyline", points=path, fill="none", stroke=blue, stroke_width=lay.bold))
    drawn += _markers(data.points, places, lay)
    drawn += _names(data.points, places, along(front, lay.corner), lay)
    listed, bottom = _list(data, _foot(lay), wording, lay)
    return svg.picture("".join([*drawn, listed]), bottom, lay, wording.lang, alternative(data, wording))


def alternative(data: Frontier, wording: Wording) -> str:
    """What the picture shows, in words."""
    names = [f"{_name(point)} ({number(point.time)}, {number(point.cost)})" for point in data.points if point.front]
    said = wording.fixed(PICTURE, "front_alt", count=str(len(data.points)), names="; ".join(names))
    return f"{wording.fixed(PICTURE, 'front_title')}. {said}"


def table(data: Frontier, wording: Wording) -> tuple[list[str], list[list[str]]]:
    """The figures: a row a plan."""
    head = [wording.fixed(PICTURE, "plan"), *titles(data, wording), wording.fixed(PICTURE, "on_front")]
    return head, [
        [f"{place}. {_name(point)}", number(point.time), number(point.cost), "✓" if point.front else "–"]
        for place, point in enumerate(data.points, 1)
    ]


def _name(point: Point) -> str:
    return f"{point.label} · {point.hardware}" if point.label else point.hardware


def _foot(lay: Layout) -> float:
    """Where the plot and its axis end."""
    return lay.plot_height + 2 * lay.small * lay.line + lay.gap / 2


def _room(lay: Layout) -> Box:
    """The plot itself, between the axes."""
    top = lay.small * 2 + lay.corner
    left = lay.row_head * 2 / (2 + 1) if lay.size == "wide" else lay.row_head - lay.pad
    return Box(left, top, lay.width - left - lay.pad * 2, lay.plot_height - top)


def _axes(data: Frontier, wording: Wording, lay: Layout) -> tuple[Scale, Scale, list[str]]:
    room = _room(lay)
    time, cost = titles(data, wording)
    low, high, logs = span([point.cost for point in data.points], lay.log_from, lay.most_ticks)
    across = Scale(low, high, room.x, room.x + room.width, logs)
    marks_across = _sparse(powers if logs else ticks, low, high, room.width, lay)
    low, high, logs = span([point.time for point in data.points], lay.log_from, lay.most_ticks)
    down = Scale(low, high, room.y + room.height, room.y, logs)
    marks_down = powers(low, high, lay.most_ticks) if logs else ticks(low, high, lay.most_ticks)
    foot, quiet = room.y + room.height, {"opacity": lay.quiet}
    drawn = [svg.words(time, lay.pad, lay.small, lay.small, **quiet)]
    for mark in marks_down:
        y = down.at(mark)
        drawn.append(svg.line(room.x, y, room.x + room.width, y, stroke_width=lay.stroke / 2, opacity=lay.faint))
        drawn.append(
            svg.words(number(mark), room.x - lay.corner * 2, y + lay.small / 2 - 2, lay.small, text_anchor="end")
        )
    for mark in marks_across:
        x, said = across.at(mark), number(mark)
        anchor = "end" if x + lay.text_width(said) / 2 > lay.width else "middle"
        drawn.append(svg.line(x, room.y, x, foot, stroke_width=lay.stroke / 2, opacity=lay.faint))
        drawn.append(svg.words(said, x, foot + lay.small + lay.corner * 2, lay.small, text_anchor=anchor))
    under = foot + lay.corner * 2 + lay.small * (1 + lay.line)
    drawn.append(svg.words(cost, room.x + room.width, under, lay.small, text_anchor="end", **quiet))
    return across, down, drawn


def _sparse(
    found: Callable[[float, float, int], list[float]], low: float, high: float, width: float, lay: Layout
) -> list[float]:
    """Round figures whose words leave one another room."""
    for most in range(lay.most_ticks, 1, -1):
        marks = found(low, high, most)
        if sum(lay.text_width(number(mark)) + lay.gap for mark in marks) <= width:
            return marks
    return [low, high]


def _markers(points: Sequence[Point], places: Sequence[tuple[float, float]], lay: Layout) -> list[str]:
    """Filled where nothing is both faster and cheaper, hollow else; the plan shown has a ring."""
    drawn = []
    for point, (x, y) in zip(points, places, strict=True):
        said = svg.tip(f"{_name(point)}: {number(point.time)}, {number(point.cost)}")
        colour = lay.colour("front" if point.front else "behind").fill
        if point.now:
            ring = {"fill": "none", "stroke": lay.colour("chosen").fill, "stroke_width": lay.bold}
            drawn.append(svg.element("circle", cx=x, cy=y, r=lay.marker, **ring))
        fill = colour if point.front else "none"
        size = lay.marker - lay.corner
        mark = {"fill": fill, "stroke": colour, "stroke_width": lay.bold, "class_": "hk-point"}
        drawn.append(svg.element("circle", said, cx=x, cy=y, r=size, **mark))
    return drawn


def _names(
    points: Sequence[Point], places: Sequence[tuple[float, float]], avoid: Sequence[Box], lay: Layout
) -> list[str]:
    """Beside each point its number, with its label where that has room; nothing is drawn over anything."""
    long = [f"{place} {point.label}".strip() for place, point in enumerate(points, 1)]
    short = [str(place) for place, _ in enumerate(points, 1)]
    wanted = long if lay.size == "wide" else short
    boxes = labels(places, [_size(text, lay) for text in wanted], _room(lay), lay.reach, lay.marker, avoid)
    if None in boxes:
        wanted = short
        boxes = labels(places, [_size(text, lay) for text in wanted], _room(lay), lay.reach, lay.marker, avoid)
    drawn = []
    for text, box, (x, y) in zip(wanted, boxes, places, strict=True):
        if box is None:
            continue
        near = (min(max(x, box.x), box.x + box.width), min(max(y, box.y), box.y + box.height))
        if abs(near[0] - x) + abs(near[1] - y) > 2 * lay.marker:
            drawn.append(svg.line(x, y, *near, stroke_width=lay.stroke / 2, opacity=lay.quiet))
        drawn.append(svg.words(text, box.x, box.y + lay.small - 1, lay.small, class_="hk-name"))
    return drawn


def _size(text: str, lay: Layout) -> tuple[float, float]:
    return lay.text_width(text) + lay.corner, lay.small * lay.line


def _list(data: Frontier, y: float, wording: Wording, lay: Layout) -> tuple[str, float]:
    """Each number with its plan and figures; returns the new bottom too."""
    drawn = []
    row = lay.small * lay.line + 2
    unit = "s" if data.kind == "serving" else "h"
    for place, point in enumerate(data.points, 1):
        name = f"{place}. {_name(point)}"
        figures = f"{number(point.time)} {wording.unit(unit)} · {number(point.cost)} {data.currency}"
        bold = "bold" if point.now else None
        room = lay.width - 2 * lay.pad
        if lay.size == "wide":
            drawn.append(svg.words(figures, lay.width - lay.pad, y + lay.small, lay.small, text_anchor="end"))
            room -= lay.text_width(figures) + lay.gap
        drawn.append(svg.words(lay.cut(name, room), lay.pad, y + lay.small, lay.small, font_weight=bold))
        y += row
        if lay.size == "narrow":
            drawn.append(svg.words(figures, lay.pad + lay.gap / 2, y + lay.small, lay.small, opacity=lay.quiet))
            y += row
    return "".join(drawn), y + lay.corner
