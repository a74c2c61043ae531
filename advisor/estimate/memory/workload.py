"""What is to be run: one job on one kind of card, as far as somebody stated it.

`Workload` holds what was said (None = not stated), `Job` the same with every gap filled: from the framework's defaults,
else from heuristics; `assumed` names what was filled in. Counts of at least 1, lengths in tokens. Raises `BadInput`
where a stated value is impossible; nothing here computes memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from advisor.core.errors import BadInput
from advisor.estimate.derivation import positive
from advisor.estimate.memory.arch import Shape
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.frameworks import Defaults, Loss, States

Method = Literal["full", "lora", "qlora", "inference", "pretrain"]
Weights = Literal["bf16", "fp16", "fp32", "mixed", "fp8", "int8", "int4", "nf4", "nf4_double", "fp4"]
Checkpointing = Literal["yes", "no", "selective"]
Attention = Literal["flash", "sdpa", "eager"]
Sharding = Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp", "model_parallel", "device_map"]
Offload = Literal["none", "optimizer", "params+optimizer"]
Instrument = Literal["allocated", "reserved", "nvidia-smi"]
Stage = Literal["sft", "pretrain", "continued_pretrain", "dpo", "reward", "ppo", "grpo", "embedding", "rerank", "serve"]
QUANTISED = frozenset({"int8", "int4", "nf4", "nf4_double", "fp4"})


@dataclass(frozen=True, slots=True)
class Workload:
    """One job. `None` is "nobody said": the estimator takes what the framework would, and says so."""

    shape: Shape
    method: Method
    stage: Stage = "sft"
    weights: Weights | None = None
    optimizer: str | None = None
    seq_len: float | None = None
    micro_batch: float | None = None
    grad_accum: float | None = None
    grad_ckpt: Checkpointing | None = None
    attention: Attention | None = None
    fused_ce: bool | None = None
    lora_rank: float | None = None
    lora_targets: str | None = None
    sharding: Sharding | None = None
    offload: Offload | None = None
    tp: int | None = None
    pp: int | None = None
    cp: int | None = None
    ep: int | None = None
    n_gpus: int | None = None
    framework: str | None = None
    instrument: Instrument = "reserved"
    usable_gib: float | None = None
    """What one card offers to a program, in GiB; bounds what a caching allocator can hold back."""
    new_tokens: float | None = None
    """Inference: tokens generated beyond `seq_len`; None = `seq_len` is the whole length."""
    length_is_cap: bool = False
    """The samples are shorter than `seq_len` and not packed."""
    states: States | None = None
    """Who keeps fp32 copies in a full tuning, where somebody said it."""
    loss: Loss | None = None
    """How the loss is computed, where somebody said more than "fused or not"."""
    kbit_preparation: bool | None = None
    """Everything that is not quantised was cast to fp32."""


@dataclass(frozen=True, slots=True)
class Job:
    """A workload with every gap filled."""

    shape: Shape
    method: Method
    stage: Stage
    weights: Weights
    optimizer: str
    tokens: float
    seq_len: float
    micro_batch: float
    accumulates: bool
    grad_ckpt: Checkpointing
    attention: Attention
    fused_ce: bool | None
    lora_rank: float
    lora_targets: str
    sharding: Sharding
    offload: Offload
    tp: int
    pp: int
    cp: int
    ep: int
    dp: float
    n_gpus: int
    micro_in_flight: float
    engine: str
    defaults: Defaults
    trains: bool
    adapters: bool
    quantised: bool
    instrument: Instrument
    usable_gib: float | None
    new_tokens: float
    frozen_copies: float
    """Copies of the model beside the trained one that only look on: reference, reward, rollout."""
    trained_copies: float
    """Models that are trained: the policy, and the critic of PPO."""
    assumed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a job lies over its cards."""

    sharding: Sharding
    engine: str
    tp: int
    pp: int
    cp: int
    ep: int
    dp: float
    n_gpus: int


def _layout(w: Workload, d: Defaults, trains: bool) -> _Layout:
    tp, pp, cp, ep = (_count(name, getattr(w, name)) for name in ("tp", "pp", "cp", "ep"))
    n_gpus = _cards(w, tp * pp * cp, ep)
    adapters = w.method in ("lora", "qlora")
    sharding: Sharding = w.sharding or ("none" if n_gpus == 1 else d.sharding(adapters=adapters))
    engine = _engine(w, d, sharding, trains)
    if sharding == "model_parallel" and tp * pp == 1 and (cp * ep == 1 or not trains):
        tp = n_gpus
    if sharding == "device_map" and tp * pp == 1:
        pp = n_gpus
    alone = sharding in ("none", "device_map") and engine != "megatron"
    dp = 1.0 if alone else max(n_gpus / (tp * pp * cp), 1.0)
    return _Layout(sharding, engine, tp, pp, cp, ep, dp, n_gpus)


def fill(w: Workload, d: Defaults, c: Constants) -> Job:
    """Fill the gaps of a workload from a framework's defaults; raises `BadInput` for what cannot be."""
    d = _said(w, d)
    trains, adapters = w.method != "inference", w.method in ("lora", "qlora")
    lay = _layout(w, d, trains)
    weights = w.weights or _usual_weights(w, d)
    if w.method == "qlora" and weights not in QUANTISED:
        weights = "nf4"  # the type named is the one computed in; the base is quantised by the method's name
    usual_length = (d.seq_len or c.default_seq_len) if trains else c.serving_seq_len
    seq_len = positive("seq_len", usual_length if w.seq_len is None else w.seq_len)
    usual_batch = (d.batch(adapters=adapters) if trains else None) or 1
    micro = positive("micro_batch", usual_batch if w.micro_batch is None else w.micro_batch)
    accumulation = positive("grad_accum", 1 if w.grad_accum is None else w.grad_accum)
    onlookers = _ONLOOKERS.get(w.stage, 0.0)
    return Job(
        shape=w.shape,
        method=w.method,
        stage=w.stage,
        weights=weights,
        optimizer=w.optimizer or d.optimizer,
        tokens=tokens_of(w, d, c, seq_len, micro, lay.cp),
        seq_len=seq_len,
        micro_batch=micro,
        accumulates=accumulation > 1,
        grad_ckpt=w.grad_ckpt or d.grad_ckpt,
        attention=w.attention or d.attention,
        fused_ce=w.fused_ce,
        lora_rank=positive("lora_rank", c.default_lora_rank if w.lora_rank is None else w.lora_rank),
        lora_targets=w.lora_targets or d.lora_targets,
        offload=w.offload or "none",
        **{name: getattr(lay, name) for name in _LAYOUT},
        micro_in_flight=_in_flight(w, lay, accumulation, c),
        defaults=d,
        trains=trains,
        adapters=adapters,
        quantised=weights in QUANTISED and w.method not in ("full", "pretrain"),
        instrument=w.instrument,
        usable_gib=w.usable_gib,
        new_tokens=w.new_tokens or 0.0,
        frozen_copies=onlookers - (1.0 if adapters and onlookers else 0.0),
        trained_copies=2.0 if w.stage == "ppo" else 1.0,
        assumed=tuple(name for name in _MATTERS if getattr(w, name) is None and _asks(w, name)),
    )


def tokens_of(w: Workload, d: Defaults, c: Constants, seq_len: float, micro: float, cp: int) -> float:
    """Tokens that one card has in flight in one micro-batch; lengths and batches may be columns."""
    length = seq_len * (c.cap_share if w.length_is_cap else 1.0) * _sequences(w, d)
    tokens: float = length * micro ** (1 - _slack(w, d, c)) / cp
    return tokens


def _usual_weights(w: Workload, d: Defaults) -> Weights:
    """The type in which the weights lie where nobody said."""
    if w.method == "qlora":
        return "nf4"
    if w.method in ("full", "pretrain"):
        return "mixed"
    return (d.adapter_base if w.method == "lora" else None) or "bf16"


def _sequences(w: Workload, d: Defaults) -> float:
    """Sequences a sample: preference data hold pairs, an embedding may compare a query with several passages."""
    if w.stage == "embedding":
        return d.group or 1.0
    return 2.0 if w.stage in ("dpo", "reward") else 1.0


_LAYOUT = ("sharding", "engine", "tp", "pp", "cp", "ep", "dp", "n_gpus")


def _in_flight(w: Workload, lay: _Layout, accumulation: float, c: Constants) -> float:
    """Micro-batches alive on the first stage of a pipeline: one a stage, no more than there are."""
    if lay.sharding == "device_map":
        return 1.0
    return min(lay.pp, lay.pp if w.grad_accum is None else accumulation, c.in_flight_limit)


def _said(w: Workload, d: Defaults) -> Defaults:
    """The defaults with what the workload says outright."""
    changes: dict[str, Any] = {}
    if w.states is not None:
        changes |= {"bf16_states": w.states, "bf16_states_fsdp": w.states, "states_in_doubt": False}
    if w.loss is not None:
        changes |= {"loss": w.loss, "loss_fused": w.loss, "loss_said": True}
    if w.kbit_preparation is not None:
        changes["kbit_preparation"] = w.kbit_preparation
    return replace(d, **changes) if changes else d


def _slack(w: Workload, d: Defaults, c: Constants) -> float:
    """How far a batch stays behind batch x length: samples of varying length reach the stated one one at a time."""
    return c.batch_slack if d.lengths == "variable" or w.length_is_cap else 0.0


# Models that only look on. With adapters the policy without them is its own reference.
_ONLOOKERS = {"dpo": 1.0, "grpo": 2.0, "ppo": 2.0}  # reference; reference and rollout; reference and reward
_MATTERS = ("weights", "optimizer", "seq_len", "micro_batch", "grad_ckpt", "attention", "fused_ce", "lora_rank",
            "sharding", "n_gpus", "framework")  # fmt: skip


def _asks(w: Workload, name: str) -> bool:
    if name == "lora_rank":
        return w.method in ("lora", "qlora")
    if w.method == "inference":
        return name in ("weights", "seq_len", "micro_batch")
    return True


def _count(name: str, value: int | None) -> int:
    if value is None:
        return 1
    if value < 1 or value != int(value):
        raise BadInput(f"{name} is {value:g}", expected="a whole number from 1")
    return int(value)


def _cards(w: Workload, split: int, ep: int) -> int:
    n_gpus = _count("n_gpus", w.n_gpus) if w.n_gpus is not None else max(split, ep)
    if n_gpus < split:
        raise BadInput(f"tp x pp x cp is {split} on {n_gpus} GPUs", expected="at least as many GPUs")
    return n_gpus


def _engine(w: Workload, d: Defaults, sharding: Sharding, trains: bool) -> str:
    """`megatron`, `deepspeed` or `torch`: who holds states and gradients."""
    if not trains:
        return "torch"
    split = any(value is not None for value in (w.tp, w.pp, w.ep))
    if d.engine == "megatron" or sharding == "model_parallel" or (split and sharding in ("zero1", "none", "ddp")):
        return "megatron"
    if sharding in ("zero1", "zero2", "zero3"):
        return "deepspeed"
    return "torch"
