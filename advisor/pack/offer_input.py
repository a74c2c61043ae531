"""From a file or a paste to offers: a workbook, a CSV, or text in any encoding, never larger than it may be."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from advisor.core.errors import BadInput
from advisor.knowledge.library import Library
from advisor.pack import offer_grid, sheet
from advisor.pack.offer import Offer, Paste
from advisor.pack.offer_read import read, unread
from advisor.pack.offer_split import csv_rows, grid, pieces, tables, unquoted
from advisor.pack.offer_words import words_of

# Longer pastes are no offers.
LONGEST_TEXT = 2**16
# More offers than that are a catalogue; the rest is named as unread.
MOST = 2**6
Normal = Callable[[str], str]
# A comma between the groups of a sum, as full-width writing has it.
_GROUPED = re.compile(r"(?<=\d)，(?=\d{3}(?!\d))")
# A line that a mail program broke: the next one goes on in small letters.
_BROKEN = re.compile(r"(?<=[^\n]{40}[\w,;)])\n(?=[a-z])")
# A question of the vendor or of the request tells nothing, but for one that holds a sum.
_SUM = re.compile(r"[$¥￥元]|/\s*(?:月|mo|h)|usd|hkd|cny|rmb|港[币幣]|美[元金]", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:^|(?<=[.!?\n。！？，,])\s*)(?:do you|can you|could you|would you|have you|is it|are there|is there"
    r"|请问|有没有|能不能|可不可以)"
    r"[^.!\n。！]*?[?？]",
    re.IGNORECASE,
)


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
    if not text.strip("\ufeff\x00 \t\r\n"):
        raise BadInput("is empty", where=_named(file), do=_SEND)
    if file.lower().endswith((".xlsx", ".xls")) or _is_noise(text):
        raise BadInput("is no text and no workbook", where=_named(file), do="send the offer as text, CSV or XLSX")
    if foreign(normal(text), library):
        raise BadInput("is in a language that I do not read", where=_named(file), expected=_EXPECTED, do=_SEND)
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
    return Paste(line, _GROUPED.sub(",", normal(line)))


def _of_text(text: str, file: str, normal: Normal, library: Library) -> list[Offer]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _ASKED.sub(lambda found: found[0] if _SUM.search(found[0]) else " " * len(found[0]), text)
    plain = _GROUPED.sub(",", normal(text))
    broken = [found.start() for found in _BROKEN.finditer(text)]
    whole = unquoted(Paste(_joined(text, broken), _joined(plain, broken)), library)
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


def _joined(text: str, broken: list[int]) -> str:
    """A text with the lines put together that were broken at these places."""
    chars = list(text)
    for place in broken:
        chars[place] = " "
    return "".join(chars)


def _named(file: str) -> str:
    return file if file not in ("", "-") else "the offer"


def foreign(plain: str, library: Library) -> bool:
    """Whether a text is mostly in letters, or for a good part in words, of a language that is not read."""
    letters = [char for char in plain if char.isalpha()]
    other = sum(unicodedata.name(char, "").startswith(_SCRIPTS) for char in letters)
    if other * _PART > len(letters):
        return True
    words = set(re.findall(r"[^\W\d_]+", plain))
    known = {str(word) for word in words_of(library).entries["foreign"]}
    return len(words & known) >= _MANY


# The scripts of languages that are not read; from one letter in four on it is such a text, and from so many words on.
_SCRIPTS = ("HIRAGANA", "KATAKANA", "CYRILLIC", "HANGUL", "ARABIC", "HEBREW", "THAI", "GREEK", "DEVANAGARI")
_PART, _MANY = 2**2, 2 + 1
_EXPECTED = "English or Chinese"
_SEND = "send the vendor's words as text, CSV or XLSX"


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
