"""How long a run takes: hours for tokens or rows, and the card-hours of a pretraining.

A duration is work divided by speed, so both ends of the speed's range and of the work's range are carried through.
Refuses to guess the work: without tokens, or rows, there is no duration (`BadInput`), only the length of a row may be
taken from a heuristic, and that is named among the assumptions.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.core.units import Range, convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import Estimate, Step, not_negative, positive, whole


@dataclass(frozen=True, slots=True)
class TimeConstants:
    """The heuristics of this room (knowledge/heuristics/time)."""

    tokens_per_row: Figure
    run_overhead: Figure
    pretrain_mfu: Figure
    flops_per_param_token: Figure


def constants(library: Heuristics) -> TimeConstants:
    """This room's heuristics, read once."""
    return load(TimeConstants, "time", library)


def tokens_to_train(
    library: Heuristics,
    *,
    tokens: float | None = None,
    rows: float | None = None,
    tokens_per_row: float | None = None,
    seq_len: float | None = None,
    epochs: float = 1,
) -> Estimate:
    """Tokens a run goes through. `tokens` wins over `rows`; a row's length is `tokens_per_row`, else the heuristic.

    Where only a cut-off length is known (`seq_len`), rows are taken as at most that long: a cap is not a length.
    Raises `BadInput` where neither tokens nor rows are known, or where a figure is not positive.
    """
    c, times = constants(library), positive("epochs", epochs)
    if tokens is not None:
        count = positive("tokens", tokens) * times
        steps = (Step("tokens to train", f"{tokens:g} tokens x {times:g} epochs", count, "tokens"),)
        return Estimate(Range(count, count, count, "tokens"), steps)
    each = _row_length(c.tokens_per_row, tokens_per_row, seq_len)
    count = positive("rows", rows) * times
    formula = f"{rows:g} rows x {each.likely:g} tokens a row x {times:g} epochs"
    known = tokens_per_row is not None
    used = () if known else (c.tokens_per_row.id,)
    total = Range(count * each.low, count * each.likely, count * each.high, "tokens")
    return Estimate(total, (Step("tokens to train", formula, total.likely, "tokens", used),), used)


def _row_length(usual: Figure, stated: float | None, cap: float | None) -> Range:
    if stated is not None:
        length = positive("tokens per row", stated)
        return Range(length, length, length, "tokens/row")
    top = positive("sequence length", cap) if cap is not None else usual.high
    return Range(min(usual.low, top), min(usual.value, top), min(usual.high, top), "tokens/row")


def hours(work: Range, speed: Range, cards: int, library: Heuristics) -> Estimate:
    """Wall-clock hours for `work` (tokens) at `speed` (tokens/s per card) on `cards` cards, start-up and saves too.

    The best case is the least work at the highest speed without any overhead; the worst the opposite.
    """
    c, count = constants(library).run_overhead, whole("cards", cards)
    for name, each in (("tokens to train", work), ("tokens per second", speed)):
        positive(name, each.low)
    low, likely, high = (
        convert(tokens / (rate * count) * extra, "s", "h")
        for tokens, rate, extra in (
            (work.low, speed.high, c.low),
            (work.likely, speed.likely, c.value),
            (work.high, speed.low, c.high),
        )
    )
    formula = f"{work.likely:g} tokens / ({speed.likely:,.0f} tokens/s x {count} cards) x {c.value:g}"
    return Estimate(Range(low, likely, high, "h"), (Step("time", formula, likely, "h", (c.id,)),))


def pretraining(
    active_params_b: float, tokens: float, peak_tflops: float, library: Heuristics, *, mfu: Range | None = None
) -> Estimate:
    """Card-hours of a pretraining: 6 x active parameters x tokens / (dense bf16 peak x achieved share of it).

    `active_params_b` in billions, `peak_tflops` in TFLOPS, `mfu` as a share (heuristic where unstated).
    """
    c = constants(library)
    share = mfu or Range(c.pretrain_mfu.low, c.pretrain_mfu.value, c.pretrain_mfu.high, "share")
    positive("achieved share of peak", share.low)
    operations = c.flops_per_param_token.value * convert(
        positive("active parameters", active_params_b), "Gparams", "params"
    )
    operations *= positive("tokens", tokens)
    ideal = convert(operations / convert(positive("peak", peak_tflops), "TFLOPS", "FLOPS"), "s", "h")
    low, likely, high = ideal / share.high, ideal / share.likely, ideal / share.low
    used = (c.flops_per_param_token.id,) + (() if mfu else (c.pretrain_mfu.id,))
    steps = (
        Step(
            "operations", f"{c.flops_per_param_token.value:g} x {active_params_b:g}e9 x {tokens:g}", operations, "FLOP"
        ),
        Step("card-hours at peak", f"operations / {peak_tflops:g} TFLOPS", ideal, "GPU-h"),
        Step("card-hours", f"at {share.likely:.0%} of peak", likely, "GPU-h", used),
    )
    return Estimate(Range(low, likely, high, "GPU-h"), steps, () if mfu else (c.pretrain_mfu.id,))


def deadline_share(duration: Range, days: float) -> Range:
    """What share of the days allowed the run needs, in per cent (above 100 = too late)."""
    allowed = convert(positive("deadline", days), "days", "h")
    time = duration.to("h")
    not_negative("time", time.low)
    return time_share(time, allowed)


def time_share(time: Range, allowed: float) -> Range:
    """`time` over `allowed`, both in the range's unit, in per cent."""
    return Range(time.low / allowed, time.likely / allowed, time.high / allowed, "share").to("%")
