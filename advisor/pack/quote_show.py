"""Shows a reply about offers as text for a terminal or as Markdown.

It takes the reply's JSON alone, so that every face shows the same; it words and judges nothing of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from advisor.core.text import Lang
from advisor.knowledge.library import Library
from advisor.pack import quoting
from advisor.pack.quote import STATUSES
from advisor.pack.quote_words import Speech

Json = dict[str, Any]


def render(made: Mapping[str, Any], lang: Lang, library: Library, markdown: bool) -> str:
    """The reply as text or Markdown."""
    speech = Speech(library, lang)
    out = list(_markdown(made, speech) if markdown else _text(made, speech))
    return "\n".join(out)


def _markdown(made: Mapping[str, Any], speech: Speech) -> Iterator[str]:
    yield f"# {speech.fixed('quote_title' if made['plan'] else 'quote_title_alone')}"
    yield ""
    yield quoting.markdown(made["summary"])
    if made["note"]:
        yield from ("", quoting.markdown(made["note"]))
    if made["comparison"]:
        yield from ("", f"## {speech.fixed('section_side')}", "")
        columns = made["comparison"]["columns"]
        yield "| " + " | ".join(map(quoting.markdown, columns)) + " |"
        yield "|" + "---|" * len(columns)
        for row in made["comparison"]["rows"]:
            yield "| " + " | ".join(map(quoting.markdown, row)) + " |"
    for offer in made["offers"]:
        yield from _offer_markdown(offer, speech)


def _offer_markdown(offer: Mapping[str, Any], speech: Speech) -> Iterator[str]:
    yield from ("", f"## {quoting.markdown(offer['name'])}", "", quoting.markdown(offer["summary"]))
    told = [*offer["contradictions"], *offer["warnings"], *offer["notes"]]
    if told:
        yield from ("", f"### {speech.fixed('section_clash')}", "")
        for one in told:
            yield f"- **{one['level']}** {quoting.markdown(one['text'])}"
    if offer["lines"]:
        yield from ("", f"### {speech.fixed('section_lines')}", "")
        heads = ("column_status", "column_item", "column_wanted", "column_said")
        yield "| " + " | ".join(speech.fixed(key) for key in heads) + " |"
        yield "|" + "---|" * len(heads)
        for line in _worst_first(offer["lines"]):
            said = " ".join(filter(None, (line["said"], f"({line['why']})" if line["why"] else "")))
            cells = (line["title"], line["wanted"], said)
            yield f"| **{line['word']}** | " + " | ".join(quoting.markdown(cell) for cell in cells) + " |"
    if offer["price"]:
        yield from ("", f"### {speech.fixed('section_price')}", "")
        yield from (f"- {quoting.markdown(text)}" for text in offer["price"]["text"])
    if offer["ask_back"]:
        yield from ("", f"### {speech.fixed('section_ask')}", "", quoting.fenced(offer["ask_back"], "text"))


def _text(made: Mapping[str, Any], speech: Speech) -> Iterator[str]:
    yield made["summary"]
    if made["note"]:
        yield made["note"]
    if made["comparison"]:
        yield ""
        yield from _columns([made["comparison"]["columns"], *made["comparison"]["rows"]])
    for offer in made["offers"]:
        yield from ("", f"== {offer['name']} ==", offer["summary"])
        for one in (*offer["contradictions"], *offer["warnings"], *offer["notes"]):
            yield f"  {one['level']}: {one['text']}"
        for line in _worst_first(offer["lines"]):
            said = f" [{line['said']}]" if line["said"] else ""
            why = f" ({line['why']})" if line["why"] else ""
            yield f"  {line['word']:13} {line['title']}: {line['wanted']}{said}{why}"
        if offer["price"]:
            yield ""
            yield from (f"  {text}" for text in offer["price"]["text"])
        if offer["ask_back"]:
            yield from ("", f"-- {speech.fixed('section_ask')} --", offer["ask_back"])


def _worst_first(lines: Sequence[Json]) -> list[Json]:
    return sorted(lines, key=lambda line: STATUSES.index(line["status"]))


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table as text, a cell no wider than it may be."""
    shown = [[cell if len(cell) <= _WIDEST else cell[: _WIDEST - 1] + "…" for cell in row] for row in rows]
    widths = [max(_width(row[place]) for row in shown) for place in range(len(shown[0]))]
    for row in shown:
        yield "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()


_WIDEST = 2**5


def _width(text: str) -> int:
    """How wide a terminal shows it: Chinese characters take two places."""
    return sum(1 if char.isascii() else 2 for char in text)
