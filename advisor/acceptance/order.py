"""What was ordered, and how an output measures up to it: shares and differences that rules can judge.

An order is a flat mapping of facts (by slot or id), or the JSON of an answer or a pack, whose recommendation is taken.
What an order does not say is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.acceptance.cards import same_card
from advisor.acceptance.limits import links_of
from advisor.acceptance.naming import find_card
from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, most
from advisor.acceptance.structured import dig, figure
from advisor.core.facts import Value
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.knowledge.records.compatibility import DriverFloor
from advisor.knowledge.records.gpus import Gpu

# What an order may say beside the facts of a consultation: words of the paper, compared by this module only.
SAID = ("bandwidth_mbps", "storage_gb", "host_ram_gb", "nvlink", "storage.kind", "storage.raid", "backup.kind")
EXTRAS = ("sync_window_h", "rdma_gbps", "raid", "snapshots", "cuda")


@dataclass(frozen=True)
class Order:
    """The card as the order names it, and the facts it states."""

    card: str = ""
    facts: Mapping[str, Value] = field(default_factory=dict)
    extras: Mapping[str, object] = field(default_factory=dict)
    """Values of `EXTRAS` as they were written."""
    items: tuple[str, ...] = ()
    """The checklist that belongs to the order, where it is an answer or a pack."""


def flat(data: Mapping[str, Any]) -> dict[str, object]:
    """The slots of an order: a flat mapping as it stands, or the recommendation of an answer or a pack."""
    plan = data.get("recommended") or data.get("plan")
    if not isinstance(plan, Mapping):
        return dict(data)
    understood = data.get("understood")
    # What was said is ordered too, unless the plan says otherwise.
    found: dict[str, object] = (
        {slot: understood[slot] for slot in SAID if slot in understood} if isinstance(understood, Mapping) else {}
    )
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
    levels = (
        [str(one["raid"]) for one in storage if isinstance(one, Mapping) and one.get("raid")]
        if isinstance(storage, list)
        else []
    )
    kinds = (
        [str(one["kind"]) for one in storage if isinstance(one, Mapping) and one.get("kind")]
        if isinstance(storage, list)
        else []
    )
    if levels:
        found["raid"] = levels[0]
    if kinds:
        found["storage.kind"] = kinds[0]
    build = dig(plan, "software", "build")
    if isinstance(build, str):
        found["cuda"] = build
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
            reading.say(nvlink_ordered=card.nvlink_kind == "nvlink")
            if "nvlink_links" in reading.facts:
                reading.count(links_ordered=links_of(card, library))
            if "driver_branch" in reading.facts:
                reading.measure("", driver_needed=_driver(card, order.extras.get("cuda"), library))
    nvlink = order.facts.get("gpu.nvlink")
    if isinstance(nvlink, bool):
        reading.say(nvlink_ordered=nvlink)
    if order.facts.get("storage.kind") == "nvme":
        reading.say(disk_is_nvme=True)
    reading.measure("%", ram_short=_short(reading.facts.get("ram"), order.facts.get("host.ram")))
    reading.measure("%", disk_short=_short(reading.facts.get("disk_size"), order.facts.get("storage.size")))
    _lines(reading, order)
    _arrays(reading, order)


def _lines(reading: Reading, order: Order) -> None:
    """Rates and durations against the purchased line, the agreed window and the ordered port."""
    line = order.facts.get("line.bandwidth")
    for fact, share in (("rate", "rate_share"), ("sync_rate", "sync_line_share"), ("mathis_rate", "mathis_line_share")):
        rate = reading.facts.get(fact)
        if fact == "mathis_rate" and reading.values.get("lost") == 0:
            # Without a loss seen the bound is a floor, and no ceiling to hold the line against.
            continue
        if isinstance(rate, Quantity) and isinstance(line, Quantity) and line.value:
            reading.measure("%", **{share: 100 * rate.value / line.to(rate.unit).value})
    window, took = _figure(order.extras.get("sync_window_h")), reading.facts.get("sync_time")
    if window and isinstance(took, Quantity):
        reading.measure("%", sync_window_share=100 * took.to("h").value / window)
    ordered = _figure(order.extras.get("rdma_gbps"))
    port, measured = reading.facts.get("port_rate"), reading.facts.get("rdma_rate")
    if ordered and isinstance(port, Quantity):
        reading.measure("%", port_order_share=100 * port.value / ordered)
    if ordered and isinstance(measured, Quantity):
        reading.measure("%", rdma_share=100 * measured.value / ordered)
        reading.facts.pop("rdma_unheld", None)


def _arrays(reading: Reading, order: Order) -> None:
    """RAID level and snapshots."""
    level = str(order.extras.get("raid") or order.facts.get("storage.raid") or "").lower()
    seen = [one for one in str(reading.values.get("raid", "")).split(",") if one]
    if level and level != "none" and seen:
        reading.say(raid_as_ordered=any(one == level or one.startswith(level + "_") for one in seen))
        if level in seen:
            # What was ordered without redundancy is delivered as ordered.
            reading.facts.pop("raid_redundant", None)
    wanted = order.extras.get("snapshots")
    if wanted is True or order.facts.get("backup.kind") == "provider_snapshot":
        reading.say(snapshot_ordered=True if "snapshots" in reading.facts else None)


def _figure(value: object) -> float | None:
    return number(str(value)) if value is not None else None


def _driver(card: Gpu, cuda: object, library: Library) -> float | None:
    """The branch that the card needs or the CUDA of the software, whichever is newer."""
    needed = [number(card.min_driver.value.split(".")[0])] if card.min_driver.value else []
    found = re.search(r"(?:cu|cuda\s*)?(?P<major>1\d)\.?\d?", str(cuda).lower()) if cuda else None
    if found:
        needed += [
            number(row.driver.split(".")[0])
            for key in library.compatibility
            if key.startswith("drivers.")
            and isinstance(row := library.compatibility[key], DriverFloor)
            and row.update == "family"
            and row.cuda == found["major"]
        ]
    return most(needed)


def _short(seen: Value | None, ordered: Value | None) -> float | None:
    """How far what is there lies under what was ordered, in per cent."""
    if not isinstance(seen, Quantity) or not isinstance(ordered, Quantity) or not ordered.value:
        return None
    want = ordered.to(seen.unit).value
    return max(0.0, 100 * (want - seen.value) / want)
