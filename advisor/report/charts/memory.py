"""Memory of one card: a stacked bar a plan against what the card offers, with the range of the estimate.

All bars share one scale that begins at zero and ends at the largest of usable memory and upper estimates, so that a
part of half the usable memory is half of the bar's full length. Lengths are GiB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.core.units import number
from advisor.report.charts import svg
from advisor.report.charts.layout import Layout
from advisor.report.charts.scale import Scale, ticks
from advisor.report.charts.words import PART, PICTURE
from advisor.report.wording import Wording


@dataclass(frozen=True, slots=True)
class Bar:
    """One plan: its parts in the order of the bar, the range of the peak, and what the card offers (None: unknown)."""

    label: str
    parts: tuple[tuple[str, float], ...]
    low: float
    likely: float
    high: float
    usable: float | None


def memory(bars: Sequence[Bar], wording: Wording, lay: Layout) -> str:
    """The picture; empty where there is nothing to draw."""
    if not bars:
        return ""
    full = max(max(bar.high, bar.usable or 0) for bar in bars)
    scale = Scale(0, full, lay.pad, lay.width - lay.pad)
    drawn: list[str] = []
    y = 0.0
    for bar in bars:
        drawn.append(_bar(bar, y, scale, wording, lay))
        y += _height(bar, lay) + lay.gap
    drawn.append(_axis(y - lay.gap / 2, full, scale, lay))
    y += lay.small * 2
    legend, y = _legend(bars, y + lay.gap / 2, wording, lay)
    return svg.picture("".join([*drawn, legend]), y, lay, wording.lang, alternative(bars, wording))


def alternative(bars: Sequence[Bar], wording: Wording) -> str:
    """What the picture shows, in words."""
    lines = [_said("memory_of", bar, wording, label=bar.label) for bar in bars]
    return ". ".join([wording.fixed(PICTURE, "memory_title"), *lines])


def table(bars: Sequence[Bar], wording: Wording) -> tuple[list[str], list[list[str]]]:
    """The figures: a head, and a row a part of each bar."""
    head = [wording.fixed(PICTURE, key) for key in ("plan", "part")] + ["GiB"]
    rows = []
    for bar in bars:
        rows += [[bar.label, wording.fixed(PART, name), number(gib)] for name, gib in bar.parts if gib > 0]
        span = f"{number(bar.likely)} ({number(bar.low)}–{number(bar.high)})"
        rows.append([bar.label, wording.fixed(PICTURE, "likely"), span])
        if bar.usable is not None:
            rows.append([bar.label, wording.fixed(PICTURE, "usable", usable="").strip(), number(bar.usable)])
    return head, rows


def _said(key: str, bar: Bar, wording: Wording, **words: str) -> str:
    key = key if bar.usable is not None else "memory_line_open"
    figures = {"low": number(bar.low), "likely": number(bar.likely), "high": number(bar.high)}
    return wording.fixed(PICTURE, key, **figures, usable=number(bar.usable or 0), **words)


def _lines(bar: Bar, lay: Layout) -> list[str]:
    """The label, in two lines where it is too wide for one."""
    room = lay.width - 2 * lay.pad
    if lay.size == "wide" or lay.text_width(bar.label, lay.font) <= room:
        return [lay.cut(bar.label, room, lay.font)]
    return [lay.cut(part, room, lay.font) for part in bar.label.split(" · ", 1)]


def _height(bar: Bar, lay: Layout) -> float:
    """The words (the figures have a line of their own where the drawing is narrow), the bar and the range."""
    lines = len(_lines(bar, lay)) + (1 if lay.size == "narrow" else 0)
    return lines * lay.font * lay.line + lay.corner + lay.bar + lay.whisker


def _bar(bar: Bar, y: float, scale: Scale, wording: Wording, lay: Layout) -> str:
    said = _said("memory_line", bar, wording)
    drawn: list[str] = []
    base = y + lay.font
    for part in _lines(bar, lay):
        drawn.append(svg.words(part, lay.pad, base, lay.font, font_weight="bold"))
        base += lay.font * lay.line
    if lay.size == "narrow":
        drawn.append(svg.words(said, lay.pad, base, lay.small))
    else:
        drawn.append(svg.words(said, lay.width - lay.pad, y + lay.font, lay.font, text_anchor="end"))
    top = y + _height(bar, lay) - lay.bar - lay.whisker
    if bar.usable is not None:
        room = scale.at(bar.usable) - scale.at(0)
        drawn.append(svg.rect(scale.at(0), top, room, lay.bar, fill="currentColor", opacity=lay.faint))
    drawn += _segments(bar, top, scale, wording, lay)
    drawn.append(_range(bar, top + lay.bar, scale, lay))
    if bar.usable is not None:
        x = scale.at(bar.usable)
        ends = (top - lay.corner, top + lay.bar + lay.corner)
        drawn.append(svg.line(x, top, x, top + lay.bar, stroke="#FFFFFF", stroke_width=lay.bold * 2))
        drawn.append(
            svg.line(x, ends[0], x, ends[1], stroke_width=lay.bold, stroke_dasharray="5 3", class_="hk-usable")
        )
    return "".join(drawn)


def _segments(bar: Bar, top: float, scale: Scale, wording: Wording, lay: Layout) -> list[str]:
    """The parts side by side, each with its figure where it has room."""
    drawn = []
    done = 0.0
    for name, gib in bar.parts:
        if gib <= 0:
            continue
        left, right = scale.at(done), scale.at(done + gib)
        done += gib
        colour, figure = lay.colour(name), number(gib)
        said = svg.tip(f"{wording.fixed(PART, name)}: {figure} GiB")
        drawn.append(
            svg.rect(
                left, top, right - left, lay.bar, said,
                fill=colour.fill, stroke="currentColor", stroke_width=lay.stroke / 2, class_="hk-part", data_part=name,
            )
        )  # fmt: skip
        half = lay.text_width(figure) / 2 + lay.pad / 2
        crossed = bar.usable is not None and abs(scale.at(bar.usable) - (left + right) / 2) < half
        if 2 * half < right - left and not crossed:
            middle, base = (left + right) / 2, top + lay.bar / 2 + lay.small / 2 - 2
            drawn.append(svg.words(figure, middle, base, lay.small, fill=colour.ink, text_anchor="middle"))
    return drawn


def _range(bar: Bar, y: float, scale: Scale, lay: Layout) -> str:
    """The bracket from the lower to the upper estimate, with a dot at the likely one."""
    low, likely, high = scale.at(bar.low), scale.at(bar.likely), scale.at(bar.high)
    middle, reach = y + lay.whisker / 2 + 2, lay.whisker / 2 - 2
    width = {"stroke_width": lay.stroke}
    return svg.element(
        "g",
        svg.line(low, middle, high, middle, **width),
        svg.line(low, middle - reach, low, middle + reach, **width),
        svg.line(high, middle - reach, high, middle + reach, **width),
        svg.element("circle", cx=float(likely), cy=float(middle), r=float(lay.corner), fill="currentColor"),
        class_="hk-range",
    )


def _axis(y: float, full: float, scale: Scale, lay: Layout) -> str:
    drawn = [svg.line(scale.at(0), y, scale.at(full), y, stroke_width=lay.stroke / 2, opacity=lay.quiet)]
    marks = ticks(0, full, lay.most_ticks)
    for mark in marks:
        x = scale.at(mark)
        said = f"{number(mark)} GiB" if mark == marks[-1] else number(mark)
        half = lay.text_width(said) / 2
        anchor = "start" if x - half < 0 else "end" if x + half > lay.width else "middle"
        drawn.append(svg.line(x, y, x, y + lay.corner, stroke_width=lay.stroke / 2))
        drawn.append(
            svg.words(said, x, y + lay.corner + lay.small + 1, lay.small, text_anchor=anchor, opacity=lay.quiet)
        )
    return "".join(drawn)


def _legend(bars: Sequence[Bar], y: float, wording: Wording, lay: Layout) -> tuple[str, float]:
    """Swatches with the names of all parts, and the first bar's figures; returns the new bottom too."""
    figures = dict(bars[0].parts)
    names = list(dict.fromkeys(name for bar in bars for name, gib in bar.parts if gib > 0))
    drawn = [svg.words(wording.fixed(PICTURE, "legend_now"), lay.pad, y + lay.small, lay.small, opacity=lay.quiet)]
    y += lay.small * lay.line + lay.corner
    column = (lay.width - 2 * lay.pad) / lay.legend_columns
    row = lay.small * lay.line + lay.corner
    for place, name in enumerate(names):
        down, across = divmod(place, lay.legend_columns)
        x, top = lay.pad + across * column, y + down * row
        fill = lay.colour(name).fill
        drawn.append(
            svg.rect(x, top, lay.swatch, lay.swatch, fill=fill, stroke="currentColor", stroke_width=lay.stroke / 2)
        )
        figure = f"  {number(figures[name])}" if figures.get(name) else ""
        said = f"{wording.fixed(PART, name)}{figure}"
        left = x + lay.swatch + lay.corner * 2
        drawn.append(svg.words(lay.cut(said, column - lay.swatch * 2), left, top + lay.small - 1, lay.small))
    rows = -(-len(names) // lay.legend_columns)
    return "".join(drawn), y + rows * row + lay.corner
