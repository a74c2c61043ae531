"""What the figures of a sentence measure: one word for each meaning that `Parts.measure` knows.

Decided by the unit and by what stands beside it (a card, a model, a line, a power supply). A figure may be read in two
ways; then both are named, the likelier first.
"""

from __future__ import annotations

from advisor.claims.figures import Figure
from advisor.claims.sentence import Sentence

_NAMES = ("memory", "bandwidth", "cores", "cards")
_FIRST = ("rent", "duration", "transfer", "rtt")
_MONEY = ("CNY", "USD", "HKD")


def measures(sentence: Sentence) -> tuple[str, ...]:
    """The measures a sentence speaks of, the likeliest first; empty where there is none."""
    if "twice_parameters" in sentence.subjects:
        return ("memory_per_billion",)
    found: list[str] = []
    for figure in sentence.figures:
        found += [each for each in _of(figure, sentence) if each not in found]
    if "raid" in sentence.text and sentence.of("GB"):
        found.append("raid")
    if sentence.gpus and _trains(sentence) and not set(found) & {"duration", "memory_needed"}:
        found.append("fits")
    # A size beside a price or a time names the card or the data; the price or the time is what is claimed.
    return tuple(sorted(dict.fromkeys(found), key=lambda measure: (measure not in _FIRST) + (measure in _NAMES)))


def _of(figure: Figure, s: Sentence) -> tuple[str, ...]:
    about = s.subjects
    if figure.unit == "GB":
        return _bytes(s)
    if figure.unit == "GB/s":
        if "nvlink" in about:
            return ("nvlink",)
        if "pcie_bandwidth" in about:
            return ("pcie",)
        return ("disk_rate",) if about & {"nvme", "cold_disk"} else ("bandwidth_memory",)
    if figure.unit in ("TFLOPS", "TOPS"):
        return ("cpu_rate",) if about & {"cpu_model", "cpu_rate"} and not s.gpus else ("bf16",)
    if figure.unit == "W":
        return ("supply",) if "power_supplies" in about else ("node_power", "power")
    if figure.unit == "B/param":
        return ("bytes_per_parameter",)
    if figure.unit == "days":
        return ("transfer",) if s.data is not None and s.mbps is not None else ("duration",) if _trains(s) else ()
    if figure.unit == "Mbps":
        return ("network",) if "infiniband" in about else ("bandwidth",)
    if figure.unit in _MONEY:
        return _money(s)
    if figure.unit == "x":
        return ("ram_ratio", "ratio") if "host_ram" in about else ("ratio", "memory_per_billion")
    return {
        "ms": ("rtt",),
        "C": ("temperature",),
        "%": ("share", "utilisation"),
        "IOPS": ("iops",),
        "count": ("cores", "cards"),
    }.get(figure.unit, ())


def _trains(s: Sentence) -> bool:
    return s.params is not None or s.model is not None


def _bytes(s: Sentence) -> tuple[str, ...]:
    if s.subjects & {"host_ram"} or s.slots.get("host_ram_gb"):
        return ("ram",)
    if s.data is not None and s.mbps is not None:
        return ("transfer",)
    sized = s.params is not None or s.model is not None
    if not sized and (s.subjects & {"nvme", "raid0", "raid10", "cold_disk", "disk_sum"} or s.slots.get("storage_gb")):
        return ("disk",)
    if sized:
        if s.subjects & {"weights_size", "checkpoint"} and not s.gpus:
            return ("memory_needed",)
        carded = bool(s.gpus) or s.count is not None
        return ("fits", "memory_needed") if carded or "needs" not in s.cues else ("memory_needed", "fits")
    return ("memory",) if s.gpus else ()


def _money(s: Sentence) -> tuple[str, ...]:
    if "budget_tier" in s.subjects:
        return ("budget", "purchase")
    if "buying" in s.subjects:
        return ("purchase", "budget")
    return ("rent",) if s.period or "rent" in s.subjects else ("cost", "purchase", "budget")
