"""What a job holds whether or not a token passes: weights, gradients, optimizer, adapters and the buffers around them.

Bytes per card. Weights follow the storage format, gradients and optimizer follow who keeps fp32 copies ("pure" 16-bit,
"autocast" with fp32 parameters, "masters" of DeepSpeed and Megatron), and each is divided by whatever splits it. A
pipeline's first stage carries the embedding, its last one the head; `stage` says which is meant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from advisor.estimate.memory.arch import Shape
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.workload import Job

Stage = Literal["first", "last", "only"]
B16, B32 = 2.0, 4.0  # bytes of a 16-bit and a 32-bit number


@dataclass(frozen=True, slots=True)
class States:
    """Bytes per card; `step` is what only the optimizer step adds, `buffers` what only forward and backward add."""

    weights: float
    gradients: float
    optimizer: float
    adapters: float
    step: float
    buffers: float
    load: float
    resident_gradients: bool
    """The gradients stand during the whole of forward and backward: a buffer, or accumulation."""


def states(job: Job, c: Constants, stage: Stage) -> States:
    """The states of one card of `stage`."""
    dense, experts, frozen = _local(job, stage)
    if job.adapters:
        return _adapter_states(job, c, dense, experts + frozen)
    return _full_states(job, c, dense, experts, frozen)


def _local(job: Job, stage: Stage) -> tuple[float, float, float]:
    """Parameters on one card before any sharding over data-parallel ranks: dense, experts, frozen vision tower."""
    shape = job.shape
    ends = {"first": shape.embedding, "last": shape.tied_head, "only": shape.embedding + shape.head}[stage]
    dense = ((shape.block - shape.experts_params) / job.pp + ends) / job.tp
    experts = shape.experts_params / job.pp / (job.ep if job.ep > 1 else job.tp)
    vision = shape.vision if stage != "last" else 0.0
    if job.defaults.freezes_vision or job.adapters:
        return dense, experts, vision
    return dense + vision, experts, 0.0


def kind_of_states(job: Job) -> str:
    """`pure`, `autocast`, `masters` or `fp32`: which copies of a trained parameter exist."""
    if job.engine in ("megatron", "deepspeed"):
        return "masters"
    if job.weights in ("mixed", "fp32"):
        return "autocast" if job.weights == "mixed" else "fp32"
    return job.defaults.bf16_states_fsdp if job.sharding == "fsdp" else job.defaults.bf16_states


def in_doubt(job: Job, c: Constants) -> tuple[Job, ...]:
    """The same job as the framework might also run it, where what is stated does not tell which."""
    d = job.defaults
    if (
        job.trains
        and d.loss == "fused"
        and job.fused_ce is None
        and not d.loss_said
        and job.shape.vocab > c.large_vocab
    ):
        # Frameworks fuse the loss for the families they know: where logits are widest it is worth doubting.
        return (replace(job, defaults=replace(d, loss="plain", loss_said=True)),)
    if not job.trains or job.adapters or job.engine == "deepspeed":
        return ()
    if "weights" in job.assumed and job.engine == "torch":
        return (replace(job, weights="bf16", defaults=replace(d, bf16_states="pure", bf16_states_fsdp="pure")),)
    if not d.states_in_doubt or job.weights not in ("bf16", "fp16"):
        return ()
    if job.engine == "megatron" and d.engine == "megatron":
        other_gradients: Literal["weights", "fp32"] = "fp32" if d.gradients == "weights" else "weights"
        dearer = replace(job, defaults=replace(d, gradients=other_gradients))
        return (dearer, replace(job, optimizer="adamw_16bit")) if job.optimizer == "adamw" else (dearer,)
    if job.engine == "torch" and job.sharding != "fsdp" and d.bf16_states == "autocast":
        return (replace(job, defaults=replace(d, bf16_states="pure")),)
    if job.engine != "torch" or job.sharding != "fsdp":
        return ()
    other: Literal["pure", "autocast"] = "pure" if d.bf16_states_fsdp == "autocast" else "autocast"
    return (replace(job, defaults=replace(d, bf16_states_fsdp=other)),)


def optimizer_bytes(name: str, width: float, c: Constants) -> float:
    """Bytes of optimizer state per trained parameter; `width` is the type that AdamW's moments would have."""
    special = {
        "adamw_8bit": c.adamw_8bit_bytes,
        "adamw_4bit": c.adamw_4bit_bytes,
        "adamw_16bit": 2 * B16,
        "adafactor": c.adafactor_bytes,
        "lomo": 0.0,
        "sgd": 0.0,
        "galore": c.galore_bytes,
        "muon": width,
        "lion": width,
        "sgd_momentum": width,
        "paged_adamw": 2 * B32,
    }
    return special.get(name, 2 * width)


@dataclass(frozen=True, slots=True)
class _Recipe:
    """Bytes a trained parameter: weight, gradient, optimizer state, and the copies of one optimizer step."""

    weight: float
    gradient: float
    optimizer: float
    step: float
    kind: str

    @property
    def wide(self) -> bool:
        """Parameters are held in fp32."""
        return self.kind in ("autocast", "fp32")


def _recipe(job: Job, c: Constants) -> _Recipe:
    d, kind = job.defaults, kind_of_states(job)
    width = B32 if kind in ("autocast", "fp32") else B16
    grads = width
    state = optimizer_bytes(job.optimizer, B16 if kind == "pure" else B32, c)
    if kind == "masters" and job.optimizer != "lomo":
        state += B32
    step = grads * d.step_copies if job.optimizer in _FOREACH else 0.0
    if job.engine == "megatron":
        both = B16 if job.weights == "fp16" else B16 + B32
        grads = {"fp32": B32, "weights": B16, "both": both}[d.gradients]
        step = B32 if grads == B16 else 0.0  # the distributed optimizer widens its own part of the gradients
        state += c.megatron_fp16_step_bytes if d.step_in_fp32 else 0.0
    if job.engine == "deepspeed":
        # ZeRO-3 steps group by group, the lower stages over their whole part.
        step = 0.0 if job.sharding == "zero3" else B32
    if job.optimizer in ("lomo", "galore"):
        grads *= c.galore_gradients if job.optimizer == "galore" else 0.0
    return _Recipe(width, grads, state, step, kind)


def _full_states(job: Job, c: Constants, dense: float, experts: float, frozen: float) -> States:
    recipe = _recipe(job, c)
    local = dense + experts
    ranks = job.dp * job.cp
    expert_ranks = max(job.n_gpus / (job.pp * job.ep), 1.0) if job.ep > 1 else ranks
    shared = dense / ranks + experts / expert_ranks
    all_shared = job.sharding in ("fsdp", "zero3")
    gradients_shared = all_shared or job.sharding == "zero2"
    distributed = job.engine == "megatron" and job.sharding not in ("ddp", "none")
    optimizer_shared = gradients_shared or distributed or job.sharding == "zero1"
    held = (shared if all_shared else local) * job.trained_copies
    stepped = (shared if optimizer_shared else local) * job.trained_copies if job.offload == "none" else 0.0
    weights = recipe.weight * held + B16 * frozen
    gradients = recipe.gradient * (shared if gradients_shared else local) * job.trained_copies
    if job.offload == "params+optimizer":
        weights, gradients = 0.0, 0.0
    if job.sharding == "fsdp" and job.accumulates and job.defaults.loose_gradients:
        gradients += B16 * local
    weights += job.frozen_copies * B16 * (shared if all_shared else local)
    resident = job.accumulates or job.engine == "megatron" or job.sharding in ("zero1", "zero2")
    buffers = _buffers(job, c, dense + frozen, experts, recipe.wide)
    if recipe.kind == "autocast" and not all_shared:
        buffers += B16 * local  # autocast keeps a 16-bit copy of each weight it has used
    if job.sharding == "ddp" and job.engine == "torch":
        buffers += recipe.gradient * local  # reduction buckets
    return States(weights, gradients, recipe.optimizer * stepped, 0.0, recipe.step * stepped, buffers, 0.0, resident)


_FOREACH = frozenset({"adamw", "lion", "sgd_momentum", "muon"})


def _adapter_states(job: Job, c: Constants, dense: float, rest: float) -> States:
    base = dense + rest
    shape = job.shape
    ends = min((shape.embedding + shape.head) / (job.tp if job.tp else 1), base)
    if job.pp > 1:
        ends = min(max(shape.embedding, shape.tied_head) / job.tp, base)
    per_param = stored_bytes(job.weights, c)
    end_bytes = B16
    if job.quantised:
        end_bytes = B32 if job.defaults.kbit_preparation else B16
        stored = per_param * (base - ends) + end_bytes * ends
    else:
        stored = per_param * base + (B16 * base if job.weights == "mixed" else 0.0)  # autocast makes a 16-bit copy
    shards = job.dp * job.cp if job.sharding == "fsdp" or (job.sharding == "zero3" and not job.quantised) else 1.0
    weights = stored / shards
    weights += job.frozen_copies * B16 * base / shards
    if job.offload == "params+optimizer":
        weights = 0.0
    trained = adapter_params(shape, job.lora_targets, job.lora_rank) / (job.pp * (job.ep if job.ep > 1 else job.tp))
    width = B32 if job.defaults.adapter_weights == "fp32" else B16
    if job.engine in ("megatron", "deepspeed"):
        # Adapters of experts lie only on the ranks that hold those experts.
        ranks = max(job.n_gpus / (job.pp * job.ep), 1.0) if shape.moe and job.lora_targets == "all" else job.dp
        held, moments = B16 + B32, 3 * B32 / ranks
    else:
        held, moments = 2 * width / shards, optimizer_bytes(job.optimizer, width, c) / shards
    adapters = trained * (held + moments)
    buffers = _buffers(job, c, dense, rest, False)
    load = 0.0
    if job.sharding == "fsdp" and job.defaults.load_full and not job.quantised:
        load = per_param * base * (1.0 + 1.0 / shards)
    return States(weights, 0.0, 0.0, adapters, 0.0, buffers, load, True)


def stored_bytes(weights: str, c: Constants) -> float:
    """Bytes per parameter of a stored weight format (linear layers, where only those are quantised)."""
    return {
        "bf16": B16,
        "fp16": B16,
        "fp32": B32,
        "mixed": B32,
        "fp8": c.fp8_bytes,
        "int8": c.int8_bytes,
        "int4": c.int4_bytes,
        "nf4": c.nf4_bytes,
        "fp4": c.nf4_bytes,
        "nf4_double": c.nf4_double_bytes,
    }[weights]


def adapter_params(shape: Shape, targets: str, rank: float) -> float:
    """Parameters of LoRA adapters of `rank` on the target matrices: rank x (in + out) each."""
    hidden, query, kv = shape.hidden, shape.query, shape.kv
    per_layer = 0.0
    if targets == "all":
        per_layer += 2 * (hidden + query) + 2 * (hidden + kv)
        matrices = 3 if shape.gated else 2
        dense_layers = shape.layers - shape.moe_layers
        total = rank * per_layer * shape.layers + rank * matrices * (hidden + shape.ffn) * dense_layers
        if shape.moe:
            total += rank * 3 * (hidden + shape.moe_ffn) * shape.experts * shape.moe_layers
        return total
    if "q" in targets:
        per_layer += hidden + query
    per_layer += (hidden + kv) * (("k" in targets) + ("v" in targets))
    if "o" in targets:
        per_layer += hidden + query
    return rank * per_layer * shape.layers


def _buffers(job: Job, c: Constants, dense: float, experts: float, wide: bool) -> float:
    """What sharding gathers: whole layers under FSDP, live parameters and buckets under ZeRO."""
    local = dense + experts
    shape = job.shape
    if job.sharding == "fsdp":
        width = stored_bytes(job.weights, c) if job.quantised else B16
        ends = shape.embedding + shape.head
        unit = max(local - ends, 0.0) / max(shape.layers, 1.0)
        gathered = width * unit * c.fsdp_units_gathered + B16 * ends
        if not job.adapters:
            gathered += (B32 if wide else B16) * unit
        return min(gathered, B16 * local)
    if job.engine == "deepspeed":
        bucket = B16 * min(c.zero_bucket_params, local)
        if job.sharding == "zero3":
            live = 0.0 if job.quantised else B16 * min(c.zero3_live_params, local)
            return live + c.zero3_extra_bytes * local / job.dp + (0.0 if job.adapters else bucket)
        return 0.0 if job.adapters else 2 * bucket
    return 0.0
