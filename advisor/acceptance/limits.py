"""What is published of the card that an output shows: links, boards, and what NVIDIA's diagnostics ask of it.

Only a card that knowledge holds is compared, and only with figures that are no plain slip (`suspect`). Where several
records bear one name the mildest counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from advisor.acceptance.naming import find_card
from advisor.acceptance.numerals import number, percent
from advisor.acceptance.reading import Reading, least
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.knowledge.records.common import Figure
from advisor.knowledge.records.faults import CardLimits
from advisor.knowledge.records.gpus import Gpu

# Family -> the heuristic that holds its links per card.
LINKS = {"a100": "a100", "a800": "a800", "h800": "a800", "h100": "h100", "h200": "h100", "h20": "h100", "b200": "h100"}
_DEVICE = re.compile(r"^0x(?P<device>[0-9A-Fa-f]{4})10DE$", re.IGNORECASE)


def links_of(card: Gpu, library: Library) -> float | None:
    """NVLink links per card of a fully joined card; None where there are none or knowledge has no count."""
    known = LINKS.get(re.sub(r"[^a-z0-9]", "", card.family.lower()))
    if card.nvlink_kind != "nvlink" or known is None:
        return None
    return library.heuristic(f"acceptance.nvlink_links_{known}").value


def hold(reading: Reading, card: Gpu, library: Library) -> None:
    """Add what the card should have beside what was seen."""
    count = reading.facts.get("gpus")
    if isinstance(count, Quantity) and card.nvlink_kind == "nvlink":
        # Boards of cards that are all joined carry a power of two of them, and so does a slice for a virtual machine.
        number_of = int(count.value)
        reading.say(odd_count=True if number_of & (number_of - 1) else None)
    if "nvlink_links" in reading.facts:
        reading.count(links_expected=links_of(card, library))
    _device(reading, card, library)
    records = list(_records(card, library))
    rate = least(_used(records, "memory_bandwidth", lambda record: record.memory_bandwidth))
    if "memory_rate" in reading.facts and rate is not None:
        reading.measure("GB/s", card_memory_rate=rate / 1000)
    limit = reading.values.get("power_limit_w", reading.values.get("power_cap_w"))
    power = least(_used(records, "power", lambda record: record.power))
    if isinstance(limit, int | float) and power and card.form == "datacenter":
        reading.measure("%", power_share=percent(float(limit), power))
    _local_copy(reading, card)
    measured, peak = reading.facts.get("matmul_rate"), card.bf16.get()
    # What is published was measured on boards of joined cards; others are held back by their power limit.
    if isinstance(measured, Quantity) and peak is not None and card.vendor == "NVIDIA" and card.nvlink_kind == "nvlink":
        share = percent(measured.value, peak.to("TFLOPS").value)
        reading.show(peak_low_pct=round(share, 1) if share is not None else None)
        reading.measure("%", matmul_share=share)


def _records(card: Gpu, library: Library) -> Iterator[CardLimits]:
    """The limits of this very card."""
    for key in library.faults:
        record = library.faults[key] if key.startswith("card.") else None
        if isinstance(record, CardLimits):
            found = find_card(record.name, library)
            if found is not None and found.id == card.id:
                yield record


def _used(records: list[CardLimits], name: str, figure: Callable[[CardLimits], Figure]) -> list[float | None]:
    quantities = [figure(record).get() for record in records if name not in record.suspect]
    return [None if quantity is None else quantity.value for quantity in quantities]


def _device(reading: Reading, card: Gpu, library: Library) -> None:
    """The PCI id is harder to change than a name: does it belong to a card of the same family?"""
    shown = reading.values.get("device_id")
    found = _DEVICE.match(str(shown)) if shown is not None else None
    record = library.faults.get(f"card.card_{found['device'].lower()}") if found else None
    if isinstance(record, CardLimits):
        real = find_card(record.name, library)
        if real is not None:
            reading.say(device_as_named=real.family == card.family)


def _local_copy(reading: Reading, card: Gpu) -> None:
    """A copy within a card reads and writes each byte; nvbandwidth counts it once."""
    copied, peak = number(str(reading.values.get("local_copy_gb_s", ""))), card.bandwidth.get()
    if copied is None or peak is None:
        return
    share = 100 * 2 * copied / peak.to("GB/s").value
    reading.measure("%", stream_share=share if share <= 100 else share / 2)
    reading.show(peak_low_pct=round(share if share <= 100 else share / 2, 1))
