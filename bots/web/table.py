"""Small parts of our own HTML that several pages share: a table whose rows become cards on a phone, and a badge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bots.web.markup import text


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. `head` is text; the cells are HTML that has been made safe."""
    heads = "".join(f'<th scope="col">{text(each)}</th>' for each in head)
    lines = "".join(f"<tr>{_cells(head, row)}</tr>" for row in rows)
    return f'<table class="rows"><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>'


def _cells(head: Sequence[str], row: Sequence[str]) -> str:
    pairs = zip(head, row, strict=True)
    return "".join(f'<td data-head="{text(name)}"{"" if cell else " class=nil"}>{cell}</td>' for name, cell in pairs)


def badge(words: str, colour: str) -> str:
    """A verdict: its word, and a colour (good, fair, poor, open) that says the same."""
    return f'<span class="badge {colour}">{text(words)}</span>'
