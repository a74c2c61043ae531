"""Asks one other calculator for each row: run by `peers.py` inside that calculator's own environment.

    python peers_worker.py NAME < rows.jsonl > figures.jsonl

It imports nothing of ours. Each line in is a row of the measured table with the model's shape; each line out is
`{"id", "gib"}` or `{"id", "why"}`. Every calculator is asked through the interface it documents, gets whatever of the
row it has an input for, keeps its own defaults where the row says nothing (but for a micro-batch, which is then one
sequence for all), and its figure is the one for what the row's instrument sees. Where it has no input for what a row is
about (another method, a sharded job, a format), it has no answer.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
GIB = 2.0**30
ALLOCATED = "allocated"


class NoAnswer(Exception):
    """The calculator has no input for what this row is about."""


def main(name: str) -> None:
    """Answer every row on standard input."""
    logging.disable(logging.CRITICAL)
    ask = ASK[name]
    for line in sys.stdin:
        row = json.loads(line)
        try:
            print(json.dumps({"id": row["id"], "gib": float(ask(row))}))
        except Exception as error:  # whatever another's code raises is its reason
            print(json.dumps({"id": row["id"], "why": f"{type(error).__name__}: {error}"[:200]}))


def known(row: Row) -> Row:
    """The shape, which all of these calculators need."""
    if row["shape"] is None:
        raise NoAnswer("a model that is not in the catalogue")
    shape: Row = row["shape"]
    return shape


def one_card(row: Row) -> None:
    """Refuse what is split over several cards."""
    if row["cards"] > 1 and row["sharding"] not in (None, "none", "ddp"):
        raise NoAnswer("no input for a split over several cards")
    if row["offload"] not in (None, "none"):
        raise NoAnswer("no input for offload")


def choose(table: dict[str, str], value: str | None, what: str, default: str) -> str:
    """The calculator's word for ours; its default where the row says nothing."""
    if value is None:
        return default
    if value not in table:
        raise NoAnswer(f"no input for {what} {value}")
    return table[value]


def kept(**given: Any) -> dict[str, Any]:
    """The arguments that the row states; the others stay at the calculator's defaults."""
    return {name: value for name, value in given.items() if value is not None}


def canifinetune(row: Row) -> float:
    """canifinetune: one card, reserved memory, a safety margin that it reports apart."""
    from canifinetune.estimator.memory import EstimateRequest, estimate

    shape = known(row)
    one_card(row)
    method = row["method"]
    if method not in ("full", "lora", "qlora"):
        raise NoAnswer(f"no input for {method}")
    formats = {"bf16": "bf16", "fp16": "fp16", "fp32": "fp32", "mixed": "fp32"}
    quants = {"nf4": "nf4", "nf4_double": "nf4_double_quant", "fp4": "fp4", "int4": "int4", "int8": "int8"}
    optimizers = {
        "adamw": "adamw_torch", "adamw_fused": "adamw_torch_fused", "adamw_8bit": "adamw_8bit",
        "paged_adamw": "paged_adamw_8bit", "sgd": "sgd",
    }  # fmt: skip
    attention = {"flash": "flash_attention_2", "sdpa": "sdpa", "eager": "eager"}
    quantised = method == "qlora"
    given = kept(
        seq_len=row["seq_len"],
        micro_batch_size=row["micro_batch"],
        gradient_accumulation_steps=row["grad_accum"],
        lora_rank=row["lora_rank"],
        lora_target_scope={None: None, "all": "all_linear"}.get(row["lora_targets"], "attention"),
        gradient_checkpointing=row["grad_ckpt"],
        loss_backend="liger" if row["fused"] else None,
    )
    request = EstimateRequest(
        model_id="given",
        method=method,
        base_dtype="bf16" if quantised else choose(formats, row["weights"], "weights", "bf16"),
        quantization=choose(quants, row["weights"], "weights", "nf4_double_quant") if quantised else "none",
        optimizer=choose(optimizers, row["optimizer"], "optimizer", "adamw_torch"),
        attention_implementation=choose(attention, row["attention"], "attention", "sdpa"),
        gpu_vram_gb=row["usable"] or 80.0,
        use_network=False,
        override={
            "family": shape["family"], "hidden_size": shape["hidden"], "num_hidden_layers": shape["layers"],
            "num_attention_heads": shape["heads"], "num_key_value_heads": shape["kv_heads"],
            "intermediate_size": shape["ffn"], "vocab_size": shape["vocab"], "total_params": shape["params"],
            "tie_word_embeddings": shape["tied"], "num_local_experts": max(shape["experts"], 1),
            "num_experts_per_tok": max(shape["experts_per_token"], 1),
        },
        **given,
    )  # fmt: skip
    memory = estimate(request).memory
    return memory.total_estimated_gb - memory.safety_margin_gb


def vramcalc(row: Row) -> float:
    """vramcalc: one card, five kinds of decoder, no quantised weights; its overhead is beside the tensors."""
    from vramcalc import estimate

    shape = known(row)
    one_card(row)
    method = row["method"]
    # Weights that the row calls 16-bit are held so; "mixed" keeps them in fp32 under autocast.
    formats = {"bf16": ("bf16", "pure"), "fp16": ("fp16", "pure"), "fp32": ("fp32", "pure"), "mixed": ("bf16", "amp")}
    if method not in ("full", "lora", "pretrain", "inference") or (row["weights"] or "bf16") not in formats:
        raise NoAnswer(f"no input for {method} with {row['weights']} weights")
    dtype, precision = formats[row["weights"] or "bf16"]
    if row["weights"] is None:
        precision = None
    optimizers = {"adamw": "adamw", "adamw_fused": "adamw", "sgd": "sgd"}
    config = {
        "model_type": shape["family"], "hidden_size": shape["hidden"], "num_hidden_layers": shape["layers"],
        "num_attention_heads": shape["heads"], "num_key_value_heads": shape["kv_heads"],
        "head_dim": shape["head_dim"], "intermediate_size": shape["ffn"], "vocab_size": shape["vocab"],
        "tie_word_embeddings": shape["tied"],
    }  # fmt: skip
    found = estimate(
        config,
        mode="inference" if method == "inference" else "train",
        dtype=dtype,
        optimizer=choose(optimizers, row["optimizer"], "optimizer", "adamw"),
        attn_impl=row["attention"] or "sdpa",
        **kept(
            batch=row["micro_batch"], seq_len=row["seq_len"], grad_checkpoint=row["grad_ckpt"], precision=precision,
            lora_rank=(row["lora_rank"] or 16) if method == "lora" else None,
        ),
    )  # fmt: skip
    return (found.total + (0 if row["instrument"] == ALLOCATED else found.overhead)) / GIB


def ftuneai(row: Row) -> float:
    """ftuneai: full, LoRA and QLoRA, with ZeRO and FSDP."""
    from ftuneai.core.memory import MemoryEstimator
    from ftuneai.core.models import (
        FineTuneMethod,
        LoRATarget,
        ModelSpec,
        OptimizerType,
        Quantization,
        ShardingStrategy,
        TrainingConfig,
    )  # fmt: skip

    shape = known(row)
    method = {"pretrain": "full"}.get(row["method"], row["method"])
    if method not in ("full", "lora", "qlora") or row["offload"] not in (None, "none"):
        raise NoAnswer(f"no input for {row['method']} or for offload")
    shardings = {"none": "none", "ddp": "none", "zero1": "zero_1", "zero2": "zero_2", "zero3": "zero_3", "fsdp": "fsdp"}
    optimizers = {"adamw": "adamw", "adamw_fused": "adamw", "adamw_8bit": "adam_8bit", "paged_adamw": "adam_8bit",
                  "sgd": "sgd", "adafactor": "adafactor"}  # fmt: skip
    targets = {None: "attention", "all": "all_linear", "qkvo": "attention_all", "qkv": "attention_all"}
    bits = {"int8": "8bit", "fp32": "none", "bf16": "none", "fp16": "none", "mixed": "none"}
    dtype = {"fp32": "float32", "mixed": "float32", "fp16": "float16"}.get(row["weights"] or "", "bfloat16")
    spec = ModelSpec(
        name="given", parameters=shape["params"], hidden_size=shape["hidden"], num_layers=shape["layers"],
        num_attention_heads=shape["heads"], num_kv_heads=shape["kv_heads"], intermediate_size=shape["ffn"],
        vocab_size=shape["vocab"], max_seq_length=max(row["seq_len"] or 0, 4096), default_dtype=dtype,
        is_moe=shape["experts"] > 1, num_experts=shape["experts"] or None,
        num_active_experts=shape["experts_per_token"] or None,
    )  # fmt: skip
    config = TrainingConfig(
        model="given",
        method=FineTuneMethod(method),
        quantization=Quantization(bits.get(row["weights"] or "", "4bit") if method == "qlora" else "none"),
        optimizer=OptimizerType(choose(optimizers, row["optimizer"], "optimizer", "adamw")),
        lora_target=LoRATarget(targets.get(row["lora_targets"], "attention")),
        sharding=ShardingStrategy(choose(shardings, row["sharding"], "sharding", "none")),
        num_gpus=row["cards"],
        flash_attention=row["attention"] == "flash",
        batch_size=row["micro_batch"] or 1,
        **kept(seq_length=row["seq_len"], gradient_checkpointing=row["grad_ckpt"], lora_rank=row["lora_rank"]),
    )
    return MemoryEstimator(spec, config).estimate().total_gb


def llm_analysis(row: Row) -> float:
    """llm-analysis: full training with ZeRO, tensor and pipeline parallelism, and inference; no adapters."""
    from llm_analysis.analysis import ActivationRecomputation, DSZeRO, LLMAnalysis
    from llm_analysis.config import DtypeConfig, GPUConfig, ModelConfig, ParallelismConfig

    shape = known(row)
    method = row["method"]
    if method not in ("full", "pretrain", "inference") or row["offload"] not in (None, "none"):
        raise NoAnswer(f"no input for {method} or for offload")
    bits = {None: 16, "bf16": 16, "fp16": 16, "mixed": 16, "int8": 8, "int4": 4}
    if row["weights"] not in bits or (method != "inference" and bits[row["weights"]] != 16):
        raise NoAnswer(f"no input for {row['weights']} weights")
    length = row["seq_len"] or 2048
    model = ModelConfig(
        name="given", num_layers=shape["layers"], n_head=shape["heads"], hidden_dim=shape["hidden"],
        vocab_size=shape["vocab"], max_seq_len=length + (row["new_tokens"] or 0),
        num_key_value_heads=shape["kv_heads"], ffn_embed_dim=shape["ffn"], expansion_ratio=1,
        moe_num_experts=max(shape["experts"], 1), moe_top_k=max(shape["experts_per_token"], 1),
    )  # fmt: skip
    tp, pp = row["tp"] or 1, row["pp"] or 1
    # Room without end: what is asked is how much, not whether it fits.
    card = GPUConfig("any", 1e6, 2039, 300, 8e-6, 312)
    layout = ParallelismConfig(tp_size=tp, pp_size=pp, dp_size=max(row["cards"] // (tp * pp), 1))
    analysis = LLMAnalysis(model, card, DtypeConfig(weight_bits=bits[row["weights"]]), layout)
    if method == "inference":
        found = analysis.inference(
            batch_size_per_gpu=row["micro_batch"] or 1, seq_len=length, num_tokens_to_generate=row["new_tokens"] or 1
        )
        work = max(found["prefill_activation_memory_per_gpu"], found["decode_activation_memory_per_gpu"])
        return (found["weight_memory_per_gpu"] + found["kv_cache_memory_per_gpu"] + work) / GIB
    stages = {None: 0, "none": 0, "ddp": 0, "zero1": 1, "zero2": 2, "zero3": 3, "fsdp": 3, "model_parallel": 0}
    if row["sharding"] not in stages:
        raise NoAnswer(f"no input for sharding {row['sharding']}")
    found = analysis.training(
        batch_size_per_gpu=row["micro_batch"] or 1,
        gradient_accumulation_steps=row["grad_accum"] or 1,
        seq_len=length,
        total_num_tokens=1e9,
        activation_recomputation=ActivationRecomputation.FULL if row["grad_ckpt"] else ActivationRecomputation.NONE,
        ds_zero=DSZeRO(stages[row["sharding"]]),
        flash_attn=row["attention"] != "eager",
        mlp_gated_linear_units=shape["gated"],
    )
    return found["(weight+op_state+grad+act)_memory_per_gpu"] / GIB


ASK: dict[str, Callable[[Row], float]] = {
    "canifinetune": canifinetune,
    "vramcalc": vramcalc,
    "ftuneai": ftuneai,
    "llm-analysis": llm_analysis,
}

if __name__ == "__main__":
    main(sys.argv[1])
