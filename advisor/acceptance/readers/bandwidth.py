"""Bandwidth of memory and links: nvbandwidth, the GPU STREAM of superbench, ib_write_bw.

Each figure is of the slowest card or port. A matrix with a row missing, or a test that was begun and has no sum, was
cut.
"""

from __future__ import annotations

import re
from typing import Any

from advisor.acceptance.blocks import blocks
from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, least, most, together
from advisor.acceptance.structured import dig, json_span

_TEST = re.compile(r"^[ \t]*Running (?P<name>\w+)\.?\s*$", re.MULTILINE)
_SUM = re.compile(r"^[ \t]*SUM (?P<name>\w+) (?P<sum>\d+\.?\d*)", re.MULTILINE)
_CELLS = re.compile(r"^[ \t]*(?P<row>\d+)\s+(?P<cells>(?:(?:[\d.]+|N/A)\s*)+)$", re.MULTILINE)
_DEVICE = re.compile(r"^[ \t]*Device (?P<index>\d+): (?P<name>.+?)(?: \([0-9a-fA-F:.]+\))?\s*$", re.MULTILINE)
_H2D, _D2H, _D2D = "host_to_device_memcpy_ce", "device_to_host_memcpy_ce", "device_to_device_memcpy_read_ce"
_LOCAL = "device_local_copy"


def read_nvbandwidth(text: str) -> Reading:
    """The slowest card of each copy in GB/s."""
    reading = Reading("nvbandwidth")
    span = json_span(text)
    if span is not None and dig(span[0], "nvbandwidth") is not None:
        return _from_json(reading, dig(span[0], "nvbandwidth"))
    version = re.search(r"nvbandwidth Version:\s*(?P<version>\S+)", text)
    driver = re.search(r"^Driver Version:\s*(?P<driver>[\d.]+)", text, re.MULTILINE)
    reading.version = version["version"] if version else ""
    reading.cards = [found["name"].strip() for found in _DEVICE.finditer(text)]
    reading.show(driver=driver["driver"] if driver else None, name=together(reading.cards))
    sums = {found["name"]: number(found["sum"]) for found in _SUM.finditer(text)}
    tests = {start["name"]: block for start, block in blocks(text, list(_TEST.finditer(text)))}
    figures = {}
    for name in (_H2D, _D2H, _D2D, _LOCAL):
        block = tests.get(name, "").partition("SUM")[0]
        cells = [number(cell) for row in _CELLS.finditer(block) for cell in row["cells"].split() if "." in cell]
        figures[name] = least(cells) if name in sums else None
        if name == _H2D and cells:
            reading.show(h2d_gb_s=cells[0], h2d_low_gb_s=least(cells))
    reading.show(d2h_low_gb_s=figures[_D2H], d2d_low_gb_s=figures[_D2D], waived=text.count("Waived") or None)
    _local(reading, figures[_LOCAL])
    reading.complete = bool(sums) and all(name in sums for name, block in tests.items() if "bandwidth (GB/s)" in block)
    reading.measure("GB/s", host_to_device=figures[_H2D])
    reading.count(cards_tested=len(reading.cards) or None)
    if re.search(r"ERROR|error \d+|CUDA_ERROR", text):
        reading.ran = bool(sums)
    return reading


def _local(reading: Reading, copied: float | None) -> None:
    """A copy within the card moves each byte twice: read and written."""
    reading.show(local_copy_gb_s=copied)
    reading.measure("GB/s", memory_rate=2 * copied if copied is not None else None)


def _from_json(reading: Reading, data: Any) -> Reading:
    """`nvbandwidth --json`: a matrix of texts a test."""
    reading.version = str(dig(data, "git_version") or dig(data, "version") or "")
    listed = dig(data, "GPU Device list")
    names = [str(one) for one in listed] if isinstance(listed, list) else []
    reading.cards = [re.sub(r"^\d+: | \([0-9a-fA-F:.]+\)$", "", name) for name in names]
    driver = dig(data, "Driver Version")
    reading.show(driver=driver if isinstance(driver, str) else None, name=together(reading.cards))
    figures: dict[str, float | None] = {}
    tests = dig(data, "testcases")
    for test in tests if isinstance(tests, list) else []:
        matrix = dig(test, "bandwidth_matrix")
        rows = matrix if isinstance(matrix, list) else []
        cells = [number(str(cell)) for row in rows if isinstance(row, list) for cell in row]
        if str(dig(test, "status")) == "Passed":
            figures[str(dig(test, "name"))] = least(cells)
            if dig(test, "name") == _H2D and cells:
                reading.show(h2d_gb_s=cells[0], h2d_low_gb_s=least(cells))
        elif str(dig(test, "status")) in ("Error", "Failed"):
            reading.ran = False
    reading.complete = any(one is not None for one in figures.values())
    reading.show(d2h_low_gb_s=figures.get(_D2H), d2d_low_gb_s=figures.get(_D2D))
    _local(reading, figures.get(_LOCAL))
    reading.measure("GB/s", host_to_device=figures.get(_H2D))
    reading.count(cards_tested=len(reading.cards) or None)
    return reading


_STREAM = re.compile(
    r"STREAM_(?P<kind>COPY|SCALE|ADD|TRIAD)_\w+?_gpu_(?P<gpu>\d+)_buffer_\d+_block_\d+\s+(?P<rate>\d+\.?\d*)\s+(?P<share>\d+\.?\d*)"
)


def read_stream(text: str) -> Reading:
    """The best TRIAD of each card; the slowest card counts."""
    reading = Reading("gpu-stream")
    triads: dict[str, tuple[float, float]] = {}
    for found in _STREAM.finditer(text):
        rate, share = number(found["rate"]), number(found["share"])
        if found["kind"] == "TRIAD" and rate is not None and share is not None:
            triads[found["gpu"]] = max(triads.get(found["gpu"], (0.0, 0.0)), (rate, share))
    devices = re.findall(r'^[ \t]*Device (\d+): "(.+?)"', text, re.MULTILINE)
    reading.cards = [name for _, name in devices]
    reading.complete = bool(triads) and len(triads) >= len(devices)
    reading.show(gpus=len(triads) or None, name=together(reading.cards))
    if triads:
        slowest = min(triads.values())
        first = triads.get("0", slowest)
        reading.show(triad_gb_s=first[0], peak_pct=first[1], triad_low_gb_s=slowest[0], peak_low_pct=slowest[1])
        reading.measure("%", stream_share=min(share for _, share in triads.values()))
        reading.measure("GB/s", memory_rate=slowest[0])
        reading.count(cards_tested=len(triads))
        _spread(reading, [rate for rate, _ in triads.values()])
    return reading


def _spread(reading: Reading, rates: list[float]) -> None:
    low, high = least(rates), most(rates)
    if len(rates) > 1 and low is not None and high:
        reading.measure("%", card_spread=100 * (high - low) / high)


_IB = re.compile(
    r"^[ \t]*(?P<bytes>\d+)\s+(?P<iterations>\d+)\s+(?P<peak>\d+\.?\d*)\s+(?P<average>\d+\.?\d*)"
    r"\s+(?P<rate>\d+\.?\d*)\s*$",
    re.MULTILINE,
)


def read_ib(text: str) -> Reading:
    """The average of the largest message; the unit stands in the heading."""
    reading = Reading("ib_write_bw")
    rows = list(_IB.finditer(text))
    unit = re.search(r"BW average\[(?P<unit>[^\]]+)\]", text)
    reading.complete = bool(rows) and unit is not None
    device = re.search(r"Device\s*:\s*(?P<device>\S+)", text)
    reading.show(device=device["device"] if device else None)
    if re.search(r"Couldn't|Unable to|Failed|ERROR", text) and not rows:
        reading.ran = False
    if rows and unit:
        last = max(rows, key=lambda row: int(row["bytes"]))
        average, peak = number(last["average"]), number(last["peak"])
        name = "gbps" if "Gb" in unit["unit"] else "mb_s"
        reading.show(**{f"bw_avg_{name}": average, f"bw_peak_{name}": peak, "bytes": number(last["bytes"])})
        if average is not None:
            # MB/sec of perftest are 2^20 bytes.
            reading.measure("Gbps", rdma_rate=average if name == "gbps" else average * 8 * 2**20 / 10**9)
    return reading
