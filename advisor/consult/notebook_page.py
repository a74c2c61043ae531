"""How results show themselves in a notebook: small pages of HTML in the answer's language, every text escaped.

Verdict, a bar of the recommended plan's memory, a table of the ways that were judged and one of what to order. No
script, no style sheet, nothing fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from advisor.core.text import Lang
from advisor.core.units import number
from advisor.knowledge.library import open_library
from advisor.report import markdown, sentences
from advisor.report.charts import memory
from advisor.report.charts.layout import layout
from advisor.report.wording import Wording

Json = Mapping[str, Any]
_WAYS = ("method", "verdict", "hardware", "peak", "usable", "reason")
_NO_PART = ("weights_whole", "weights_gathered", "adapter_params")


def plan_page(plan: Json, lang: Lang) -> str:
    """An answer: its summary, the bar, the ways and the configuration."""
    wording = Wording(open_library(), lang)
    parts = [f"<p><strong>{escape(plan['summary'])}</strong></p>", _bar(plan, wording), _ways(plan, wording)]
    if plan["recommended"]:
        rows = markdown.configuration_lines(plan["recommended"], wording)
        parts.append(table((wording.fixed(sentences.HEADING, "recommended"), ""), rows))
    return f"<div>{''.join(parts)}</div>"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; None is a dash, a figure has three digits."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return escape(number(value) if isinstance(value, float) else str(value))


def _ways(plan: Json, wording: Wording) -> str:
    rows = [
        (
            wording.fixed(sentences.METHOD, row["method"]),
            wording.fixed(sentences.VERDICT, row["verdict"]),
            markdown.hardware(row),
            markdown.peak(row),
            f"{row['usable_gib']:.1f} GiB" if row["usable_gib"] else None,
            row["why"],
        )
        for row in plan["by_method"]
        if row["gpu"]
    ]
    return table([wording.fixed(sentences.WORD, key) for key in _WAYS], rows) if rows else ""


def _bar(plan: Json, wording: Wording) -> str:
    """The recommended plan's memory as a picture; empty where nothing is recommended."""
    best = plan["recommended"]
    if best is None or best["peak_gib"] is None:
        return ""
    parts = {name: gib for name, gib in best["parts_gib"].items() if name not in _NO_PART}
    peak = best["peak_gib"]
    rest = peak["likely"] - sum(parts.values())
    shown = (*((name, gib) for name, gib in parts.items() if gib > 0), *((("reserve", rest),) if rest > 0 else ()))
    bar = memory.Bar(best["label_text"], shown, peak["low"], peak["likely"], peak["high"], best["usable_gib"])
    return memory.memory([bar], wording, layout("wide"))
