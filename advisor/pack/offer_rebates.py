"""What comes off the rent: a percentage, free months, months on top, each with the condition under which it holds.

A discount that the price holds already, or that is denied, is none. Nothing is taken off here; that is the price's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf

from advisor.core.units import convert
from advisor.pack.offer import Paste, Rebate
from advisor.pack.offer_words import Words, searched

_SENTENCE = re.compile(r"[。;；\n!！]|\.\s|$")


def rebates(line: Paste, words: Words) -> Iterator[Rebate]:
    """The rebates of a line, each once."""
    seen: list[tuple[int, int]] = []
    for kind in words.entries["rebates"]["kinds"]:
        for pattern in words.any_of("rebates", "kinds", kind):
            for found in pattern.finditer(line.plain):
                if any(start < found.end() and found.start() < end for start, end in seen):
                    continue
                made = _made(kind, found, line, words)
                if made is not None:
                    seen.append(found.span())
                    yield made


def _made(kind: str, found: re.Match[str], line: Paste, words: Words) -> Rebate | None:
    start, end = _sentence(line.plain, found)
    around = line.plain[start:end]
    if searched(words.any_of("rebates", "not"), around):
        return None
    value = words.number(found)
    if kind == "fold":
        value = _folded(value, words)
    elif value is None:
        value = 1.0  # "the first month is free" names no number
    if value is None or not 0 < value < convert(1, "share", "%"):
        return None
    paid = found.groupdict().get("of")
    of = words.value(paid) if paid else None
    if kind == "pay_for":
        if of is None or value <= of:
            return None
        value, kind = value - of, "extra"
    condition = _condition(line.plain[start : found.start()], around, words)
    return Rebate("percent" if kind == "fold" else kind, value, of, condition, line.raw[found.start() : found.end()])


def _folded(value: float | None, words: Words) -> float | None:
    """9 folds leave nine tenths, 85 folds eighty-five hundredths; what comes off, in percent."""
    ten = words.numerals["十"]
    return None if value is None else convert(1, "share", "%") - value * (ten if value < ten else 1.0)


def _sentence(text: str, found: re.Match[str]) -> tuple[int, int]:
    start = max((cut.end() for cut in _SENTENCE.finditer(text, 0, found.start()) if cut[0]), default=0)
    stop = _SENTENCE.search(text, found.end())
    return start, stop.start() if stop else len(text)


def _condition(before: str, around: str, words: Words) -> float:
    """How many months have to be paid ahead for it: 0 where nothing is asked, infinite for what no offer can show."""
    if searched(words.any_of("rebates", "only_if"), around):
        return inf
    months = words.entries["money"]["ahead_months"]
    near = re.split(r"[,，]", before)[-1] + re.split(r"[,，]", around[len(before) :])[0]
    asked = [float(months[name]) for name in months if searched(words.any_of("rebates", "paid_ahead", name), near)]
    return max(asked, default=0.0)
