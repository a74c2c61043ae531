"""The words of offers (knowledge/words/offer.yaml) as compiled patterns, once a library.

Patterns are the file's; this puts in what its short names stand for and refuses a pattern that does not compile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from advisor.core.errors import BadData
from advisor.knowledge.library import Library

WHERE = "knowledge/words/offer.yaml"
_HAN = "一二两三四五六七八九十单双半"
_DIGIT, _PLACE = "一二两三四五六七八九十", "零〇一二两三四五六七八九十百千"
_FIGURE = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,9}(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading: its kind and its patterns; `skip` marks what only looks like it."""

    name: str
    kind: str
    patterns: tuple[re.Pattern[str], ...]
    skip: tuple[re.Pattern[str], ...]
    no: tuple[re.Pattern[str], ...]
    values: Mapping[str, tuple[re.Pattern[str], ...]]
    labels: tuple[str, ...]
    now: tuple[re.Pattern[str], ...]
    denies: bool
    most: float


class Words:
    """The lexicon of offers."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self.entries = entries
        self._compiled: dict[tuple[str, ...], tuple[re.Pattern[str], ...]] = {}
        self.numerals: Mapping[str, float] = {str(key): float(value) for key, value in entries["numerals"].items()}
        spelled = "|".join(sorted((word for word in self.numerals if word.isascii()), key=len, reverse=True))
        spelled = rf"(?<![a-z\-])(?:{spelled})(?:[- ](?:{spelled}))?(?![a-z])"
        han = rf"[{_DIGIT}][百千][{_PLACE}]*|[{_HAN}]{{1,3}}"
        number = rf"(?:{_FIGURE}|{han}|{spelled})"
        size = rf"(?P<n>{_FIGURE}|(?<![{_PLACE}第])[{_DIGIT}][{_PLACE}]{{0,4}})\s*(?P<u>tib|gib|tb|gb|t|g)(?![a-z]|/s)"
        rate = rf"(?P<n>{_FIGURE})\s*(?P<u>gbps|gbit/s|gb|g|mbps|mbit/s|mb|m|兆)(?![a-z]|/s)"
        self._names = {"{n}": f"(?P<n>{number})", "{of}": f"(?P<of>{number})", "{size}": size, "{rate}": rate,
                       "{x}": r"\s*[x*]\s*", "{to}": r"[\s:=(为是约~>≥\-]{0,6}(?:不低于|至少|大于)?\s*"}  # fmt: skip

    def pattern(self, text: str) -> re.Pattern[str]:
        """A pattern of the file with its short names filled in."""
        for name, meaning in self._names.items():
            # A group may bear a name once only: a second number of one pattern is n2.
            for place in range(text.count(name)):
                text = text.replace(name, meaning.replace("(?P<n>", f"(?P<n{place + 1}>") if place else meaning, 1)
        try:
            return re.compile(text)
        except re.error as error:
            raise BadData(f'"{text}" is no pattern ({error})', where=WHERE) from None

    def patterns(self, texts: Iterable[object]) -> tuple[re.Pattern[str], ...]:
        """Several patterns."""
        return tuple(self.pattern(str(text)) for text in texts)

    def any_of(self, *keys: str) -> tuple[re.Pattern[str], ...]:
        """The patterns that stand under a path of keys, compiled once."""
        if keys not in self._compiled:
            found: Any = self.entries
            for key in keys:
                found = found[key]
            self._compiled[keys] = self.patterns(found)
        return self._compiled[keys]

    def number(self, found: re.Match[str] | None) -> float | None:
        """The number of a match, whichever branch of its pattern it stands in."""
        if found is None:
            return None
        groups = (text for name, text in found.groupdict().items() if text and re.fullmatch(r"n\d?", name))
        text = next(groups, None)
        return None if text is None else self.value(text)

    def value(self, text: str) -> float | None:
        """The number that a text is, None where it is none."""
        if text in self.numerals:
            return self.numerals[text]
        try:
            return float(text.replace(",", ""))
        except ValueError:
            return self._spelled(text) if text.isascii() else self._han(text)

    def _spelled(self, text: str) -> float | None:
        """`seventy-two`: a number of two words is their sum."""
        parts = [self.numerals.get(word) for word in re.split(r"[- ]", text)]
        return None if None in parts else sum(part for part in parts if part is not None)

    def _han(self, text: str) -> float | None:
        """`一万八千`, `六十四`, and `三千五`, whose last figure is of the next lower place."""
        ten, whole, below, digit, place = self.numerals["十"], 0.0, 0.0, 0.0, 0.0
        for char in text:
            value = self.numerals.get(char)
            if value is None:
                return None
            if value < ten:  # 九五 is ninety-five, as in 九五折
                digit, place = digit * ten + value, place if value else 0.0
            elif char == "万":
                whole, below, digit, place = (whole + below + digit) * value, 0.0, 0.0, value
            else:
                below, digit, place = below + (digit or 1.0) * value, 0.0, value
        return whole + below + digit * (place / ten if place > ten else 1.0)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Every reading."""
        return tuple(self._reading(str(name), entry) for name, entry in self.entries["readings"].items())

    def _reading(self, name: str, entry: Mapping[str, Any]) -> Reading:
        values = {str(key): self.patterns(each) for key, each in (entry.get("values") or {}).items()}
        return Reading(
            name,
            entry["kind"],
            self.patterns([*(entry.get("patterns") or ()), *(entry.get("cues") or ())]),
            self.patterns(entry.get("skip") or ()),
            self.patterns(entry.get("no") or ()),
            values,
            tuple(str(label) for label in entry.get("labels") or ()),
            self.patterns(entry.get("now") or ()),
            bool(entry.get("denies")) or entry["kind"] == "flag",
            float(entry.get("most") or "inf"),
        )

    @cached_property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """Reading -> how a column or a row of a table that answers it may be called."""
        found: dict[str, tuple[str, ...]] = {reading.name: reading.labels for reading in self.readings}
        for name, words in self.entries["labels"].items():
            found[str(name)] = (*found.get(str(name), ()), *(str(word) for word in words))
        return {name: words for name, words in found.items() if words}

    @cached_property
    def denied(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """A text that ends by denying what follows; one that begins by denying what stood before."""
        before, after = ([str(word).strip() for word in self.entries[f"denied_{side}"]] for side in ("before", "after"))
        joint = "|".join(sorted((_bounded(word) for word in before), key=len, reverse=True))
        tail = "|".join(sorted((_bounded(word) for word in [*after, "no"]), key=len, reverse=True))
        between = r"(?:\s*(?:in|at|the|any|在|于|是|位于)(?![a-z])){0,2}"
        return re.compile(rf"(?:{joint}){between}[\s:]*$"), re.compile(rf"^[\s:=(\-]*(?:is |are |为|:)?\s*(?:{tail})")

    @cached_property
    def open(self) -> re.Pattern[str]:
        """What settles nothing."""
        return _either(self.entries["open"])

    @cached_property
    def extra(self) -> re.Pattern[str]:
        """What has to be paid for on top."""
        return _either(self.entries["extra"])


def _bounded(word: str) -> str:
    """A word that is no part of a longer one, where it is of Latin letters."""
    text = re.escape(word)
    head = r"(?<![a-z])" if word[:1].isascii() and word[:1].isalpha() else ""
    return f"{head}{text}" + (r"(?![a-z])" if word[-1:].isascii() and word[-1:].isalpha() else "")


def _either(words: Iterable[object]) -> re.Pattern[str]:
    return re.compile("|".join(_bounded(str(word)) for word in sorted(map(str, words), key=len, reverse=True)))


def searched(patterns: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    """The first pattern that is found."""
    return next((found for pattern in patterns if (found := pattern.search(text))), None)


_WORDS: WeakKeyDictionary[Library, Words] = WeakKeyDictionary()


def words_of(library: Library) -> Words:
    """The lexicon of a library, built once."""
    found = _WORDS.get(library)
    if found is None:
        entries: Any = library.words.require("offer").entries
        found = _WORDS[library] = Words(entries)
    return found
