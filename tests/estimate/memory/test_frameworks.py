"""What a named framework does where nobody said otherwise: its file's figures, found by the names that people use."""

from __future__ import annotations

import pytest

from advisor.estimate.memory import Workload, from_size, peak
from advisor.estimate.memory.constants import constants
from advisor.estimate.memory.frameworks import find, named
from advisor.estimate.memory.workload import Job, fill
from advisor.knowledge.library import open_library

LIBRARY = open_library()
C = constants(LIBRARY)
SHAPE = from_size(7e9, C)


def filled(**given: object) -> Job:
    workload = Workload(SHAPE, **{"method": "lora", **given})  # type: ignore[arg-type]
    return fill(workload, find(workload.framework, LIBRARY), C)


@pytest.mark.parametrize(
    ("said", "id"),
    [
        ("LLaMA-Factory", "llama_factory"),
        ("open-r1/TRL", "trl"),
        ("FastChat-style", "fastchat"),
        ("Qwen finetune.py", "qwen_finetune"),
        ("megatron-swift", "ms_swift"),
        ("Megatron-DeepSpeed", "megatron_deepspeed"),
        ("our own loop", None),
    ],
)
def test_a_framework_is_found_by_any_of_its_names(said: str, id: str | None) -> None:
    assert named(said, LIBRARY) == id


def test_alpaca_lora_loads_the_base_in_eight_bits_and_takes_four_samples_of_256_tokens() -> None:
    job = filled(framework="alpaca-lora")
    assert (job.weights, job.micro_batch, job.seq_len) == ("int8", 4, 256)


def test_what_was_said_goes_before_what_the_framework_does() -> None:
    job = filled(framework="alpaca-lora", weights="bf16", micro_batch=1, seq_len=2048)
    assert (job.weights, job.micro_batch, job.seq_len) == ("bf16", 1, 2048)


def test_qwen_scripts_take_two_samples_with_adapters_and_one_without() -> None:
    assert filled(framework="Qwen finetune.py").micro_batch == 2
    assert filled(framework="Qwen finetune.py", method="full").micro_batch == 1


def test_fastchat_shares_full_tuning_under_fsdp_and_adapters_under_zero2() -> None:
    assert filled(framework="FastChat", method="full", n_gpus=8).sharding == "fsdp"
    assert filled(framework="FastChat", n_gpus=8).sharding == "zero2"


def test_a_framework_says_nothing_about_serving() -> None:
    assert filled(framework="alpaca-lora", method="inference").micro_batch == 1


def test_the_range_of_a_length_that_nobody_said_closes_where_the_framework_has_one() -> None:
    def width(framework: str | None) -> float:
        found = peak(Workload(SHAPE, "lora", framework=framework, micro_batch=1), LIBRARY).need
        return found.high / found.low

    assert width("FastChat") < width(None)


def test_a_fused_loss_is_doubted_where_the_vocabulary_is_widest() -> None:
    # 15,000 tokens x 262,144 words x 2 B are 7.3 GiB for one copy of the logits in 16 bits.
    wide = LIBRARY.models["gemma_3_12b"]
    from advisor.estimate.memory import from_model

    job = Workload(from_model(wide), "lora", weights="int8", seq_len=15_000, micro_batch=1, framework="unsloth")
    assert peak(job, LIBRARY).need.high - peak(job, LIBRARY).need.likely > 15_000 * 262_144 * 2 / 2**30
