"""The plans over which the pack's tests go: each method, split, stage, optimizer and kind of card that matters."""

from __future__ import annotations

from datetime import date
from functools import cache

from advisor.consult.pack import kit
from advisor.pack.kit import Kit

DAY = date(2026, 12, 1)
_BASE = {"model": "Qwen2.5-7B", "seq_len": "2048"}
_H100 = {**_BASE, "task": "full_ft", "gpu_model": "H100 80GB", "gpu_count": "8"}
_A100 = {**_BASE, "task": "lora", "gpu_model": "A100 80GB"}

PLANS: dict[str, dict[str, str]] = {
    "lora_one_card": {**_BASE, "task": "lora", "gpu_model": "RTX 4090", "gpu_count": "1"},
    "lora_ddp": {**_A100, "gpu_count": "8", "sharding": "ddp", "grad_accum": "4", "micro_batch": "2"},
    "qlora_ddp": {**_BASE, "task": "qlora", "gpu_model": "RTX 4090", "gpu_count": "4"},
    "qlora_70b_fsdp": {
        "model": "Llama-3.1-70B",
        "task": "qlora",
        "gpu_model": "RTX 4090",
        "gpu_count": "4",
        "sharding": "fsdp",
    },
    "qlora_8bit": {**_BASE, "task": "qlora", "quant_bits": "8", "gpu_model": "RTX 4090", "gpu_count": "1"},
    "qlora_llama": {
        "model": "Llama-3.1-8B",
        "task": "qlora",
        "gpu_model": "RTX 4090",
        "gpu_count": "1",
        "seq_len": "4096",
    },
    "full_zero3": {**_H100, "sharding": "zero3"},
    "full_zero2": {**_H100, "sharding": "zero2"},
    "full_offload": {
        **_BASE,
        "task": "full_ft",
        "gpu_model": "A100 80GB",
        "gpu_count": "4",
        "sharding": "zero3",
        "offload": "true",
    },
    "full_fsdp": {**_H100, "sharding": "fsdp"},
    "full_8bit": {**_H100, "optimizer": "adamw_8bit"},
    "full_paged": {
        "model": "Qwen2.5-3B",
        "seq_len": "1024",
        "task": "full_ft",
        "gpu_model": "A100 80GB",
        "gpu_count": "1",
        "optimizer": "paged_adamw",
    },
    "adafactor": {**_H100, "optimizer": "adafactor", "grad_ckpt": "false"},
    "sgd": {**_A100, "gpu_count": "1", "optimizer": "sgd"},
    "lion": {**_A100, "gpu_count": "1", "optimizer": "lion"},
    "muon": {**_H100, "optimizer": "muon", "sharding": "fsdp"},
    "galore": {**_H100, "optimizer": "galore", "sharding": "ddp", "model": "Qwen2.5-1.5B"},
    "adam_mini": {**_H100, "optimizer": "adam_mini"},
    "adamw_4bit": {**_H100, "optimizer": "adamw_4bit"},
    "dpo": {**_A100, "tuning.stage": "dpo", "gpu_count": "2"},
    "dpo_full": {**_H100, "tuning.stage": "dpo"},
    "continued": {**_H100, "tuning.stage": "continued_pretrain"},
    "pretrain": {
        "model": "Qwen2.5-1.5B",
        "task": "pretrain",
        "gpu_model": "H100 80GB",
        "gpu_count": "8",
        "seq_len": "4096",
    },
    "grpo": {**_A100, "tuning.stage": "grpo", "gpu_count": "4"},
    "reward": {**_A100, "tuning.stage": "reward", "gpu_count": "2"},
    "ppo": {**_A100, "tuning.stage": "ppo", "gpu_count": "4"},
    "embedding": {
        "model": "Qwen3-Embedding-0.6B",
        "tuning.stage": "embedding",
        "task": "full_ft",
        "gpu_model": "RTX 4090",
        "gpu_count": "1",
        "seq_len": "512",
    },
    "rerank": {
        "model": "Qwen3-Reranker-0.6B",
        "tuning.stage": "rerank",
        "task": "lora",
        "gpu_model": "RTX 4090",
        "gpu_count": "1",
        "seq_len": "512",
    },
    "v100": {**_BASE, "task": "lora", "gpu_model": "V100 32GB", "gpu_count": "4"},
    "two_servers": {**_H100, "nodes": "2", "sharding": "zero3"},
    "blackwell": {**_BASE, "task": "lora", "gpu_model": "RTX 5090", "gpu_count": "2"},
    "tensor_split": {**_H100, "sharding": "tp"},
    "amd": {**_BASE, "task": "lora", "gpu_model": "MI300X", "gpu_count": "1"},
    "serve": {
        "model": "Qwen2.5-7B",
        "task": "inference",
        "gpu_model": "RTX 4090",
        "gpu_count": "1",
        "concurrency": "16",
        "output_len": "512",
        "seq_len": "2048",
    },
    "serve_4bit": {
        "model": "Llama-3.1-70B",
        "task": "inference",
        "quant_bits": "4",
        "gpu_model": "A100 80GB",
        "gpu_count": "1",
        "seq_len": "4096",
    },
    "serve_tp": {
        "model": "Llama-3.1-70B",
        "task": "inference",
        "gpu_model": "H100 80GB",
        "gpu_count": "4",
        "seq_len": "4096",
        "concurrency": "8",
        "output_len": "512",
    },
    "serve_volta": {
        "model": "Qwen2.5-7B",
        "task": "inference",
        "gpu_model": "V100 32GB",
        "gpu_count": "2",
        "seq_len": "2048",
    },
}
TRAINING = [name for name, plan in PLANS.items() if plan["task"] != "inference"]


@cache
def made(name: str) -> Kit:
    """The pack of a plan, made once."""
    return kit(PLANS[name], day=DAY)
