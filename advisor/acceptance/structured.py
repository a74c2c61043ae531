"""JSON inside a text: where it begins, whether it is whole. Broken JSON gives None, never an exception.

Depth and size are limited by the caller's text; Python's own recursion limit is caught.
"""

from __future__ import annotations

import json
import re
from typing import Any

_BEGIN = re.compile(r"^[ \t]*[\[{]", re.MULTILINE)
_DECODER = json.JSONDecoder()
TRIES = 2**4


def json_span(text: str, at: int = 0) -> tuple[Any, int, int] | None:
    """The first whole JSON object or array that begins a line at or after `at`: (data, begin, end)."""
    for tried, found in enumerate(_BEGIN.finditer(text, at)):
        if tried > TRIES:
            break
        begin = found.end() - 1
        try:
            data, end = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) or (isinstance(data, list) and data and isinstance(data[0], dict)):
            return data, begin, end
    return None


def first_json(text: str) -> tuple[Any, bool]:
    """The first JSON of a text and whether there was one that is whole."""
    found = json_span(text)
    return (found[0], True) if found else (None, False)


def dig(data: Any, *path: str | int) -> Any:
    """The value at a path, or None where the path leads nowhere."""
    for key in path:
        if isinstance(data, dict) and isinstance(key, str):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and -len(data) <= key < len(data):
            data = data[key]
        else:
            return None
    return data


def figure(data: Any, *path: str | int) -> float | None:
    """A finite number at a path; booleans and texts are none."""
    value = dig(data, *path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if number - number == 0 else None
