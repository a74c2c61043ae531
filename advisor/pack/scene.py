"""The plan as flat names and values, which the files of tools refer to.

It is the only place that says what a plan's names are. Figures come from the plan's facts and from heuristics; a value
that nobody knows is None, and what depends on it is left out of the files.
"""

from __future__ import annotations

import math
from typing import Any

from advisor.core.answer import Option
from advisor.core.facts import Facts
from advisor.core.units import Quantity, convert
from advisor.knowledge.library import Library
from advisor.pack.site import Site
from advisor.pack.tree import Scalar

# Precisions in which training computes; what else a plan may say is how weights are stored.
_COMPUTE = ("bf16", "fp16", "fp32")
_BITS = {"bits_4": 4, "bits_8": 8, "int4": 4, "int8": 8}
_RATES = {"full": "full", "lora": "adapter", "qlora": "adapter", "pretrain": "pretrain"}
_PREFERENCE = ("dpo", "ppo", "grpo")


def scene_of(facts: Facts, option: Option, library: Library, site: Site) -> dict[str, Scalar | None]:
    """Every name of the plan with its value."""
    found: dict[str, Scalar | None] = {}
    found |= _layout(option, facts, library)
    found |= _numbers(option, facts, library)
    found |= _schedule(found, option, facts, library)
    found |= _places(facts, library, site)
    return found


def _layout(option: Option, facts: Facts, library: Library) -> dict[str, Scalar | None]:
    hardware = option.hardware
    card = library.gpus[hardware.gpu]
    private = _text(facts, "order.software.precision") or _text(facts, "software.train_precision") or "bf16"
    compute = option.precision if _stated(facts, "tuning.precision") and option.precision in _COMPUTE else private
    return {
        "method": option.method,
        "stage": option.stage,
        "trains": option.method != "inference",
        "adapter": option.method in ("lora", "qlora"),
        "sharding": option.sharding,
        "gpu": hardware.gpu,
        "architecture": card.architecture,
        "cards": hardware.cards,
        "per_node": hardware.per_node,
        "nodes": hardware.nodes,
        "several_cards": hardware.cards > 1,
        "several_nodes": hardware.nodes > 1,
        "copies": option.copies,
        "several_copies": option.copies > 1,
        "copy_cards": hardware.cards // option.copies,
        "nvlink": card.nvlink_kind == "nvlink",
        "p2p": _flag(facts, "software.p2p") is not False,
        "precision": compute,
        "dtype": {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}[compute],
        "bf16": compute == "bf16",
        "fp16": compute == "fp16",
        "mixed": "no" if compute == "fp32" else compute,
        "build": _text(facts, "order.software.build"),
        "attention": _text(facts, "order.software.attention") or "sdpa",
        "fp8_card": bool(_flag(facts, "card.has_fp8")),
    }


def _numbers(option: Option, facts: Facts, library: Library) -> dict[str, Scalar | None]:
    rank = _amount(facts, "tuning.lora_rank")
    adapter = option.method in ("lora", "qlora")
    accumulation = int(_amount(facts, "workload.grad_accum") or 1)
    quant = _text(facts, "quant.bits") or ("bits_4" if option.method == "qlora" else "none")
    if option.method not in ("qlora", "inference"):
        quant = "none"
    elif quant == "none":
        quant = {"int4": "bits_4", "int8": "bits_8"}.get(option.precision, "none")
    replicas = option.hardware.cards if option.sharding not in ("tp", "pp", "tp_pp") else 1
    new = int(_amount(facts, "serving.output_len") or 0)
    most = int(_figure(library, "generations"))
    return {
        "micro_batch": option.micro_batch,
        "grad_accum": accumulation,
        "global_batch": option.micro_batch * accumulation * replicas,
        "seq_len": option.seq_len or None,
        "new_tokens": new or None,
        "context_len": option.seq_len + new if option.seq_len else None,
        "concurrency": _whole(_amount(facts, "serving.concurrency")),
        "grad_ckpt": option.grad_ckpt,
        "optimizer": option.optimizer,
        "offload": option.offload,
        "quant": quant,
        "bits": _BITS.get(quant),
        "generations": math.gcd(option.micro_batch * accumulation * replicas, most),
        "lora_rank": _whole(rank) if adapter else None,
        "lora_alpha": int(rank * _figure(library, "lora_alpha_per_rank")) if adapter and rank else None,
        "lora_dropout": _figure(library, "lora_dropout") if adapter else None,
        "epochs": _amount(facts, "data.epochs") or 1.0,
        "seed": int(_figure(library, "seed")),
        "weight_decay": _figure(library, "weight_decay"),
        "warmup_share": _figure(library, "warmup"),
        "clip": _figure(library, "clip"),
        "workers": int(library.heuristic("pack.loader_workers").value),
    }


def _schedule(
    found: dict[str, Scalar | None], option: Option, facts: Facts, library: Library
) -> dict[str, Scalar | None]:
    preference = option.stage in _PREFERENCE
    rate = "preference" if preference else _RATES.get(option.method, "")
    minutes = interval(facts, library)
    said = _amount(facts, "checkpoint.every_steps")
    tokens = option.tokens_per_s.likely if option.tokens_per_s is not None else None
    step = int(str(found["global_batch"])) * option.seq_len
    steps = said or (minutes.to("s").value * tokens / step if tokens and step else _figure(library, "save_steps"))
    return {
        "learning_rate": _figure(library, f"learning_rate_{rate}") if rate else None,
        "save_steps": max(int(steps), 1),
        "save_minutes": round(minutes.to("min").value, 1),
        "kept": int(_amount(facts, "checkpoint.kept") or 1),
    }


def interval(facts: Facts, library: Library) -> Quantity:
    """How often to save: as stated, else the heuristic for an interruptible server or an own one."""
    said = facts.value("checkpoint.interval")
    if isinstance(said, Quantity):
        return said
    spot = _flag(facts, "operations.interruptible") is True
    return library.heuristic("operations.interval_spot" if spot else "operations.interval_long")


def _places(facts: Facts, library: Library, site: Site) -> dict[str, Scalar | None]:
    model = _text(facts, "model.id") or ""
    record = library.models.get(model)
    hub = record.hub if record is not None else None
    return {
        "model_id": model or None,
        "model": site.model or hub or f"{site.data_dir}/models/base",
        "model_named": bool(site.model or hub),
        "model_dir": f"{site.data_dir}/models/base",
        "reward_model": f"{site.data_dir}/models/reward",
        "dataset": site.dataset or f"{site.data_dir}/datasets/train.jsonl",
        "output": f"{site.data_dir}/output/{site.project}",
        "data_dir": site.data_dir,
        "hub_dir": f"{site.data_dir}/hub",
        "project": site.project,
        "interface": site.interface or None,
        "user_in": _text(facts, "users.location"),
        "server_in": _text(facts, "server.location"),
        "threads": _threads(facts),
    }


def _threads(facts: Facts) -> int | None:
    """CPU threads for each card's process."""
    cores = _amount(facts, "order.host.cpu_cores") or _amount(facts, "host.cpu_cores")
    cards = _amount(facts, "plan.per_node")
    return max(int(cores / cards), 1) if cores and cards else None


def _figure(library: Library, name: str) -> float:
    return library.heuristic(f"pack.{name}").value


def _amount(facts: Facts, fact: str) -> float | None:
    value = facts.value(fact)
    if isinstance(value, Quantity):
        return value.value
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(facts: Facts, fact: str) -> str | None:
    value: Any = facts.value(fact)
    return value if isinstance(value, str) else None


def _flag(facts: Facts, fact: str) -> bool | None:
    value = facts.value(fact)
    return value if isinstance(value, bool) else None


def _stated(facts: Facts, fact: str) -> bool:
    return fact in facts and facts[fact].provenance == "said"


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def gigabytes(params: float | None, bytes_each: float) -> float | None:
    """GB of so many Gparams at so many bytes each."""
    return None if params is None else convert(params, "Gparams", "params") * bytes_each / convert(1, "GB", "B")
