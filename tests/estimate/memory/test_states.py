"""What a job holds, against numbers worked by hand."""

from __future__ import annotations

import pytest

from advisor.estimate.memory import Workload, from_size, peak
from advisor.estimate.memory.constants import constants
from advisor.estimate.memory.frameworks import find
from advisor.estimate.memory.states import states
from advisor.estimate.memory.workload import fill
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
    library = open_library()
    c = constants(library)
    workload = Workload(shape=from_size(7e9, c), method="full", weights="bf16", sharding="zero1", n_gpus=1)
    held = states(fill(workload, find(None, library), c), c, "only")
    assert held.weights / 7e9 == pytest.approx(2)
    assert held.gradients / 7e9 == pytest.approx(2)
    assert held.optimizer / 7e9 == pytest.approx(4 + 4 + 4)
    assert held.step / 7e9 == pytest.approx(4)


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
