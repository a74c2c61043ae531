"""Tokens: the pieces of a message that the grammar knows, with their place in it.

Everything else in the message is silence between tokens. A token that is read as negated, quoted or measured is kept
with the reason in `dropped`, so that `rejected` can say what was seen and why it does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["number", "word", "card", "model", "size", "clause", "sentence", "text"]


@dataclass(slots=True)
class Token:
    """One piece. Numbers have `value` (scaled), `scale` as written and `unit`; a range has `high` too."""

    kind: Kind
    start: int
    end: int
    text: str
    tags: frozenset[str] = frozenset()
    value: float = 0.0
    high: float | None = None
    scale: str = ""
    unit: str = ""
    name: str = ""
    active: float | None = None
    spelled: bool = False
    dropped: str = ""
    used: str = ""
    clause: int = 0
    sentence: int = 0
    reference: bool = False

    def has(self, tag: str) -> bool:
        """Whether the token carries a tag such as `cue:ram`."""
        return tag in self.tags

    def key(self, category: str) -> str | None:
        """The key under a category, e.g. `lora` for `task`."""
        head = category + ":"
        return next((tag[len(head) :] for tag in sorted(self.tags) if tag.startswith(head)), None)

    @property
    def free(self) -> bool:
        """Neither dropped nor used for a slot yet."""
        return not self.dropped and not self.used


@dataclass(slots=True)
class Message:
    """A message being understood: its texts, tokens, and what was found."""

    raw: str
    text: str
    lang: str
    tokens: list[Token]
    slots: dict[str, object] = field(default_factory=dict)
    rejected: list[dict[str, object]] = field(default_factory=list)
    notes: set[str] = field(default_factory=set)
    ranges: Mapping[str, Any] = field(default_factory=dict)

    def limit(self, name: str) -> float:
        """A bound of knowledge/words/ranges.yaml."""
        return float(self.ranges[name])

    def listed(self, name: str) -> frozenset[float]:
        """A list of knowledge/words/ranges.yaml."""
        return frozenset(float(value) for value in self.ranges[name])

    def between(self, left: Token, right: Token) -> str:
        """The text between two tokens."""
        return self.text[left.end : right.start]

    @property
    def claim(self) -> bool:
        """Whether a vendor is quoted."""
        return any("scope:vendor" in token.tags and not token.dropped for token in self.tokens)

    def any(self, tag: str) -> bool:
        """Whether any token carries a tag."""
        return any(tag in token.tags for token in self.tokens)

    def of(self, *tags: str) -> list[Token]:
        """The tokens that carry one of some tags."""
        return [token for token in self.tokens if any(tag in token.tags for tag in tags)]

    def reject(self, slot: str, value: object, token: Token, reason: str) -> None:
        """Keep what was seen but does not count, with the reason."""
        self.rejected.append(
            {"slot": slot, "value": value, "text": self.raw[token.start : token.end], "reason": reason}
        )

    def put(self, slot: str, value: object) -> None:
        """Fill a slot that is still empty; None, an empty list and an empty range fill nothing."""
        if value is not None and value != [] and value != {}:
            self.slots.setdefault(slot, value)


def tidy(value: float) -> float | int:
    """A whole number as int; others rounded to what was said."""
    rounded = round(value, 6)
    return int(rounded) if rounded == int(rounded) else rounded
