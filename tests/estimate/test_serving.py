"""What a server of a model gives, against bounds worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.estimate import serving
from advisor.estimate.serving import Hardware, Served
from advisor.knowledge.library import Library

LLAMA_70B = Served(70.6, 70.6, 2, 327_680)  # 80 layers, 8 heads of 128 for keys and values, 2 bytes
MIXTRAL = Served(12.9, 46.7, 2, 131_072)
FOUR_H100 = Hardware(4, 3350, 989, 79.6)


def test_one_sequence_decodes_no_faster_than_the_weights_can_be_read(library: Library) -> None:
    found = serving.decode(LLAMA_70B, FOUR_H100, 1, 1000, library).range
    assert found.high < 4 * 3350 / 141.2
    assert found.likely == pytest.approx(1 / (141.5 / (4 * 0.8 * 3350) / 0.6 + 0.002), rel=0.01)


def test_a_mixture_reads_only_the_experts_that_the_batch_picks() -> None:
    assert serving.weights_read(MIXTRAL, 1) == pytest.approx(25.8)
    assert serving.weights_read(MIXTRAL, 64) == pytest.approx(93.4, rel=0.01)


def test_prefill_of_70b_on_four_h100_is_bound_by_arithmetic(library: Library) -> None:
    found = serving.prefill(LLAMA_70B, FOUR_H100, library).range
    assert found.likely == pytest.approx(4 * 0.8 * 989e12 * 0.5 / (2 * 70.6e9), rel=0.001)


def test_the_cache_holds_the_sequences_that_fit_beside_the_weights(library: Library) -> None:
    found = serving.concurrency(LLAMA_70B, FOUR_H100, 4096, library).range
    assert found.likely == (4 * 79.6 * 0.9 - 141.2e9 / 2**30) // 1.25


def test_weights_that_do_not_fit_are_served_to_nobody(library: Library) -> None:
    with pytest.raises(BadInput, match="the weights need"):
        serving.concurrency(LLAMA_70B, Hardware(1, 3350, 989, 79.6), 4096, library)


def test_two_requests_a_second_of_500_tokens_ask_for_1000_tokens_a_second() -> None:
    assert serving.tokens_needed(2, 500) == 1000


@given(batch=st.integers(1, 512), context=st.floats(1, 1e5), size=st.floats(0.5, 700))
def test_more_sequences_give_more_tokens_and_longer_ones_never_do(
    library: Library, batch: int, context: float, size: float
) -> None:
    model = Served(size, size, 2, 131_072)
    one = serving.decode(model, FOUR_H100, batch, context, library).range
    assert one.low <= one.likely <= one.high
    assert serving.decode(model, FOUR_H100, batch + 1, context, library).range.likely >= one.likely * (1 - 1e-9)
    assert serving.decode(model, FOUR_H100, batch, context * 2, library).range.likely <= one.likely * (1 + 1e-9)
    bigger = Served(size * 2, size * 2, 2, 131_072)
    assert serving.decode(bigger, FOUR_H100, batch, context, library).range.likely <= one.likely
