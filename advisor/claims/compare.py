"""Checks one card against another: "the same NVLink bandwidth as H100", "faster than H100".

The two figures are compared, form by form; what holds for some forms only is answered with "it depends". Refuses where
the sentence says by how much, names other than two cards, or where a figure is not known.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import Any

from advisor.claims import sentences
from advisor.claims.cards import candidates
from advisor.claims.checked import Checked, merged, worded
from advisor.claims.find import FindConstants
from advisor.claims.phrases import keys_in
from advisor.claims.sentence import Sentence, words_of
from advisor.core.findings import Verdict, opposite
from advisor.core.units import number
from advisor.estimate.constants import load
from advisor.knowledge.records.gpus import Gpu

_NAME = re.compile(r"(?<![a-z0-9.])(?:rtx ?)?([a-z]{0,2}\d{1,4}[a-z]?)(?![a-z0-9.])")


def compare(sentence: Sentence, library: Any) -> Checked | None:
    """Is the comparison of two cards right? None where the sentence compares nothing that is known."""
    words = words_of(library).figures
    relation = next(iter(keys_in(sentence.text, words["comparisons"])), None)
    if relation is None or sentence.of("x", "%") or sentence.model or sentence.params or "serves" in sentence.cues:
        return None
    named = named_cards(sentence, library)
    if len(named) != 2:
        return None
    field = next(iter(keys_in(sentence.text, words["compared"])), "bf16" if relation != "same" else None)
    if field is None:
        return None
    near = load(FindConstants, "claims", library).figure_near.value
    values = [[(card, known) for card in cards if (known := value_of(card, field)) is not None] for cards in named]
    judged = [_holds(relation, one, other, near) for (_, one), (_, other) in product(*values)]
    if not judged:
        return None
    verdict: Verdict = merged(judged)
    if sentence.negative:
        verdict = opposite(verdict)
    unit = next(getattr(card, field).get().unit for card, _ in (*values[0], *values[1]) if getattr(card, field).get())
    real = ", ".join(f"{card.name} {number(value)} {unit}" for card, value in dict.fromkeys((*values[0], *values[1])))
    label = sentences.MEASURE[field]
    text = worded(sentences.COMPARED, measure=(label.en, label.zh), real=real)
    sources = (getattr(card, field).source for card, _ in (*values[0], *values[1]))
    measure = "bandwidth_memory" if field == "bandwidth" else field
    return Checked(measure, verdict, text, real, tuple(dict.fromkeys(each for each in sources if each)))


def named_cards(sentence: Sentence, library: Any) -> list[list[Gpu]]:
    """The forms of each card, in the order of the sentence; a size that follows a name belongs to it."""
    found: list[list[Gpu]] = []
    for match in _NAME.finditer(sentence.text):
        size = re.match(r"\s?-?(\d{2,3})\s?g", sentence.text[match.end() :])
        memory = {"gpu_mem_gb": float(size[1])} if size else {}
        cards = candidates(replace(sentence, gpus=(match[1],), slots=memory), library)
        if cards and cards not in found:
            found.append(cards)
    return found


def value_of(card: Gpu, field: str) -> float | None:
    known = getattr(card, field)
    if known.absent:
        return 0.0
    real = known.get()
    return None if real is None else float(real.value)


def _holds(relation: str, one: float, other: float, near: float) -> Verdict:
    if relation == "same":
        right = abs(one - other) <= near * max(one, other)
    elif relation == "more":
        right = one > other
    else:
        right = one < other
    return "yes" if right else "no"
