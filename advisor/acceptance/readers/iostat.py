"""iostat as text or JSON: the busiest disk of the last report.

The first report of a run is an average since boot; where there are several, the last one counts. Columns are found by
their heading, which changed between versions; `-h` prints units, `-s` fewer columns.
"""

from __future__ import annotations

import re
from typing import Any

from advisor.acceptance.blocks import blocks
from advisor.acceptance.numerals import number, with_points
from advisor.acceptance.reading import Reading, most, together
from advisor.acceptance.structured import dig, figure, json_span

_HEADER = re.compile(r"^[ \t]*Device:?\s+\S.*$|^[ \t]*.*\sDevice\s*$", re.MULTILINE)
_CPU = re.compile(r"^avg-cpu:.*\n\s*(?P<row>[\d.,\s]+)$", re.MULTILINE)
Row = dict[str, float | str]


def read(text: str) -> Reading:
    """Utilisation and waits of the last report."""
    reading = Reading("iostat")
    version = re.search(r"sysstat\s+(?:version\s+)?(?P<version>[\d.]+)", text)
    reading.version = version["version"] if version else ""
    span = json_span(text)
    if span and dig(span[0], "sysstat") is not None:
        rows, whole = _from_json(span[0]), True
    elif '"sysstat"' in text:
        rows, whole = [], False
    else:
        rows, whole = _from_text(with_points(text))
    reading.complete = whole and bool(rows)
    real = [row for row in rows if not str(row["device"]).startswith(("loop", "ram", "zram"))]
    utils = [(float(row["%util"]), row) for row in real if "%util" in row]
    reading.show(devices=together(str(row["device"]) for row in real))
    if utils:
        util, row = max(utils, key=lambda one: one[0])
        reading.show(util_pct=util, device=str(row["device"]))
        reading.measure("%", disk_util=util)
    for name, column in (
        ("r_s", "r/s"),
        ("w_s", "w/s"),
        ("tps", "tps"),
        ("rkb_s", "rkB/s"),
        ("wkb_s", "wkB/s"),
        ("rmb_s", "rMB/s"),
        ("wmb_s", "wMB/s"),
    ):
        reading.show(**{name: most(float(row[column]) for row in real if column in row)})
    waits = [float(row[name]) for row in real for name in ("r_await", "w_await", "await") if name in row]
    reading.show(await_ms=most(waits))
    reading.measure("ms", disk_wait=most(waits))
    cpus = list(_CPU.finditer(with_points(text)))
    if cpus:
        words = cpus[-1]["row"].split()
        reading.show(iowait_pct=number(words[2 + 1]) if len(words) > 2 + 1 else None)
    return reading


def _from_text(text: str) -> tuple[list[Row], bool]:
    headers = list(_HEADER.finditer(text))
    if not headers:
        return [], False
    # The last report may stand in several tables; they all follow the last line of the processor.
    last_cpu = text.rfind("avg-cpu")
    tables = [header for header in headers if header.start() > last_cpu] or headers[-1:]
    rows: dict[str, Row] = {}
    whole = True
    for header, body in blocks(text, tables):
        names = [name.rstrip(":") for name in header[0].split()]
        for line in body.split("\n"):
            cells = line.split()
            if not cells or re.match(r"^\S*[$#>]\s*$|^avg-cpu", line.strip()):
                continue
            if len(cells) != len(names):
                whole = whole and len(cells) < 2
                continue
            row = dict(zip(names, cells, strict=True))
            device = row.pop("Device")
            known = {name: value for name, cell in row.items() if (value := number(cell)) is not None}
            whole = whole and len(known) == len(row)
            rows.setdefault(device, {"device": device}).update(known)
    return list(rows.values()), whole


def _from_json(data: Any) -> list[Row]:
    statistics = dig(data, "sysstat", "hosts", 0, "statistics", -1, "disk")
    rows: list[Row] = []
    for disk in statistics if isinstance(statistics, list) else []:
        if not isinstance(disk, dict) or not isinstance(disk.get("disk_device"), str):
            continue
        row: Row = {"device": disk["disk_device"]}
        for key in disk:
            value = figure(disk, key)
            if value is not None:
                row["%util" if key == "util" else key] = value
        rows.append(row)
    return rows
