"""Many rows at once give what each row gives alone."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.core.errors import HkgpuError
from advisor.estimate.columns import VERDICTS, Varying, by_columns, estimate
from advisor.estimate.memory.constants import constants
from advisor.estimate.memory.peak import peak_with
from advisor.estimate.rows import workload_of
from advisor.knowledge.library import open_library

LIBRARY = open_library()
C = constants(LIBRARY)
MODELS = ("Llama-3-8B", "Qwen2.5-72B", "Mixtral-8x7B", "gemma-3-27b-it", "mistral-7b", "bge-large", "", "DeepSeek-V3")
BLANK = ""
CHOICES = {
    "model": MODELS,
    "method": ("full", "lora", "qlora", "inference", "pretrain", "dpo", "grpo", "ppo (lora)", "embedding"),
    "framework": (BLANK, "hf_trainer", "unsloth", "torchtune", "nemo", "vllm", "ms_swift", "deepspeed", "axolotl"),
    "weights": (BLANK, "bf16", "mixed", "fp8", "nf4", "fp32"),
    "optimizer": (BLANK, "adamw", "paged", "galore", "lomo", "8-bit adam"),
    "grad_ckpt": (BLANK, "yes", "no", "selective"),
    "attn": (BLANK, "flash", "eager"),
    "fused_ce": (BLANK, "yes", "no"),
    "grad_accum": (BLANK, "1", "8"),
    "lora_targets": (BLANK, "all", "q,v"),
    "sharding": (BLANK, "none", "ddp", "zero1", "zero2", "zero3 + offload", "zero3", "fsdp", "tp", "device_map"),
    "n_gpus": (BLANK, "1", "2", "8", "16"),
    "tp": (BLANK, "2"), "pp": (BLANK, "2"), "cp": (BLANK, "2"), "ep": (BLANK, "2"),
    "instrument": (BLANK, "allocated", "nvidia-smi"),
}  # fmt: skip
jobs = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()})
lengths = st.lists(st.integers(1, 200_000), min_size=1, max_size=6)
batches = st.lists(st.integers(1, 256), min_size=6, max_size=6)
ranks = st.lists(st.integers(1, 512), min_size=6, max_size=6)
cards = st.lists(st.sampled_from([float("nan"), 8.0, 23.5, 79.6, 141.0]), min_size=6, max_size=6)


@settings(max_examples=150, deadline=None)
@given(jobs, lengths, batches, ranks, cards, st.booleans(), st.booleans())
def test_rows_worked_out_together_are_the_rows_worked_out_one_by_one(
    row: dict[str, str], seq: list[int], micro: list[int], rank: list[int], usable: list[float], long: bool, wide: bool
) -> None:
    """`long` and `wide`: whether length and batch are stated."""
    count = len(seq)
    stated = {**row, "params_b": "7" if not row["model"] else ""}
    stated |= {"seq_len": str(seq[0])} if long else {}
    stated |= {"micro_batch": str(micro[0])} if wide else {}
    adapters = "lora" in row["method"]
    stated |= {"lora_rank": str(rank[0])} if adapters else {}
    workload, _, _ = workload_of(stated, LIBRARY, C)
    if not by_columns(workload):
        return
    columns = [np.array(each[:count], dtype=float) for each in (seq, micro, rank, usable)]
    varying = Varying(
        columns[0] if long else None, columns[1] if wide else None, columns[2] if adapters else None, columns[3]
    )
    try:
        together = estimate(workload, varying, LIBRARY, C)
    except HkgpuError as error:
        together = str(error)
    for at in range(count):
        alone = (
            {**stated} | ({"seq_len": str(seq[at])} if long else {}) | ({"micro_batch": str(micro[at])} if wide else {})
        )
        alone |= {"lora_rank": str(rank[at])} if adapters else {}
        one, _, _ = workload_of(alone, LIBRARY, C)
        limit = None if np.isnan(usable[at]) else usable[at]
        if isinstance(together, str):
            with pytest.raises(HkgpuError, match=re.escape(together)):
                peak_with(replace(one, usable_gib=limit), LIBRARY, C)
            continue
        found = peak_with(replace(one, usable_gib=limit), LIBRARY, C)
        figures = (together.low[at], together.likely[at], together.high[at])
        assert figures == pytest.approx((found.range.low, found.range.likely, found.range.high), rel=1e-12)
        assert VERDICTS[together.verdict[at]] == found.fits(limit)


def test_a_row_beyond_any_number_has_no_figure_and_spoils_no_other() -> None:
    row = {"model": "Llama-3-8B", "method": "full", "seq_len": "1024", "micro_batch": "1"}
    workload, _, _ = workload_of(row, LIBRARY, C)
    found = estimate(
        workload, Varying(np.array([1e308, 1024.0]), np.array([1e308, 1.0]), None, np.array([80.0, 80.0])), LIBRARY, C
    )
    assert np.isnan(found.likely[0])
    assert VERDICTS[found.verdict[0]] == "unknown"
    assert found.likely[1] > 0
