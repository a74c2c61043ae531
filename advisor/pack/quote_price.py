"""What an offer costs: a card-hour beside the dated band, a month with all that is asked on top, the first payment.

Hours a month and rates between currencies are heuristics, and named where they are used. A part whose size nobody said
is listed without a sum; a price without a period or a count is not brought to a card-hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from advisor.core.units import convert
from advisor.estimate import cost
from advisor.knowledge.library import Library
from advisor.pack.offer import Amount, Offer, Rebate
from advisor.pack.offer_words import words_of

Position = Literal["below_half", "below", "inside", "above", "above_twice"]
HERE = "hong_kong"
# What stands for a bare $, and for a sum without any sign, by the vendor's language; it is said that it was taken so.
_DOLLAR = "USD"
_UNSAID = {"en": "USD", "zh": "CNY", "zh-Hant": "HKD"}


@dataclass(frozen=True, slots=True)
class Band:
    """The dated band that an offer is held against, in the offer's currency; `rate` names the heuristic where the lists
    are in another one."""

    low: float
    high: float
    currency: str
    listed_in: str
    place: str
    location: str
    oldest: str
    youngest: str
    rows: int
    sources: tuple[str, ...]
    confidence: str
    rate: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the month's cost; `low` is None where nobody said how much."""

    name: str
    low: float | None
    high: float | None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """An offer's price. Sums are in `currency`; `card_hour`, `month` and `first` are None where they cannot be said."""

    rent: Amount
    currency: str
    cards: int | None
    cards_said: bool
    card_hour: tuple[float, float] | None
    month: tuple[float, float] | None
    parts: tuple[Part, ...]
    first: tuple[float, float] | None
    hours: float
    band: Band | None
    position: Position | None
    position_per_card: Position | None
    hour_and_month_differ: bool
    others: tuple[Amount, ...]


def price(offer: Offer, library: Library) -> Price | None:
    """The price of an offer, None where it names no rent."""
    rents = _rents(offer)
    if not rents:
        return None
    rent = rents[0]
    currency = _DOLLAR if rent.currency == "dollar" else rent.currency or _UNSAID[offer.lang]
    count = offer.number("gpu_count")
    # A rent by the hour or for "one card" without a count is the price of one card.
    single = count is None and (rent.basis == "card" or rent.period == "hour")
    cards = int(count) if count else 1 if single else None
    hours = library.heuristic("cost.hours_a_month").value
    month = _month(rent, cards, library)
    off = _rebates(offer, month)
    net = _total((Part("rent", *month), *off)) if month else None
    hour = (net[0] / hours / cards, net[1] / hours / cards) if net and cards else None
    band = _band(offer, currency, library)
    spread = cost.constants(library)
    parts = _parts(offer, month, off, currency, library)
    paid = _total((Part("rent", *month), *(one for one in off if one.name == "discount"))) if month else None
    return Price(
        rent, currency, cards, count is not None, hour, _total(parts), parts, _first(offer, paid, currency), hours,
        band, _position(hour, band, spread), _per_card(hour, cards, rent, band, spread),
        _differ(rents, cards, library), tuple(one for one in offer.amounts if one is not rent),
    )  # fmt: skip


def _rents(offer: Offer) -> list[Amount]:
    """The rents, the one with the shortest commitment first; else the largest sum called line."""
    found = [one for one in offer.amounts if one.role == "rent" and one.high > 0]
    if not found:
        found = sorted(
            (one for one in offer.amounts if one.role in ("bandwidth", "traffic") and not one.unit),
            key=lambda one: -one.high,
        )[:1]
        found = [replace(one, role="rent") for one in found]
    order = {"month": 0, "hour": 1, "day": 2}
    return sorted(
        found,
        key=lambda one: (
            not one.period,
            one.ahead if one.ahead != _terms(offer) else 1,
            order.get(one.period, len(order)),
        ),
    )


def _terms(offer: Offer) -> int:
    """How many months are paid ahead by the offer's own terms: no discount for a longer term, then."""
    return int(offer.number("prepay_months") or 1)


def _months(period: str, library: Library) -> float | None:
    """Months in a period, None for a period that is none."""
    hours = library.heuristic("cost.hours_a_month").value
    if period == "quarter":
        return float(words_of(library).entries["money"]["ahead_months"]["quarter"])
    if period not in ("hour", "day", "week", "month", "year"):
        return None
    return cost.hours_in(period, library) / hours  # type: ignore[arg-type]


def _month(rent: Amount, cards: int | None, library: Library) -> tuple[float, float] | None:
    """The rent of one server for a month."""
    months = _months(rent.period, library)
    if months is None or (rent.basis == "card" and cards is None):
        return None
    # A sum without a word for a card or a server is the one of the set-up as it is written.
    times = (cards or 1) if rent.basis == "card" else 1
    return rent.low / months * times, rent.high / months * times


def _band(offer: Offer, currency: str, library: Library) -> Band | None:
    """The dated prices of the card: Hong Kong's where they can be trusted, else those of every place together."""
    labels = {library.gpus[key].label for key in offer.cards}
    if len(labels) != 1:
        return None
    label = labels.pop()
    spot = offer.flag("spot") is True
    lists = [one for one in library.offers.values() if (one.is_spot if spot else one.without_commitment)]
    rows = [replace(row, gpu=label) for row in cost.rows_from(lists) if library.gpus[row.gpu].label == label]
    trusted = [row for row in rows if row.confidence != "low"]
    here = [row for row in trusted if row.location == HERE]
    for chosen in (here, trusted, rows):
        if (band := _joined(chosen, label, currency, library)) is not None:
            return band
    return None


def _joined(rows: Sequence[cost.PriceRow], label: str, currency: str, library: Library) -> Band | None:
    """Rows of several currencies as one band in the offer's; a currency without a rate is left out."""
    bands = []
    for money in dict.fromkeys(row.currency for row in rows):
        if (rate := cost.rate(money, currency, library)) is not None:
            bands.append((cost.band(rows, label, money, library), rate[0], rate[1], money))
    if not bands:
        return None
    listed = [each[-1] for each in bands]
    used = [row for row in rows if row.currency in listed]
    places = list(dict.fromkeys(row.place for row in used))
    return Band(
        min(band.range.low * factor.low for band, factor, _, _ in bands),
        max(band.range.high * factor.high for band, factor, _, _ in bands),
        currency,
        ", ".join(listed),
        ", ".join(places[:_PLACES]) + (" …" if len(places) > _PLACES else ""),
        HERE if all(row.location == HERE for row in used) else "several",
        min(band.oldest for band, _, _, _ in bands),
        max(band.youngest for band, _, _, _ in bands),
        sum(band.rows for band, _, _, _ in bands),
        tuple(dict.fromkeys(source for band, _, _, _ in bands for source in band.sources)),
        max((row.confidence for row in used), key=("high", "medium", "low", "").index),
        next((name for _, _, name, _ in bands if name), ""),
    )


# How many places a band names.
_PLACES = 2


def _position(hour: tuple[float, float] | None, band: Band | None, limits: cost.CostConstants) -> Position | None:
    if hour is None or band is None:
        return None
    low, high = hour
    if high < band.low:
        return "below_half" if high < band.low * limits.quote_low.value else "below"
    if low > band.high:
        return "above_twice" if low > band.high * limits.quote_high.value else "above"
    return "inside"


def _per_card(
    hour: tuple[float, float] | None, cards: int | None, rent: Amount, band: Band | None, limits: cost.CostConstants
) -> Position | None:
    """Where the price would lie if it were for each card, where the offer does not say for what it is."""
    if hour is None or not cards or cards < 2 or rent.basis:
        return None
    return _position((hour[0] * cards, hour[1] * cards), band, limits)


def _differ(rents: Sequence[Amount], cards: int | None, library: Library) -> bool:
    """Whether a price by the hour and one by the month, paid alike, are two different prices."""
    hourly = [one for one in rents if one.period == "hour" and one.ahead == 1]
    monthly = [one for one in rents if one.period == "month" and one.ahead == 1]
    if not hourly or not monthly or hourly[0].currency != monthly[0].currency:
        return False
    by_hour, by_month = _month(hourly[0], cards, library), _month(monthly[0], cards, library)
    limits = cost.constants(library)
    return (
        by_hour is not None
        and by_month is not None
        and not (
            by_month[0] * limits.quote_low.value <= by_hour[1] and by_hour[0] <= by_month[1] * limits.quote_high.value
        )
    )


def _rebates(offer: Offer, month: tuple[float, float] | None) -> tuple[Part, ...]:
    """What comes off the month's rent, below zero; what hangs on a condition that the offer does not show is named
    without a sum. Where a list price stands beside the offer's own, the discount is in the price already."""
    if month is None:
        return ()
    low, high = month
    parts = []
    listed = any(one.role == "list" for one in offer.amounts)
    for one in sorted(offer.rebates, key=lambda each: each.kind != "percent"):
        if one.kind == "percent" and listed:
            continue
        share = _share(one, offer)
        name = "discount" if one.kind == "percent" else "free_month"
        if share is None:
            parts.append(Part(f"{name}_if", None, None, one.quote))
            continue
        # Later rebates are taken off what the earlier ones leave.
        parts.append(Part(name, -low * share, -high * share, one.quote))
        low, high = low * (1 - share), high * (1 - share)
    return tuple(parts)


def _share(one: Rebate, offer: Offer) -> float | None:
    """What part of the rent a rebate takes off, None where its condition or its term is not shown."""
    if one.only_if > _terms(offer):
        return None
    if one.kind == "percent":
        return convert(one.value, "%", "share")
    term = one.of or _term(offer)
    if one.kind == "extra":
        return one.value / (term + one.value) if term else None
    return one.value / term if term and term > one.value else None


def _parts(
    offer: Offer, month: tuple[float, float] | None, off: Sequence[Part], currency: str, library: Library
) -> tuple[Part, ...]:
    if month is None:
        return ()
    parts = [Part("rent", *month), *off]
    for one in offer.amounts:
        if one.role == "discount":
            less = _extra(one, offer, currency, library) if one.period else Part("discount_if", None, None, one.quote)
            parts.append(replace(less, low=-less.low, high=-less.high) if less.low and less.high else less)
    for one in offer.amounts:
        if one.role in ("bandwidth", "address", "storage", "backup", "traffic"):
            parts.append(_extra(one, offer, currency, library))
    tax = offer.first("tax_included")
    if tax is not None and tax.value is False and tax.mark != "open":
        parts.append(_tax(offer, parts, tax.quote, library))
    setup = [one for one in offer.amounts if one.role == "setup" and _same(one, currency)]
    months = _term(offer)
    if setup:
        low, high = (setup[0].low / months, setup[0].high / months) if months else (None, None)
        parts.append(Part("setup", low, high, setup[0].quote))
    return tuple(parts)


def _same(one: Amount, currency: str) -> bool:
    return one.currency in ("", currency) or (one.currency == "dollar" and currency == _DOLLAR)


def _extra(one: Amount, offer: Offer, currency: str, library: Library) -> Part:
    """A part paid for on top, where its size and its period are known."""
    months = _months(one.period or "month", library)
    times = 1.0
    if one.unit == "Mbps":
        times = offer.number("bandwidth") or 0.0
    elif one.unit in ("GB", "TB") or (one.role == "traffic" and one.unit):
        times = 0.0
    if not times or months is None or not _same(one, currency):
        return Part(one.role, None, None, one.quote)
    return Part(one.role, one.low / months * times, one.high / months * times, one.quote)


def _tax(offer: Offer, parts: Sequence[Part], quote: str, library: Library) -> Part:
    rate = offer.number("tax_rate")
    usual = library.heuristic_range("cost.invoice_tax")
    low, high = (rate, rate) if rate is not None else (usual.low, usual.high)
    sums = [(part.low, part.high) for part in parts if part.low is not None and part.high is not None]
    whole = 100
    return Part("tax" if rate is not None else "tax_unknown", sum(one[0] for one in sums) * low / whole,
                sum(one[1] for one in sums) * high / whole, quote)  # fmt: skip


def _term(offer: Offer) -> float | None:
    """The months over which a fee paid once is spread: the term, what is paid ahead, or the months of a rebate; None
    where nothing is said."""
    paid = next((one.of for one in offer.rebates if one.of), None)
    return offer.number("term_months") or paid or offer.number("prepay_months")


def _total(parts: Sequence[Part]) -> tuple[float, float] | None:
    sums = [(part.low, part.high) for part in parts if part.low is not None and part.high is not None]
    return (sum(one[0] for one in sums), sum(one[1] for one in sums)) if sums else None


def _first(offer: Offer, month: tuple[float, float] | None, currency: str) -> tuple[float, float] | None:
    """What is paid before the first day: deposit, the months ahead, what is paid once."""
    deposits = [one for one in offer.amounts if one.role == "deposit" and _same(one, currency)]
    months, ahead = offer.number("deposit"), offer.number("prepay_months")
    if month is None or ahead is None or (months is None and not deposits):
        return None
    setup = [one for one in offer.amounts if one.role == "setup" and _same(one, currency)]
    held = [(one.low, one.high) for one in (*deposits[:1], *setup[:1])]
    times = ahead + (0.0 if deposits else months or 0.0)
    return month[0] * times + sum(one[0] for one in held), month[1] * times + sum(one[1] for one in held)
