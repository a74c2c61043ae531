"""Reads offers out of a table: our own sheet filled in, or a vendor's, whichever way it lies.

A row or a column is known by the id of a line, by its title in any of the languages, or by the name that vendors give
it. What we wrote into the sheet ourselves (what is wanted, the unit, the proof) is never taken for an answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.core.text import LANGS
from advisor.knowledge.hant import to_hant
from advisor.knowledge.library import Library
from advisor.pack.offer import Offer, Paste
from advisor.pack.offer_read import hinted, read
from advisor.pack.offer_split import Grid
from advisor.pack.offer_words import words_of
from advisor.pack.quote_words import Speech
from advisor.pack.request import OURS

_GAP = re.compile(r"[\s:：()（）*#\[\].、/_\-]+")
# A table is taken by its labels from so many on.
_ENOUGH = 2
_SAME = 2


@dataclass(frozen=True, slots=True)
class Label:
    """What a row or a column answers: a line of ours (or ""), and the reading that a bare value is taken for."""

    line: str
    reading: str


class Titles:
    """Every name by which a line or a reading goes, and every text of ours that may stand in a sheet."""

    def __init__(self, library: Library) -> None:
        self.labels: dict[str, Label] = {}
        self.headers: set[str] = set()
        self.ours: set[str] = set()
        for name, words in words_of(library).labels.items():
            for word in words:
                self.labels[_key(word)] = Label("", name)
        for key, record in library.requests.items():
            for word in (key, record.title.en, record.title.zh, to_hant(record.title.zh, library)):
                self.labels[_key(word)] = Label(key, record.reads[0])
        for lang in LANGS:
            speech = Speech(library, lang)
            self.headers |= {_key(speech.fixed(key)) for key in OURS}
            self.ours |= {_key(speech.fixed(key)) for key in ("wanted_yes", "wanted_no", "wanted_stated")}
            self.ours |= {
                _key(speech.fixed(f"group_{group}")) for group in ("hardware", "network", "site", "terms", "operations")
            }
            self.ours |= {_key(speech.text(item.title.text)) for item in library.items.values()}

    def label(self, text: str) -> Label | None:
        """What a cell names, by all of it or by what stands before its colon."""
        head = re.split(r"[:：]", text, maxsplit=1)[0]
        return self.labels.get(_key(text)) or self.labels.get(_key(head))


def _key(text: str) -> str:
    return _GAP.sub("", text.lower())


_TITLES: WeakKeyDictionary[Library, Titles] = WeakKeyDictionary()


def titles_of(library: Library) -> Titles:
    """The titles of a library, gathered once."""
    found = _TITLES.get(library)
    if found is None:
        found = _TITLES[library] = Titles(library)
    return found


def offers(grid: Grid, file: str, library: Library) -> list[Offer]:
    """The offers of a table; none where no row and no column has a name that we know."""
    titles = titles_of(library)
    down = [sum(titles.label(row[place].raw) is not None for row in grid.rows) for place in range(_width(grid))]
    across = [sum(titles.label(cell.raw) is not None for cell in row) for row in grid.rows[: _ENOUGH + 1]]
    best_down, best_across = max(down, default=0), max(across, default=0)
    if max(best_down, best_across) < _ENOUGH:
        return []
    if best_across >= best_down:
        return _by_rows(grid, across.index(best_across), file, titles, library)
    return _by_columns(grid, down.index(best_down), file, titles, library)


def _width(grid: Grid) -> int:
    return len(grid.rows[0]) if grid.rows else 0


def _by_rows(grid: Grid, header: int, file: str, titles: Titles, library: Library) -> list[Offer]:
    """One offer a row, below a header."""
    labels = [titles.label(cell.raw) for cell in grid.rows[header]]
    found = []
    for row in grid.rows[header + 1 :]:
        cells = list(zip(grid.rows[header], labels, row, strict=True))
        name = next((cell.raw.strip() for _, label, cell in cells if label and label.reading == "vendor"), "")
        made = _offer(name, file, [(head, label, cell) for head, label, cell in cells], library)
        if made.readable:
            found.append(made)
    return found


def _by_columns(grid: Grid, column: int, file: str, titles: Titles, library: Library) -> list[Offer]:
    """One offer a column, beside the column of labels."""
    labels = [titles.label(row[column].raw) for row in grid.rows]
    headed = labels[0] is None
    found = []
    remarks = {str(word) for word in words_of(library).entries["remarks"]}
    beside = [place for place, cell in enumerate(grid.rows[0]) if headed and _key(cell.raw) in remarks]
    own = [place for place in range(_width(grid)) if place not in (column, *beside)]
    own = [place for place in own if not _is_ours(grid, place, headed, titles)]
    if beside and len(own) == 1:  # remarks beside one offer are that offer's words
        grid = Grid(tuple(_with_remarks(row, own[0], beside) for row in grid.rows))
    else:
        own = sorted([*own, *beside])
    for place in own:
        head = grid.rows[0][place].raw.strip() if headed else ""
        if any(label and label.reading == "vendor" for label in labels):
            head = next(row[place].raw.strip() for row, label in zip(grid.rows, labels, strict=True)
                        if label and label.reading == "vendor") or head  # fmt: skip
        rows = [(row[column], label, row[place]) for row, label in zip(grid.rows[1 if headed else 0 :],
                labels[1 if headed else 0 :], strict=True)]  # fmt: skip
        made = _offer(head, file, rows, library)
        if made.readable:
            found.append(made)
    return found


def _with_remarks(row: tuple[Paste, ...], place: int, beside: Sequence[int]) -> tuple[Paste, ...]:
    """A row with the remarks put behind the cell of the offer."""
    told = [row[place], *(row[each] for each in beside if row[each].raw.strip())]
    cell = Paste("，".join(one.raw for one in told), "，".join(one.plain for one in told))
    return (*row[:place], cell, *row[place + 1 :])


def _is_ours(grid: Grid, place: int, headed: bool, titles: Titles) -> bool:
    """Whether a column is one that we wrote: by its header, or by what stands in it."""
    if headed and _key(grid.rows[0][place].raw) in titles.headers:
        return True
    cells = [row[place].raw for row in grid.rows[1:] if row[place].raw.strip()]
    named = sum(titles.label(cell) is not None or _key(cell) in titles.ours for cell in cells)
    return bool(cells) and named * _SAME > len(cells) and len(set(map(_key, cells)) - {"yes", "no", "是", "否"}) > 1


def _offer(name: str, file: str, cells: Sequence[tuple[Paste, Label | None, Paste]], library: Library) -> Offer:
    words = words_of(library)
    offer = Offer(name, file, "\n".join(f"{head.raw.strip()}: {cell.raw.strip()}" for head, _, cell in cells))
    blank = {str(word) for word in words.entries["words_blank"]}
    for head, label, cell in cells:
        if cell.plain.strip() in blank or (label and label.reading == "vendor"):
            continue
        part = Offer(name, file, "")
        title = _title(head, label, library)
        read(part, Paste(f"{title.raw}: {cell.raw.strip()}", f"{title.plain}: {cell.plain.strip()}"), library)
        bare = hinted(label.reading, cell, words) if label else None
        if bare is not None and (isinstance(bare.value, bool) or bare.mark == "open"):
            part.said[bare.name] = [bare]  # a plain yes, no or "to be agreed" is the whole answer
        elif bare is not None and not part.said.get(bare.name) and not (bare.name == "card" and part.cards):
            part.add([bare])
        _merge(offer, part, library)
    return offer


def _title(head: Paste, label: Label | None, library: Library) -> Paste:
    """What a cell answers, in few words: never the text of a line of ours, which would be read as the answer."""
    if label and label.line == "price":
        return Paste("月租", "月租")  # a rent of our own sheet is asked for by the month
    if label and label.line:
        title = library.requests[label.line].title.en
        return Paste(title, title.lower())
    cut = re.match(r"[^:：]*", head.raw)
    return head.part(0, cut.end() if cut else len(head.raw))


def _merge(offer: Offer, part: Offer, library: Library) -> None:
    for said in part.said.values():
        offer.add(said)
    offer.amounts += part.amounts
    if part.cards and not offer.cards:
        offer.cards = part.cards
    elif part.cards:
        offer.cards = tuple(sorted(set(offer.cards) & set(part.cards))) or offer.cards
    offer.cards_named = tuple(dict.fromkeys((*offer.cards_named, *part.cards_named)))
