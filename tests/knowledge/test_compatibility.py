"""Compatibility: every card finds its generation, and the table says what the first sources say."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.knowledge.library import Library
from advisor.knowledge.records.compatibility import DriverFloor, Package, Torch

LIBRARY = Library([Path(__file__).resolve().parents[2]])


def test_every_card_finds_the_generation_of_its_compute_capability() -> None:
    for gpu in LIBRARY.gpus.values():
        row = LIBRARY.generation(gpu)
        assert row is not None, gpu.id
        assert gpu.compute_capability.value is None or gpu.compute_capability.value in row.capabilities, gpu.id


def test_the_generation_and_the_card_agree_on_bf16_fp8_and_fp4() -> None:
    for gpu in LIBRARY.gpus.values():
        row = LIBRARY.generation(gpu)
        assert row is not None
        assert (row.bf16.value == "yes") == gpu.bf16_tensor, gpu.id
        assert (row.fp8.value == "yes") != gpu.fp8.absent, gpu.id
        assert (row.fp4.value == "yes") != gpu.fp4.absent or gpu.fp4.why == "not found", gpu.id


@pytest.mark.parametrize(
    ("key", "wheel", "flash_2"),
    [
        ("v100_32gb_sxm2", "cu126", "no"),
        ("a100_80gb_sxm", "cu130", "yes"),
        ("rtx_5090", "cu130", "source_build"),
        ("t4", "cu130", "other_kernel"),
        ("mi300x", "rocm", "other_kernel"),
    ],
)
def test_a_card_gets_the_wheel_and_the_kernel_that_run_on_it(key: str, wheel: str, flash_2: str) -> None:
    row = LIBRARY.generation(LIBRARY.gpus[key])
    assert row is not None
    assert (row.wheel.value, row.flash_attention_2.value) == (wheel, flash_2)


def test_no_cuda_13_wheel_of_pytorch_runs_on_volta_and_no_12_6_wheel_on_blackwell() -> None:
    torch = LIBRARY.compatibility["torch.2_14"]
    assert isinstance(torch, Torch)
    assert "7.0" in torch.capabilities["12.6"]
    assert "7.0" not in torch.capabilities["13.0"]
    assert "10.0" not in torch.capabilities["12.6"]


def test_the_lowest_drivers_are_those_of_the_release_notes() -> None:
    floors = {row.id: row.driver for row in LIBRARY.compatibility.values() if isinstance(row, DriverFloor)}
    assert floors["drivers.cuda_12_family"] == "525.60.13"
    assert floors["drivers.cuda_13_family"] == "580.65.06"
    assert floors["drivers.cuda_12_8_ga"] == "570.26"


def test_bitsandbytes_does_not_run_on_the_torch_that_the_first_document_advises() -> None:
    package = LIBRARY.compatibility["packages.bitsandbytes"]
    assert isinstance(package, Package)
    assert package.min_torch.value == "2.4"  # document 000 advises 2.1.0
