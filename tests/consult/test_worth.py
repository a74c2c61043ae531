"""The question asked next is one whose answer can still change the verdict or the order."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from advisor.consult.turns import asked_of
from advisor.consult.worth import first_worth_asking, matters, probes
from advisor.core.units import Quantity
from advisor.knowledge.library import open_library

DAY = date(2026, 12, 1)


def asked(**slots: Any) -> Any:
    return asked_of(slots, "ask_feasibility", open_library())


def test_the_length_matters_on_a_card_that_is_nearly_full() -> None:
    # 13B in bf16 are 24 GiB of weights on a 48 GB card: short texts fit, 16k tokens do not.
    full = asked(params_b=13, task=["lora"], gpu_model="L40S", gpu_count=1, micro_batch=1)
    assert matters("workload.seq_len", full, DAY, open_library())


def test_no_length_helps_where_the_weights_alone_do_not_fit() -> None:
    # 70B in bf16 are 130 GiB on a card of 24 GB.
    hopeless = asked(params_b=70, task=["lora"], gpu_model="RTX 4090", gpu_count=1)
    assert not matters("workload.seq_len", hopeless, DAY, open_library())
    order = first_worth_asking(["workload.seq_len", "workload.micro_batch", "gpu.count"], hopeless, DAY, open_library())
    assert order[0] == "gpu.count"
    assert sorted(order) == ["gpu.count", "workload.micro_batch", "workload.seq_len"]


def test_the_method_always_matters_for_a_bare_model() -> None:
    bare = asked(params_b=70)
    assert first_worth_asking(["tuning.method", "gpu.id"], bare, DAY, open_library())[0] == "tuning.method"


@pytest.mark.parametrize("fact", ["workload.seq_len", "schedule.deadline", "data.size"])
def test_a_quantity_is_tried_at_two_values_far_apart_inside_its_range(fact: str) -> None:
    library = open_library()
    values = probes(fact, library)
    low, high = library.facts[fact].range or (0, float("inf"))
    assert len(values) == 2
    assert all(isinstance(value, Quantity) and low <= value.value <= high for value in values)


def test_every_probe_names_a_fact_with_a_question_and_a_value_inside_its_range() -> None:
    library = open_library()
    for fact in library.words["probes"].entries:
        record = library.facts[fact]
        assert record.question is not None, fact
        for value in probes(fact, library):
            if isinstance(value, Quantity) and record.range:
                assert record.range[0] <= value.value <= record.range[1], fact
            if record.kind == "ref":
                assert value in getattr(library, record.ref), fact
