"""Line times and what bounds a line, against the tables of the network notes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.estimate import transfer
from advisor.estimate.transfer import Line
from advisor.knowledge.library import Library


@pytest.mark.parametrize(
    ("mbps", "hours"), [(10, 111.1), (25, 44.4), (50, 22.2), (100, 11.1), (200, 5.56), (1000, 1.11)]
)
def test_500_gb_take_the_time_of_plain_arithmetic_at_full_efficiency(mbps: float, hours: float) -> None:
    assert transfer.line_hours(500, mbps, 1) == pytest.approx(hours, rel=0.005)


@pytest.mark.parametrize(
    ("rtt", "loss", "mbps"),
    [(5, 1e-5, 739), (15, 1e-4, 78), (35, 1e-3, 10.6), (47, 1e-2, 2.5), (200, 1e-5, 18.5), (35, 1e-5, 106)],
)
def test_one_stream_is_bound_by_loss_and_delay_as_in_the_table(
    library: Library, rtt: float, loss: float, mbps: float
) -> None:
    assert transfer.stream_limit(rtt, loss, library).range.likely == pytest.approx(mbps, rel=0.02)


def test_streams_multiply_until_the_line_is_full(library: Library) -> None:
    line = Line(100, rtt_ms=35, loss=1e-3)
    assert transfer.streams_needed(line, library) == 10
    four = transfer.effective_rate(Line(100, rtt_ms=35, loss=1e-3, streams=4), library)
    assert four.range.likely == pytest.approx(4 * 10.55 * 0.8, rel=0.01)
    assert transfer.effective_rate(Line(100, rtt_ms=35, loss=1e-3, streams=40), library).range.likely == 80


def test_bbr_is_not_bound_by_random_loss(library: Library) -> None:
    line = Line(100, rtt_ms=35, loss=0.01, loss_tolerant=True)
    assert transfer.effective_rate(line, library).range.likely == 80


def test_a_window_of_64_kib_over_47_ms_carries_11_mbps() -> None:
    assert transfer.window_limit(2**16, 47) == pytest.approx(11.15, rel=0.01)


def test_500_gb_in_two_days_need_29_mbps_of_payload_line(library: Library) -> None:
    assert transfer.bandwidth_needed(500, 2, library).range.likely == pytest.approx(28.9, rel=0.01)


def test_a_disk_of_10_tb_by_courier_beats_100_mbps(library: Library) -> None:
    line = Line(100)
    assert transfer.courier(10_000, library).range.likely < transfer.duration(10_000, line, library).range.likely
    even = transfer.courier_break_even(line, library).range
    assert even.low <= even.likely <= even.high
    at = even.likely
    assert transfer.courier(at, library).range.likely == pytest.approx(
        transfer.duration(at, line, library).range.likely, rel=0.001
    )


def test_a_line_faster_than_copying_never_loses_to_a_courier(library: Library) -> None:
    with pytest.raises(BadInput, match="courier wins"):
        transfer.courier_break_even(Line(10_000), library)


def test_the_gradients_of_7b_take_37_minutes_over_100_mbps(library: Library) -> None:
    assert transfer.gradient_exchange(7, 100, library).range.likely == pytest.approx(37.3, rel=0.01)


@pytest.mark.parametrize("loss", [0.0, -0.1, 1.5, float("nan")])
def test_an_impossible_loss_is_refused(library: Library, loss: float) -> None:
    with pytest.raises(BadInput, match="loss is"):
        transfer.stream_limit(35, loss, library)


@given(gb=st.floats(0.001, 1e6), mbps=st.floats(0.1, 1e5), streams=st.integers(1, 64))
def test_more_data_takes_longer_and_more_bandwidth_or_streams_never_do(
    library: Library, gb: float, mbps: float, streams: int
) -> None:
    def hours(size: float, rate: float, count: int) -> float:
        line = Line(rate, rtt_ms=35, loss=1e-3, streams=count)
        found = transfer.duration(size, line, library).range
        assert found.low <= found.likely <= found.high
        return found.likely

    base = hours(gb, mbps, streams)
    assert hours(gb * 2, mbps, streams) == pytest.approx(base * 2)
    assert hours(gb, mbps * 2, streams) <= base
    assert hours(gb, mbps, streams + 1) <= base
