"""Costs from dated offers, against hand-worked sums; nothing is converted or averaged over currencies."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.core.units import Range
from advisor.estimate import cost
from advisor.estimate.cost import PriceRow, Rate
from advisor.knowledge.library import Library

EIGHT = PriceRow("a100", 8, 150_000, 200_000, "CNY", "month", "2026-08-13")
ONE = PriceRow("a100", 1, 30_000, 30_000, "CNY", "month", "2026-07-01")
DOLLARS = PriceRow("a100", 1, 2, 2, "USD", "hour", "2026-08")


def test_a_month_of_30000_is_41_an_hour(library: Library) -> None:
    assert cost.card_hour(ONE, library) == pytest.approx((41.1, 41.1), rel=0.001)


def test_a_band_keeps_its_currency_and_its_days(library: Library) -> None:
    found = cost.band([EIGHT, ONE, DOLLARS], "a100", "CNY", library)
    assert (found.rows, found.oldest, found.youngest, found.range.unit) == (2, "2026-07-01", "2026-08-13", "CNY")
    assert found.range.low == pytest.approx(150_000 / 730 / 8)
    assert found.range.high == pytest.approx(30_000 / 730)


def test_a_card_without_an_offer_in_the_currency_has_no_price(library: Library) -> None:
    with pytest.raises(BadInput, match="no offer of h100 in CNY"):
        cost.band([EIGHT], "h100", "CNY", library)
    with pytest.raises(BadInput, match="no offer of a100 in HKD"):
        cost.band([EIGHT], "a100", "HKD", library)


def test_eight_cards_of_the_band_cost_the_offer_again(library: Library) -> None:
    found = cost.per_period(cost.band([EIGHT], "a100", "CNY", library), 8, "month", library).range
    assert (found.low, found.high) == pytest.approx((150_000, 200_000))


def test_a_day_by_the_vendors_habit_costs_a_fifth_more_than_arithmetic_gives(library: Library) -> None:
    found = cost.seed_day(30_000, "CNY", library).range
    assert found.high == 1200
    assert found.low == pytest.approx(986.3, rel=0.001)


@pytest.mark.parametrize(("price", "where"), [(10_000, "below_half"), (30_000, "inside"), (70_000, "above_twice")])
def test_a_quote_outside_half_to_twice_the_band_is_flagged(library: Library, price: float, where: str) -> None:
    band = cost.band([ONE], "a100", "CNY", library)
    assert cost.judge_quote(PriceRow("a100", 1, price, price, "CNY", "month", "2026-11"), band, library) == where


def test_a_quote_in_another_currency_is_not_compared_without_a_rate(library: Library) -> None:
    with pytest.raises(BadInput, match="the quote is in USD"):
        cost.judge_quote(DOLLARS, cost.band([ONE], "a100", "CNY", library), library)


def test_a_sum_is_exchanged_only_at_a_stated_dated_rate() -> None:
    amount = Range(100, 100, 100, "USD")
    assert cost.exchanged(amount, Rate("USD", "CNY", 7.1, "2026-11-30")).range.likely == pytest.approx(710)
    with pytest.raises(BadInput, match="no exchange rate"):
        cost.exchanged(amount, None)
    with pytest.raises(BadInput, match="no exchange rate"):
        cost.exchanged(amount, Rate("USD", "CNY", 7.1, ""))


def test_the_best_interval_for_a_minute_and_a_day_is_youngs_within_a_few_percent() -> None:
    young = sqrt(2 * 60 * 24 * 3600)
    assert cost.checkpoint_interval(60, 24) == pytest.approx(young, rel=0.02)
    assert cost.slowdown(60, 24, 0) == pytest.approx(1 + young / 24 / 3600, rel=0.005)


@given(write=st.floats(1, 3600), between=st.floats(2, 500))
def test_no_other_interval_loses_much_less_than_the_one_given(write: float, between: float) -> None:
    best = cost.checkpoint_interval(write, between)
    mean = between * 3600

    def lost(step: float) -> float:
        from math import exp

        return mean * (exp((step + write) / mean) - 1) / step

    for other in (best / 2, best * 2):
        assert lost(best) <= lost(other) * 1.02


def test_spot_saves_less_than_the_discount_because_of_interruptions(library: Library) -> None:
    full = cost.price(cost.band([ONE], "a100", "CNY", library), 1, 100, library)
    found = cost.spot(full, library, write_s=60, hours_between=24)
    assert found.range.likely / full.range.likely == pytest.approx(0.5 * cost.slowdown(60, 24, 900))
    assert found.range.likely > 0.5 * full.range.likely


def test_a_server_of_2_4_million_pays_back_in_two_years_at_100000_saved_a_month(library: Library) -> None:
    def exactly(x: float) -> Range:
        return Range(x, x, x, "CNY")

    found = cost.buy_or_rent(exactly(2.4e6), exactly(150_000), library, running_month=exactly(50_000))
    assert found.range.likely == 24


def test_buying_never_pays_where_owning_costs_more_than_renting(library: Library) -> None:
    def exactly(x: float) -> Range:
        return Range(x, x, x, "CNY")

    with pytest.raises(BadInput, match="what owning saves"):
        cost.buy_or_rent(exactly(2.4e6), exactly(40_000), library, running_month=exactly(50_000))


def test_the_offers_of_the_library_become_rows_with_card_period_and_date(library: Library) -> None:
    rows = cost.rows_from(library.offers.values())
    assert rows
    assert all(row.cards >= 1 and row.low > 0 and row.date and row.currency for row in rows)


@given(cards=st.integers(1, 4096), hours=st.floats(0.1, 1e5))
def test_more_cards_and_hours_never_cost_less(library: Library, cards: int, hours: float) -> None:
    band = cost.band([EIGHT, ONE], "a100", "CNY", library)
    one = cost.price(band, cards, hours, library).range
    assert one.low <= one.likely <= one.high
    assert cost.price(band, cards + 1, hours, library).range.likely > one.likely
    assert cost.price(band, cards, hours * 2, library).range.likely == pytest.approx(one.likely * 2)
