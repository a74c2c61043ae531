"""Is the sentence true? The recorded claim where its figure is the recorded one, our own arithmetic where it is not.

A sentence is matched with the recorded claims by its parts; what can be computed is computed from specifications and
estimators. With the recorded figure the recorded answer holds (and the real figure is added), with another figure the
computed one. What is neither recorded nor computable stays `unknown`: nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from advisor.claims import cards, jobs, lines, recorded, sentences, servers, sizes, times, whole
from advisor.claims.checked import Checked, worded
from advisor.claims.compare import compare
from advisor.claims.figures import Figure
from advisor.claims.find import FindConstants, Match, index_of
from advisor.claims.measures import measures
from advisor.claims.multiples import multiple
from advisor.claims.sentence import Sentence
from advisor.core.errors import HkgpuError
from advisor.core.findings import VERDICTS, Verdict, opposite
from advisor.core.text import Text
from advisor.core.units import number
from advisor.estimate.constants import load
from advisor.knowledge.records.claims import Claim

_OF_A_CARD = ("memory", "bandwidth_memory", "bf16", "fp8", "fp4", "int8", "tf32", "fp32", "power", "nvlink")
_SPECS = ("memory", "bandwidth_memory", "bf16", "power", "nvlink")
_CHECKS: dict[str, Callable[[Sentence, Any], Checked | None]] = {
    "fits": jobs.fits,
    "memory_needed": jobs.needed,
    "rtt": lines.delay,
    "transfer": lines.transfer,
    "duration": times.takes,
    "rent": servers.rent,
    "supply": servers.supply,
    "ram": servers.host_memory,
    "raid": servers.raid,
    "node_power": servers.node_power,
    "bytes_per_parameter": sizes.each,
}
_FITTING = ("fits", "memory_needed")
_COUNTS = ("count", "x")
# What is measured -> the units of the figures that the check takes in; another figure stays unchecked.
_USED: dict[str, tuple[str, ...]] = {
    "fits": ("GB", "tokens", *_COUNTS),
    "memory_needed": ("GB", "tokens", "B/param", *_COUNTS),
    "rtt": ("ms",),
    "transfer": ("GB", "Mbps", "days"),
    "duration": ("days", "tokens", "GB", *_COUNTS),
    "supply": ("W", "GB", *_COUNTS),
    "ram": ("GB", *_COUNTS),
    "node_power": ("W", "GB", *_COUNTS),
    "memory": ("GB", *_COUNTS),
    "bandwidth_memory": ("GB/s", "GB", *_COUNTS),
    "nvlink": ("GB/s", "GB", *_COUNTS),
    "power": ("W", "GB", *_COUNTS),
    "bf16": ("TFLOPS", "TOPS", "GB", *_COUNTS),
}
# A figure that counts something, and is no part of a name: "4 per GPU", "每卡 4 个".
_COUNTED = re.compile(r"(?<![a-z\d.,-])\d+(?:\.\d+)?\s?(?:per\b|each\b|an?\b|/|个)")
# How many recorded claims are looked at: enough to meet the one that measures the same.
_LOOKED_AT = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """One claim found or computed. `id` is the recorded claim, or `computed.MEASURE` where none is recorded."""

    id: str
    verdict: Verdict
    text: tuple[Text, ...]
    figure: str
    sources: tuple[str, ...]
    found: bool = True
    first: bool = True
    """The answer to the sentence; the others repeat it from elsewhere."""


def judge(sentence: Sentence, library: Any) -> list[Judged]:
    """The verdict on a sentence, the answer first; one `unknown` where nothing is recorded or computable."""
    for check in (lines.in_bytes, lines.promise, whole.pooled, multiple, compare):
        if (plain := check(sentence, library)) is not None:
            return [_computed(f"computed.{plain.measure}", plain)]  # arithmetic and names need no record
    matches = index_of(library).find(sentence, _LOOKED_AT)
    checked = compute(sentence, library)
    best = _best(matches, checked)
    if best is None and checked is None:
        return [Judged("none", "unknown", (sentences.NOTHING,), "", (), found=False)]
    first = _bounded(sentence, _first(sentence, best, checked, library), best, checked, library)
    first = _with_rest(sentence, first, best, checked)
    also = load(FindConstants, "claims", library).also_near.value
    return [first, *_others(matches, best, first, also)]


def _bounded(sentence: Sentence, first: Judged, best: Match | None, checked: Checked | None, library: Any) -> Judged:
    """A promise that a job fits whatever comes, or of a delay, is at best true on conditions."""
    measured = checked.measure if checked else best.claim.parts.measure if best else None
    about = measured in _FITTING or measured == "rtt" or "out_of_memory" in sentence.subjects
    if first.verdict != "yes" or not about or not whole.absolute(sentence, library):
        return first
    told = tuple(recorded.without_verdict(text) for text in first.text if text != sentences.RECORDED["yes"])
    bound = sentences.DELAY_PROMISED if measured == "rtt" else sentences.ABSOLUTE
    return replace(first, verdict="yes_if", text=(sentences.RECORDED["yes_if"], bound, *told))


def _with_rest(sentence: Sentence, first: Judged, best: Match | None, checked: Checked | None) -> Judged:
    """The answer with the figures of the sentence that it does not speak of."""
    measured = checked.measure if checked else best.claim.parts.measure if best else None
    if len(sentence.figures) < 2 or not first.found or measured not in _USED:
        return first
    used = _USED[measured]
    if measured in _OF_A_CARD:  # every figure of a card was checked
        used = tuple(unit for measure in _OF_A_CARD for unit in _USED.get(measure, ()))
    rest = dict.fromkeys(_said(figure) for figure in sentence.figures if figure.unit not in used)
    if not rest:
        return first
    text = worded(sentences.UNCHECKED, figures=(", ".join(rest), "、".join(rest)))
    return replace(first, text=(*first.text, text))


def _said(figure: Figure) -> str:
    ends = dict.fromkeys((number(figure.value), number(figure.high)))
    return f"{'-'.join(ends)} {figure.unit}".removesuffix(" count")


def _best(matches: list[Match], checked: Checked | None) -> Match | None:
    """The best match, preferring those that measure what was computed."""
    if checked is not None:
        same = [match for match in matches if match.claim.parts.measure == checked.measure]
        if same:
            return max(same, key=lambda match: (match.exact, match.same_parts, match.score))
    matches = [match for match in matches if not match.other]
    return matches[0] if matches else None


def compute(sentence: Sentence, library: Any) -> Checked | None:
    """What our own arithmetic says; None where nothing of the sentence can be computed."""
    meant = measures(sentence)
    found = [checked for each in meant if (checked := _check(each, meant, sentence, library)) is not None]
    if not found:
        return cards.feature(sentence, library)
    # Several figures of one card ("192 GB and 5.3 TB/s") are one sentence: its weakest figure decides.
    specs = [checked for checked in found if checked.measure in _OF_A_CARD]
    if len(specs) == len(found):
        return min(specs, key=lambda checked: VERDICTS.index(checked.verdict))
    return found[0]


def _check(measure: str, meant: tuple[str, ...], sentence: Sentence, library: Any) -> Checked | None:
    # Beside a price or a time a size only names the card.
    if measure == "memory" and not set(meant) <= {*_SPECS, "cards", "cores"}:
        return None
    c = load(FindConstants, "claims", library)
    try:
        if measure in _SPECS:
            near = c.memory_near if measure == "memory" else c.figure_near
            return cards.spec(sentence, measure, library, near.value)
        return _CHECKS[measure](sentence, library) if measure in _CHECKS else None
    except HkgpuError:
        return None  # an estimator declined: what is recorded may still answer


def _first(sentence: Sentence, best: Match | None, checked: Checked | None, library: Any) -> Judged:
    if best is None or (checked is not None and not _speaks_of(best, checked)):
        assert checked is not None, "one of the two is there"
        return _computed(f"computed.{checked.measure}", checked)
    if checked is not None and not best.exact:
        return _computed(best.claim.id, checked)
    claim = best.claim
    if checked is None and not best.exact:
        checked = recorded.other_figure(sentence, claim, load(FindConstants, "claims", library).figure_near.value)
        if checked is not None:
            return _computed(claim.id, checked)
    verdict: Verdict = claim.answer
    if claim.answer == "unknown" and checked is not None:
        verdict = checked.verdict
    other = checked is None and not best.exact and claim.parts.figure is not None
    if other and verdict == "yes":
        # Right with the recorded figure; of this sentence's figure nothing is known.
        told = (sentences.RECORDED["yes_if"], claim.said.text, claim.instead.text)
        return Judged(claim.id, "yes_if", told, "", claim.because)
    if other and verdict == "no" and _COUNTED.search(sentence.text):
        # Wrong with the recorded figure; this sentence has another one that nothing is known of.
        return Judged(claim.id, "yes_if", (sentences.RECORDED["yes_if"], claim.instead.text), "", claim.because)
    if recorded.denied(sentence, claim, library):
        verdict = opposite(verdict)
    text = (*_told(verdict, claim), *((checked.text,) if checked else ()))
    sources = tuple(dict.fromkeys((*claim.because, *(checked.sources if checked else ()))))
    return Judged(claim.id, verdict, text, checked.figure if checked else "", sources)


def _told(verdict: Verdict, claim: Claim) -> tuple[Text, ...]:
    """What we say instead, with the verdict before it unless it begins with one."""
    instead = claim.instead.text
    if verdict != claim.answer:
        if claim.parts.measure is None:
            return (sentences.RECORDED[verdict], claim.said.text, recorded.without_verdict(instead))
        return (sentences.RECORDED[verdict], recorded.without_verdict(instead))
    if instead.en.startswith(sentences.BEGINNINGS):
        return (instead,)
    return (sentences.RECORDED[verdict], instead)


def _speaks_of(match: Match, checked: Checked) -> bool:
    """Whether the recorded claim is about what was computed."""
    measure = match.claim.parts.measure
    return (match.exact and measure is None) or (match.same_parts and measure == checked.measure)


def _computed(id: str, checked: Checked) -> Judged:
    head = sentences.RECORDED[checked.verdict]
    return Judged(id, checked.verdict, (head, checked.text), checked.figure, checked.sources)


def _others(matches: list[Match], best: Match | None, first: Judged, also: float) -> list[Judged]:
    """Further recorded claims that the sentence repeats word for figure."""
    if best is None:
        return []
    near = [match for match in matches if match.exact and match.score >= also * best.score]
    same = [match.claim for match in near if match.claim.parts.measure == best.claim.parts.measure]
    others = [claim for claim in same if claim.id != first.id][:2]
    return [Judged(each.id, each.answer, _told(each.answer, each), "", each.because, first=False) for each in others]
