"""nccl-tests: the bus bandwidth of the largest size, not the average, with what makes a run void.

One rank has a bus bandwidth of zero by formula, and a build without MPI thinks each rank alone; both print rows that
look fine. The better of out-of-place and in-place is what the links can do.
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, least

_RANK = re.compile(r"#\s+Rank\s+(?P<rank>\d+).*?\bon\s+(?P<host>\S+)\s+device\s+\d+\s+\[[^\]]*\]\s+(?P<name>[^\n]+)")
_ROW = re.compile(
    r"^[ \t]*(?P<size>\d+)\s+(?P<count>\d+)\s+(?P<type>[a-z]\w+)\s+(?P<op>\S+)(?:\s+(?P<root>-?\d+))?"
    r"\s+(?P<time>\d+\.?\d*)\s+(?P<algbw>\d+\.?\d*)\s+(?P<busbw>\d+\.?\d*)\s+(?P<wrong>[\d.e+]+|N/A)"
    r"(?:\s+(?P<time2>\d+\.?\d*)\s+(?P<algbw2>\d+\.?\d*)\s+(?P<busbw2>\d+\.?\d*)\s+(?P<wrong2>[\d.e+]+|N/A))?\s*$",
    re.MULTILINE,
)
_BEGUN = re.compile(r"^[ \t]*\d+\s+\d+\s+(?:float|half|bfloat16|double|u?int\d+)\b", re.MULTILINE)
_AVERAGE = re.compile(r"#\s*Avg bus bandwidth\s*:\s*(?P<average>\d+\.?\d*)")
_WRONG = re.compile(r"#\s*Out of bounds values\s*:\s*(?P<count>\d+)\s*(?P<word>\w+)?")
_VERSION = re.compile(r"(?:nccl-tests version|NCCL version)\s+(?P<version>[\d.+\w]+)")
_COLLECTIVE = re.compile(r"(?:Collective test starting: |/|\b)(?P<name>[a-z]+(?:_[a-z]+)?)_perf\b")
_PLANNED = re.compile(r"maxBytes (?P<bytes>\d+)")
_FAILURE = re.compile(r"Test (?:NCCL|CUDA) failure|NCCL WARN|unhandled (?:cuda|system) error", re.IGNORECASE)


def read(text: str) -> Reading:
    """busbw in GB/s at the largest size of the run."""
    reading = Reading("nccl-tests")
    version, average = _VERSION.search(text), _AVERAGE.search(text)
    reading.version = version["version"] if version else ""
    ranks = list(_RANK.finditer(text))
    reading.cards = [rank["name"].strip() for rank in ranks]
    rows = list(_ROW.finditer(text))
    reading.show(ranks=len(ranks) or None, name=reading.cards[0] if reading.cards else None)
    reading.show(avg_busbw_gb_s=number(average["average"]) if average else None)
    if _FAILURE.search(text):
        reading.show(error="NCCL or CUDA failure")
        reading.ran = False
    planned, sizes = _PLANNED.search(text), [float(row["size"]) for row in rows]
    # Without its closing lines a run is whole only where it came to the largest size that it set out for.
    ended = average is not None or planned is None or (bool(sizes) and 2 * max(sizes) > float(planned["bytes"]))
    reading.complete = bool(rows) and len(rows) == len(_BEGUN.findall(text)) and ended
    if ranks:
        reading.count(cards_tested=len(ranks))
        reading.count(ranks=len(ranks), nccl_nodes=len({rank["host"] for rank in ranks}))
    if rows:
        _largest(reading, rows, text)
    return reading


def _largest(reading: Reading, rows: list[re.Match[str]], text: str) -> None:
    size = max(float(row["size"]) for row in rows)
    last = [row for row in rows if float(row["size"]) == size]
    values = [number(row[column]) for row in last for column in ("busbw", "busbw2") if row[column]]
    busbw = max((one for one in values if one is not None), default=None)
    algbw = max((number(row["algbw"]) or 0 for row in last), default=None)
    wrong = sum(number(row[column]) or 0 for row in rows for column in ("wrong", "wrong2") if row[column])
    bounds = _WRONG.search(text)
    wrong += float(bounds["count"]) if bounds else 0
    reading.show(busbw_gb_s=busbw, algbw_gb_s=algbw, size_b=size, wrong=wrong)
    collective = _COLLECTIVE.search(text)
    other = (collective is not None and collective["name"] != "all_reduce") or all(row["op"] == "none" for row in rows)
    reading.show(collective=collective["name"] if collective else "not all_reduce" if other else None)
    # The published limits are for all_reduce; another collective moves other amounts.
    reading.measure("GB/s", busbw=None if other else busbw)
    reading.measure("B", nccl_size=size)
    reading.count(wrong=wrong)
    reading.show(busbw_low_gb_s=least(values))
