"""Takes a text apart into offers: a quoted e-mail unquoted, a table by its rows or columns, a list by its lines.

A text with one card and one price is one offer. A line that stands above all or speaks of all goes to each; what cannot
be told apart stays together, since a made-up border would make made-up offers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.knowledge.library import Library
from advisor.pack.offer import Paste, joined
from advisor.pack.offer_cards import mentions
from advisor.pack.offer_money import amounts
from advisor.pack.offer_words import Words, searched, words_of

_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?|\|[ \t](?!.*\|))+", re.MULTILINE)
_RULE = re.compile(r"^[\s|:+\-=]+$")
_BULLET = re.compile(r"^\s*(?:\(?\d{1,2}[.)、](?!\d)|[①-⑳]|[-*•·‧]\s|[一二三四五六七八九十]、)\s*")
# A table has at least so many columns and lines.
_COLUMNS, _LINES = 2, 2


@dataclass(frozen=True, slots=True)
class Piece:
    """One offer's text with its heading."""

    name: str
    text: Paste


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: rows of cells, all of the same length."""

    rows: tuple[tuple[Paste, ...], ...]


def unquoted(text: Paste, library: Library) -> Paste:
    """A text without the marks of quoted e-mail; where the answer itself names a price, without the question quoted."""
    words = words_of(library)
    said = {True: [], False: []}  # type: dict[bool, list[Paste]]
    for each in text.lines():
        said[_QUOTED.match(each.plain) is not None].append(each)
    priced = {kind: any(amounts(each, words, []) for each in lines) for kind, lines in said.items()}
    carded = any(next(mentions(each.plain, words, library), None) for each in said[False])
    drop = bool(said[True]) and (priced[False] or (carded and not priced[True]))
    raw, plain, place = [], [], 0
    for line in text.plain.split("\n"):
        end = place + len(line)
        found = _QUOTED.match(line)
        start = end if drop and found else place + (found.end() if found else 0)
        raw.append(text.raw[start:end])
        plain.append(text.plain[start:end])
        place = end + 1
    return Paste("\n".join(raw), "\n".join(plain))


def tables(text: Paste) -> tuple[list[Grid], Paste]:
    """The tables of a text (Markdown, tabs), and the text without them."""
    grids: list[Grid] = []
    rest: list[Paste] = []
    block: list[list[Paste]] = []
    for line in [*text.lines(), Paste("", "")]:
        cells = _cells(line)
        if len(cells) >= _COLUMNS and (not block or abs(len(cells) - len(block[0])) <= 1):
            block.append(cells)
            continue
        if _RULE.match(line.raw) and block:
            continue
        if len(block) >= _LINES:
            grids.append(grid(block))
        else:
            rest += [Paste(" | ".join(c.raw for c in row), " | ".join(c.plain for c in row)) for row in block]
        block = [cells] if len(cells) >= _COLUMNS else []
        if not block:
            rest.append(line)
    return grids, joined(rest)


def _cells(line: Paste) -> list[Paste]:
    """A line's cells by bars or tabs; one cell where there are none. A rule of dashes has none."""
    if _RULE.match(line.raw):
        return []
    mark = "\t" if "\t" in line.raw.strip() else "|" if line.raw.strip().count("|") >= _COLUMNS else ""
    if not mark:
        return [line]
    cells, place = [], 0
    for cell in line.raw.split(mark):
        cells.append(line.part(place, place + len(cell)))
        place += len(cell) + 1
    if mark == "|":
        cells = cells[1 if not cells[0].raw.strip() else 0 : -1 if not cells[-1].raw.strip() else None]
    return cells


def grid(rows: Iterable[Sequence[Paste]]) -> Grid:
    """A table with its short rows filled up."""
    every = [list(row) for row in rows]
    width = max((len(row) for row in every), default=0)
    return Grid(tuple(tuple(row + [Paste("", "")] * (width - len(row))) for row in every))


def csv_rows(text: str) -> list[list[str]]:
    """The rows of a CSV with comma, semicolon or tab, whichever splits it best; no row where it is no CSV."""
    best: list[list[str]] = []
    for mark in (",", ";", "\t"):
        try:
            rows = [row for row in csv.reader(io.StringIO(text), delimiter=mark, strict=True) if any(row)]
        except csv.Error:
            continue
        if len(rows) >= _LINES and len(rows[0]) >= _COLUMNS and len(rows[0]) > (len(best[0]) if best else 0):
            best = rows
    even = sum(len(row) == len(best[0]) for row in best) if best else 0
    return best if best and even * 2 > len(best) else []


def pieces(text: Paste, library: Library) -> list[Piece]:
    """The offers of a text without tables."""
    words = words_of(library)
    lines = [line for line in text.lines() if not _small_talk(line, words)]
    starts = list(_starts(lines, words, library))
    if len(starts) < _LINES:
        return [Piece("", joined(lines))] if lines else []
    shared = lines[: starts[0]]
    found = []
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else len(lines)
        body = lines[start:end]
        if place + 1 == len(starts):
            body, more = _without_closing(body, words)
            shared = [*shared, *more]
        found.append((_heading(lines[start], words), body))
    return [Piece(name, joined([*(_headless(line, words) for line in body), *shared])) for name, body in found]


def _small_talk(line: Paste, words: Words) -> bool:
    return searched(words.any_of("greeting"), line.plain) is not None and not re.search(
        r"\d\s*(?:g|卡|元|/)", line.plain
    )


def _starts(lines: Sequence[Paste], words: Words, library: Library) -> Iterator[int]:
    """The lines with which offers begin, where at least two parts have a price."""
    headed = [place for place, line in enumerate(lines) if searched(words.any_of("offer_heading"), line.plain)]
    if len(headed) >= _LINES and _priced(lines, headed, words):
        yield from headed
        return
    carded = [place for place, line in enumerate(lines) if next(mentions(line.plain, words, library), None)]
    with_price = [place for place in carded if amounts(lines[place], words, [])]
    if len(with_price) >= _LINES:
        yield from with_price
        return
    bulleted = [place for place in carded if _BULLET.match(lines[place].plain)]
    if len(bulleted) >= _LINES and _priced(lines, bulleted, words):
        yield from bulleted
    elif len(carded) >= _LINES and _priced(lines, carded, words):
        yield from carded


def _priced(lines: Sequence[Paste], starts: Sequence[int], words: Words) -> bool:
    """Whether each part that begins at one of these lines holds a rent."""
    ends = [*starts[1:], len(lines)]
    return all(
        any(one.role == "rent" for line in lines[start:end] for one in amounts(line, words, []))
        for start, end in zip(starts, ends, strict=True)
    )


def _without_closing(body: list[Paste], words: Words) -> tuple[list[Paste], list[Paste]]:
    """The last part, and the lines at its end that speak of all parts."""
    for place, line in enumerate(body):
        if place and searched(words.any_of("for_all"), line.plain):
            return body[:place], body[place:]
    return body, []


def _heading(line: Paste, words: Words) -> str:
    found = searched(words.any_of("offer_heading"), line.plain)
    return line.raw[found.start() : found.end()].strip(" -=#*\t") if found else ""


def _headless(line: Paste, words: Words) -> Paste:
    """A line without its heading or number, which would be read as a count."""
    found = searched(words.any_of("offer_heading"), line.plain) or _BULLET.match(line.plain)
    return line.part(found.end(), len(line.plain)) if found else line
