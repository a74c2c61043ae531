"""Values written so that the file they go into reads them as values and nothing else.

One function a kind of file. What cannot be written safely at all (a control character, a line break, a lone surrogate)
is refused by `advisor.pack.site` before it comes here; these functions hold for every other text.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from typing import Any

# What Markdown or the HTML inside it gives a meaning to.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$@:-])")
# Breaks of a line, in any of Unicode's ways, and what ends a text for a terminal.
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class Expanded(str):
    """A word of ours with a variable for the shell to expand (`--node_rank=$NODE_RANK`); never a person's text."""

    __slots__ = ()


def shell(value: object) -> str:
    """One word of a POSIX shell."""
    return f'"{value}"' if isinstance(value, Expanded) else shlex.quote(str(value))


def command(words: Iterable[object]) -> str:
    """A simple command, a continuation line before each option."""
    line = ""
    for word in words:
        text = shell(word)
        line += (" \\\n  " if str(word).startswith("--") else " ") + text if line else text
    return line


def json_bytes(value: Any) -> bytes:
    """JSON with two spaces and a line break at the end; NaN and Infinity are refused, half a character is escaped."""
    try:
        return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(value, indent=2, allow_nan=False) + "\n").encode()


def markdown(value: object) -> str:
    """A text inside a line of Markdown: no markup, no link, no table cell, no second line."""
    return _MARKDOWN.sub(r"\\\1", _BREAKS.sub(" ", str(value)))


def code(value: object) -> str:
    """A text as inline code: a fence longer than any run of backticks in it; a table's bar is escaped."""
    text = _BREAKS.sub(" ", str(value)).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fenced(text: str, language: str = "") -> str:
    """A block of code whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(longest + 1, len("```"))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
