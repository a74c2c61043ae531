"""Figures of a sentence: value or range, unit, relation, and where they stand.

Reads numbers with digits, English and Chinese numerals before a unit, ranges ("2-3 days", "15-20 万元") and scales
(万, million). A number without a unit of the lexicon is no figure. The text is normalised: small letters, Simplified.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from advisor.claims.phrases import any_of, pattern

Relation = Literal["equals", "at_least", "at_most"]
# How far before a figure its relation may stand, in characters.
_BEFORE = 2**4
# The digits of a name (a100) are no number, those behind a sign of times (2x3200) are.
_FREE = r"(?<![a-wyz\d.,_])(?<![a-z]x)"
_NUMBER = rf"{_FREE}\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|{_FREE}\d+(?:\.\d+)?"
_JOINT = r"\s*(?:-|~|到|至|to|or|or even|/)\s*"


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` (to `high` for a range) of `unit`; `x` is the unit of multiples."""

    value: float
    high: float
    unit: str
    relation: Relation
    start: int
    end: int

    def near(self, other: float, share: float) -> bool:
        """Whether another value lies in the range, or within a share of it."""
        return self.value * (1 - share) <= other <= self.high * (1 + share)


class Reader:
    """Finds figures with the words of `knowledge/words/claim_figures`."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        self._relations = words["relations"]
        self._after = words["relations_after"]
        self._scales: dict[str, float] = dict(words["scales"])
        self._numerals: dict[str, float] = dict(words["numerals"])
        self._signs: dict[str, str] = dict(words["currency_signs"])
        self._money = words["money"]
        units = {
            str(word): (unit, float(factor)) for unit, table in words["units"].items() for word, factor in table.items()
        }
        self._units = units
        self._figure = self._compiled(units)

    def _compiled(self, units: Mapping[str, object]) -> re.Pattern[str]:
        spelled = "|".join(map(re.escape, sorted(self._numerals, key=len, reverse=True)))
        number = rf"(?:{_NUMBER}|(?<![a-z])(?:{spelled})(?![a-z]))"
        scale = "|".join(map(re.escape, sorted(self._scales, key=len, reverse=True)))
        unit = "|".join(_whole(word) for word in sorted(units, key=len, reverse=True))
        sign = "|".join(map(re.escape, sorted(self._signs, key=len, reverse=True)))
        return re.compile(
            rf"(?P<sign>{sign})?\s*(?P<low>{number})\s*(?:a\s)?(?P<scale1>{scale})?"
            rf"(?:{_JOINT}(?P<high>{number})\s*(?P<scale2>{scale})?)?"
            rf"(?P<rest>多|余|\+|\s?a)?[\s-]*(?P<unit>{unit})?"
        )

    def read(self, text: str) -> tuple[Figure, ...]:
        """The figures from left to right."""
        return tuple(figure for found in self._figure.finditer(text) if (figure := self._of(found, text)) is not None)

    def _of(self, found: re.Match[str], text: str) -> Figure | None:
        scale_low, scale_high = found["scale1"], found["scale2"]
        if found["sign"]:
            unit, factor = self._signs[found["sign"]], 1.0
        elif found["unit"]:
            unit, factor = self._units[found["unit"]]
        elif (scale_high or scale_low) and any_of(text, self._money):
            # "月租 15-20 万": nobody writes the yuan.
            unit, factor = "CNY", 1.0
        else:
            return None
        if found["high"]:
            scale_low = scale_low or scale_high
        low = self._value(found["low"]) * self._scales.get(scale_low or "", 1.0) * factor
        high = low
        if found["high"]:
            high = self._value(found["high"]) * self._scales.get(scale_high or "", 1.0) * factor
        if high < low:
            low, high = high, high
        relation = self._relation(text, found.start("low"), found.end())
        if unit == "Mbps" and text[: found.start("low")].rstrip().endswith("over"):
            relation = "equals"  # "500 GB over 100 Mbps"
        return Figure(low, high, unit, relation, found.start(), found.end())

    def _value(self, word: str) -> float:
        return self._numerals[word] if word in self._numerals else float(word.replace(",", ""))

    def _relation(self, text: str, start: int, end: int) -> Relation:
        after = text[end : end + _BEFORE].lstrip()
        before = text[max(0, start - _BEFORE) : start]
        for relation, phrases in self._after.items():
            if any(after.startswith(phrase) for phrase in phrases):
                return "at_least" if relation == "at_least" else "at_most"
        # Negated relations are listed before what they negate, and the longest phrase wins.
        hits = [
            (len(phrase), relation)
            for relation, phrases in self._relations.items()
            for phrase in phrases
            if pattern(phrase).search(before)
        ]
        if not hits:
            return "equals"
        return "at_least" if max(hits)[1] == "at_least" else "at_most"


def _whole(word: str) -> str:
    after = r"(?![a-z0-9/])" if word[-1].isascii() and word[-1].isalnum() else ""
    return re.escape(word) + after
