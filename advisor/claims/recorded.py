"""What a recorded claim says of a sentence that is nearly it: another figure, or the same thing denied.

A record may hold the real figure (`parts.real`); a sentence with another figure than the recorded one is then judged by
it. Where the record knows no real figure, a figure that is not the right one of a correct claim is wrong, and nothing
is said of the others.
"""

from __future__ import annotations

from typing import Any

from advisor.claims.checked import Checked
from advisor.claims.figures import Figure
from advisor.claims.phrases import any_of
from advisor.claims.sentence import Sentence, words_of
from advisor.core.errors import UnitError
from advisor.core.units import convert, number
from advisor.knowledge.records.claims import Claim

_DENIABLE = ("fits",)


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
    """Whether the sentence denies what the claim states, or states what it denies."""
    if claim.parts.measure not in _DENIABLE:
        return False
    phrases = words_of(library).figures["negations"]
    said = claim.said.en if sentence.lang == "en" else claim.said.zh
    return any_of(said.lower(), phrases) != sentence.negative
