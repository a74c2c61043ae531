"""Numbers as tools print them: thousands marks, comma decimals, binary and decimal prefixes.

A comma is a decimal mark only where the text as a whole says so (`comma_decimals`); everywhere else it groups
thousands. A word that is no number gives None and never zero.
"""

from __future__ import annotations

import math
import re

_THOUSANDS = re.compile(r"(?<=\d)[,'’\u00a0\u202f ](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_COMMA = re.compile(r"(?<![\d,.])\d+,\d{1,2}(?![\d,.])")
_DOT = re.compile(r"(?<![\d,.])\d+\.\d{1,3}(?![\d,.])")
_PREFIX = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_BINARY = {"": 1.0, "K": 2.0**10, "k": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50}


def number(text: str | None) -> float | None:
    """The first number of a word such as `81559 MiB`, `0x00`, `1,234`, `9’025`, `1105.`; None where there is none."""
    if text is None:
        return None
    word = text.strip()
    if re.fullmatch(r"0x[0-9a-fA-F]+", word):
        return float(int(word, 0))
    found = _NUMBER.search(_THOUSANDS.sub("", word))
    if not found:
        return None
    value = float(found[0])
    return value if math.isfinite(value) else None


def scaled(text: str | None, *, binary: bool = False) -> float | None:
    """`92.4k` -> 92400; with `binary`, `1.5T` or `1.5Ti` -> bytes in powers of 1024."""
    if text is None:
        return None
    found = re.match(r"\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*([kKMGTP]?)(i?)", text)
    if not found:
        return None
    table = _BINARY if binary or found[3] else _PREFIX
    return float(found[1]) * table[found[2]]


def comma_decimals(text: str) -> bool:
    """Whether this text writes 24,42 for 24.42: many such words, and hardly one with a point."""
    commas = len(_COMMA.findall(text))
    return commas > 2 and commas > 2 * len(_DOT.findall(text))


def with_points(text: str) -> str:
    """The same text with decimal points."""
    return re.sub(r"(?<=\d),(?=\d)", ".", text) if comma_decimals(text) else text


def percent(part: float, of: float) -> float | None:
    """`part` of `of` in per cent; None where there is nothing to compare with."""
    return 100 * part / of if of else None
