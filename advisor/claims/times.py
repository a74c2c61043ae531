"""Checks how long a training is said to take, and how long the tokens of a sentence really take.

Memory comes first: a job that does not fit takes no time at all. With tokens the speed estimator gives the hours;
without, the answer says how many tokens the stated time would be enough for. Refuses a sentence without model, card and
time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.claims import jobs, sentences
from advisor.claims.cards import candidates
from advisor.claims.checked import Checked, shown, worded
from advisor.claims.figures import Figure
from advisor.claims.lines import span
from advisor.claims.sentence import Sentence
from advisor.core.errors import BadInput
from advisor.core.text import Text
from advisor.core.units import Range, convert, number
from advisor.estimate import time
from advisor.estimate.constants import Figure as Constant
from advisor.estimate.constants import load
from advisor.estimate.memory import Shape
from advisor.estimate.speed_plan import training_of_plan

_SOURCES = ("measured_speed_2026", *jobs.SOURCES)
_GROUPS = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


@dataclass(frozen=True, slots=True)
class TimeConstants:
    """What makes a training from scratch."""

    pretraining_tokens_least: Constant


def takes(sentence: Sentence, library: Any) -> Checked | None:
    """Is the training time right?"""
    said, model, cards = sentence.of("days"), jobs.model_of(sentence, library), candidates(sentence, library)
    if not said or model is None or not cards:
        return None
    found = jobs.tried(sentence, library)
    if found is None:
        return None
    name, every = found
    good = [each for each in every if each.verdict != "no"]
    if not good:
        worst = min(every, key=lambda each: each.need.likely)
        label = sentences.METHOD[worst.method]
        words: dict[str, Any] = {"model": name, "method": (label.en, label.zh), "need": shown(worst.need)}
        words |= {"cards": worst.place.name, "usable": number(worst.place.usable)}
        return Checked("duration", "no", worded(sentences.TIME_NO_FIT, **words), shown(worst.need), _SOURCES)
    scratch = sentence.subjects & {"full_training_run"} and not sentence.methods
    method = "pretrain" if scratch else good[0].method
    if method in jobs.SERVED:
        return None
    try:
        rate = _rate(sentence, model[0], method, library)
    except BadInput:
        return None
    return _judge(sentence, said[-1], name, method, rate, model[0], library)


def _rate(sentence: Sentence, shape: Shape, method: str, library: Any) -> Range:
    """Tokens/s of all cards together."""
    card = max(candidates(sentence, library), key=lambda each: each.nvlink.value or 0)
    count = sentence.count or 1
    if method == "pretrain" and card.bf16.value:
        # Many cards at the share of the peak that trainings from scratch reached.
        each = time.pretraining(convert(shape.active, "params", "Gparams"), 1, card.bf16.value, library).range
        low, likely, high = (count / (end * convert(1, "h", "s")) for end in (each.high, each.likely, each.low))
        return Range(low, likely, high, "tokens/s")
    speed = training_of_plan(
        library,
        shape=shape,
        method=method,
        gpu=card,
        cards=count,
        seq_len=sentence.slots.get("seq_len") if isinstance(sentence.slots.get("seq_len"), int) else None,
        sharding="fsdp" if count > 1 else None,
    )
    return speed.range.scaled(count)


def _judge(
    sentence: Sentence, said: Figure, name: str, method: str, rate: Range, shape: Shape, library: Any
) -> Checked:
    place = jobs.places(sentence, library)[0]
    label = sentences.METHOD[method]
    words: dict[str, Any] = {"model": name, "method": (label.en, label.zh), "cards": place.name}
    words["said"] = span(Range(said.value, said.value, said.high, "days"))
    seconds = [convert(end, "days", "s") for end in (said.value, said.high)]
    if sentence.tokens is None:
        tokens = Range(rate.low * seconds[0], rate.likely * seconds[0], rate.high * seconds[1], "tokens")
        words["tokens"] = _count(tokens)
        least = load(TimeConstants, "claims", library).pretraining_tokens_least.value
        scratch = method == "pretrain" and tokens.high < least * shape.params
        text: Text = sentences.TIME_NO_TOKENS if scratch else sentences.TIME_IF
        return Checked("duration", "no" if scratch else "yes_if", worded(text, **words), words["tokens"], _SOURCES)
    count = sentence.tokens
    work = Range(count, count, count, "tokens")
    real = time.hours(work, rate.scaled(1), 1, library).range.to("days")
    share = load(jobs.JobConstants, "claims", library).estimate_near.value
    right = said.high >= real.low * (1 - share) and (
        said.relation == "at_most" or said.value <= real.high * (1 + share)
    )
    words |= {"tokens": _one(count), "real": span(real)}
    text = sentences.TIME_YES if right else sentences.TIME_NO
    return Checked("duration", "yes" if right else "no", worded(text, **words), words["real"][0], _SOURCES)


def _count(tokens: Range) -> str:
    low, high = _one(tokens.low), _one(tokens.high)
    return low if low == high else f"{low}-{high}"


def _one(value: float) -> str:
    for size, letter in _GROUPS:
        if value >= size:
            return f"{number(value / size)}{letter}"
    return number(value)
