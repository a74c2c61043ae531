"""`hkgpu parse`: one JSON object a line in, one out, in order; a bad row has an error and stops nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from advisor.dialogue.understand import understand


def parse_rows(lines: Iterable[str], library: Any) -> Iterator[dict[str, Any]]:
    """Yield `{"id", "lang", "intent", "slots", "rejected", "error"}` for each line `{"id", "text", "context"?}`."""
    for line in lines:
        if line.strip():
            yield _row(line, library)


def _row(line: str, library: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"id": None, "lang": None, "intent": None, "slots": {}, "rejected": [], "error": None}
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {**out, "error": f"is not JSON: {str(error)[: len('a short message of what is wrong with it')]}"}
    if not isinstance(row, Mapping):
        return {**out, "error": 'is no object with "id" and "text"'}
    key = row.get("id")
    out["id"] = key if isinstance(key, str | int) or key is None else str(key)
    if not isinstance(row.get("text"), str):
        return {**out, "error": 'has no "text"'}
    seen = understand(row["text"], library, _context(row.get("context")))
    return {
        **out,
        "lang": seen.lang,
        "intent": seen.intent,
        "slots": dict(seen.slots),
        "rejected": [dict(item) for item in seen.rejected],
    }


def _context(given: object) -> Mapping[str, Any] | None:
    return given if isinstance(given, Mapping) else None
