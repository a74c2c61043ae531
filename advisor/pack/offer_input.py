"""From a file or a paste to offers: a workbook, a CSV, or text in any encoding, never larger than it may be."""

from __future__ import annotations

from collections.abc import Callable

from advisor.core.errors import BadInput
from advisor.knowledge.library import Library
from advisor.pack import offer_grid, sheet
from advisor.pack.offer import Offer, Paste
from advisor.pack.offer_read import read, unread
from advisor.pack.offer_split import csv_rows, grid, pieces, tables, unquoted

# Longer pastes are no offers.
LONGEST_TEXT = 2**16
# More offers than that are a catalogue; the rest is named as unread.
MOST = 2**6
Normal = Callable[[str], str]


def read_offers(
    file: str, data: bytes, decode: Callable[[bytes], str], normal: Normal, library: Library
) -> list[Offer]:
    """The offers of one file. Raises `BadInput` for a file that is too large or no readable workbook; a text in which
    nothing can be read gives one offer that says so."""
    if len(data) > sheet.LONGEST_FILE:
        raise BadInput(f"has {len(data)} bytes", where=file, expected=f"at most {sheet.LONGEST_FILE}")
    if sheet.is_workbook(data):
        rows = sheet.read_xlsx(data, file)
        return _of_rows(rows, file, normal, library) or [Offer("", file, "", problem="unreadable")]
    text = decode(data)
    if file.lower().endswith((".xlsx", ".xls")) or _is_noise(text):
        raise BadInput("is no text and no workbook", where=file, do="send the offer as text, CSV or XLSX")
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"has {len(text)} characters", where=file, expected=f"at most {LONGEST_TEXT}")
    found = (
        _of_rows(csv_rows(text), file, normal, library)
        if file.lower().endswith((".csv", ".tsv")) or _looks_csv(text)
        else []
    )
    return (found or _of_text(text, file, normal, library))[:MOST]


def _is_noise(text: str) -> bool:
    """Whether so much of a text is damaged or control characters that nobody wrote it."""
    odd = sum(char == "\ufffd" or (not char.isprintable() and not char.isspace()) for char in text)
    return len(text) > MOST // 2 and odd * 2**3 > len(text)


def _looks_csv(text: str) -> bool:
    """Whether the first line may be the header of a CSV; `offer_grid` then looks whether its names are known."""
    head = text.lstrip("\ufeff").split("\n", 1)[0].lower()
    return head.count(",") >= 2 and not head.startswith(">")


def _of_rows(rows: list[list[str]], file: str, normal: Normal, library: Library) -> list[Offer]:
    if not rows:
        return []
    made = grid([_paste(cell.removeprefix("'"), normal) for cell in row] for row in rows)
    return offer_grid.offers(made, file, library)


def _paste(text: str, normal: Normal) -> Paste:
    line = " ".join(text.split())
    return Paste(line, normal(line))


def _of_text(text: str, file: str, normal: Normal, library: Library) -> list[Offer]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    whole = unquoted(Paste(text, normal(text)))
    grids, rest = tables(whole)
    found: list[Offer] = []
    loose = [rest]
    for each in grids:
        made = offer_grid.offers(each, file, library)
        found += made
        if not made:
            loose += [Paste(" ".join(c.raw for c in row), " ".join(c.plain for c in row)) for row in each.rows]
    if found:
        return _with_rest(found, rest, library)
    paste = Paste("\n".join(one.raw for one in loose), "\n".join(one.plain for one in loose))
    if unread(paste):
        return [Offer("", file, text, problem="unreadable")]
    for piece in pieces(paste, library):
        offer = Offer(piece.name, file, piece.text.raw)
        read(offer, piece.text, library)
        if not offer.readable:
            offer.problem = "unreadable"
        found.append(offer)
    return found or [Offer("", file, text, problem="unreadable")]


def _with_rest(found: list[Offer], rest: Paste, library: Library) -> list[Offer]:
    """The terms around a table hold for each of its offers, but say nothing that the table says itself."""
    around = Offer("", "", "")
    read(around, rest, library)
    for offer in found:
        for name, said in around.said.items():
            if name not in offer.said:
                offer.add(said)
        if not offer.cards:
            offer.cards = around.cards
        offer.amounts += [one for one in around.amounts if one.role != "rent" or not offer.amounts]
    return found
