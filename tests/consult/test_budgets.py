"""A budget in another currency is held against the price, and what it can pay for is found."""

from __future__ import annotations

from datetime import date

import pytest

from advisor.consult import answer
from advisor.core.answer import Price
from advisor.core.facts import Fact, Facts
from advisor.core.units import Range
from advisor.estimate import cost
from advisor.knowledge.library import open_library
from advisor.plan.figures import budget_share

DAY = date(2026, 12, 1)


def price(likely: float, currency: str) -> Price:
    month = Range(likely * 0.9, likely, likely * 1.1, currency)
    return Price(month, currency, "month", "2026-11", "a_list", "Hong Kong")


def budget(amount: float, currency: str, period: str = "month") -> Facts:
    said = {"budget.amount": amount, "budget.currency": currency, "budget.period": period}
    return Facts().plus(*(Fact(key, value, "said") for key, value in said.items()))


@pytest.mark.parametrize(
    ("of", "money", "share"),
    [
        (budget(15600, "HKD"), price(1000, "USD"), 50.0),  # 15,600 / 7.8 = 2,000 USD
        (budget(1000, "USD"), price(7800, "HKD"), 100.0),
        (budget(7100, "CNY"), price(2000, "USD"), 200.0),  # 7,100 / 7.1 = 1,000 USD
        (budget(7800, "HKD"), price(7100, "CNY"), 100.0),  # both are 1,000 USD
        (budget(500, "USD"), price(1000, "USD"), 200.0),
    ],
)
def test_a_price_is_a_share_of_a_budget_at_the_rate_of_the_two_currencies(
    of: Facts, money: Price, share: float
) -> None:
    found = budget_share(money, of, open_library())
    assert found is not None
    assert (found.value, found.unit) == (pytest.approx(share), "%")


def test_a_budget_for_another_time_has_no_share_of_a_months_price() -> None:
    assert budget_share(price(1000, "USD"), budget(500, "USD", "hour"), open_library()) is None


def test_a_rate_keeps_the_order_of_its_ends_in_both_directions() -> None:
    for of, to in (("HKD", "USD"), ("USD", "HKD"), ("CNY", "HKD"), ("HKD", "CNY"), ("CNY", "USD")):
        found = cost.rate(of, to, open_library())
        assert found is not None
        assert found[0].low < found[0].likely < found[0].high


def test_a_budget_that_pays_for_another_card_than_the_first_finds_it() -> None:
    # One A100 80GB is about 25,000 CNY a month; four RTX 5090 about 1,460 USD, 11,400 HKD.
    reply = answer.ask("QLoRA 70B on a budget of HK$16000 a month", day=DAY).json
    assert reply["verdict"] in ("yes", "yes_if")
    assert reply["recommended"]["gpu"] == "RTX 5090"
    assert "cost.budget_converted" in {each["id"] for each in reply["advice"]}


@pytest.mark.parametrize("text", ["QLoRA 70B on HK$500 a month", "每月 500 港币，QLoRA 微调 70B"])
def test_a_budget_that_pays_for_nothing_is_refused_with_what_the_cheapest_costs(text: str) -> None:
    reply = answer.ask(text, day=DAY).json
    assert reply["verdict"] == "no"
    assert "USD" in reply["summary"] or "美元" in reply["summary"]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        # 50,224 to 62,780 USD a month in the lists, at 7.75 to 7.85 HKD.
        ("How much is 8x H100 per month in HKD?", "389,236", "492,823"),
        ("8 张 H100 一个月多少港币", "389,236", "492,823"),
        ("How much is 8x H100 per month?", "50,224", "62,780"),
    ],
)
def test_a_rent_is_told_in_the_currency_that_was_asked_for(text: str, low: str, high: str) -> None:
    summary = answer.ask(text, day=DAY).json["summary"]
    assert low in summary
    assert high in summary
