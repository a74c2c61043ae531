"""Which tool printed a text, and where one output ends and the next begins when several were pasted together.

What stands before the first beginning belongs to the first part.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.acceptance.tool import Tool
from advisor.acceptance.tools import ONCE, TOOLS, WITHIN

BY_NAME = {tool.name: tool for tool in TOOLS}
# More than this many beginnings is no paste of a person.
MAX_PARTS = 2**8


def _known(text: str) -> Tool | None:
    best: tuple[int, int, Tool] | None = None
    for order, tool in enumerate(TOOLS):
        hits = 2 * bool(tool.start.search(text)) + sum(bool(sign.search(text)) for sign in tool.signs)
        if hits and (best is None or hits > best[0]):
            best = (hits, order, tool)
    return best[2] if best else None


def parts(text: str) -> list[tuple[Tool | None, str]]:
    """The outputs in a text, each with its tool; one part with no tool where none is known."""
    whole = text.strip()
    starts = sorted((found.start(), tool.name) for tool in TOOLS for found in tool.start.finditer(text))
    cuts = _cuts(text, starts)
    if len(cuts) < 2:
        return [(_known(text), text)] if whole else [(None, text)]
    pieces = [text[begin:end] for begin, end in zip(cuts, [*cuts[1:], len(text)], strict=True)]
    pieces[0] = text[: cuts[0]] + pieces[0]
    return [(_known(piece), piece) for piece in pieces]


def _cuts(text: str, starts: Sequence[tuple[int, str]]) -> list[int]:
    """Where a new output begins: at a beginning of another tool, or at one of the same tool after a whole output."""
    cuts: list[int] = []
    names: list[str] = []
    for at, name in starts:
        if names and names[-1] == name and name in ONCE:
            continue
        if name in WITHIN and names and names[-1] in WITHIN[name]:
            continue
        if cuts and not text[cuts[-1] : at].strip():
            continue
        cuts.append(at)
        names.append(name)
        if len(cuts) > MAX_PARTS:
            break
    return cuts
