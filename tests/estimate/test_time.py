"""How long a run takes, against hand-worked and published figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.core.units import Range
from advisor.estimate import time
from advisor.knowledge.library import Library

LLAMA_2_7B_HOURS = 184_320  # model card, A100 80GB
SIZES = st.floats(0.1, 1000)


def test_llama_2_7b_on_2t_tokens_takes_the_hours_of_its_model_card_at_39_percent(library: Library) -> None:
    at = Range(0.3907, 0.3907, 0.3907, "share")
    found = time.pretraining(6.74, 2e12, 312, library, mfu=at)
    assert found.range.likely == pytest.approx(LLAMA_2_7B_HOURS, rel=0.001)


def test_the_usual_share_of_peak_puts_the_published_hours_inside_the_range(library: Library) -> None:
    for billions, hours in ((6.74, 184_320), (13.02, 368_640), (68.98, 1_720_320)):
        found = time.pretraining(billions, 2e12, 312, library).range
        assert found.low <= hours <= found.high


def test_eight_cards_of_3000_tokens_a_second_train_86_million_tokens_in_an_hour_without_overhead(
    library: Library,
) -> None:
    work, speed = Range(86.4e6, 86.4e6, 86.4e6, "tokens"), Range(3000, 3000, 3000, "tokens/s")
    found = time.hours(work, speed, 8, library)
    assert found.range.low == pytest.approx(1.0)
    assert found.range.likely == pytest.approx(1.07)


def test_rows_are_at_most_as_long_as_the_cap(library: Library) -> None:
    found = time.tokens_to_train(library, rows=1000, epochs=3, seq_len=256).range
    assert found.high == 1000 * 3 * 256
    assert found.low == 1000 * 3 * 100


def test_a_stated_row_length_leaves_no_range_and_no_assumption(library: Library) -> None:
    found = time.tokens_to_train(library, rows=10_000, tokens_per_row=250, epochs=2)
    assert (found.range.low, found.range.high, found.assumptions) == (5e6, 5e6, ())


def test_without_tokens_and_rows_there_is_no_duration(library: Library) -> None:
    with pytest.raises(BadInput, match="rows is not known"):
        time.tokens_to_train(library, epochs=3)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_amount_of_tokens_is_refused(library: Library, bad: float) -> None:
    with pytest.raises(BadInput, match="tokens is"):
        time.tokens_to_train(library, tokens=bad)


def test_a_run_of_72_hours_needs_three_quarters_of_four_days(library: Library) -> None:
    assert time.deadline_share(Range(72, 72, 72, "h"), 4).likely == pytest.approx(75)


@given(params=SIZES, tokens=st.floats(1e6, 1e14), peak=st.floats(10, 5000))
def test_more_parameters_and_more_tokens_never_take_less(
    library: Library, params: float, tokens: float, peak: float
) -> None:
    one = time.pretraining(params, tokens, peak, library).range
    assert one.low <= one.likely <= one.high
    assert time.pretraining(params * 2, tokens, peak, library).range.likely >= one.likely
    assert time.pretraining(params, tokens * 2, peak, library).range.likely >= one.likely
    assert time.pretraining(params, tokens, peak * 2, library).range.likely <= one.likely
