"""What a token leaves behind on its way through the model: saved activations, recomputation, logits.

Bytes. Widths come from the shape, how often each is saved from heuristics: an RMSNorm in fp32 keeps its input, an
fp32 copy and its output; attention keeps queries, keys, values and its output; a gated MLP keeps two branches and
their product. With checkpointing only each layer's input is kept, and one layer is recomputed at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.states import B16
from advisor.estimate.memory.workload import Job


@dataclass(frozen=True, slots=True)
class Activations:
    """Bytes per card: kept over one layer, needed to go back through one layer, at the loss, and at the end."""

    kept_per_layer: float
    one_layer_back: float
    logits: float
    final: float


def activations(job: Job, c: Constants) -> Activations:
    """The activations of one micro-batch."""
    shape, d = job.shape, job.defaults
    wide = 2.0 if job.weights == "fp32" else 1.0
    alike = d.sequence_parallel or (job.engine == "megatron" and d.engine != "megatron")
    spread = float(job.tp) if alike else 1.0
    per_norm = (c.norm_saved_fused if d.norms == "fused" or shape.native_norm else c.norm_saved) / 2
    norm = per_norm * shape.norms * shape.hidden / spread
    attention = (c.attention_saved + (per_norm if shape.head_norms else 0.0)) * (shape.query + shape.kv) / job.tp
    mlp, inner = _mlp(job, c)
    layer = norm + attention + mlp / job.tp
    if job.adapters:
        layer += 0.0 if d.lean_adapters else c.adapter_input_saved * _adapter_inputs(job) / job.tp
        if job.quantised and job.grad_ckpt == "no":
            layer += c.quantised_base_saved * shape.hidden
    layer_bytes = B16 * wide * layer * (c.fp8_activations if job.weights == "fp8" else 1.0)
    if job.attention == "eager":
        layer_bytes += c.eager_score_bytes * wide * shape.heads * job.seq_len / job.tp
    transient = B16 * wide * c.backward_transient * inner / job.tp
    kbit = 2.0 if job.quantised and d.kbit_preparation else 1.0
    saved_input = B16 * wide * kbit * shape.hidden / spread
    kept, back = _kept(job, c, layer_bytes, transient, saved_input)
    if job.adapters and job.sharding == "fsdp" and d.recompute_doubled and job.grad_ckpt == "yes":
        back *= c.fsdp_adapter_recompute
    final = B16 * wide * c.final_hidden_saved * shape.hidden / spread
    logits = _loss(job, c)
    tokens = job.tokens
    return Activations(kept * tokens, back * tokens, logits * tokens, final * tokens)


def _kept(job: Job, c: Constants, layer: float, transient: float, saved_input: float) -> tuple[float, float]:
    """Bytes a token that stay for one layer, and that going back through one layer adds."""
    if job.grad_ckpt == "yes":
        return saved_input, layer + transient
    if job.grad_ckpt == "selective":
        share = c.selective_kept_megatron if job.defaults.selective == "megatron" else c.selective_kept_torch
        return max(saved_input, share * layer), (1 - share) * layer + transient
    return layer, transient


def _mlp(job: Job, c: Constants) -> tuple[float, float]:
    """Values a token saved by the MLP of an average layer, and the width of its inner stream."""
    shape = job.shape
    trained = not job.adapters or job.lora_targets == "all"
    per = (c.gated_mlp_saved if shape.gated else c.plain_mlp_saved) + (c.mlp_product_saved if trained else 0.0)
    branches = 2.0 if shape.gated else 1.0
    if job.adapters and job.defaults.lean_adapters:
        per = branches
    routed = shape.moe_layers / shape.layers
    inner = shape.ffn * (1 - routed)
    extra = 0.0
    if shape.moe:
        inner += routed * (shape.experts_per_token * shape.moe_ffn + shape.shared_ffn)
        extra = routed * c.moe_routing_saved * shape.experts_per_token * shape.hidden
    return per * inner + extra, branches * inner


def _adapter_inputs(job: Job) -> float:
    """Widths of the inputs that adapters keep, summed over the targets."""
    shape = job.shape
    if job.lora_targets == "all":
        inner = shape.ffn if not shape.moe else shape.experts_per_token * shape.moe_ffn
        return (3 + (2 if shape.gated else 1)) * shape.hidden + shape.query + inner
    letters = sum(letter in job.lora_targets for letter in "qkv")
    return letters * shape.hidden + (shape.query if "o" in job.lora_targets else 0.0)


def _loss(job: Job, c: Constants) -> float:
    """Bytes a token at the loss; 0 where the task makes no logits over the vocabulary."""
    if job.stage in ("embedding", "rerank", "reward") or not job.shape.makes_logits:
        return 0.0
    loss = kind_of_loss(job)
    if loss == "fused":
        # A fused kernel sizes its chunks so that their logits take what the hidden states take.
        return B16 * c.fused_loss_hidden * job.shape.hidden
    per_logit = {
        "plain": c.logit_bytes_plain,
        "chunked": c.logit_bytes_chunked,
        "in_place": c.logit_bytes_in_place,
        "parallel": c.logit_bytes_parallel,
        "parallel_fused": c.logit_bytes_parallel_fused,
        "unstated": c.logit_bytes_unstated,
    }
    return per_logit[loss] * job.shape.vocab / job.tp


def kind_of_loss(job: Job) -> str:
    """How the loss is computed, as stated or as the framework does it."""
    loss: str = job.defaults.loss_fused if job.fused_ce else job.defaults.loss
    if job.engine == "megatron" and loss != "chunked":
        # Its own recipes leave the fusion to be switched on; those that sit on top of it switch it on.
        fused = job.fused_ce if job.fused_ce is not None else job.defaults.engine != "megatron"
        return "parallel_fused" if fused else "parallel"
    return "unstated" if job.fused_ce is None and loss == "plain" and not job.defaults.loss_said else loss
