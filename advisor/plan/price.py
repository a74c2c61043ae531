"""What an option costs: the band of offers in the place, or an estimate from the nearest place that has a price.

A neighbour's price is never passed off as one of the place: it carries the place's name, the premium and a mark.
Nothing is converted: a price stays in its lists' currency. Rows that only a vendor's advertisement stands behind count
where nothing better does, and the price says so. Own cards have no rent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from advisor.core.answer import Hardware, Option, Price
from advisor.core.errors import HkgpuError
from advisor.core.units import Range
from advisor.estimate import cost
from advisor.knowledge.library import Library
from advisor.knowledge.market import NEIGHBOURS, PREMIUM
from advisor.plan.hardware import Market
from advisor.plan.task import Task

_TRUST = ("high", "medium", "low", "")
HERE = "hong_kong"


def price_of(task: Task, option: Option, market: Market, library: Library) -> Price | None:
    """A month of the option's cards, and the run where its hours are known; None where no list has the card."""
    return rent_of(option.hardware, task.currency, market, library, option.time)


def rent_of(
    hardware: Hardware, currency: str | None, market: Market, library: Library, hours: Range | None = None
) -> Price | None:
    """A month of some cards, whatever they are for, and `hours` of them; None where no list has the card."""
    if market.kind == "own_cards":
        return None
    for location in (HERE, *NEIGHBOURS):
        rows = _rows(hardware.label, location, market)
        if rows:
            return _priced(hardware, hours, _chosen(rows, currency), location, library)
    return None


def _rows(label: str, location: str, market: Market) -> list[cost.PriceRow]:
    rows = market.by_label.get(label, ())
    if market.kind == "own_offers":
        return list(rows) if location == HERE else []
    return [row for row in rows if row.location == location]


def _chosen(rows: Sequence[cost.PriceRow], currency: str | None) -> list[cost.PriceRow]:
    """The rows of one currency: the user's, else the one with the most trusted rows; no low trust where better is."""
    named = currency if any(row.currency == currency for row in rows) else None
    named = named or min(rows, key=lambda row: _TRUST.index(row.confidence)).currency
    of_currency = [row for row in rows if row.currency == named]
    better = [row for row in of_currency if row.confidence != "low"]
    return better or of_currency


def _priced(
    hardware: Hardware, hours: Range | None, rows: list[cost.PriceRow], location: str, library: Library
) -> Price | None:
    estimated = location != HERE
    premium = library.heuristic_range(PREMIUM[location]) if location in PREMIUM else None
    try:
        band = cost.band(rows, hardware.label, rows[0].currency, library)
        if estimated and premium is not None:
            band = replace(band, range=_times(band.range, premium))
        month = cost.per_period(band, hardware.cards, "month", library).range
        run = cost.price(band, hardware.cards, hours, library).range if hours else None
    except HkgpuError:
        return None
    return Price(
        range=month,
        currency=rows[0].currency,
        period="month",
        as_of=band.youngest,
        source=band.sources[0] if band.sources else "",
        place=_places(rows),
        estimated=estimated,
        premium=premium.likely if estimated and premium is not None else None,
        confidence=max((row.confidence for row in rows), key=_TRUST.index),
        run=run,
    )


def _times(band: Range, factor: Range) -> Range:
    return Range(band.low * factor.low, band.likely * factor.likely, band.high * factor.high, band.unit)


def _places(rows: Iterable[cost.PriceRow]) -> str:
    """The places of the rows, once each."""
    return ", ".join(dict.fromkeys(row.place for row in rows))


def money_per_token(option: Option) -> float | None:
    """The month's price over what the option gets done, for an order within one currency; None where unpriced."""
    price, rate = option.price, option.tokens_per_s
    if price is None:
        return None
    return price.range.likely / (rate.likely * option.hardware.cards if rate is not None else 1)


def index_per_token(option: Option, market: Market) -> float:
    """What a token costs in index dollars: an order among cards, no price. Cards without a price come last."""
    index = market.index.get(option.hardware.label)
    if index is None:
        return float("inf")
    if option.tokens_per_s is None:
        return index * option.hardware.cards
    return index / option.tokens_per_s.likely
