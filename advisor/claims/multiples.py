"""Checks by how much one card surpasses another: "H100 is 9 times faster than A100", "H200 的带宽是 A100 的 2.4 倍".

The multiple is held against those of the specifications, form by form. A multiple of a named figure is right or wrong;
one of speed is at best a condition, since a job gets what limits it. Refuses where a model is named, which is a
measurement, and where a figure is not known.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from advisor.claims import sentences
from advisor.claims.checked import Checked, worded
from advisor.claims.compare import named_cards, value_of
from advisor.claims.find import FindConstants
from advisor.claims.phrases import any_of, keys_in
from advisor.claims.sentence import Sentence, words_of
from advisor.core.findings import Verdict, opposite
from advisor.core.units import number
from advisor.estimate.constants import load
from advisor.knowledge.records.gpus import Gpu

# What a job's speed may hang on, where the sentence says no more than "faster"; `best` is each card's fastest format.
_BEST = "best"
_FORMATS = ("bf16", "fp8", "fp4")
_SPEED = ("bf16", "bandwidth", _BEST)
_SOURCES = {"bandwidth": "bandwidth_memory", _BEST: "bf16"}


def multiple(sentence: Sentence, library: Any) -> Checked | None:
    """Is the multiple right? None where no multiple of two cards is said."""
    words = words_of(library).figures
    said, cards = _said(sentence, words), named_cards(sentence, library)
    if said is None or len(cards) != 2 or sentence.model or sentence.params:
        return None
    if any_of(sentence.text, words["of_a_job"]):
        return None
    keys = keys_in(sentence.text, words["comparisons"])
    named = [key for key in keys_in(sentence.text, words["compared"]) if key != "bf16"]
    speed = not named and not any_of(sentence.text, words["compute_named"])
    fields = _SPEED if speed else (named[0] if named else "bf16",)
    ratios = {field: found for field in fields if (found := _ratios(cards, field))}
    if "less" in keys and "more" not in keys:
        ratios = {field: sorted(1 / ratio for ratio in found) for field, found in ratios.items()}
    if not ratios:
        return None
    near = load(FindConstants, "claims", library).figure_near.value
    every = [ratio for found in ratios.values() for ratio in found]
    verdict = _verdict(*said, min(every) * (1 - near), max(every) * (1 + near), speed)
    return _checked(opposite(verdict) if sentence.negative else verdict, ratios, cards, speed)


def _said(sentence: Sentence, words: Any) -> tuple[float, float] | None:
    """The multiple, from low to high; None where none or several are said."""
    said = sentence.of("x")
    if not said and any_of(sentence.text, words["twice"]):
        return 2.0, 2.0
    return (said[0].value, said[0].high) if len(said) == 1 else None


def _ratios(cards: list[list[Gpu]], field: str) -> list[float]:
    pairs = product(*([value for card in each if (value := _value(card, field))] for each in cards))
    return sorted({one / other for one, other in pairs})


def _value(card: Gpu, field: str) -> float | None:
    if field != _BEST:
        return value_of(card, field)
    return max((value for each in _FORMATS if (value := value_of(card, each))), default=None)


def _verdict(low: float, high: float, least: float, most: float, speed: bool) -> Verdict:
    if low > most or (high < least and not speed):
        return "no"
    return "yes_if" if speed or low < least or high > most else "yes"


def _checked(verdict: Verdict, ratios: dict[str, list[float]], cards: list[list[Gpu]], speed: bool) -> Checked:
    told = {field: "–".join(dict.fromkeys((number(found[0]), number(found[-1])))) for field, found in ratios.items()}
    labels = {field: sentences.MEASURE[field] for field in ratios}
    en = ", ".join(f"{labels[field].en} {span} ×" for field, span in told.items())
    zh = "，".join(f"{labels[field].zh} {span} 倍" for field, span in told.items())
    text = worded(sentences.MULTIPLE_SPEED if speed else sentences.MULTIPLE, real=(en, zh))
    fields = {each for field in ratios for each in (_FORMATS if field == _BEST else (field,))}
    sources = (getattr(card, field).source for field in sorted(fields) for each in cards for card in each)
    measure = _SOURCES.get(next(iter(ratios)), next(iter(ratios)))
    return Checked(measure, verdict, text, en, tuple(dict.fromkeys(each for each in sources if each)))
