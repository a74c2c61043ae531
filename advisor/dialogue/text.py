"""What a message looks like to the grammar: one character for one character of what was written.

Full-width forms become half-width, Traditional characters become Simplified, letters become small, control characters
and lone surrogates become spaces. Every replacement keeps its place, so that a span of the normalised text is a span
of the message. It changes no word and refuses nothing; a message that is too long is cut by the caller.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

_CJK = (("\u3400", "\u9fff"), ("\uf900", "\ufaff"))
_FIXED = {
    "×": "x",
    "✕": "x",
    "✖": "x",
    "＊": "*",
    "·": " ",
    "–": "-",
    "—": "-",
    "―": "-",
    "‑": "-",
    "−": "-",
    "～": "~",
    "〜": "~",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "（": "(",
    "）": ")",
    "【": "[",
    "】": "]",
    "，": "，",
    "？": "?",
    "！": "!",
    "：": ":",
    "；": ";",
    "。": "。",
    "、": "、",
    "／": "/",
    "％": "%",
    "＝": "=",
    "＋": "+",
    "\t": " ",
    "\r": "\n",
    "\u3000": " ",
    "《": '"',
    "》": '"',
    "「": '"',
    "」": '"',
    "咭": "卡",
    "檯": "台",
    "臺": "台",
    "祘": "算",
    "裡": "里",
    "裏": "里",
    "著": "着",
    "妳": "你",
    "喇": "啦",
    "嚟": "来",
}


def is_cjk(char: str) -> bool:
    """Whether a character is a Han character."""
    return any(low <= char <= high for low, high in _CJK)


@cache
def _simplifier() -> Any:
    # Imported when the first Han character comes: an English question never pays for it.
    from opencc import OpenCC

    return OpenCC("t2s")


@cache
def simplified(char: str) -> str:
    """The Simplified form of one Han character."""
    if char in _FIXED:
        return _FIXED[char]
    out: str = _simplifier().convert(char)
    return out if len(out) == 1 else char


class _Table(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = out = _one(chr(code))
        return out


def _one(char: str) -> str:
    if char in _FIXED:
        return _FIXED[char]
    if is_cjk(char):
        return simplified(char)
    if char == "\n":
        return char
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return " "
    wide = unicodedata.normalize("NFKC", char)
    small = (wide if len(wide) == 1 else char).lower()
    return small if len(small) == 1 else char


_TABLE = _Table()


def normalised(text: str) -> str:
    """The message as the grammar reads it, of the same length."""
    return text.translate(_TABLE)
