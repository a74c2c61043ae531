"""What a plan costs, as a range from dated offers; spot prices with their interruptions; buying against renting.

Every sum stays in the currency of its offers: no rate is applied unless somebody states one with its date. An offer is
evidence, never a quote, so a band is given with the day of its oldest and youngest row. Refuses to price a card for
which no row of that currency exists, and to average over currencies or terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from statistics import median
from typing import Literal

from advisor.core.errors import BadInput
from advisor.core.units import Range, check_unit, convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import Estimate, Step, positive, whole
from advisor.knowledge.library import Library
from advisor.knowledge.records.offers import Offer, OfferRow, Price

Period = Literal["hour", "day", "week", "month", "year"]
_PERIODS: dict[str, Period] = {"hour": "hour", "day": "day", "week": "week", "month": "month", "year": "year"}
Place = Literal["below_half", "inside", "above_twice"]

_RATES = {"HKD": "cost.hkd_per_usd", "CNY": "cost.cny_per_usd"}


@dataclass(frozen=True, slots=True)
class CostConstants:
    """The heuristics of this room (knowledge/heuristics/cost)."""

    hours_a_month: Figure
    days_a_seed_month: Figure
    quote_low: Figure
    quote_high: Figure
    spot_share: Figure
    spot_hours_between_interruptions: Figure
    restart_time: Figure
    owner_overhead_share: Figure
    useful_life: Figure


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One priced line: the price is for all `cards` together and for one `period`."""

    gpu: str
    cards: int
    low: float
    high: float
    currency: str
    period: Period
    date: str
    place: str = ""
    provider: str = ""
    term: str = ""
    in_hong_kong: bool = False
    source: str = ""
    location: str = ""
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """What one card costs an hour in one currency, how many rows stand behind it, and from when to when."""

    range: Range
    rows: int
    oldest: str
    youngest: str
    sources: tuple[str, ...]


def constants(library: Heuristics) -> CostConstants:
    """This room's heuristics, read once."""
    return load(CostConstants, "cost", library)


def hours_in(period: Period, library: Heuristics) -> float:
    """Hours of a period; a month and a year go by the heuristic of hours a month."""
    month = constants(library).hours_a_month.value
    months_a_year = 12
    day = convert(1, "days", "h")
    days_a_week = 7
    return {"hour": 1.0, "day": day, "week": day * days_a_week, "month": month, "year": month * months_a_year}[period]


def card_hour(row: PriceRow, library: Heuristics) -> tuple[float, float]:
    """Lowest and highest price of one card for one hour, in the row's own currency."""
    units = positive("hours", hours_in(row.period, library)) * whole("cards of an offer", row.cards)
    low, high = positive("price", row.low) / units, positive("price", row.high) / units
    if low > high:
        raise BadInput(f"the price runs from {row.low:g} to {row.high:g}", expected="low before high")
    return low, high


def band(rows: Iterable[PriceRow], gpu: str, currency: str, library: Heuristics) -> Band:
    """The band of one card in one currency: lowest, median and highest of the rows given.

    The caller picks the rows (place, term); rows of other cards or currencies are left out. Raises `BadInput` where
    none is left, since a price for another card or currency is no price.
    """
    check_unit(currency)
    chosen = [row for row in rows if row.gpu == gpu and row.currency == currency]
    if not chosen:
        raise BadInput(f"no offer of {gpu} in {currency}", expected="at least one dated row")
    prices = [card_hour(row, library) for row in chosen]
    middle = median((low + high) / 2 for low, high in prices)
    dates = sorted(row.date for row in chosen)
    span = Range(min(low for low, _ in prices), middle, max(high for _, high in prices), currency)
    return Band(
        span, len(chosen), dates[0], dates[-1], tuple(dict.fromkeys(row.source for row in chosen if row.source))
    )


def price(of: Band, cards: int, hours: Range | float, library: Heuristics) -> Estimate:
    """What `cards` cards cost for `hours`, in the band's currency."""
    count = whole("cards", cards)
    time = hours if isinstance(hours, Range) else Range(hours, hours, hours, "h")
    time = time.to("h")
    positive("hours", time.low)
    each = of.range
    total = Range(
        each.low * count * time.low, each.likely * count * time.likely, each.high * count * time.high, each.unit
    )
    formula = (
        f"{count} cards x {time.likely:g} h x {each.likely:.3g} {each.unit} a card-hour ({of.oldest} to {of.youngest})"
    )
    return Estimate(total, (Step("cost", formula, total.likely, each.unit, of.sources),))


def per_period(of: Band, cards: int, period: Period, library: Heuristics) -> Estimate:
    """The price of `cards` cards for one hour, day, week, month or year."""
    return price(of, cards, hours_in(period, library), library)


def seed_day(month_price: float, currency: str, library: Heuristics) -> Estimate:
    """A day's price from a month's: the vendor's habit (month / 25) as high end, the plain arithmetic as low end."""
    c = constants(library)
    month = positive("price of a month", month_price)
    plain = month / convert(c.hours_a_month.value, "h", "days")
    habit = month / c.days_a_seed_month.value
    days = convert(c.hours_a_month.value, "h", "days")
    formula = f"{month:g} / {days:.3g} days; vendors ask a {c.days_a_seed_month.value:g}th"
    step = Step("price of a day", formula, plain, currency, (c.hours_a_month.id, c.days_a_seed_month.id))
    return Estimate(Range(plain, plain, max(plain, habit), currency), (step,))


def judge_quote(quoted: PriceRow, of: Band, library: Heuristics) -> Place:
    """Where a quote lies: below half of the band's low, above twice its high, or inside."""
    if quoted.currency != of.range.unit:
        raise BadInput(f"the quote is in {quoted.currency}, the band in {of.range.unit}", do="state a dated rate")
    c = constants(library)
    low, high = card_hour(quoted, library)
    if high < of.range.low * c.quote_low.value:
        return "below_half"
    return "above_twice" if low > of.range.high * c.quote_high.value else "inside"


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate that somebody stated: one unit of `of` is `value` units of `to`, on `date`."""

    of: str
    to: str
    value: float
    date: str


def exchanged(amount: Range, rate: Rate | None) -> Estimate:
    """`amount` in another currency at a stated, dated rate; `BadInput` without one."""
    if rate is None or not rate.date:
        raise BadInput("no exchange rate was stated", expected="a rate with its date")
    if amount.unit != rate.of:
        raise BadInput(f"the rate is from {rate.of}", expected=f"a rate from {amount.unit}")
    factor = positive("rate", rate.value)
    total = Range(amount.low * factor, amount.likely * factor, amount.high * factor, check_unit(rate.to))
    formula = f"{amount.likely:g} {rate.of} x {factor:g} ({rate.date})"
    return Estimate(total, (Step("exchanged", formula, total.likely, rate.to),))


def checkpoint_interval(write_s: float, hours_between: float) -> float:
    """Seconds of work between saves that lose the least: Daly's refinement of Young's sqrt(2 x write x time between).

    Where a write takes more than twice the time between interruptions the best is to save once in that time.
    """
    write = positive("time of a save", write_s)
    between = convert(positive("hours between interruptions", hours_between), "h", "s")
    if write >= 2 * between:
        return between
    ratio = sqrt(write / (2 * between))
    first, second = 1 / _DALY_FIRST, 1 / _DALY_SECOND
    return max(write, sqrt(2 * write * between) * (1 + first * ratio + second * ratio**2) - write)


# Daly's series: sqrt(2 d M) (1 + r/3 + r^2/9) - d. Mathematics, not a domain figure.
_DALY_FIRST, _DALY_SECOND = 3, 9


def slowdown(write_s: float, hours_between: float, restart_s: float) -> float:
    """Wall-clock time over useful time with the best interval: Daly's exact mean for failures that come at random."""
    between = convert(positive("hours between interruptions", hours_between), "h", "s")
    step = checkpoint_interval(write_s, hours_between)
    grown = exp(min((step + write_s) / between, _EXP_MAX)) - 1
    return exp(min(restart_s / between, _EXP_MAX)) * between * grown / step


# exp() of more than this overflows a float; such a plan never ends anyway.
_EXP_MAX = 2**8


def spot(on_demand: Estimate, library: Heuristics, *, write_s: float, hours_between: float | None = None) -> Estimate:
    """The cost of the same work on spot: a share of the price, times the time lost to saves and interruptions."""
    c = constants(library)
    gap = c.spot_hours_between_interruptions
    mean = (hours_between,) * 3 if hours_between is not None else (gap.high, gap.value, gap.low)
    share, restart = c.spot_share, convert(c.restart_time.value, c.restart_time.unit, "s")
    slow = [slowdown(write_s, each, restart) for each in mean]
    base = on_demand.range
    total = Range(
        base.low * share.low * slow[0],
        base.likely * share.value * slow[1],
        base.high * share.high * slow[-1],
        base.unit,
    )
    every = checkpoint_interval(write_s, mean[1])
    used = (share.id, c.restart_time.id) + (() if hours_between is not None else (gap.id,))
    steps = (
        Step("save every", "Young/Daly from the time of a save and between interruptions", every, "s", used[1:]),
        Step("time on spot", "useful time x (saves, lost work, restarts)", slow[1], ""),
        Step("cost on spot", f"{base.likely:g} x {share.value:g} x {slow[1]:.3g}", total.likely, base.unit, used),
    )
    return Estimate(total, (*on_demand.steps, *steps), () if hours_between is not None else (gap.id,))


def buy_or_rent(
    machine: Range, rent_month: Range, library: Heuristics, *, running_month: Range | None = None
) -> Estimate:
    """Months of renting after which buying would have been cheaper, all in one currency.

    `machine` is the price of the server, `rent_month` the rent for the same, `running_month` what an owner pays a month
    (space, power, hands); where unstated, a heuristic share of the machine over its life. Raises `BadInput` where
    owning costs more a month than renting: then buying never pays.
    """
    c = constants(library)
    if {machine.unit, rent_month.unit} | ({running_month.unit} if running_month else set()) != {machine.unit}:
        raise BadInput("the sums are in different currencies", do="state a dated rate")
    share, life = c.owner_overhead_share, c.useful_life
    own = running_month or Range(*(machine.low * share.low / life.high, machine.likely * share.value / life.value,
                                   machine.high * share.high / life.low), machine.unit)  # fmt: skip
    saved = positive("what owning saves a month", rent_month.likely - own.likely)
    likely = machine.likely / saved
    best = machine.low / positive("rent less running costs", rent_month.high - own.low)
    worst_saving = rent_month.low - own.high
    worst = machine.high / worst_saving if worst_saving > 0 else max(likely, life.high)
    used = (life.id,) if running_month else (share.id, life.id)
    steps = (
        Step("saved a month by owning", f"{rent_month.likely:g} - {own.likely:g}", saved, machine.unit, used),
        Step("break-even", f"{machine.likely:g} / {saved:g}", likely, "months", used),
    )
    return Estimate(Range(best, likely, max(worst, likely), "months"), steps, () if running_month else (share.id,))


def rows_from(offers: Iterable[Offer], *, terms: Sequence[str] | None = None) -> list[PriceRow]:
    """The priced server rows of `library.offers` as plain rows; those without card, period or date are left out."""
    chosen = [each for each in offers if each.kind == "server" and (terms is None or each.term in terms)]
    return [row for offer in chosen for each in offer.rows if (row := _row(offer, each)) is not None]


def _row(offer: Offer, row: OfferRow) -> PriceRow | None:
    if not row.gpu or not row.gpu_count or row.period not in _PERIODS or offer.date is None:
        return None
    low, high = (row.price.low, row.price.high) if isinstance(row.price, Price) else (row.price, row.price)
    if low <= 0:
        return None
    return PriceRow(
        gpu=row.gpu,
        cards=row.gpu_count,
        low=low,
        high=high,
        currency=offer.currency,
        period=_PERIODS[row.period],
        date=offer.date,
        place=offer.place,
        provider=offer.provider,
        term=offer.term,
        in_hong_kong=offer.in_hong_kong,
        source=offer.source,
        location=offer.location,
        confidence=row.confidence,
    )


def rate(of: str, to: str, library: Library) -> tuple[Range, str] | None:
    """How much of one currency a unit of the other is, with the heuristic that says so; None where none does.

    Rates to the dollar are `cost.hkd_per_usd` and `cost.cny_per_usd`, with their spreads; through it both add up.
    """
    if of == to:
        return Range(1.0, 1.0, 1.0, ""), ""
    if of == "USD" and to in _RATES:
        return library.heuristic_range(_RATES[to]), _RATES[to]
    if to == "USD" and of in _RATES:
        found = library.heuristic_range(_RATES[of])
        return Range(1 / found.high, 1 / found.likely, 1 / found.low, ""), _RATES[of]
    if {of, to} == set(_RATES):
        first, second = library.heuristic_range(_RATES[to]), library.heuristic_range(_RATES[of])
        return Range(first.low / second.high, first.likely / second.likely, first.high / second.low, ""), _RATES[to]
    return None
