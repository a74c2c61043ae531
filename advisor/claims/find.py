"""Which recorded claim a sentence is: by its parts first, by its words second, whatever its figure.

Every agreement of a part (card, size, method, line, what is measured) adds, every disagreement takes away; the words
shared with the claim's own sentence decide among equals. Below a threshold nothing is found, rather than anything.
The weights are of this search and say nothing about the world; they stand in `knowledge/heuristics/claims`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import log, sqrt
from typing import Any
from weakref import WeakKeyDictionary

from advisor.claims.measures import measures
from advisor.claims.sentence import Sentence, words_of
from advisor.core.errors import UnitError
from advisor.core.units import convert
from advisor.estimate.constants import Figure, load
from advisor.knowledge.records.claims import Claim

_REST = re.compile(r"(?:\d{2,3}gb)?(?:sxm\d?|pcie|nvl)?")
_WORD = re.compile(r"[a-z0-9][a-z0-9.+/_-]*|[\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class FindConstants:
    """The weights of the search."""

    part_agrees: Figure
    part_differs: Figure
    part_missing: Figure
    words_agree: Figure
    subject_agrees: Figure
    threshold: Figure
    figure_near: Figure
    also_near: Figure
    memory_near: Figure
    threshold_words: Figure


@dataclass(frozen=True, slots=True)
class Match:
    """A recorded claim; `exact` where the figure and the parts are the recorded ones."""

    claim: Claim
    score: float
    exact: bool
    same_parts: bool
    related: bool
    """Two parts or a subject in common, or very many words."""
    other: bool
    """About another card, size, method or line: its answer is none for this sentence."""


class Index:
    """All claims with the words of their sentences, ready to be searched."""

    def __init__(self, library: Any) -> None:
        self.claims: list[Claim] = list(library.claims.values())
        self.constants = load(FindConstants, "claims", library)
        subjects = words_of(library).subjects
        self._bags = {claim.id: (_bag(claim.said.en.lower()), _bag(claim.said.zh.lower())) for claim in self.claims}
        counted = Counter(word for bags in self._bags.values() for bag in bags for word in bag)
        self._rare = {word: log(1 + 2 * len(self.claims) / times) for word, times in counted.items()}
        named = Counter(subject for claim in self.claims for subject in claim.parts.subject)
        self._weight = {key: 1 / sqrt(named[key] or 1) for key in subjects}

    def find(self, sentence: Sentence, most: int = 2) -> list[Match]:
        """The claims that the sentence may be, the best first."""
        bag = _bag(sentence.text)
        meant = measures(sentence)
        scored = [self._match(claim, sentence, bag, meant) for claim in self.claims]
        floor = self.constants.threshold.value
        good = [match for match in scored if match.score >= floor and match.related]
        return sorted(good, key=lambda match: (-match.score, match.claim.id))[:most]

    def _match(self, claim: Claim, s: Sentence, bag: set[str], meant: tuple[str, ...]) -> Match:
        c = self.constants
        agree, differ = _parts(claim, s, meant)
        share = c.memory_near if claim.parts.measure == "memory" else c.figure_near
        near = _near(claim, s, share.value)
        shared = set(claim.parts.subject) & s.subjects
        score = c.part_agrees.value * (agree + (1 if near else 0)) - c.part_differs.value * differ
        score += c.subject_agrees.value * sum(self._weight[key] for key in shared)
        score -= c.part_missing.value * _unsaid(claim, s)
        score += c.words_agree.value * max(self._similar(bag, other) for other in self._bags[claim.id])
        parted = agree > 0 and differ == 0
        same = parted and claim.parts.measure in meant if claim.parts.measure else parted
        # A card that is named says its own memory.
        told = near or claim.parts.figure is None or (claim.parts.measure == "fits" and bool(s.gpus))
        exact = same and told and _all_said(claim, s)
        return Match(
            claim, score, exact, bool(same), _related(agree, shared, score >= c.threshold_words.value), _other(claim, s)
        )

    def _similar(self, mine: set[str], other: set[str]) -> float:
        common = sum(self._rare.get(word, 1.0) ** 2 for word in mine & other)
        norm = sqrt(self._norm(mine) * self._norm(other))
        return common / norm if norm else 0.0

    def _norm(self, bag: Iterable[str]) -> float:
        return sum(self._rare.get(word, 1.0) ** 2 for word in bag)


def _bag(text: str) -> set[str]:
    """Words of Latin script, stems of a sort, and pairs of Han characters."""
    bag: set[str] = set()
    for word in _WORD.findall(text):
        if word[0].isascii():
            stem = word.strip(".,-/")
            bag.add(re.sub(r"(?:ing|ed|es|s)$", "", stem) if stem.isalpha() else stem)
        else:
            bag |= {word[i : i + 2] for i in range(max(1, len(word) - 1))}
    return bag


def _parts(claim: Claim, s: Sentence, meant: tuple[str, ...]) -> tuple[float, float]:
    """How many parts agree and how many differ; a part that one side does not name does neither."""
    parts = claim.parts
    agree = differ = 0.0
    if parts.measure and meant:
        agree, differ = (agree + 1, differ) if parts.measure in meant else (agree, differ + 1)
    if parts.gpus and s.gpus:
        same = any(_same_card(mine, theirs) for mine in parts.gpus for theirs in s.gpus)
        agree, differ = (agree + 1, differ) if same else (agree, differ + 2)
    if parts.params is not None and s.params is not None:
        agree, differ = (agree + 1, differ) if parts.params == s.params else (agree, differ + 1)
    if parts.methods and s.methods:
        same = bool(set(parts.methods) & set(s.methods))
        agree, differ = (agree + 1, differ) if same else (agree, differ + 2)
    if parts.line and s.line:
        agree, differ = (agree + 1, differ) if parts.line == s.line else (agree, differ + 1)
    if parts.data is not None and parts.mbps is not None and "transfer" in meant:
        agree += (parts.data == s.data) + (parts.mbps == s.mbps)
    if parts.counts and parts.gpus and s.gpus:
        agree, differ = (agree + 1 / 2, differ) if (s.count or 1) in parts.counts else (agree, differ + 1 / 2)
    return agree, differ


def _unsaid(claim: Claim, s: Sentence) -> int:
    """Parts that one side names and the other does not."""
    parts = claim.parts
    pairs = (
        (bool(parts.gpus), bool(s.gpus)),
        (parts.params is not None, s.params is not None),
        (parts.line is not None, s.line is not None),
        (parts.figure is not None, bool(s.figures)),
        (bool(parts.methods), bool(s.methods)),
    )
    # A recorded figure that the sentence does not give is the surest sign of another statement.
    bare = parts.figure is not None and not s.figures
    return sum(mine != theirs for mine, theirs in pairs) + 2 * bare


def _other(claim: Claim, s: Sentence) -> bool:
    parts = claim.parts
    named = bool(parts.gpus and s.gpus)
    return (
        (named and not any(_same_card(mine, theirs) for mine in parts.gpus for theirs in s.gpus))
        or (parts.params is not None and s.params is not None and parts.params != s.params)
        or (bool(parts.methods and s.methods) and not set(parts.methods) & set(s.methods))
        or (parts.line is not None and s.line is not None and parts.line != s.line)
    )


def _related(agree: float, shared: set[str], many_words: bool) -> bool:
    return agree >= 2 or bool(shared) or many_words


def _all_said(claim: Claim, s: Sentence) -> bool:
    """Whether the sentence names every part that the claim names, and none that it does not."""
    parts = claim.parts
    if parts.params != s.params and (parts.params is not None or parts.gpus):
        return False
    if s.gpus and not parts.gpus and parts.measure in ("supply", "ram", "rent", "duration"):
        return False
    if s.methods and not set(parts.methods) & set(s.methods):
        return False
    if not all(any(_same_card(mine, theirs) for theirs in s.gpus) for mine in parts.gpus):
        return False
    if (parts.counts or s.count) and parts.gpus and (s.count or 1) not in (parts.counts or (1,)):
        return False
    if parts.measure == "rtt" and parts.place != s.city:
        return parts.place == "mainland" and s.city is None
    return parts.line is None or parts.line == s.line


def _same_card(mine: str, theirs: str) -> bool:
    left, right = (name.lower().replace(" ", "") for name in (mine, theirs))
    short, long = sorted((left, right), key=len)
    return (long.startswith(short) and not long[len(short) :][:1].isalnum()) or left == right or _sized(short, long)


def _sized(short: str, long: str) -> bool:
    """`A100` and `A10080GB`, but not `A10` and `A100`: the rest is a size or a form."""
    return (
        long.startswith(short) and re.fullmatch(r"(?:\d{2,3}gb)?(?:sxm\d?|pcie|nvl)?", long[len(short) :]) is not None
    )


def _near(claim: Claim, s: Sentence, share: float) -> bool:
    """Whether a figure of the sentence is the recorded one."""
    parts = claim.parts
    if parts.figure is None:
        return False
    unit = parts.unit or "x"
    high = parts.figure_high if parts.figure_high is not None else parts.figure
    for figure in s.figures:
        try:
            low_said, high_said = (_in(unit, value, figure.unit) for value in (figure.value, figure.high))
        except UnitError:
            continue
        if low_said * (1 - share) <= high and high_said * (1 + share) >= parts.figure:
            return True
    return False


def _in(unit: str, value: float, of: str) -> float:
    if of == "x" or unit == "x":
        if of != unit:
            raise UnitError("a multiple is no quantity")
        return value
    return convert(value, of, unit)


_INDEXES: WeakKeyDictionary[Any, Index] = WeakKeyDictionary()


def index_of(library: Any) -> Index:
    """The index of a library's claims, built once."""
    found = _INDEXES.get(library)
    if found is None:
        found = _INDEXES[library] = Index(library)
    return found
