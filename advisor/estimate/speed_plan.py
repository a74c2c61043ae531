"""The speed of a plan in the planner's words: a shape, a method, a card, a sharding, whether it checkpoints.

Only translates: sharding words to a split of the job over the cards, a framework to how tuned its stack is, a
quantised base to its method. Refuses what `speed.training` refuses.
"""

from __future__ import annotations

from typing import Any

from advisor.core.errors import BadInput
from advisor.estimate.speed import Job, Method, Speed, Split, Stack, training, widths_of
from advisor.estimate.speed_machine import machine
from advisor.knowledge.records.gpus import Gpu

# Frameworks whose default layouts are tensor and pipeline parallel with tuned kernels, by the beginning of their id.
_TUNED = ("megatron", "nemo", "mindspeed")
_FUSED = ("unsloth", "torchtune", "litgpt")
_METHODS: dict[str, Method] = {"full": "full", "pretrain": "pretrain", "lora": "lora", "qlora": "qlora"}
_SHARDED = ("zero3", "fsdp")
_SPLIT = ("tp", "pp", "tp_pp", "model_parallel")


def split_of(sharding: str | None, cards: int, per_server: int, *, offload: bool = False) -> Split:
    """The split that a sharding word means: tensor parallel inside a server, pipeline stages over servers."""
    servers = max(1, cards // max(1, per_server))
    if sharding in _SHARDED:
        return Split(shards=cards > 1, offload=offload)
    if sharding not in _SPLIT or cards == 1:
        return Split(offload=offload)
    if sharding == "pp":
        return Split(pipeline=cards, offload=offload)
    stages = servers if sharding != "tp" else 1
    return Split(tensor=min(cards, per_server), pipeline=stages, offload=offload)


def stack_of(framework: str | None, sharding: str | None) -> Stack:
    """How tuned the software is: Megatron and its kin, or what most people run."""
    return "tuned" if (framework or "").startswith(_TUNED) or sharding in ("tp", "tp_pp") else "usual"


def training_of_plan(
    library: Any,
    *,
    shape: Any,
    method: str,
    gpu: Gpu,
    cards: int,
    per_server: int | None = None,
    interconnect: str | None = None,
    precision: str | None = None,
    seq_len: float | None = None,
    micro_batch: float | None = None,
    grad_accum: float | None = None,
    grad_ckpt: bool | None = None,
    sharding: str | None = None,
    offload: bool = False,
    framework: str | None = None,
) -> Speed:
    """Tokens/s a card of a plan; `shape` is a memory `Shape`, `precision` a fact's word (`mixed` computes in bf16)."""
    if method not in _METHODS:
        raise BadInput(f'"{method}" is no training method', expected=", ".join(_METHODS))
    on = machine(gpu, cards, library, per_server=per_server, interconnect=interconnect)
    compute = precision if precision in ("fp16", "fp32", "fp8", "fp4") else "bf16"
    split = split_of(sharding, cards, per_server or on.per_server, offload=offload)
    job = Job(
        widths=widths_of(shape, library),
        method=_METHODS[method],
        precision=compute,  # type: ignore[arg-type]
        seq_len=seq_len,
        micro_batch=micro_batch,
        accumulation=grad_accum,
        recompute=None if grad_ckpt is None else "full" if grad_ckpt else "none",
        stack=stack_of(framework, sharding),
        fused=(framework or "").startswith(_FUSED),
        flash=gpu.architecture not in ("volta", "turing", "pascal"),
        split=split,
    )
    return training(job, on, library)
