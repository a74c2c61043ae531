"""What must hold for every job: more never needs less, sharding never costs states, ranges are ordered and smooth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.estimate.memory import MemoryEstimate, Shape, Workload, from_size, peak
from advisor.estimate.memory.constants import constants
from advisor.estimate.rows import estimate_rows
from advisor.knowledge.library import open_library

LIBRARY = open_library()
C = constants(LIBRARY)
FRAMEWORKS = (None, *sorted(LIBRARY.frameworks))


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Any job that a table may hold."""
    method = draw(st.sampled_from(["full", "lora", "qlora", "inference", "pretrain"]))
    n_gpus = draw(st.sampled_from([1, 2, 4, 8, 64]))
    stated: dict[str, Any] = {
        "weights": st.sampled_from(["bf16", "fp16", "fp32", "mixed", "fp8", "int8", "int4", "nf4"]),
        "optimizer": st.sampled_from(["adamw", "adamw_8bit", "adafactor", "lomo", "galore", "muon", "sgd"]),
        "seq_len": st.integers(1, 200_000),
        "micro_batch": st.integers(1, 256),
        "grad_accum": st.integers(1, 64),
        "grad_ckpt": st.sampled_from(["yes", "no", "selective"]),
        "attention": st.sampled_from(["flash", "sdpa", "eager"]),
        "fused_ce": st.booleans(),
        "lora_rank": st.sampled_from([4, 8, 64]),
        "lora_targets": st.sampled_from(["all", "qkvo", "qkv", "qv"]),
        "sharding": st.sampled_from(["none", "ddp", "zero1", "zero2", "zero3", "fsdp", "model_parallel", "device_map"]),
        "offload": st.sampled_from(["optimizer", "params+optimizer"]),
        "usable_gib": st.sampled_from([24.0, 80.0]),
    }
    values = {name: draw(st.none() | strategy) for name, strategy in stated.items()}
    shape = draw(st.sampled_from(SHAPES)) if draw(st.booleans()) else from_size(draw(st.floats(1e8, 2e12)), C)
    instrument = draw(st.sampled_from(["allocated", "reserved", "nvidia-smi"]))
    framework = draw(st.sampled_from(FRAMEWORKS))
    return Workload(shape, method, n_gpus=n_gpus, instrument=instrument, framework=framework, **values)  # type: ignore[arg-type]


def _shapes() -> list[Shape]:
    from advisor.estimate.memory import from_model

    found = []
    for model in LIBRARY.models.values():
        try:
            found.append(from_model(model))
        except BadInput:
            continue
    return found


SHAPES = _shapes()


def estimate(workload: Workload) -> MemoryEstimate:
    return peak(workload, LIBRARY)


def need(workload: Workload) -> float:
    return estimate(replace(workload, usable_gib=None)).need.likely


@settings(max_examples=300, deadline=None)
@given(workloads())
def test_low_is_at_most_likely_is_at_most_high_and_the_parts_sum_to_the_allocated_peak(workload: Workload) -> None:
    found = estimate(workload)
    assert 0 < found.range.low <= found.range.likely <= found.range.high
    assert 0 < found.need.low <= found.need.likely <= found.need.high
    assert sum(found.parts.values()) == pytest.approx(found.seen.allocated / 2**30)
    assert found.seen.allocated <= found.seen.reserved <= found.seen.nvidia_smi


@settings(max_examples=150, deadline=None)
@given(workloads(), st.floats(1.01, 4))
def test_a_longer_sequence_never_needs_less(workload: Workload, factor: float) -> None:
    longer = replace(workload, seq_len=estimate(workload).job.seq_len * factor)
    assert need(longer) >= need(workload) * (1 - 1e-9)


@settings(max_examples=150, deadline=None)
@given(workloads(), st.floats(1.01, 4))
def test_a_larger_batch_never_needs_less(workload: Workload, factor: float) -> None:
    larger = replace(workload, micro_batch=estimate(workload).job.micro_batch * factor)
    assert need(larger) >= need(workload) * (1 - 1e-9)


@settings(max_examples=150, deadline=None)
@given(workloads(), st.floats(1.001, 3))
def test_more_parameters_of_the_same_proportions_never_need_less(workload: Workload, factor: float) -> None:
    larger = replace(workload, shape=workload.shape.resized(workload.shape.params * factor))
    assert need(larger) >= need(workload) * (1 - 1e-9)


@settings(max_examples=150, deadline=None)
@given(workloads())
def test_a_thousandth_more_parameters_moves_the_figure_by_at_most_a_hundredth(workload: Workload) -> None:
    larger = replace(workload, shape=workload.shape.resized(workload.shape.params * 1.001))
    assert need(larger) == pytest.approx(need(workload), rel=0.01)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SHAPES), st.sampled_from(["full", "lora", "qlora"]), st.sampled_from(FRAMEWORKS))
def test_sharding_over_more_cards_never_raises_the_states_of_one(
    shape: Shape, method: str, framework: str | None
) -> None:
    held = []
    for sharding in ("none", "zero1", "zero2", "zero3"):
        for cards in (2, 4, 8):
            job = Workload(shape, method, sharding=sharding, n_gpus=cards, seq_len=8, framework=framework)  # type: ignore[arg-type]
            parts = estimate(job).parts
            held.append((sharding, parts["weights"] + parts["gradients"] + parts["optimizer"] + parts["adapters"]))
    for step in ("zero1", "zero2", "zero3"):
        own = [value for sharding, value in held if sharding == step]
        assert own == sorted(own, reverse=True)


@pytest.mark.parametrize("stated", [{"seq_len": 0}, {"micro_batch": -1}, {"tp": 0}, {"n_gpus": 2, "tp": 8}])
def test_impossible_inputs_are_refused_with_a_reason_and_give_no_number(stated: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="expected"):
        estimate(Workload(SHAPES[0], "full", **stated))


def test_shuffled_ids_and_invented_results_change_no_figure() -> None:
    row = {"id": "a", "model": "Llama-2-7b", "method": "lora", "seq_len": "2048", "gpu": "A100 80GB", "gpu_gib": "80"}
    noise = {
        "measured_gib": "1",
        "outcome": "oom",
        "quality": "Z",
        "source": "x",
        "where": "y",
        "remarks": "bf16 autocast",
    }
    one, two = estimate_rows([row, {**row, **noise, "id": "b"}], LIBRARY)
    assert {**one, "id": ""} == {**two, "id": ""}
    assert (one["id"], two["id"]) == ("a", "b")


def test_a_renamed_model_given_by_its_size_stays_near_the_named_one() -> None:
    shape = next(s for s in SHAPES if abs(s.params - 8.03e9) < 1e7 and s.vocab == 128256)
    named = need(Workload(shape, "full", seq_len=2048, framework="hf_trainer"))
    assert need(Workload(from_size(shape.params, C), "full", seq_len=2048, framework="hf_trainer")) == pytest.approx(
        named, rel=0.05
    )
