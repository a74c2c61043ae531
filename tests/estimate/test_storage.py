"""The disk a job needs, part by part, against hand-worked sums."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.core.units import Range
from advisor.estimate import storage
from advisor.knowledge.library import Library

EIGHT = {
    "raw data",
    "cleaned data",
    "token cache",
    "logs",
    "checkpoints",
    "temporary files",
    "system and images",
    "kept free",
}


def exactly(gb: float) -> Range:
    return Range(gb, gb, gb, "GB")


def test_a_checkpoint_of_7b_takes_98_gb_with_its_optimizer_14_without(library: Library) -> None:
    assert storage.checkpoint_size(library, params_b=7).range.likely == 98
    assert storage.checkpoint_size(library, params_b=7, kind="weights").range.likely == 14


def test_an_adapter_of_40_million_parameters_takes_half_a_gigabyte(library: Library) -> None:
    found = storage.checkpoint_size(library, kind="adapter", adapter_params_b=0.04)
    assert found.range.likely == pytest.approx(0.48)


def test_the_eight_parts_and_the_model_files_stand_in_the_sum(library: Library) -> None:
    found = storage.disk(library, dataset_gb=300)
    assert set(found.parts) == EIGHT | {"model files"}
    assert sum(part.likely for part in found.parts.values()) == pytest.approx(found.total.range.likely)


def test_300_gb_of_text_with_kept_checkpoints_does_not_fit_on_960_gb(library: Library) -> None:
    adapter = storage.checkpoint_size(library, kind="adapter", adapter_params_b=0.04).range
    found = storage.disk(library, dataset_gb=300, checkpoint=adapter, checkpoints_kept=3)
    assert found.total.range.likely > 960
    assert storage.used_share(storage.part_sum(found.parts), 960).likely > 100


def test_one_more_checkpoint_than_is_kept_must_fit(library: Library) -> None:
    found = storage.disk(library, dataset_gb=1, checkpoint=exactly(100), checkpoints_kept=2)
    assert found.parts["checkpoints"].likely == 300


def test_at_most_80_percent_of_the_disk_is_used(library: Library) -> None:
    found = storage.disk(library, dataset_gb=100)
    written = storage.part_sum(found.parts).likely
    assert written / found.total.range.likely == pytest.approx(0.8)


def test_tokens_stand_for_the_data_where_its_size_is_unknown(library: Library) -> None:
    assert storage.disk(library, tokens=1e9).parts["raw data"].likely == 4


def test_without_size_and_tokens_there_is_no_sum(library: Library) -> None:
    with pytest.raises(BadInput, match="dataset size or tokens is not known"):
        storage.disk(library)


def test_98_gb_take_49_seconds_on_a_disk_of_2_gb_a_second(library: Library) -> None:
    assert storage.write_time(exactly(98), library).range.likely == pytest.approx(49)


@given(gb=st.floats(0.001, 1e5), checkpoint=st.floats(0, 1e4), kept=st.integers(1, 50))
def test_more_of_anything_never_needs_less(library: Library, gb: float, checkpoint: float, kept: int) -> None:
    def total(size: float, one: float, count: int) -> Range:
        return storage.disk(library, dataset_gb=size, checkpoint=exactly(one), checkpoints_kept=count).total.range

    base = total(gb, checkpoint, kept)
    assert base.low <= base.likely <= base.high
    for more in (total(gb * 2, checkpoint, kept), total(gb, checkpoint + 1, kept), total(gb, checkpoint, kept + 1)):
        assert more.likely >= base.likely
