"""Quantities, ranges and how figures are read."""

import pytest

from advisor.core.errors import UnitError
from advisor.core.units import Quantity, Range, number, parse_quantity


def test_eighty_gigabytes_are_74_51_gibibytes() -> None:
    assert Quantity(80, "GB").to("GiB").value == pytest.approx(74.5058, abs=1e-4)


def test_gib_and_gb_never_mix_in_a_sum() -> None:
    with pytest.raises(UnitError, match="GiB and GB never mix"):
        Quantity(1, "GiB") + Quantity(1, "GB")


def test_gib_and_gb_never_mix_in_a_comparison() -> None:
    with pytest.raises(UnitError, match="GB and GiB never mix"):
        _ = Quantity(1, "GB") < Quantity(1, "GiB")


def test_megabytes_a_second_are_not_megabits() -> None:
    with pytest.raises(UnitError, match="bytes per second, not bits per second"):
        Quantity(10, "MB/s").to("Mbps")


def test_currencies_are_never_converted() -> None:
    with pytest.raises(UnitError, match="is CNY, not HKD"):
        Quantity(1, "CNY").to("HKD")


def test_an_unknown_unit_names_the_nearest_known_one() -> None:
    with pytest.raises(UnitError, match=r'unknown unit "Gib".*did you mean "GiB"'):
        parse_quantity("80 Gib")


@pytest.mark.parametrize("text", ["", "GiB", "eighty GiB", "80 GiB each", "nan GiB", "1e999 GiB"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(UnitError):
        parse_quantity(text)


def test_a_range_out_of_order_is_refused() -> None:
    with pytest.raises(UnitError, match="does not hold"):
        Range(2, 1, 3, "GiB")


def test_a_range_is_converted_end_by_end() -> None:
    assert Range(1, 2, 3, "TB").to("GB") == Range(1000, 2000, 3000, "GB")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0049, "0.0049"),
        (1.5, "1.5"),
        (67.46, "67.5"),
        (184320, "184,320"),
        (80, "80"),
        (1e16, "10,000,000,000,000,000"),
    ],
)
def test_figures_are_written_without_exponent(value: float, text: str) -> None:
    assert number(value) == text
