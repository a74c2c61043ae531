"""What a job holds, against numbers worked by hand."""

from __future__ import annotations

import pytest

from advisor.estimate.memory import Workload, from_size, peak
from advisor.estimate.memory.constants import constants
from advisor.knowledge.library import open_library

GIB = 2**30


def parts(**given: object) -> dict[str, float]:
    """The phases of a full tuning of 7 thousand million parameters, in bytes a parameter."""
    library = open_library()
    shape = from_size(7e9, constants(library))
    given = {"method": "full", "seq_len": 1, "micro_batch": 1, **given}
    estimate = peak(Workload(shape=shape, **given), library)  # type: ignore[arg-type]
    return {name: value * GIB / 7e9 for name, value in estimate.parts.items()}


def test_bf16_with_fp32_masters_takes_sixteen_bytes_a_parameter_before_the_step_copies() -> None:
    found = parts(sharding="zero1", n_gpus=1, framework="ms_swift", grad_ckpt="yes")
    assert found["weights"] + found["gradients"] + found["optimizer"] == pytest.approx(16, rel=0.001)


def test_pure_bf16_on_one_card_takes_ten_bytes_a_parameter_at_the_optimizer_step() -> None:
    found = parts(framework="hf_trainer", weights="bf16", grad_ckpt="yes", n_gpus=1)
    states = found["weights"] + found["gradients"] + found["optimizer"] + found["buffers"]
    assert states == pytest.approx(10, rel=0.001)


def test_fp32_autocast_under_fsdp_takes_twenty_bytes_a_parameter_over_the_cards() -> None:
    found = parts(framework="torchtitan", weights="mixed", sharding="fsdp", n_gpus=4, optimizer="adamw")
    states = found["weights"] + found["gradients"] + found["optimizer"]
    assert states == pytest.approx(16 / 4, rel=0.001)


def test_two_halves_of_the_weights_lie_on_two_cards_under_tensor_parallel() -> None:
    one = parts(framework="megatron", tp=1, n_gpus=1, sharding="model_parallel")
    two = parts(framework="megatron", tp=2, n_gpus=2, sharding="model_parallel")
    assert two["weights"] == pytest.approx(one["weights"] / 2, rel=0.001)
