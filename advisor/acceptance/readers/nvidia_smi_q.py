"""nvidia-smi -q, whole or an excerpt: ECC, remapped rows, retired pages, temperatures, throttling, fabric, links.

The output is an indented tree; a value is found by its path, so that `Pending` of the remapped rows is never taken for
`Pending` of the ECC mode. Temperatures of newer cards are margins (T.Limit) and are kept apart from degrees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.acceptance.numerals import number
from advisor.acceptance.readers.nvidia_smi import branch, errors
from advisor.acceptance.reading import Reading, least, most, together

_LINE = re.compile(r"^(?P<indent>\s*)(?P<key>[^:]*?[^:\s])\s*:(?:\s(?P<value>.*))?$")
_CARD = re.compile(r"^[ \t]*GPU (?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f.]+)\s*$")
Card = dict[str, str]


def read(text: str) -> Reading:
    """One dictionary of paths a card, then the figures of the worst card."""
    reading = Reading("nvidia-smi-q")
    errors(text, reading)
    head, cards = _tree(text)
    driver = next((head[key] for key in ("Driver Version", "KMD Version") if key in head), "").split(" ")[0]
    cuda = next((head[key] for key in ("CUDA Version", "CUDA UMD Version") if key in head), "").split(" ")[0]
    reading.version = driver
    attached = number(head.get("Attached GPUs"))
    named = [card for card in cards if "bus" in card]
    reading.show(driver=driver, cuda=cuda, gpus=attached if attached is not None else len(named) or None)
    reading.measure("", driver_branch=branch(driver))
    reading.cards = [card["Product Name"] for card in named if "Product Name" in card]
    reading.complete = bool(cards) and (attached is None or attached == len(named)) and _ends_whole(text)
    if named:
        reading.count(gpus=len(named))
    _identity(reading, cards)
    _errors(reading, cards)
    _remapping(reading, cards)
    _heat(reading, cards)
    _links(reading, cards)
    return reading


def _ends_whole(text: str) -> bool:
    """A line that breaks off before its colon shows that the text was cut."""
    lines = [line for line in text.split("\n") if line.strip()]
    last = lines[-1].strip() if lines else ""
    headings = ("Processes", "Fabric", "Accounted Processes", "Volatile", "Aggregate", "Remapped Rows")
    if "Product Name" in text and not re.search(r"^[ \t]*(?:Processes|Temperature)\b", text, re.MULTILINE):
        return False
    return ":" in last or last in headings or bool(re.match(r"^[\w@.-]*[$#>]", last))


def _tree(text: str) -> tuple[Card, list[Card]]:
    """The head, and one mapping of `Section/Key` paths for every card."""
    head: Card = {}
    cards: list[Card] = []
    stack: list[tuple[int, str]] = []
    current = head
    for line in text.split("\n"):
        if card := _CARD.match(line):
            current = {"bus": card["bus"]}
            cards.append(current)
            stack = []
            continue
        found = _LINE.match(line)
        indent = len(line) - len(line.lstrip())
        words = line.strip()
        if not words or "=====" in words:
            continue
        while stack and stack[-1][0] >= indent:
            stack.pop()
        if not found or found["value"] is None:
            if re.fullmatch(r"[A-Za-z][\w /.()-]*", words):
                stack.append((indent, words))
            continue
        path = "/".join([*(name for _, name in stack), found["key"].strip()])
        current.setdefault(path, found["value"].strip())
    if not cards and len(head) > 1 and any("/" in key for key in head):
        cards = [head]
    return head, cards


def _all(cards: list[Card], *paths: str) -> list[str]:
    """Every value that stands at one of the ends of a path, over all cards."""
    return [value for card in cards for key, value in card.items() for path in paths if _ends(key, path)]


def _ends(key: str, path: str) -> bool:
    return key == path or key.endswith("/" + path)


def _numbers(values: Iterable[str]) -> Iterator[float | None]:
    return (None if value.startswith(("N/A", "[N/A")) else number(value) for value in values)


def _yes(values: list[str]) -> bool | None:
    """True where any is yes, False where all are no; None where there is none or one is N/A."""
    if any(value.lower().startswith("yes") for value in values):
        return True
    return False if values and all(value.lower().startswith("no") for value in values) else None


def _identity(reading: Reading, cards: list[Card]) -> None:
    total = list(_numbers(_all(cards, "FB Memory Usage/Total")))
    used = list(_numbers(_all(cards, "FB Memory Usage/Used")))
    util = list(_numbers(_all(cards, "Utilization/GPU", "Utilization/Gpu")))
    mig = _all(cards, "MIG Mode/Current")
    reading.show(
        name=together(reading.cards),
        mem_total_mib=least(total),
        mem_used_mib=most(used),
        util_pct=most(util),
        persist=together(_all(cards, "Persistence Mode")),
        mig=together(mig),
        vbios=together(_all(cards, "VBIOS Version")),
        device_id=together(_all(cards, "PCI/Device Id")),
    )
    reading.measure("MiB", memory_total=least(total))
    reading.say(mig=any(value == "Enabled" for value in mig) if mig else None)


def _errors(reading: Reading, cards: list[Card]) -> None:
    volatile = [v for card in cards for k, v in card.items() if "ECC Errors/Volatile/SRAM Uncorr" in k]
    aggregate = [v for card in cards for k, v in card.items() if "ECC Errors/Aggregate/SRAM Uncorr" in k]
    dram = _all(cards, "Volatile/DRAM Uncorrectable", "Aggregate/DRAM Uncorrectable")
    old = [v for card in cards for k, v in card.items() if re.search(r"(?:Double Bit|Uncorrectable)/Total$", k)]
    fixed = _all(cards, "Volatile/DRAM Correctable", "Aggregate/DRAM Correctable")
    sram_fixed = _all(cards, "Volatile/SRAM Correctable", "Aggregate/SRAM Correctable")
    modes = _all(cards, "ECC Mode/Current")
    worst_volatile, worst_aggregate = most(_numbers(volatile)), most(_numbers(aggregate))
    reading.show(
        ecc=together(modes),
        sram_unc_vol=worst_volatile,
        sram_unc_agg=worst_aggregate,
        dram_unc=most(_numbers(dram)),
        dram_corr=most(_numbers(fixed)),
        recovery_action=together(_all(cards, "GPU Recovery Action")),
    )
    reading.count(
        sram_uncorrected=most([worst_volatile, worst_aggregate]),
        sram_corrected=most(_numbers(sram_fixed)),
        dram_uncorrected=most([*_numbers(dram), *_numbers(old)]),
        dram_corrected=most(_numbers(fixed)),
    )
    actions = _all(cards, "GPU Recovery Action")
    repairs = [
        _yes(_all(cards, path)) for path in ("Channel Repair Pending", "TPC Repair Pending", "Unrepairable Memory")
    ]
    reading.say(
        sram_threshold=_yes(_all(cards, "SRAM Threshold Exceeded")),
        repair_asked=True if True in repairs else False if False in repairs else None,
        recovery_asked=any(action not in ("None", "N/A") for action in actions) if actions else None,
    )


def _remapping(reading: Reading, cards: list[Card]) -> None:
    pending, failure = _all(cards, "Remapped Rows/Pending"), _all(cards, "Remapping Failure Occurred")
    rows = _all(cards, "Remapped Rows/Uncorrectable Error")
    whole = [card.get("Remapped Rows", "") for card in cards]
    reading.show(
        pending=together(pending),
        failure=together(failure),
        remapped_unc=most(_numbers(rows)),
        bank_max=least(_numbers(_all(cards, "Bank Remap Availability Histogram/Max"))),
        bank_low=most(_numbers(_all(cards, "Bank Remap Availability Histogram/Low"))),
        bank_none=most(_numbers(_all(cards, "Bank Remap Availability Histogram/None"))),
    )
    reading.say(remap_pending=_yes(pending), remap_failure=_yes(failure))
    fixed = _all(cards, "Remapped Rows/Correctable Error")
    shown = {len(pending), len(failure), len(rows), len(fixed)} == {len(cards)} if pending or failure or rows else False
    words = all(value in ("Yes", "No", "N/A") for value in [*pending, *failure])
    figures = all(re.fullmatch(r"\d+|N/A", value) for value in [*rows, *fixed])
    if (pending or failure or rows) and not (shown and words and figures):
        reading.complete = False
    reading.say(remap_shown=shown or all(value == "N/A" for value in whole))
    if any(value == "N/A" for value in [*pending, *failure, *rows]) or "N/A" in whole:
        reading.say(remap_unreadable=True)
    reading.count(
        remapped_rows=most(_numbers(rows)),
        banks_low=most(_numbers(_all(cards, "Bank Remap Availability Histogram/Low"))),
        banks_none=most(_numbers(_all(cards, "Bank Remap Availability Histogram/None"))),
    )
    _retired(reading, cards)


def _retired(reading: Reading, cards: list[Card]) -> None:
    """Retired pages of each card; pending counts with the card that has most."""
    sums, pending = [], []
    for card in cards:
        single = most(_numbers(_all([card], "Retired Pages/Single Bit ECC", "Single Bit ECC/Page Count")))
        double = most(_numbers(_all([card], "Retired Pages/Double Bit ECC", "Double Bit ECC/Page Count")))
        if single is not None or double is not None:
            sums.append((single or 0) + (double or 0))
            pending.append(any(v == "Yes" for v in _all([card], "Pending Page Blacklist", "Retired Pages/Pending")))
    if sums:
        reading.show(retired_pages=max(sums), retired_pending_gpus=sum(pending))
        reading.count(retired_pages=max(sums))
        reading.say(retired_pending=any(pending))


def _heat(reading: Reading, cards: list[Card]) -> None:
    degrees = most(_numbers(_all(cards, "GPU Current Temp")))
    margin = least(_numbers(_all(cards, "GPU T.Limit Temp")))
    reading.show(temp_c=degrees, t_limit_margin_c=margin)
    reading.measure("C", temperature=degrees, temperature_margin=margin)
    active = {
        name: any(value == "Active" for value in _all(cards, path)) if _all(cards, path) else None
        for name, path in (
            ("hw_slowdown", "HW Thermal Slowdown"),
            ("power_brake", "HW Power Brake Slowdown"),
            ("sw_thermal", "SW Thermal Slowdown"),
        )
    }
    reading.say(**active)
    limits = [
        one
        for one in _numbers(_all(cards, "GPU Power Readings/Current Power Limit", "Power Readings/Power Limit"))
        if one is not None
    ]
    usual = [
        one
        for one in _numbers(_all(cards, "Power Readings/Default Power Limit", "GPU Power Readings/Default Power Limit"))
        if one is not None
    ]
    reading.show(power_limit_w=least(limits), power_default_w=least(usual))
    if limits:
        reading.say(power_caps_differ=len(set(limits)) > 1)
    if limits and len(limits) == len(usual):
        reading.say(power_cap_low=any(limit < normal for limit, normal in zip(limits, usual, strict=True)))
    state, status = _all(cards, "Fabric/State"), _all(cards, "Fabric/Status")
    asked = [value for value in state if value != "N/A"]
    reading.show(fabric="/".join(one for one in (together(state), together(status)) if one) if asked else None)
    if asked:
        good = all(value == "Completed" for value in asked) and all(v in ("Success", "N/A") for v in status)
        reading.say(fabric_done=good)


def _links(reading: Reading, cards: list[Card]) -> None:
    """The link's generation is shown; it is judged under load only, so the facts go with the load."""
    gen, top = _all(cards, "PCIe Generation/Current"), _all(cards, "PCIe Generation/Max")
    width, wide = _all(cards, "Link Width/Current"), _all(cards, "Link Width/Max")
    reading.show(
        pcie_gen=least(_numbers(gen)),
        pcie_gen_max=least(_numbers(top)),
        pcie_width=least(_numbers(width)),
        pcie_width_max=least(_numbers(wide)),
    )
    reading.count(
        pcie_gen=least(_numbers(gen)),
        pcie_gen_max=least(_numbers(top)),
        pcie_width=least(_numbers(width)),
        pcie_width_max=least(_numbers(wide)),
    )
    reading.measure("%", util=most(_numbers(_all(cards, "Utilization/GPU", "Utilization/Gpu"))))
