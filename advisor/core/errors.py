"""The tree of errors, which is part of the interface.

Every error says what is wrong, where, what was expected and what to do. A face prints `str(error)` and leaves with
`error.exit_code`; it never shows a traceback. This module holds no texts of its own beyond the shape of the line.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class HkgpuError(Exception):
    """What is wrong, where, what was expected, what to do.

    `where` is `file:line`, a fact id or an option; the parts that are empty are left out of the line.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", expected: str = "", do: str = "") -> None:
        self.what = what
        self.where = where
        self.expected = expected
        self.do = do
        super().__init__(self.line())

    def line(self) -> str:
        """One line for a person: `where: what; expected ...; do ...`."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        tail = [f"expected {self.expected}"] if self.expected else []
        tail += [self.do] if self.do else []
        return "; ".join([head, *tail])


class BadInput(HkgpuError):
    """A person or a program gave us something that cannot be used."""


class BadData(HkgpuError):
    """A file under rules/ or knowledge/ (or an overlay) is wrong. Found at load, never skipped."""


class UnitError(HkgpuError):
    """Two quantities whose units may not be mixed, or a unit nobody defined."""


class RuleConflict(HkgpuError):
    """Two rules concluded different values for a fact that has one value a run."""

    exit_code = 1


class EngineFailure(HkgpuError):
    """The rule engine raised inside a run; the message names the rule."""

    exit_code = 1


class StoreError(HkgpuError):
    """Conversations cannot be read or written just now; nothing was changed. The message names no address."""


class Conflict(StoreError):
    """Somebody else wrote to the conversation since it was read; read it again and decide anew."""

    exit_code = 1


class Withdrawn(StoreError):
    """The message was forgotten, or its conversation, before it was answered."""

    exit_code = 1


class Declined(HkgpuError):
    """The question is outside what this assistant answers."""

    exit_code = 1


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean "x"?` for the nearest known word, or an empty string."""
    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else ""
