"""How long data takes over a line, what bounds it, and when a disk by courier wins.

The line carries the least of four: what was bought, what the streams can do under loss and delay (Mathis), what their
windows allow, and what disk or source can give. Everything is plain arithmetic on stated figures; the share that
headers and restarts cost is a heuristic. Refuses to guess a line: bandwidth, loss and delay are the caller's.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, sqrt

from advisor.core.errors import BadInput
from advisor.core.units import Range, convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import Estimate, Step, not_negative, positive, whole

BITS_PER_BYTE = 8


@dataclass(frozen=True, slots=True)
class TransferConstants:
    """The heuristics of this room (knowledge/heuristics/transfer)."""

    line_efficiency: Figure
    private_line_efficiency: Figure
    segment: Figure
    mathis_constant: Figure
    courier_days: Figure
    courier_copy_rate: Figure
    bytes_per_gradient: Figure
    ring_passes: Figure


@dataclass(frozen=True, slots=True)
class Line:
    """A line as stated: Mbps bought; where known RTT (ms), loss (share), streams, TCP window (bytes) and other caps."""

    mbps: float
    private: bool = False
    rtt_ms: float | None = None
    loss: float | None = None
    streams: int = 1
    window_bytes: float | None = None
    disk_mbps: float | None = None
    source_mbps: float | None = None
    loss_tolerant: bool = False


def constants(library: Heuristics) -> TransferConstants:
    """This room's heuristics, read once."""
    return load(TransferConstants, "transfer", library)


def stream_limit(rtt_ms: float, loss: float, library: Heuristics) -> Estimate:
    """Mbps of one Reno/CUBIC stream under random loss: segment x 8 / RTT x constant / sqrt(loss).

    `loss` is a share (0.001 = 0.1 %). Raises `BadInput` where RTT or loss is not above 0: then this does not bind.
    """
    c = constants(library)
    seconds = convert(positive("RTT", rtt_ms), "ms", "s")
    if positive("loss", loss) > 1:
        raise BadInput(f"loss is {loss:g}", expected="a share of at most 1")
    bits = c.segment.value * BITS_PER_BYTE / seconds / sqrt(loss)
    low, likely, high = (convert(bits * x, "bps", "Mbps") for x in _ends(c.mathis_constant))
    formula = f"{c.segment.value:g} B x 8 / {rtt_ms:g} ms / sqrt({loss:g})"
    step = Step("one stream at most", formula, likely, "Mbps", (c.mathis_constant.id, c.segment.id))
    return Estimate(Range(low, likely, high, "Mbps"), (step,))


def window_limit(window_bytes: float, rtt_ms: float) -> float:
    """Mbps that one stream can keep in flight: window x 8 / RTT."""
    bits = positive("window", window_bytes) * BITS_PER_BYTE / convert(positive("RTT", rtt_ms), "ms", "s")
    return convert(bits, "bps", "Mbps")


def _ends(figure: Figure) -> tuple[float, float, float]:
    return figure.low, figure.value, figure.high


def effective_rate(line: Line, library: Heuristics) -> Estimate:
    """Mbps of payload the line really gives, with the bound that binds named in the steps."""
    c = constants(library)
    share = c.private_line_efficiency if line.private else c.line_efficiency
    streams = whole("streams", line.streams)
    bounds: dict[str, tuple[float, float, float]] = {"bought": (positive("bandwidth", line.mbps),) * 3}
    if line.loss and line.rtt_ms and not line.loss_tolerant:
        one = stream_limit(line.rtt_ms, line.loss, library).range
        bounds["loss and delay"] = (streams * one.low, streams * one.likely, streams * one.high)
    if line.window_bytes is not None and line.rtt_ms is not None:
        bounds["window"] = (streams * window_limit(line.window_bytes, line.rtt_ms),) * 3
    for name, cap in (("disk", line.disk_mbps), ("source", line.source_mbps)):
        if cap is not None:
            bounds[name] = (positive(name, cap),) * 3
    low, likely, high = (min(bound[i] for bound in bounds.values()) for i in range(len(_ends(share))))
    binding = min(bounds, key=lambda name: bounds[name][1])
    steps = (
        Step("line", f"least of {', '.join(bounds)}: {binding}", likely, "Mbps"),
        Step("payload", f"x {share.value:g}", likely * share.value, "Mbps", (share.id,)),
    )
    return Estimate(Range(low * share.low, likely * share.value, high * share.high, "Mbps"), steps)


def line_hours(gb: float, mbps: float, efficiency: float) -> float:
    """Hours for `gb` at `mbps` and a stated efficiency: 500 GB at 100 Mbps and 1.0 is 11.1 h."""
    bits = convert(not_negative("data", gb), "GB", "B") * BITS_PER_BYTE
    rate = convert(positive("bandwidth", mbps), "Mbps", "bps") * positive("efficiency", efficiency)
    return convert(bits / rate, "s", "h")


def duration(gb: float, line: Line, library: Heuristics) -> Estimate:
    """Hours to move `gb` over `line`."""
    rate = effective_rate(line, library)
    low, likely, high = (line_hours(gb, each, 1) for each in (rate.range.high, rate.range.likely, rate.range.low))
    step = Step("transfer", f"{gb:g} GB x 8 / {rate.range.likely:g} Mbps", likely, "h")
    return Estimate(Range(low, likely, high, "h"), (*rate.steps, step))


def streams_needed(line: Line, library: Heuristics) -> int:
    """How many parallel streams fill the line bought; 1 where loss does not bind."""
    if not line.loss or not line.rtt_ms or line.loss_tolerant:
        return 1
    return max(1, ceil(positive("bandwidth", line.mbps) / stream_limit(line.rtt_ms, line.loss, library).range.likely))


def bandwidth_needed(gb: float, days: float, library: Heuristics, *, private: bool = False) -> Estimate:
    """Mbps to buy so that `gb` arrives within `days`."""
    c = constants(library)
    share = c.private_line_efficiency if private else c.line_efficiency
    seconds = convert(positive("days allowed", days), "days", "s")
    bare = convert(convert(positive("data", gb), "GB", "B") * BITS_PER_BYTE / seconds, "bps", "Mbps")
    need = Range(bare / share.high, bare / share.value, bare / share.low, "Mbps")
    formula = f"{gb:g} GB x 8 / {days:g} days / {share.value:g}"
    return Estimate(need, (Step("bandwidth needed", formula, need.likely, "Mbps", (share.id,)),))


def courier(gb: float, library: Heuristics) -> Estimate:
    """Hours for a disk by courier: copying at both ends and the road."""
    c = constants(library)
    copies = 2
    road, copy = c.courier_days, c.courier_copy_rate
    amount = positive("data", gb)
    low, likely, high = (
        convert(days, "days", "h") + convert(copies * amount / rate, "s", "h")
        for days, rate in ((road.low, copy.high), (road.value, copy.value), (road.high, copy.low))
    )
    formula = f"{road.value:g} days + {copies} x {gb:g} GB / {copy.value:g} GB/s"
    return Estimate(Range(low, likely, high, "h"), (Step("courier", formula, likely, "h", (road.id, copy.id)),))


def courier_break_even(line: Line, library: Heuristics) -> Estimate:
    """GB above which a disk by courier arrives sooner than the line; `BadInput` where the line always wins."""
    c, rate = constants(library), effective_rate(line, library).range
    road, copy = c.courier_days, c.courier_copy_rate
    cases = ((road.low, copy.high, rate.low), (road.value, copy.value, rate.likely), (road.high, copy.low, rate.high))
    sizes = [_break_even(*case) for case in cases]
    low, likely, high = sizes
    if likely == inf:
        positive("GB at which a courier wins (the line is faster than copying to a disk)", likely)
    top = high if high != inf else max(likely, _break_even(road.high, copy.value, rate.high))
    top = top if top != inf else likely * 2
    formula = "days on the road / (hours a GB by line - hours a GB by copying)"
    return Estimate(Range(low, likely, top, "GB"), (Step("break-even", formula, likely, "GB", (road.id, copy.id)),))


def _break_even(days: float, copy_gb_s: float, mbps: float) -> float:
    copies = 2
    line_seconds = convert(BITS_PER_BYTE / convert(mbps, "Mbps", "bps"), "s", "s") * convert(1, "GB", "B")
    saved = line_seconds - copies / copy_gb_s
    return convert(days, "days", "s") / saved if saved > 0 else inf


def gradient_exchange(params_b: float, mbps: float, library: Heuristics) -> Estimate:
    """Minutes that one step's gradients take over a wide-area line: why training never spans one."""
    c = constants(library)
    gb = positive("parameters", params_b) * c.bytes_per_gradient.value * c.ring_passes.value
    minutes = convert(line_hours(gb, mbps, 1), "h", "min")
    formula = f"{params_b:g}e9 x {c.bytes_per_gradient.value:g} B x {c.ring_passes.value:g} at {mbps:g} Mbps"
    used = (c.bytes_per_gradient.id, c.ring_passes.id)
    return Estimate(
        Range(minutes, minutes, minutes, "min"), (Step("one step's exchange", formula, minutes, "min", used),)
    )
