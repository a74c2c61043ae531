"""The batch desks: memory and speed for the rows of a CSV, meaning for lines of text.

They keep the order of the rows, never stop at a bad one (its `error` says why), and give one line at a time.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from advisor.core.errors import BadInput
from advisor.knowledge.library import open_library

MEMORY_COLUMNS = ("id", "low_gib", "likely_gib", "high_gib", "verdict", "tokens_per_s_total", "error")
SPEED_COLUMNS = ("id", "tokens_per_s_per_gpu", "low", "high", "mfu", "error")


def estimate_csv(text: str) -> Iterator[str]:
    """Memory a card for each row, as lines of CSV with a head."""
    from advisor.estimate.rows import estimate_rows
    from advisor.estimate.speed_totals import total_tokens

    library = open_library()
    found = estimate_rows(_rows(text), library, speed=lambda row: total_tokens(row, library))
    return _csv(MEMORY_COLUMNS, found)


def speed_csv(text: str) -> Iterator[str]:
    """Tokens a second a card for each row, as lines of CSV with a head."""
    from advisor.estimate.speed_rows import speed_rows

    return _csv(SPEED_COLUMNS, speed_rows(_rows(text), open_library()))


def parse_lines(text: str) -> Iterator[str]:
    """What each line says, as JSON lines."""
    from advisor.dialogue.rows import parse_rows

    lines = (line for line in text.split("\n") if line.strip())
    for row in parse_rows(lines, open_library()):
        yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def _rows(text: str) -> Iterator[Mapping[str, str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if not reader.fieldnames or "id" not in reader.fieldnames:
        raise BadInput("the table has no column id", expected="a CSV with a head line")
    for row in _readable(reader):
        yield {key: value or "" for key, value in row.items() if isinstance(key, str) and not isinstance(value, list)}


def _readable(reader: Iterable[dict[str | Any, str | Any]]) -> Iterator[dict[str | Any, str | Any]]:
    """The rows of a table; a cell beyond what a table may hold ends the reading with one clear line."""
    try:
        yield from reader
    except csv.Error as error:
        raise BadInput(f"is no readable table: {error}", expected="a CSV with cells of ordinary length") from None


def _csv(columns: tuple[str, ...], rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    def line(values: Iterable[object]) -> str:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow(["" if value is None else value for value in values])
        return out.getvalue()

    yield line(columns)
    for row in rows:
        yield line(row.get(column) for column in columns)
