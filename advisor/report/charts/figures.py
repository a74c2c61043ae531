"""A picture with what belongs to it: both widths of the drawing, its title, its note and its figures as a table.

The HTML is ours throughout and every word in it is escaped, so it may go into a page as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.report.charts import svg
from advisor.report.charts.layout import SIZES, Layout, layout
from advisor.report.charts.words import PICTURE
from advisor.report.wording import Wording


@dataclass(frozen=True, slots=True)
class Figure:
    """`drawings` by width ("wide" for a desktop, "narrow" for a phone); the table says the same in figures."""

    title: str
    note: str
    drawings: dict[str, str]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def html(self, wording: Wording) -> str:
        """The figure as HTML: the page's style shows one of the two drawings. Empty where nothing is drawn."""
        if not any(self.drawings.values()):
            return ""
        told = svg.element("figcaption", svg.element("h3", svg.escaped(self.title)))
        note = svg.element("p", svg.escaped(self.note), class_="hk-note")
        opened = svg.element("summary", svg.escaped(wording.fixed(PICTURE, "figures")))
        details = svg.element("details", opened, html_table(self.head, self.rows, self.title))
        return svg.element("figure", told, *self.drawings.values(), note, details, class_="hk-figure")


def figure(
    title: str, note: str, draw: Callable[[Layout], str], table: tuple[Sequence[str], Sequence[Sequence[str]]]
) -> Figure:
    """The figure of a picture that `draw` makes for a layout."""
    head, rows = table
    drawings: dict[str, str] = {size: draw(layout(size)) for size in SIZES}
    return Figure(title, note, drawings, tuple(head), tuple(tuple(row) for row in rows))


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table; each cell names its column, so that a narrow page can show the rows as cards."""
    top = svg.element("tr", *(svg.element("th", svg.escaped(name), scope="col") for name in head))
    lines = [
        svg.element(
            "tr",
            *(
                svg.element("td", svg.escaped(cell) or "–", data_label=name)
                for name, cell in zip(head, row, strict=True)
            ),
        )
        for row in rows
    ]
    body = svg.element("tbody", *lines) if lines else ""
    return svg.element(
        "table", svg.element("caption", svg.escaped(caption)), svg.element("thead", top), body, class_="hk-table"
    )
