"""Numbers that cannot be are named, and fill nothing."""

from __future__ import annotations

import pytest

from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("0 cards of A100 for 7B", "gpu_count", 0),
        ("LoRA 7B with 0.5 GPU", "gpu_count", 0.5),
        ("-5 GPUs for 7B", "gpu_count", -5),
        ("0张4090微调7B", "gpu_count", 0),
        ("qwen2.5-7b lora seq 0", "seq_len", 0),
        ("8x A100-80G, micro-batch 0", "micro_batch", 0),
        ("用0台服务器", "nodes", 0),
    ],
)
def test_a_number_that_cannot_be_is_rejected_by_name(text: str, slot: str, value: float) -> None:
    seen = understand(text, open_library())
    assert slot not in seen.slots
    assert [(each["value"], each["reason"]) for each in seen.rejected if each["slot"] == slot] == [
        (value, "impossible")
    ]


@pytest.mark.parametrize("text", ["2-4 cards A100 7B", "1.5 epochs on 7B", "7B-chat on 4 GPUs", "8x A100 for 13B"])
def test_an_ordinary_number_is_not_rejected(text: str) -> None:
    assert not understand(text, open_library()).rejected
