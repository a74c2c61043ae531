"""The geometry and the colours of the pictures, read from `layout.json` beside this module.

They say nothing about the world, so they are no heuristics; they stand in one file so that every picture looks alike.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Size = Literal["wide", "narrow"]
SIZES: tuple[Size, ...] = ("wide", "narrow")


@dataclass(frozen=True, slots=True)
class Colour:
    """A fill, and the colour of words on it."""

    fill: str
    ink: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Lengths in px of the drawing; `*_em` are widths of a character in font sizes. `lengths` and `batches` are the
    usual places of an axis."""

    width: float
    font: float
    small: float
    pad: float
    bar: float
    whisker: float
    gap: float
    swatch: float
    legend_columns: int
    cell_height: float
    row_head: float
    plot_height: float
    marker: float
    reach: tuple[float, ...]
    latin_em: float
    cjk_em: float
    line: float
    stroke: float
    bold: float
    faint: float
    quiet: float
    most_ticks: int
    log_from: float
    corner: float
    lengths: tuple[int, ...]
    batches: tuple[int, ...]
    size: Size
    colours: dict[str, Colour]

    def colour(self, name: str) -> Colour:
        """The colour of a part; that of "overhead" for one without its own."""
        return self.colours.get(name, self.colours["overhead"])

    def text_width(self, text: str, font: float | None = None) -> float:
        """About how wide a text is, rather too wide: no font is asked, since the reader's is unknown."""
        em = sum(self.cjk_em if ord(letter) >= _CJK else self.latin_em for letter in text)
        return em * (font or self.small)

    def cut(self, text: str, width: float, font: float | None = None) -> str:
        """The text, shortened with an ellipsis where it is wider than `width`."""
        if self.text_width(text, font) <= width:
            return text
        kept = text
        while kept and self.text_width(f"{kept}…", font) > width:
            kept = kept[:-1]
        return f"{kept.rstrip()}…"


# From here on letters are as wide as they are high: CJK radicals, kana, hangul, full-width forms.
_CJK = ord("\u2e80")


@cache
def layout(size: Size) -> Layout:
    """The layout for a width."""
    data = json.loads((Path(__file__).parent / "layout.json").read_text("utf-8"))
    colours = {name: Colour(**pair) for name, pair in data["colours"].items()}
    own = {**data["common"], **data[size]}
    lists = {name: tuple(value) for name, value in own.items() if isinstance(value, list)}
    return Layout(**{**own, **lists}, size=size, colours=colours)
