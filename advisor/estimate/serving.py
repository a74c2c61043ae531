"""What a server of a language model gives: prefill by compute, decode by memory bandwidth, concurrency by cache.

A decoded token reads the active weights once for the whole batch and each sequence's cache; a prompt is bound by
arithmetic. Both are bounds times an achieved share (heuristics). Refuses a figure where the weights alone exceed the
memory, or where bandwidth, peak or cache a token is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.core.errors import BadInput
from advisor.core.units import Range, convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import Estimate, Step, not_negative, positive, whole


@dataclass(frozen=True, slots=True)
class ServingConstants:
    """The heuristics of this room (knowledge/heuristics/serving)."""

    decode_bandwidth_share: Figure
    prefill_mfu: Figure
    step_overhead: Figure
    cards_efficiency: Figure
    cards_efficiency_pcie: Figure
    memory_share: Figure
    flops_per_param: Figure
    largest_batch: Figure


@dataclass(frozen=True, slots=True)
class Served:
    """The model as served: billions of parameters, bytes a weight, and bytes of cache a token (all layers)."""

    active_b: float
    total_b: float
    weight_bytes: float
    cache_bytes_per_token: float


@dataclass(frozen=True, slots=True)
class Hardware:
    """The cards that hold one copy; GB/s, dense TFLOPS in the precision computed, and usable GiB are of one card."""

    cards: int
    bandwidth_gb_s: float
    tflops: float
    usable_gib: float
    nvlink: bool = True

    def scale(self, c: ServingConstants) -> float:
        """How many cards' worth of speed they give together."""
        each = c.cards_efficiency if self.nvlink else c.cards_efficiency_pcie
        return whole("cards", self.cards) * (each.value if self.cards > 1 else 1)


def constants(library: Heuristics) -> ServingConstants:
    """This room's heuristics, read once."""
    return load(ServingConstants, "serving", library)


def _weights_gb(model: Served) -> float:
    # A billion weights of one byte are one GB.
    return positive("parameters", model.total_b) * positive("bytes a weight", model.weight_bytes)


def weights_read(model: Served, batch: int) -> float:
    """GB of weights that one decode step of `batch` sequences reads; of a mixture, the experts that a token picks."""
    share = positive("active parameters", model.active_b) / positive("parameters", model.total_b)
    if share > 1:
        raise BadInput(f"{model.active_b:g}e9 active of {model.total_b:g}e9 parameters", expected="at most all of them")
    touched = 1 - (1 - share) ** whole("batch", batch)
    return _weights_gb(model) * touched


def decode(model: Served, on: Hardware, batch: int, context: float, library: Heuristics) -> Estimate:
    """Tokens/s of all `batch` sequences together while decoding at `context` tokens each."""
    c, count = constants(library), whole("batch", batch)
    cache = count * not_negative("context", context) * not_negative("cache bytes a token", model.cache_bytes_per_token)
    read = weights_read(model, count) + convert(cache, "B", "GB")
    scale = on.scale(c)
    memory = read / (positive("bandwidth", on.bandwidth_gb_s) * scale)
    operations = c.flops_per_param.value * convert(model.active_b, "Gparams", "params") * count
    compute = operations / (convert(positive("peak", on.tflops), "TFLOPS", "FLOPS") * scale)
    share, busy, idle = c.decode_bandwidth_share, c.prefill_mfu, c.step_overhead

    def rate(bandwidth_share: float, mfu: float, overhead: float) -> float:
        seconds = max(memory / bandwidth_share, compute / mfu) + convert(overhead, idle.unit, "s")
        return count / seconds

    low, high = rate(share.low, busy.low, idle.high), rate(share.high, busy.high, idle.low)
    likely = rate(share.value, busy.value, idle.value)
    formula = (
        f"{count} / max({read:.3g} GB / bandwidth / {share.value:g}, {operations:.2g} FLOP / peak / {busy.value:g})"
    )
    used = (share.id, busy.id, idle.id, c.cards_efficiency.id)
    return Estimate(Range(low, likely, high, "tokens/s"), (Step("decode", formula, likely, "tokens/s", used),))


def prefill(model: Served, on: Hardware, library: Heuristics) -> Estimate:
    """Prompt tokens/s: peak x achieved share / (2 operations an active parameter)."""
    c, cards = constants(library), whole("cards", on.cards)
    each = c.flops_per_param.value * convert(positive("active parameters", model.active_b), "Gparams", "params")
    scale = on.scale(c)
    bare = convert(positive("peak", on.tflops), "TFLOPS", "FLOPS") * scale / each
    busy = c.prefill_mfu
    formula = f"{cards} cards x {on.tflops:g} TFLOPS x {busy.value:g} / {each:.3g} FLOP"
    step = Step("prefill", formula, bare * busy.value, "tokens/s", (busy.id, c.cards_efficiency.id))
    return Estimate(Range(bare * busy.low, bare * busy.value, bare * busy.high, "tokens/s"), (step,))


def concurrency(model: Served, on: Hardware, length: float, library: Heuristics) -> Estimate:
    """How many sequences of `length` tokens (prompt and answer) the cache holds at once.

    Raises `BadInput` where the weights leave no memory: then nothing is served at all.
    """
    c = constants(library)
    share = c.memory_share
    weights = convert(_weights_gb(model), "GB", "GiB")
    one = convert(positive("cache bytes a token", model.cache_bytes_per_token), "B", "GiB") * positive("length", length)
    room = whole("cards", on.cards) * positive("usable memory", on.usable_gib)
    low, likely, high = (max(0.0, (room * each - weights) // one) for each in (share.low, share.value, share.high))
    if room * share.high <= weights:
        raise BadInput(
            f"the weights need {weights:.3g} GiB, the cards have {room:.3g} GiB", do="take more or larger cards"
        )
    formula = f"({room:.3g} GiB x {share.value:g} - {weights:.3g} GiB) / {one:.3g} GiB"
    return Estimate(
        Range(low, likely, high, "count"), (Step("sequences at once", formula, likely, "count", (share.id,)),)
    )


def requests(
    model: Served, on: Hardware, prompt: float, answer: float, at_once: float, library: Heuristics
) -> Estimate:
    """Requests/s that one copy answers while `at_once` sequences run: each waits for its prompt, then for its answer.

    The engine runs no more sequences at once than its own limit. Raises `BadInput` for an empty answer or no sequence.
    """
    batch = batch_of(at_once, library)
    read = prefill(model, on, library).range
    written = decode(model, on, batch, not_negative("prompt", prompt) + positive("answer", answer), library).range

    def rate(prompts: float, answers: float) -> float:
        return 1 / (prompt / prompts + answer / answers)

    low, high = rate(read.low, written.low), rate(read.high, written.high)
    likely = rate(read.likely, written.likely)
    formula = f"1 / ({prompt:g} / {read.likely:.4g} + {answer:g} / {written.likely:.4g}), {batch} sequences at once"
    used = (constants(library).largest_batch.id,)
    return Estimate(Range(low, likely, high, "requests/s"), (Step("requests", formula, likely, "requests/s", used),))


def batch_of(at_once: float, library: Heuristics) -> int:
    """How many sequences an engine decodes together, of those that the cache holds. Raises `BadInput` below one."""
    return int(min(positive("sequences at once", float(int(at_once))), constants(library).largest_batch.value))


def tokens_needed(requests_per_second: float, output_tokens: float) -> float:
    """Decoded tokens/s that a load asks for."""
    return positive("requests per second", requests_per_second) * positive("tokens an answer", output_tokens)
