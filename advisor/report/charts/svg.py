"""SVG as strings: elements with escaped attributes, escaped words, and the frame of a picture.

Words come from names in data and from people; they are always escaped, and letters that XML forbids are dropped.
"""

from __future__ import annotations

import html
import re

from advisor.core.text import Lang
from advisor.report.charts.layout import Layout

# What XML 1.0 does not take: control characters, halves of a pair, and two that are no characters.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
FONTS = {
    "en": 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "PingFang SC", "Noto Sans CJK SC", sans-serif',
    "zh": 'system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif',
    "zh-Hant": 'system-ui, "PingFang HK", "Microsoft JhengHei", "Noto Sans CJK HK", "Noto Sans CJK TC", sans-serif',
}


def escaped(words: object) -> str:
    """Words as text of an element or an attribute, in one line."""
    return html.escape(" ".join(_FORBIDDEN.sub("", str(words)).split()), quote=True)


def number(value: float) -> str:
    """A coordinate: two decimals at most, and never an exponent."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, *children: str, **attributes: object) -> str:
    """An element. `children` are markup already; an underscore in an attribute's name stands for a hyphen."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{number(value) if isinstance(value, float) else escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{pairs}>{''.join(children)}</{name}>" if children else f"<{name}{pairs}/>"


def words(text: object, x: float, y: float, size: float, **attributes: object) -> str:
    """One line of words with its baseline at y."""
    settings: dict[str, object] = {"fill": "currentColor", **attributes}
    return element("text", escaped(text), x=float(x), y=float(y), font_size=float(size), **settings)


def rect(x: float, y: float, width: float, height: float, *children: str, **attributes: object) -> str:
    """A rectangle; never of negative size."""
    sides = {"width": float(max(width, 0)), "height": float(max(height, 0))}
    return element("rect", *children, x=float(x), y=float(y), **sides, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: object) -> str:
    """A line in the colour of the words."""
    settings: dict[str, object] = {"stroke": "currentColor", **attributes}
    return element("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), **settings)


def tip(text: str) -> str:
    """What a pointer that rests on an element shows."""
    return element("title", escaped(text))


def picture(body: str, height: float, lay: Layout, lang: Lang, label: str) -> str:
    """The whole drawing: one image with a text alternative, as wide as its place allows and no wider than drawn."""
    return element(
        "svg",
        body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(lay.width)} {number(height)}",
        role="img",
        aria_label=label,
        lang=lang,
        font_family=FONTS[lang],
        style=f"width:100%;max-width:{number(lay.width)}px;height:auto;display:block",
        class_=f"hk-{lay.size}",
    )
