"""The options worth showing: candidates in the order of each label, best first.

Cheapest compares prices of one currency only, by what a month costs over what it gets done; the currency is the user's,
else that of the recommended plan, else the one most cards are priced in. Other currencies have a label of their own.
Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from advisor.knowledge.library import Library
from advisor.plan.hardware import Market
from advisor.plan.price import money_per_token, price_of
from advisor.plan.search import Candidate, candidates, variants
from advisor.plan.task import Task


def every(task: Task, market: Market, library: Library, beside: Candidate) -> list[Candidate]:
    """All candidates of the place for a job: the smallest hardware of each card, and other ways to run it there.

    `beside` is the plan that stands already, which competes with them.
    """
    found = [beside]
    for base in candidates(task, market, library, cards=market.cards, per_node=None, nodes=None):
        found += [base, *variants(base.task, market, library, base)]
    return [_priced(each, market, library) for each in found]


def _priced(candidate: Candidate, market: Market, library: Library) -> Candidate:
    option = candidate.option
    return replace(candidate, option=replace(option, price=price_of(candidate.task, option, market, library)))


def ranked(found: Sequence[Candidate], currency: str | None) -> Iterator[tuple[str, list[Candidate]]]:
    """For each label its candidates, best first; a label without any is left out."""
    named = [each.option.price.currency for each in found if each.option.price is not None]
    if named and currency not in named:
        currency = max(sorted(set(named)), key=named.count)
    for other in sorted(set(named), key=lambda name: (name != currency, name)):
        label = "cheapest" if other == currency else f"cheapest_in_{other.lower()}"
        cheap = [each for each in found if each.option.price is not None and each.option.price.currency == other]
        yield label, sorted(cheap, key=lambda each: (money_per_token(each.option) or 0, _size(each)))
    timed = [each for each in found if each.option.tokens_per_s is not None]
    yield from _label("fastest", sorted(timed, key=lambda each: (-_rate(each), _size(each))))
    yield from _label("safest", sorted(found, key=lambda each: (_dated(each), _filled(each), _size(each))))
    yield from _label("smallest", sorted(found, key=lambda each: (_dated(each), *_size(each), -_rate(each))))


def _label(label: str, found: list[Candidate]) -> Iterator[tuple[str, list[Candidate]]]:
    if found:
        yield label, found


def _dated(candidate: Candidate) -> bool:
    """True for training on a card without bf16: it may hold the job, but many of today's recipes do not run there."""
    return candidate.task.trains and candidate.card.bf16_tensor is not True


def _rate(candidate: Candidate) -> float:
    rate = candidate.option.tokens_per_s
    return rate.likely * candidate.option.hardware.cards if rate is not None else 0.0


def _filled(candidate: Candidate) -> float:
    """The upper end of the peak as a share of what is usable."""
    option = candidate.option
    return option.peak.high / option.usable if option.peak is not None and option.usable else float("inf")


def _size(candidate: Candidate) -> tuple[int, float]:
    """Cards, then memory of one card."""
    return candidate.option.hardware.cards, candidate.option.usable or 0.0
