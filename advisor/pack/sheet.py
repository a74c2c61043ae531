"""The comparison sheet: written as CSV and XLSX, and read back, with columns moved, renamed or translated.

What goes into a cell never becomes a formula, and what comes out of one is never evaluated: a formula's text is no
value. A workbook that unpacks to more than it may, or that is none, is refused with the reason.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

from advisor.core.errors import BadInput

# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%")
LONGEST_FILE = 10 * 2**20
# What a workbook may unpack to, how many files it may hold, and how much of a sheet is read.
_UNPACKED, _PARTS, _ROWS, _COLUMNS, _CELL = 2**26, 2**10, 2**11, 2**6, 2**12
_WIDE, _NARROW = 2**6, 2**5
_MAGIC = b"PK\x03\x04"
# The oldest day that an archive can name.
_EPOCH = zipfile.ZipInfo("day").date_time


def is_workbook(data: bytes) -> bool:
    """Whether the bytes are a ZIP archive, as every XLSX is."""
    return data.startswith(_MAGIC)


def safe(value: object) -> str:
    """A text that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def to_csv(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as CSV with the mark by which spreadsheets know UTF-8."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in rows:
        writer.writerow([safe(cell) for cell in row])
    return out.getvalue().encode("utf-8-sig")


def to_xlsx(rows: Sequence[Sequence[object]], title: str, open_from: int) -> bytes:
    """Rows as a workbook: the first row fixed, columns from `open_from` on left for the vendors to fill in."""
    from openpyxl import Workbook  # type: ignore[import-untyped]
    from openpyxl.styles import Alignment, Font, PatternFill  # type: ignore[import-untyped]

    book: Any = Workbook()
    sheet: Any = book.active
    sheet.title = "".join(char for char in title if char not in "[]:*?/\\")[: _NARROW - 1]
    for row in rows:
        sheet.append([safe(cell) for cell in row])
    for place, column in enumerate(sheet.columns):
        letter = column[0].column_letter
        sheet.column_dimensions[letter].width = _WIDE if place == 2 else _NARROW // 2 if place < open_from else _NARROW
        for cell in column:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.data_type = "s" if cell.value else cell.data_type
    for cell in sheet[1]:
        cell.font = Font(bold=True)
        cell.fill = PatternFill("solid", fgColor="DDE6F0")
    sheet.freeze_panes = sheet.cell(row=2, column=open_from + 1)
    book.properties.creator = "hkgpu"
    return _steady(book)


def _steady(book: Any) -> bytes:
    """The workbook's bytes, the same for the same cells on every day."""
    from datetime import datetime

    book.properties.created = book.properties.modified = datetime(*_EPOCH)
    packed, out = io.BytesIO(), io.BytesIO()
    book.save(packed)
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in sorted(old.infolist(), key=lambda one: one.filename):
            info = zipfile.ZipInfo(entry.filename, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            body = old.read(entry)
            if entry.filename == "docProps/core.xml":
                body = _dated(body)
            new.writestr(info, body)
    return out.getvalue()


def _dated(body: bytes) -> bytes:
    """The properties with the day of saving taken out."""
    import re

    day = "-".join(f"{part:02d}" for part in _EPOCH[: 2 + 1]) + "T00:00:00Z"
    return re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + day.encode(), body)


def read_xlsx(data: bytes, where: str) -> list[list[str]]:
    """The cells of the first sheet that holds any, as texts. Raises `BadInput` for what is no workbook or too large."""
    _bounded(data, where)
    from openpyxl import load_workbook

    try:
        # Not data_only: a stored result may be anything, and a formula is no statement of the vendor.
        book: Any = load_workbook(io.BytesIO(data), read_only=True, keep_links=False)
        sheets = [_rows(sheet) for sheet in book.worksheets]
        book.close()
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"is no readable workbook ({type(error).__name__})", where=where) from None
    return max(sheets, key=lambda rows: sum(map(len, rows)), default=[])


def _bounded(data: bytes, where: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise BadInput("is no readable workbook", where=where, expected="an .xlsx file") from None
    if len(entries) > _PARTS or sum(entry.file_size for entry in entries) > _UNPACKED:
        raise BadInput("unpacks to more than a sheet of offers can hold", where=where)
    if not any(entry.filename == "xl/workbook.xml" for entry in entries):
        raise BadInput("is an archive, but no workbook", where=where, expected="an .xlsx file")


def _rows(sheet: Any) -> list[list[str]]:
    out = []
    for row in sheet.iter_rows(max_row=_ROWS, max_col=_COLUMNS, values_only=True):
        cells = [_text(value) for value in row]
        if any(cells):
            out.append(cells)
    return out


def _text(value: object) -> str:
    """A cell as text; a formula is nothing that anybody said."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value)[:_CELL].strip()
    return "" if text.startswith("=") else text.removeprefix("'")
