"""What training and serving software does when nobody says otherwise, as far as it moves memory.

The facts stand in `knowledge/frameworks/*.yaml`, each with the documentation it is from; this module turns one file
into `Defaults` by the estimator's names and knows no framework itself. A framework that nobody named, or that has no
file, gets the file `unstated`, whose defaults are the usual ones and whose range is wider. Raises `BadData` for a word
that the estimator does not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from advisor.core.errors import BadData, did_you_mean
from advisor.estimate.memory.names import plain_key

if TYPE_CHECKING:
    from advisor.estimate.memory.workload import Attention, Checkpointing, Sharding, Weights

States = Literal["pure", "autocast", "masters"]
Loss = Literal["plain", "chunked", "fused", "in_place", "parallel", "parallel_fused", "unstated"]
UNSTATED = "unstated"
_BETWEEN = re.compile(r"[/,+&()\s]+")


@dataclass(frozen=True, slots=True)
class Defaults:
    """One framework's defaults; the names are the keys under `defaults:` in its file."""

    engine: Literal["torch", "deepspeed", "megatron", "server"] = "torch"
    sharding_many: Sharding = "fsdp"
    bf16_states: States = "pure"
    """What `weights: bf16` means for a full tuning without ZeRO: bf16 throughout, or fp32 parameters and autocast."""
    bf16_states_fsdp: States = "pure"
    states_in_doubt: bool = False
    """The framework offers both and the columns do not tell them apart: the range covers the other one."""
    gradients: Literal["weights", "fp32", "both"] = "weights"
    """Megatron: the type of the gradient buffer; `both` sums 16-bit ones in fp32 where weights are bf16."""
    step_in_fp32: bool = False
    """The optimizer step makes fp32 gradients and a 16-bit copy of its part."""
    lengths: Literal["fixed", "packed", "variable"] = "packed"
    """How alike the batches are: a caching allocator keeps more where sizes vary."""
    optimizer: str = "adamw"
    step_copies: float = 1.0
    """Copies of the trained parameters that one optimizer step makes (foreach: 1, fused: 0)."""
    grad_ckpt: Checkpointing = "yes"
    checkpointing_in_doubt: bool = False
    """Reports of the same scripts show both: the range covers the run without checkpointing too."""
    attention: Attention = "sdpa"
    loss: Loss = "plain"
    loss_fused: Loss = "fused"
    loss_said: bool = False
    norms: Literal["eager", "fused"] = "eager"
    selective: Literal["torch", "megatron"] = "torch"
    sequence_parallel: bool = False
    adapter_weights: Literal["fp32", "weights"] = "fp32"
    lora_targets: str = "all"
    kbit_preparation: bool = False
    lean_adapters: bool = False
    """Own kernels keep the two branches of a gated MLP and no copies of what adapters take in."""
    recompute_doubled: bool = True
    """Adapters under FSDP: two layers are alive during recomputation."""
    loose_gradients: bool = False
    """FSDP: gradients of accumulated micro-batches stay whole on each card until they are shared out."""
    checkpoints_on_host: bool = False
    """Checkpointed inputs of the layers are moved to the host."""
    load_full: bool = False
    """Each rank holds a full copy beside its shard while loading."""
    freezes_vision: bool = False
    server_share: float = 0.0
    seq_len: float | None = None
    """Tokens a sample where nobody said; None: the framework has no usual length of its own."""
    micro_batch: float | None = None
    """Samples a card and step where nobody said."""
    adapter_micro_batch: float | None = None
    """The same for adapters, where it differs."""
    adapter_sharding: Sharding | None = None
    """How several cards share a job with adapters, where it differs from `sharding_many`."""
    adapter_base: Weights | None = None
    """The type in which a base for adapters is loaded, where it is not a 16-bit one."""
    group: float | None = None
    """Embedding: sequences a sample, the query and what it is compared with."""
    name: str = UNSTATED

    def batch(self, *, adapters: bool) -> float | None:
        """Samples a card and step that the framework takes where nobody said."""
        return (self.adapter_micro_batch if adapters else None) or self.micro_batch

    def sharding(self, *, adapters: bool) -> Sharding:
        """How several cards share a job where nobody said."""
        return (self.adapter_sharding if adapters else None) or self.sharding_many


def defaults_of(record: Any) -> Defaults:
    """The defaults in one framework record; raises `BadData` for a key or word that means nothing here."""
    known = {each.name for each in fields(Defaults)} - {"name"}
    values: dict[str, Any] = {}
    for key, setting in record.defaults.items():
        if not key.startswith("memory_"):
            continue
        name = key.removeprefix("memory_")
        if name not in known:
            where = f"knowledge/frameworks/{record.id}"
            raise BadData(f'"{key}" is no default of the memory estimator', where=where, do=did_you_mean(name, known))
        values[name] = setting.value
    return Defaults(**values, name=record.id)


@lru_cache(maxsize=8)
def all_defaults(library: Any) -> Mapping[str, Defaults]:
    """Defaults by framework id and by every alias, in plain lower case."""
    found: dict[str, Defaults] = {}
    for id, record in library.frameworks.items():
        made = defaults_of(record)
        for name in (id, record.name, *record.aliases):
            found[plain_key(name)] = made
    return found


def named(name: str, library: Any) -> str | None:
    """The id of the framework that people mean by `name`, also as one of several or with words around it; else None.

    `open-r1/TRL`, `FastChat-style` and `Qwen finetune.py` are read; of several names the longest counts.
    """
    known = all_defaults(library)
    key = plain_key(name)
    if key in known:
        return known[key].name
    parts = [part for part in map(plain_key, _BETWEEN.split(name)) if part in known]
    inside = [alias for alias in known if len(alias) >= len(UNSTATED) and alias in key]
    best = max(parts or inside, key=len, default=None)
    return None if best is None else known[best].name


def find(name: str | None, library: Any) -> Defaults:
    """The defaults of the framework called `name`; those of `unstated` where it is None or unknown."""
    known = all_defaults(library)
    return known[plain_key((named(name, library) if name else None) or UNSTATED)]
