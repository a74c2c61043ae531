"""What a recorded claim says of a sentence that is nearly it: another figure, or the same thing denied.

A record may hold the real figure (`parts.real`); a sentence with another figure than the recorded one is then judged by
it. Where the record knows no real figure, a figure that is not the right one of a correct claim is wrong, and nothing
is said of the others.
"""

from __future__ import annotations

import re
from typing import Any

from advisor.claims.checked import Checked
from advisor.claims.figures import Figure
from advisor.claims.phrases import any_of
from advisor.claims.sentence import Sentence, words_of
from advisor.core.errors import UnitError
from advisor.core.text import Text
from advisor.core.units import convert, number
from advisor.knowledge.records.claims import Claim

_DENIABLE = ("fits",)
_THAN = re.compile(r"(?<![a-z])than(?![a-z])|比")
_BEGINS_EN = re.compile(r"^(?:Right|True|Correct|Yes|Agreed|Adopted)\b[.,;: ]*(?:and )?")
_BEGINS_ZH = re.compile(r"^(?:对|正确|同意|采纳)[。，；：]?")


def other_figure(sentence: Sentence, claim: Claim, near: float) -> Checked | None:
    """The verdict on a figure that is not the recorded one; None where there is no such figure."""
    parts = claim.parts
    if parts.figure is None or parts.real is None:
        return None
    low, high = parts.real
    for figure in sentence.figures:
        value = _value(figure, parts.unit or "")
        if value is None:
            continue
        right = low * (1 - near) <= value <= high * (1 + near)
        ends = number(low) if low == high else f"{number(low)}-{number(high)}"
        return Checked(
            parts.measure or "",
            "yes" if right else "no",
            claim.instead.text,
            f"{ends} {parts.unit}".strip(),
            claim.because,
        )
    return None


def _value(figure: Figure, unit: str) -> float | None:
    if unit == "" and figure.unit in ("x", "count"):
        return figure.value
    try:
        return convert(figure.value, figure.unit, unit)
    except UnitError:
        return None


def denied(sentence: Sentence, claim: Claim, library: Any) -> bool:
    """Whether the sentence denies what the claim states, or states what it denies, or turns a comparison round."""
    words = words_of(library).figures
    said = (claim.said.en if sentence.lang == "en" else claim.said.zh).lower()
    if claim.parts.over is not None:
        return _turned(sentence.text, *claim.parts.over)
    if claim.parts.measure in _DENIABLE:
        return any_of(said, words["negations"]) != sentence.negative
    if claim.parts.denies:
        return not any_of(sentence.text, words["denials"])
    flat = claim.answer == "yes" and claim.parts.measure is None
    return flat and any_of(sentence.text, words["flat_denials"]) and not any_of(said, words["flat_denials"])


def _turned(text: str, better: str, worse: str) -> bool:
    """Whether a comparison names the worse thing as the better one: it stands before "than" or 比."""
    comparison = _THAN.search(text)
    first, second = text.find(better), text.find(worse)
    return comparison is not None and 0 <= second < comparison.start() < first


def without_verdict(text: Text) -> Text:
    """The text without a verdict at its beginning that no longer holds."""
    en = _BEGINS_EN.sub("", text.en, count=1)
    return Text(en[:1].upper() + en[1:], _BEGINS_ZH.sub("", text.zh, count=1))
