"""Price lists, lines and routes: every row kept as given, nothing passed off as what it is not."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from pydantic import ValidationError

from advisor.knowledge.library import Library
from advisor.knowledge.market import NEIGHBOURS, PREMIUM, nearest, rows_for
from advisor.knowledge.records.offers import Offer

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data" / "knowledge"
LIBRARY = Library([ROOT])


def offers() -> list[Offer]:
    """All price lists."""
    return list(LIBRARY.offers.values())


def test_every_list_is_dated_or_says_why_not_and_has_a_known_source() -> None:
    wrong = [offer.id for offer in offers() if offer.source not in LIBRARY.sources]
    assert wrong == []
    undated = [offer for offer in offers() if offer.date is None]
    assert all(offer.kind in ("line", "card") and offer.note for offer in undated), [offer.id for offer in undated]


def test_every_card_of_a_row_is_a_card_of_the_knowledge_and_its_label_is_that_cards() -> None:
    for offer in offers():
        for row in offer.rows:
            if row.gpu is not None:
                assert row.gpu in LIBRARY.gpus, (offer.id, row.gpu)
                assert row.label == LIBRARY.gpus[row.gpu].label, (offer.id, row.gpu)


def test_a_row_without_a_card_of_ours_says_how_it_was_written() -> None:
    rows = [row for offer in offers() if offer.kind == "server" for row in offer.rows if row.gpu is None]
    assert {row.gpu_as_written for row in rows} == {"T4g"}


def test_every_kind_of_line_that_a_row_names_stands_in_the_routes() -> None:
    named = {row.route for offer in offers() for row in offer.rows if row.route}
    assert named == {"bgp", "premium_bgp", "cn2_gia", "iplc"}
    assert all(LIBRARY.routes[name].kind == "line" for name in named)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared data are not at hand")
@pytest.mark.parametrize("table", ["prices_hk.csv", "bandwidth_hk.csv"])
def test_every_price_of_the_tables_stands_in_a_list_with_its_currency_and_period(table: str) -> None:
    with (SHARED / table).open(encoding="utf-8") as lines:
        wanted = Counter((float(r["price"]), r["currency"], r["period"]) for r in csv.DictReader(lines))
    there = Counter((row.low_high[0], offer.currency, str(row.period)) for offer in offers() for row in offer.rows)
    assert [price for price, count in wanted.items() if there[price] < count] == []


def test_there_are_at_least_as_many_rows_as_were_collected() -> None:
    assert sum(len(offer.rows) for offer in offers()) >= 385 + 74 + 68 + 7


def test_hong_kong_t4_without_commitment_runs_from_0_81_dollars() -> None:
    prices = [p.row.low_high[0] / (p.row.gpu_count or 1) for p in rows_for(offers(), "t4", "hong_kong")
              if p.offer.currency == "USD"]  # fmt: skip
    assert sorted(prices) == [0.81, 3.351]


def test_hong_kong_spot_of_the_t4_is_asked_for_separately() -> None:
    rows = rows_for(offers(), "t4", "hong_kong", commitment="spot")
    assert len(rows) == 6
    assert min(p.row.low_high[0] for p in rows) == 0.1314


def test_a_card_that_hong_kong_does_not_list_leads_to_the_nearest_place_that_does() -> None:
    found = nearest(offers(), "a100_80gb_sxm")
    assert found is not None
    assert found[0] == "singapore"
    tokyo = nearest(offers(), "h100_80gb_sxm")
    assert tokyo is not None
    assert tokyo[0] == "japan"
    assert nearest(offers(), "ascend_910c") is None


def test_nominal_prices_budgets_and_medians_are_leads_and_never_evidence() -> None:
    leads = {offer.id for offer in offers() if offer.kind == "lead"}
    assert {"gcp.hong_kong_on_demand_usd_2025_03_06_lead", "document_004.hong_kong_budget_cny_2026_lead"} <= leads
    assert rows_for(offers(), "a100_40gb_sxm", "hong_kong") == []


def test_a_card_without_its_host_is_no_server() -> None:
    parts = [offer for offer in offers() if offer.kind == "accelerator"]
    assert parts
    assert {offer.provider for offer in parts} == {"GCP"}


def test_the_only_hong_kong_a100_prices_are_a_vendors_article_and_low_in_confidence() -> None:
    rows = rows_for(offers(), "A100 80GB", "hong_kong", label=True)
    assert [(p.offer.source, p.row.confidence) for p in rows] == [("seed_000", "low")] * 3
    assert {p.row.low_high for p in rows} == {(150000, 200000), (30000, 30000), (50000, 50000)}
    assert all(not p.row.form_stated and p.offer.currency == "CNY" for p in rows)


def test_each_neighbour_with_a_premium_has_the_heuristic_and_its_accepted_value_is_above_one() -> None:
    assert set(PREMIUM) <= {*NEIGHBOURS, "mainland"}
    for name in PREMIUM.values():
        assert LIBRARY.heuristic(name).value > 1


def test_premium_optimised_bandwidth_costs_six_times_the_ordinary_one_at_ucloud() -> None:
    prices = {(row.route, row.tier): row.low_high[0] for offer in offers() if offer.provider == "UCloud"
              and offer.in_hong_kong for row in offer.rows if row.unit == "Mbps" and row.period == "month"}  # fmt: skip
    assert prices["premium_bgp", "any"] / prices["bgp", "above 5 Mbps"] == 6


def test_the_month_of_25_days_is_kept_as_a_refuted_rival() -> None:
    record = LIBRARY.heuristic_record("cost.hours_a_month")
    assert record.accepted.value == 730
    assert {rival.status for rival in record.values if rival.value == 600} == {"refuted"}


def test_no_delay_prior_is_below_light_in_fibre() -> None:
    paths = [route for route in LIBRARY.routes.values() if route.kind == "path" and route.floor]
    assert len(paths) == 8
    for route in paths:
        assert route.floor is not None
        assert route.rtt_low is not None
        assert (route.rtt_low.value or 0) > (route.floor.value or 0), route.id


def test_every_line_a_user_can_name_is_described() -> None:
    choices = LIBRARY.facts["line.type"].choices or ()
    assert set(choices) <= {key for key, route in LIBRARY.routes.items() if route.kind == "line"}


def test_beijing_over_a_premium_line_was_measured_at_46_7_ms() -> None:
    route = LIBRARY.routes["rtt.beijing_cn2_gia"]
    assert route.rtt_low is not None
    assert route.rtt_high is not None
    assert (route.rtt_low.value, route.rtt_high.value) == (38, 50)
    assert route.observed[0].rtt is not None
    assert (route.observed[0].rtt.value, route.observed[0].rtt.status) == (46.7, "verified")


def test_every_source_of_routes_is_known() -> None:
    assert {key for route in LIBRARY.routes.values() for key in route.sources} <= set(LIBRARY.sources)


def plain(**changes: object) -> dict[str, object]:
    """A small list of prices, for spoiling."""
    row = {"gpu": "t4", "gpu_count": 1, "price": 1, "period": "hour", "unit": "server", "confidence": "low"}
    base = {"id": "x.y", "provider": "X", "place": "Hong Kong", "location": "hong_kong", "in_hong_kong": True}
    return base | {"date": "2026", "term": "list", "currency": "CNY", "source": "seed_000", "rows": [row]} | changes


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"date": None}, "without a date"),
        ({"in_hong_kong": False}, "in_hong_kong is False"),
        ({"rows": []}, "at least 1"),
        ({"currency": "RMB"}, "currency"),
        ({"term": "cheap"}, "term"),
    ],
)
def test_a_spoiled_list_is_refused(changes: dict[str, object], said: str) -> None:
    Offer.model_validate(plain())
    with pytest.raises(ValidationError, match=said):
        Offer.model_validate(plain(**changes))
