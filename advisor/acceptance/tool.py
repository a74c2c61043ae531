"""What is known of one tool: its name, the lines that only it prints, and who reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from advisor.acceptance.reading import Reading


@dataclass(frozen=True)
class Tool:
    """How to know a tool and who reads it."""

    name: str
    read: Callable[[str], Reading]
    start: re.Pattern[str]
    signs: tuple[re.Pattern[str], ...] = ()


def known(name: str, read: Callable[[str], Reading], start: str, *signs: str) -> Tool:
    """A tool by the expressions of its beginning and of its other signs, each read line by line."""
    return Tool(name, read, re.compile(start, re.MULTILINE), tuple(re.compile(sign, re.MULTILINE) for sign in signs))
