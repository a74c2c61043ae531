"""The cards and links that a training job runs on, as rates: peaks, memory bandwidth, links inside and between servers.

Built from a card's record and what is known of the server. Where the link is not stated it follows from the card:
NVLink where the form has it among all cards, else PCIe; between servers the network usual for that card. Refuses a
card whose bf16 peak or memory bandwidth is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log10

from advisor.core.units import convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import positive, whole
from advisor.knowledge.records.common import Figure as Known
from advisor.knowledge.records.gpus import Gpu

BITS_PER_BYTE = 8
# Widths and generations of PCIe as text: "4.0 x16".
_PCIE = re.compile(r"(\d+)(?:\.\d+)?.*?x\s*(\d+)")
_LANE_GENERATION = 3  # the generation whose lane rate `pcie3_lane` is
# "1600 Gbps" is bits, "8x50GB/s" bytes: the case of the b tells them apart.
_NETWORK = re.compile(r"(?:(\d+)\s*[x*]\s*)?(\d+(?:\.\d+)?)\s*(Gbps|Gbit/s|Gb/s|gbps|GB/s|GBps)")
_DIRECT = ("infinity_fabric", "hccs", "nvlink")


@dataclass(frozen=True, slots=True)
class LinkConstants:
    """Rates of links where nobody states them (knowledge/heuristics/links)."""

    pcie3_lane: Figure
    pcie_lanes: Figure
    cards_per_server: Figure
    cards_per_rack: Figure
    network_per_card_a100: Figure
    network_per_card_h100: Figure
    network_per_server_pcie: Figure
    switched_from: Figure
    reference_peak: Figure


@dataclass(frozen=True, slots=True)
class Machine:
    """Rates a second: operations (peaks), bytes (memory, links in one direction); None = the card cannot.

    `newer` is how far the bf16 peak lies above the reference card's, in powers of ten.
    """

    name: str
    bf16: float
    fp8: float | None
    fp4: float | None
    int8: float | None
    fp32: float | None
    memory: float
    near: float
    far: float
    pcie: float
    by_pcie: bool
    cards: int
    per_server: int
    newer: float = 0.0
    cdna: bool = False
    power_limited: bool = False


def machine(
    gpu: Gpu,
    cards: int,
    library: Heuristics,
    *,
    per_server: int | None = None,
    interconnect: str | None = None,
    power_limited: bool = False,
) -> Machine:
    """`cards` cards in servers of `per_server`; `interconnect` in words (`nvlink`, `pcie`, `1600 Gbps RoCE`, ...)."""
    c = load(LinkConstants, "links", library)
    words = interconnect or ""
    said = words.casefold()
    bf16 = positive(f"the bf16 peak of {gpu.name}", _rate(gpu.bf16, "FLOPS"))
    nvlink = _rate(gpu.nvlink, "B/s") or 0.0
    direct = gpu.nvlink_kind in _DIRECT
    rack = gpu.pcie.absent
    domain = per_server or int(c.cards_per_rack.value if rack else c.cards_per_server.value)
    pcie = _pcie(gpu, c)
    bridged = gpu.nvlink_kind == "nvlink_bridge" and (cards <= 2 or "nvlink" in said)
    by_pcie = not (direct or bridged) or nvlink == 0 or said in ("pcie", "none")
    return Machine(
        name=gpu.name,
        bf16=bf16,
        fp8=_rate(gpu.fp8, "FLOPS"),
        fp4=_rate(gpu.fp4, "FLOPS"),
        int8=_rate(gpu.int8, "FLOPS"),
        fp32=_rate(gpu.fp32, "FLOPS"),
        memory=positive(f"the memory bandwidth of {gpu.name}", _rate(gpu.bandwidth, "B/s")),
        near=pcie if by_pcie else nvlink / 2,
        far=_network(gpu, words, nvlink, direct, c),
        pcie=pcie,
        by_pcie=by_pcie,
        cards=whole("cards", cards),
        per_server=min(domain, cards) if per_server is None else whole("cards a server", per_server),
        newer=max(0.0, log10(bf16 / convert(c.reference_peak.value, c.reference_peak.unit, "FLOPS"))),
        cdna=gpu.architecture.startswith("cdna"),
        power_limited=power_limited,
    )


def _rate(figure: Known, unit: str) -> float | None:
    known = figure.get()
    return None if known is None else convert(known.value, known.unit, unit)


def _pcie(gpu: Gpu, c: LinkConstants) -> float:
    """Bytes a second in one direction; each generation doubles the third's lane."""
    found = _PCIE.search(gpu.pcie.value or "")
    generation, lanes = (int(found[1]), int(found[2])) if found else (_LANE_GENERATION, int(c.pcie_lanes.value))
    return convert(c.pcie3_lane.value, c.pcie3_lane.unit, "B/s") * 2.0 ** (generation - _LANE_GENERATION) * lanes


def _network(gpu: Gpu, said: str, nvlink: float, direct: bool, c: LinkConstants) -> float:
    """Bytes a second that one card has towards other servers."""
    stated = _NETWORK.search(said)
    cards = c.cards_per_server.value
    if stated:
        rate = convert(float(stated[2]) * float(stated[1] or 1), "GB/s", "B/s") / cards
        return rate if stated[3].startswith("GB") else rate / BITS_PER_BYTE
    if not direct or nvlink == 0 or "ethernet" in said.casefold():
        return convert(c.network_per_server_pcie.value, c.network_per_server_pcie.unit, "B/s") / cards
    newer = nvlink >= convert(c.switched_from.value, c.switched_from.unit, "B/s")
    usual = c.network_per_card_h100 if newer else c.network_per_card_a100
    return convert(usual.value, usual.unit, "B/s")
