"""Tokens a second of a whole job for a row of the memory table, so that one table answers both questions.

Only renames: the columns of `hkgpu estimate` are written as those of `hkgpu speed` and read by the same reader. Gives
None for inference and for a row whose speed cannot be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.core.errors import HkgpuError
from advisor.estimate import speed
from advisor.estimate.speed_rows import job_of

_DIMENSIONS = ("tp", "pp", "cp", "ep")
_RECOMPUTED = {"yes": "ckpt", "true": "ckpt", "selective": "selective", "no": "no ckpt", "false": "no ckpt"}


def total_tokens(row: Mapping[str, str | None], library: Any) -> float | None:
    """Tokens/s of all cards of a training row together, or None."""
    said = {name: (text or "").strip() for name, text in row.items()}
    if "infer" in said.get("method", "").casefold():
        return None
    try:
        job, on, _ = job_of(as_speed_row(said), library)
        return speed.training(job, on, library).range.likely * on.cards
    except (HkgpuError, OverflowError, ZeroDivisionError):
        return None


def as_speed_row(said: Mapping[str, str]) -> dict[str, str]:
    """The row in the columns of the speed table."""
    dimensions = [f"{name}{said[name]}" for name in _DIMENSIONS if said.get(name, "") not in ("", "1")]
    notes = [_RECOMPUTED.get(said.get("grad_ckpt", "").casefold(), ""), said.get("framework", "")]
    notes += [f"microbatch {said['micro_batch']}"] if said.get("micro_batch") else []
    notes += [f"grad accum {said['grad_accum']}"] if said.get("grad_accum") else []
    notes += ["flash"] if said.get("attn", "").casefold() in ("flash", "sdpa") else []
    notes += ["eager attention"] if said.get("attn", "").casefold() == "eager" else []
    notes += ["fused"] if said.get("fused_ce", "").casefold() in ("yes", "true") else []
    size = f" {said['gpu_gib']}GB" if said.get("gpu_gib") and "gb" not in said.get("gpu", "").casefold() else ""
    return {
        "model": said.get("model", ""),
        "params_b": said.get("params_b", ""),
        "method": said.get("method", ""),
        "gpu_model": said.get("gpu", "") + size,
        "n_gpus": said.get("n_gpus", "") or "1",
        "seq_len": said.get("seq_len", ""),
        "precision": said.get("weights", ""),
        "parallelism": " ".join([said.get("sharding", ""), said.get("offload", "").replace("none", ""), *dimensions]),
        "remarks": ", ".join(filter(None, notes)),
    }
