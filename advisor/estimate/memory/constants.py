"""The constants of the memory estimator: heuristic files read once into plain numbers.

Each field is a file `knowledge/heuristics/memory/FIELD.yaml`, which says what it means, its unit, where it comes from
and how far people disagree. The estimator works on plain attributes, so that a call costs microseconds. A missing file
is an error, never a default.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

from advisor.core.units import Quantity, dimension
from advisor.estimate.constants import Heuristics

ROOM = "memory"


@dataclass(frozen=True, slots=True)
class Constants:
    """Every constant that the estimator knows, in the unit of its file."""

    # Saved activations, in values of two bytes a token, as multiples of a width.
    norm_saved: float
    norm_saved_fused: float
    attention_saved: float
    gated_mlp_saved: float
    plain_mlp_saved: float
    mlp_product_saved: float
    adapter_input_saved: float
    quantised_base_saved: float
    backward_transient: float
    eager_score_bytes: float
    fsdp_adapter_recompute: float
    final_hidden_saved: float
    selective_kept_torch: float
    selective_kept_megatron: float
    moe_routing_saved: float
    fp8_activations: float
    # Loss.
    logit_bytes_plain: float
    logit_bytes_chunked: float
    logit_bytes_in_place: float
    fused_loss_hidden: float
    logit_bytes_parallel: float
    logit_bytes_parallel_fused: float
    logit_bytes_unstated: float
    large_vocab: float
    # Weights by format.
    nf4_bytes: float
    nf4_double_bytes: float
    int4_bytes: float
    int8_bytes: float
    fp8_bytes: float
    # Optimizer, buffers.
    adamw_8bit_bytes: float
    adamw_4bit_bytes: float
    adafactor_bytes: float
    galore_bytes: float
    zero3_live_params: float
    zero_bucket_params: float
    zero3_extra_bytes: float
    fsdp_units_gathered: float
    megatron_fp16_step_bytes: float
    galore_gradients: float
    workspace: float
    load_overhead: float
    # Instruments.
    reserved_logits: float
    reserved_activations: float
    reserved_states: float
    reserved_left_out: float
    reserved_fixed: float
    reserved_variable: float
    context: float
    context_multi: float
    fragmentation_floor: float
    usable_share: float
    # Inference.
    inference_workspace: float
    prefill_transient: float
    server_overhead: float
    # A generic decoder, where only the size is known.
    width_per_layer: float
    generic_vocab: float
    generic_kv_share: float
    generic_head_dim: float
    generic_ffn_ratio: float
    same_size_near: float
    same_size_far: float
    # Hosts.
    host_per_rank: float
    host_pinned: float
    # What nobody said.
    default_seq_len: float
    short_seq_len: float
    long_seq_len: float
    serving_seq_len: float
    more_cards: float
    default_new_tokens: float
    batch_slack: float
    cap_share: float
    default_lora_rank: float
    in_flight_limit: float
    # How far off each part may be (one standard deviation, as a share of the part).
    spread_states: float
    spread_activations: float
    spread_logits: float
    spread_logits_unstated: float
    spread_buffers: float
    spread_overhead: float
    spread_inference: float
    spread_reserved: float
    spread_moe: float
    spread_unknown_framework: float
    spread_generic_shape: float
    spread_unstated_checkpointing: float
    spread_unstated_length: float
    spread_parallel: float
    spread_shorter: float
    spread_longer: float
    reach_low: float
    reach_high: float
    reach_need: float


@lru_cache(maxsize=8)
def constants(library: Heuristics) -> Constants:
    """The accepted values of this library; read once a library."""
    return Constants(**{each.name: _plain(library.heuristic(f"{ROOM}.{each.name}")) for each in fields(Constants)})


def _plain(quantity: Quantity) -> float:
    """Memory in bytes, anything else as it stands."""
    return quantity.to("B").value if dimension(quantity.unit) == "bytes" else quantity.value
