"""What was ordered, and how an output measures up to it: shares and differences that rules can judge.

An order is a flat mapping of facts (by slot or id), or the JSON of an answer or a pack, whose recommendation is taken.
What an order does not say is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.acceptance.cards import find_card, same_card
from advisor.acceptance.reading import Reading
from advisor.acceptance.structured import dig, figure
from advisor.core.facts import Value
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu

# GB a second of one NVLink link, both ways, by generation; links = total over this.
_LINKS = {"a100": "a100", "a800": "a800", "h800": "a800", "h100": "h100", "h200": "h100", "h20": "h100", "b200": "h100"}


@dataclass(frozen=True)
class Order:
    """The card as the order names it, and the facts it states."""

    card: str = ""
    facts: Mapping[str, Value] = field(default_factory=dict)


def flat(data: Mapping[str, Any]) -> dict[str, object]:
    """The slots of an order: a flat mapping as it stands, or the recommendation of an answer or a pack."""
    plan = data.get("recommended") or data.get("plan")
    if not isinstance(plan, Mapping):
        return dict(data)
    found: dict[str, object] = {}
    for slot, key in (("gpu_model", "gpu"), ("gpu_count", "gpu_count"), ("host.cpu_cores", "cpu_cores")):
        if plan.get(key) is not None:
            found[slot] = plan[key]
    ram = figure(plan, "ram_gib")
    if ram is not None:
        found["host_ram_gb"] = ram * 2**30 / 10**9
    storage = dig(plan, "storage")
    sizes = [size for one in storage if (size := figure(one, "gb")) is not None] if isinstance(storage, list) else []
    if sizes:
        found["storage_gb"] = sum(sizes)
    line = figure(plan, "network", "bandwidth_mbps")
    if line is not None:
        found["bandwidth_mbps"] = line
    return found


def measure_up(reading: Reading, order: Order, library: Library) -> None:
    """Add what the order implies for this output."""
    if order.card:
        if reading.cards:
            reading.say(card_as_ordered=same_card(reading.cards, order.card, library))
        card = library.gpus[order.card] if order.card in library.gpus else find_card(order.card, library)
        if card is not None:
            _links(reading, card, library)
    nvlink = order.facts.get("gpu.nvlink")
    if isinstance(nvlink, bool):
        reading.say(nvlink_ordered=nvlink)
    if order.facts.get("storage.kind") == "nvme":
        reading.say(disk_is_nvme=True)
    reading.measure("%", ram_short=_short(reading.facts.get("ram"), order.facts.get("host.ram")))
    reading.measure("%", disk_short=_short(reading.facts.get("disk_size"), order.facts.get("storage.size")))
    rate, line = reading.facts.get("rate"), order.facts.get("line.bandwidth")
    if isinstance(rate, Quantity) and isinstance(line, Quantity) and line.value:
        reading.measure("%", rate_share=100 * rate.value / line.to(rate.unit).value)


def _links(reading: Reading, card: Gpu, library: Library) -> None:
    reading.say(nvlink_ordered=card.nvlink_kind == "nvlink")
    known = _LINKS.get(re.sub(r"[^a-z0-9]", "", card.family.lower()))
    if card.nvlink_kind == "nvlink" and known and "nvlink_links" in reading.facts:
        reading.count(links_ordered=library.heuristic(f"acceptance.nvlink_links_{known}").value)


def _short(seen: Value | None, ordered: Value | None) -> float | None:
    """How far what is there lies under what was ordered, in per cent."""
    if not isinstance(seen, Quantity) or not isinstance(ordered, Quantity) or not ordered.value:
        return None
    want = ordered.to(seen.unit).value
    return max(0.0, 100 * (want - seen.value) / want)
