"""What a server draws and a run uses, against hand-worked sums."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.core.units import Range
from advisor.estimate import power
from advisor.knowledge.library import Library


def test_eight_cards_of_700_w_draw_7_kw_in_training_and_at_most_10_2_on_the_circuit(library: Library) -> None:
    found = power.node(700, 8, library).range
    assert found.likely == pytest.approx((8 * (700 * 0.9 + 120) + 600) / 0.94 / 1000)
    assert 9.5 <= found.high <= 10.3  # the system is sold with 10.2 kW at most


def test_seven_kw_for_ten_hours_are_70_kwh_and_pue_is_only_applied_when_stated() -> None:
    kilowatts, hours = Range(7, 7, 7, "kW"), Range(10, 10, 10, "h")
    assert power.energy(kilowatts, hours).range.likely == pytest.approx(70)
    assert power.energy(kilowatts, hours, nodes=2, pue=1.5).range.likely == pytest.approx(210)


def test_a_pue_below_1_is_refused() -> None:
    with pytest.raises(BadInput, match="PUE"):
        power.energy(Range(7, 7, 7, "kW"), Range(1, 1, 1, "h"), pue=0.9)


def test_an_unknown_card_power_gives_no_figure(library: Library) -> None:
    with pytest.raises(BadInput, match="card power"):
        power.node(float("nan"), 8, library)


@given(watts=st.floats(10, 2000), cards=st.integers(1, 72))
def test_more_watts_and_more_cards_never_draw_less(library: Library, watts: float, cards: int) -> None:
    one = power.node(watts, cards, library).range
    assert one.low <= one.likely <= one.high
    assert power.node(watts * 1.1, cards, library).range.likely > one.likely
    assert power.node(watts, cards + 1, library).range.likely > one.likely
