"""Text between headings: each match with what stands below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence


def blocks(text: str, starts: Sequence[re.Match[str]]) -> Iterator[tuple[re.Match[str], str]]:
    """Each heading with the text up to the next one."""
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        yield start, text[start.end() : end]
