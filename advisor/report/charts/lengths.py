"""Which lengths and batches fit one plan's hardware: a field for each pair, by colour, sign and figure.

A field never speaks by colour alone: what fits has its figure, what is tight is hatched and marked "~", what does not
fit bears "×". Lengths run down, batches across.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from advisor.core.units import number
from advisor.report.charts import svg
from advisor.report.charts.layout import Layout
from advisor.report.charts.words import PICTURE
from advisor.report.wording import Wording

Fit = Literal["fits", "tight", "over", "unknown"]


@dataclass(frozen=True, slots=True)
class Field:
    """A pair of length and batch: the likely peak in GiB a card (None: no figure), and how the job is split."""

    likely: float | None
    fit: Fit
    split: str = ""


@dataclass(frozen=True, slots=True)
class Lengths:
    """The fields by length, then by batch; `now` are the places of the plan shown. `serving`: batches are requests."""

    lengths: tuple[int, ...]
    batches: tuple[int, ...]
    fields: tuple[tuple[Field, ...], ...]
    now: tuple[int, int] | None
    hardware: str
    usable: float
    serving: bool


def lengths(data: Lengths, wording: Wording, lay: Layout) -> str:
    """The picture."""
    width = (lay.width - lay.row_head - 2 * lay.pad) / len(data.batches)
    left, top = lay.pad + lay.row_head, lay.small * 2 * lay.line + lay.corner
    across = wording.fixed(PICTURE, "at_once" if data.serving else "batch")
    drawn = [
        _hatching(lay),
        svg.words(across, left, lay.small, lay.small, opacity=lay.quiet),
        svg.words(wording.fixed(PICTURE, "length"), lay.pad, top - lay.corner * 2, lay.small, opacity=lay.quiet),
    ]
    for column, batch in enumerate(data.batches):
        middle = left + (column + 1 / 2) * width
        drawn.append(svg.words(batch, middle, top - lay.corner * 2, lay.small, text_anchor="middle"))
    for row, length in enumerate(data.lengths):
        base = top + row * lay.cell_height + (lay.cell_height + lay.small) / 2 - 2
        drawn.append(svg.words(f"{length:,}", left - lay.pad, base, lay.small, text_anchor="end"))
        for column, field in enumerate(data.fields[row]):
            x, y = left + column * width, top + row * lay.cell_height
            drawn.append(_field(field, x, y, width, f"{length:,} × {data.batches[column]}", wording, lay))
    drawn += _border(data, left, top, width, lay)
    if data.now is not None:
        row, column = data.now
        drawn.append(_frame(left + column * width, top + row * lay.cell_height, width, lay))
    legend, bottom = _legend(top + len(data.lengths) * lay.cell_height + lay.gap / 2, wording, lay)
    return svg.picture("".join([*drawn, legend]), bottom, lay, wording.lang, alternative(data, wording))


def alternative(data: Lengths, wording: Wording) -> str:
    """What the picture shows, in words."""
    kinds = [field.fit for row in data.fields for field in row]
    column = data.now[1] if data.now is not None else 0
    longest = [length for row, length in enumerate(data.lengths) if data.fields[row][column].fit == "fits"]
    title = wording.fixed(PICTURE, "lengths_title_serving" if data.serving else "lengths_title")
    said = wording.fixed(
        PICTURE, "lengths_alt", fits=str(kinds.count("fits")), tight=str(kinds.count("tight")), all=str(len(kinds)),
        batch=str(data.batches[column]), longest=f"{max(longest):,}" if longest else wording.fixed(PICTURE, "none"),
    )  # fmt: skip
    return f"{title}. {said}"


def table(data: Lengths, wording: Wording) -> tuple[list[str], list[list[str]]]:
    """The figures: a row a length, a column a batch."""
    head = [wording.fixed(PICTURE, "length"), *map(str, data.batches)]
    return head, [
        [f"{length:,}", *(_cell(field, wording) for field in row)]
        for length, row in zip(data.lengths, data.fields, strict=True)
    ]


def splits(data: Lengths) -> list[str]:
    """The ways of splitting among the fields that are not out of reach, in the order met."""
    return list(dict.fromkeys(field.split for row in data.fields for field in row if field.fit in ("fits", "tight")))


def _cell(field: Field, wording: Wording) -> str:
    if field.likely is None:
        return "–"
    sign = {"fits": "", "tight": "~ ", "over": "× "}.get(field.fit, "")
    return f"{sign}{number(field.likely)}"


def _hatching(lay: Layout) -> str:
    """The hatching of tight fields, named after the size, since both drawings stand in one page."""
    tight = lay.colour("tight")
    step = lay.corner * 2
    return svg.element(
        "defs",
        svg.element(
            "pattern",
            svg.rect(0, 0, step, step, fill=tight.fill),
            svg.line(0, 0, 0, step, stroke=tight.ink, stroke_width=lay.stroke, stroke_opacity=lay.faint),
            id=f"hk-tight-{lay.size}", width=float(step), height=float(step), patternUnits="userSpaceOnUse",
            patternTransform="rotate(45)",
        ),
    )  # fmt: skip


def _field(field: Field, x: float, y: float, width: float, name: str, wording: Wording, lay: Layout) -> str:
    inner = (x + 1, y + 1, width - 2, lay.cell_height - 2)
    said = svg.tip(f"{name}: {number(field.likely)} GiB" if field.likely is not None else name)
    fill = {"fits": lay.colour("fits").fill, "tight": f"url(#hk-tight-{lay.size})"}.get(field.fit)
    if fill is None:
        box = svg.rect(*inner, said, fill="currentColor", fill_opacity=lay.faint / 2, class_=f"hk-{field.fit}")
    else:
        box = svg.rect(*inner, said, fill=fill, rx=lay.corner, class_=f"hk-{field.fit}")
    text = _sign(field, width, lay)
    colour = lay.colour(field.fit).ink if fill is not None else "currentColor"
    base = y + (lay.cell_height + lay.small) / 2 - 2
    quiet = lay.quiet if fill is None else None
    return box + svg.words(text, x + width / 2, base, lay.small, text_anchor="middle", fill=colour, opacity=quiet)


def _sign(field: Field, width: float, lay: Layout) -> str:
    """The figure with its sign; the sign alone where both have no room."""
    if field.likely is None:
        return "–"
    figure, sign = number(field.likely), {"tight": "~", "over": "×"}.get(field.fit, "")
    if lay.text_width(sign + figure) + lay.corner < width:
        return sign + figure
    return sign or figure


def _border(data: Lengths, left: float, top: float, width: float, lay: Layout) -> Iterator[str]:
    """The line around what fits: wherever a field that fits meets one that does not."""
    rows, columns = len(data.lengths), len(data.batches)

    def fits(row: int, column: int) -> bool:
        return data.fields[row][column].fit == "fits"

    for row in range(rows):
        for column in range(columns):
            x, y = left + column * width, top + row * lay.cell_height
            if column + 1 < columns and fits(row, column) != fits(row, column + 1):
                yield svg.line(x + width, y, x + width, y + lay.cell_height, stroke_width=lay.bold, class_="hk-border")
            if row + 1 < rows and fits(row, column) != fits(row + 1, column):
                low = y + lay.cell_height
                yield svg.line(x, low, x + width, low, stroke_width=lay.bold, class_="hk-border")


def _frame(x: float, y: float, width: float, lay: Layout) -> str:
    """The frame of the plan shown: a light line inside a dark one, to be seen on every fill."""
    chosen = lay.colour("chosen").fill
    whole = svg.rect(x, y, width, lay.cell_height, fill="none", stroke=chosen, stroke_width=lay.bold * 2, rx=lay.corner)
    inner = svg.rect(
        x + lay.bold, y + lay.bold, width - 2 * lay.bold, lay.cell_height - 2 * lay.bold,
        fill="none", stroke="#FFFFFF", stroke_width=lay.stroke,
    )  # fmt: skip
    return svg.element("g", whole, inner, class_="hk-now")


def _legend(y: float, wording: Wording, lay: Layout) -> tuple[str, float]:
    """The signs with their words, in as many lines as the width asks for; returns the new bottom too."""
    drawn: list[str] = []
    x, row = lay.pad, lay.small * lay.line + lay.corner
    fills = {"fits": lay.colour("fits").fill, "tight": f"url(#hk-tight-{lay.size})", "over": "none"}
    for key in ("fits", "tight", "over", "plan_now"):
        said = wording.fixed(PICTURE, key)
        wide = lay.swatch + lay.corner * 2 + lay.text_width(said) + lay.gap
        if x + wide > lay.width and x > lay.pad:
            x, y = lay.pad, y + row
        if key == "plan_now":
            mark = {"fill": "none", "stroke": lay.colour("chosen").fill, "stroke_width": lay.bold}
        else:
            mark = {"fill": fills[key], "stroke": "currentColor", "stroke_width": lay.stroke / 2}
        drawn.append(svg.rect(x, y, lay.swatch, lay.swatch, **mark))
        if key == "over":
            drawn.append(svg.words("×", x + lay.swatch / 2, y + lay.small - 2, lay.small, text_anchor="middle"))
        left = x + lay.swatch + lay.corner * 2
        drawn.append(svg.words(said, left, y + lay.small - 1, lay.small))
        x += wide
    return "".join(drawn), y + row + lay.corner
