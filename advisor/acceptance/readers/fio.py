"""fio as text, JSON (with text around it) or terse lines: what was measured, and how.

The result of a run counts only with how it was made: direct I/O or the page cache, an asynchronous engine, how long,
how large. Text does not print `direct`, so the disk's own count of requests is compared with the job's: a disk that was
asked less often than the job asked was not what was measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from advisor.acceptance.blocks import blocks
from advisor.acceptance.numerals import number, percent, scaled
from advisor.acceptance.reading import Reading, least, most, together
from advisor.acceptance.structured import dig, figure, json_span

_JOB = re.compile(
    r"^(?P<name>[^\n:]+): \(g=\d+\): rw=(?P<rw>\w+), bs=(?P<bs>[^\n]*?), ioengine="
    r"(?P<engine>\w+), iodepth=(?P<depth>\d+)",
    re.MULTILINE,
)
_GROUP = re.compile(r"^(?P<name>[^\n:]+): \(groupid=\d+, jobs=\d+\): err=\s*(?P<err>-?\d+)", re.MULTILINE)
_RATE = re.compile(
    r"^[ \t]*(?P<dir>read|write|trim)\s*:\s*IOPS=(?P<iops>[\d.]+[kKMG]?),"
    r" BW=(?P<bw>[\d.]+)(?P<bwu>[kKMGT]?i?(?:B|bit)/s)"
    r" \((?P<bw2>[\d.]+)(?P<bw2u>[kKMGT]?(?:B|bit)/s)\)\((?P<io>[\d.]+)(?P<iou>[kKMGT]?i?(?:B|bit))/(?P<ms>\d+)msec\)",
    re.MULTILINE,
)
# fio 2 printed the sums first; its `bw` counts KB, MB and GB of 1024.
_OLD_RATE = re.compile(
    r"^[ \t]*(?P<dir>read|write)\s*:\s*io=(?P<io>[\d.]+)(?P<iou>[KMGT]?B), bw=(?P<bw>[\d.]+)(?P<bwu>[KMGT]?B/s),"
    r" iops=(?P<iops>\d+), runt=\s*(?P<ms>\d+)msec",
    re.MULTILINE,
)
_OLD_RUN = re.compile(r"^[ \t]*(?:READ|WRITE): io=[\d.]+[KMGT]?B, aggrb=", re.MULTILINE)
_CLAT = re.compile(r"^[ \t]*clat \((?P<unit>[num]sec)\):.*?avg=\s*(?P<avg>[\d.]+k?)", re.MULTILINE)
_P99 = re.compile(r"99\.00th=\[\s*(?P<value>[\d.]+)\]")
_PERCENTILES = re.compile(r"clat percentiles \((?P<unit>[num]sec)\):")
_RUN = re.compile(
    r"^[ \t]*(?P<dir>READ|WRITE): bw=(?P<bw>[\d.]+)(?P<unit>[kKMGT]?i?(?:B"
    r"|bit)/s) \((?P<bw2>[\d.]+)(?P<unit2>[kKMGT]?(?:B|bit)/s)\)",
    re.MULTILINE,
)
_STATS = re.compile(r"^[ \t]*[\w-]+: ios=(?P<reads>\d+)/(?P<writes>\d+)", re.MULTILINE)
_ISSUED = re.compile(r"issued\s*(?:rwts: total=|: total=r=)(?P<reads>\d+)(?:,|/w=)(?P<writes>\d+)")
_ERROR = re.compile(
    r"^fio: .*(?:error|err=|failed|not a directory|No such file|terminating on signal|engine .* not loadable)",
    re.MULTILINE,
)
_VERSION = re.compile(r"fio-(?P<version>[\d.]+\S*)")
_MICRO = {"nsec": 1e-3, "usec": 1.0, "msec": 1e3}
_SYNC = ("psync", "sync", "vsync", "pvsync", "pvsync2", "mmap")


@dataclass
class Side:
    """One direction of one job or group: rates in IOPS and bytes a second, latencies in microseconds."""

    iops: float
    bytes_s: float
    runtime_ms: float
    clat_us: float | None = None
    p99_us: float | None = None


@dataclass
class Result:
    """What a report holds, whichever format it has."""

    read: list[Side] = field(default_factory=list)
    write: list[Side] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    engines: list[str] = field(default_factory=list)
    depths: list[float] = field(default_factory=list)
    direct: bool | None = None
    sizes: list[float] = field(default_factory=list)


def read(text: str) -> Reading:
    """Rates of all jobs together, and what makes them void."""
    reading = Reading("fio")
    version = _VERSION.search(text)
    reading.version = version["version"].strip('",') if version else ""
    begun = re.search(r'^[ \t]*\{\s*\n?\s*"fio version"', text, re.MULTILINE) or re.search(r'"fio version"\s*:', text)
    span = json_span(text)
    data = span[0] if span and isinstance(span[0], dict) and "jobs" in span[0] else None
    result = Result()
    if data is not None:
        _from_json(data, result)
    elif begun:
        reading.complete = False
    elif re.match(r"\s*\d;fio-", text):
        _from_terse(text, result)
    else:
        _from_text(text, reading, result)
    failed = bool(_ERROR.search(text)) or any(one != 0 for one in result.errors)
    reading.say(fio_failed=failed)
    reading.show(error=most(result.errors) if result.errors and most(result.errors) else (0 if result.errors else None))
    if failed and not result.errors:
        reading.show(error="did not run")
    reading.complete = reading.complete and bool(result.read or result.write)
    _fill(reading, result)
    return reading


def _from_text(text: str, reading: Reading, result: Result) -> None:
    for job in _JOB.finditer(text):
        result.kinds.append(job["rw"])
        result.engines.append(job["engine"])
        result.depths.append(float(job["depth"]))
    starts = list(_GROUP.finditer(text))
    result.errors = [float(start["err"]) for start in starts]
    first: re.Match[str] | None = None
    for _, block in blocks(text, starts):
        for rate, part in blocks(block, list(_RATE.finditer(block))):
            first = first or rate
            (result.read if rate["dir"] == "read" else result.write).append(_side(rate, part))
        for rate, part in blocks(block, list(_OLD_RATE.finditer(block))):
            (result.read if rate["dir"] == "read" else result.write).append(_old_side(rate, part))
    if first:
        _printed(reading, first, text)
    closed = "Run status group" in text and bool(_RUN.search(text) or _OLD_RUN.search(text))
    rates = len(_RATE.findall(text)) + len(_OLD_RATE.findall(text))
    reading.complete = closed and len(starts) <= rates
    _device_share(reading, text)


def _side(rate: re.Match[str], part: str) -> Side:
    factor = 1 / 8 if "bit" in rate["bwu"] else 1.0
    speed = (scaled(rate["bw"] + rate["bwu"], binary="i" in rate["bwu"]) or 0) * factor
    latency, table = _CLAT.search(part), _PERCENTILES.search(part)
    p99 = _P99.search(part[table.end() :]) if table else None
    return Side(
        iops=scaled(rate["iops"]) or 0,
        bytes_s=speed,
        runtime_ms=float(rate["ms"]),
        clat_us=(scaled(latency["avg"]) or 0) * _MICRO[latency["unit"]] if latency else None,
        p99_us=float(p99["value"]) * _MICRO[table["unit"]] if p99 and table else None,
    )


def _old_side(rate: re.Match[str], part: str) -> Side:
    latency, p99 = _CLAT.search(part), _P99.search(part)
    table = _PERCENTILES.search(part)
    return Side(
        iops=float(rate["iops"]),
        bytes_s=scaled(rate["bw"] + rate["bwu"], binary=True) or 0,
        runtime_ms=float(rate["ms"]),
        clat_us=(scaled(latency["avg"]) or 0) * _MICRO[latency["unit"]] if latency else None,
        p99_us=float(p99["value"]) * _MICRO[table["unit"]] if p99 and table else None,
    )


def _printed(reading: Reading, first: re.Match[str], text: str) -> None:
    """The figures as they stand, with their prefixes."""
    unit = {"MiB/s": "mib_s", "GiB/s": "gib_s", "KiB/s": "kib_s", "MB/s": "mb_s", "GB/s": "gb_s", "kB/s": "kb_s"}
    bits = {"Mibit/s": "mibit_s", "Gibit/s": "gibit_s", "Gbit/s": "gbit_s", "Mbit/s": "mbit_s"}
    names = unit | bits
    latency = _CLAT.search(text)
    reading.show(
        **{
            f"{first['dir']}_iops_printed": first["iops"],
            f"{first['dir']}_bw_{names.get(first['bwu'], 'printed')}": number(first["bw"]),
            f"{first['dir']}_bw_{names.get(first['bw2u'], 'printed2')}": number(first["bw2"]),
            "bw": f"{first['bw']}{first['bwu']}",
            "clat_unit": latency["unit"] if latency else None,
        }
    )


def _device_share(reading: Reading, text: str) -> None:
    """How many requests the disk saw for each that the job made; the disk may split them, never drop them."""
    stats, issued = list(_STATS.finditer(text)), list(_ISSUED.finditer(text))
    asked = sum(float(one["reads"]) + float(one["writes"]) for one in issued)
    seen = sum(float(one["reads"]) + float(one["writes"]) for one in stats)
    if stats and asked:
        share = percent(seen, asked)
        reading.measure("%", device_share=share)
        reading.show(device_share_pct=round(share, 1) if share is not None else None)


def _from_json(data: dict[str, Any], result: Result) -> None:
    shared = dig(data, "global options")
    for job in data.get("jobs") or []:
        if not isinstance(job, dict):
            continue
        options = {**(shared if isinstance(shared, dict) else {}), **(dig(job, "job options") or {})}
        error = figure(job, "error")
        if error is not None:
            result.errors.append(error)
        result.kinds.append(str(options.get("rw", options.get("readwrite", ""))))
        result.engines.append(str(options.get("ioengine", "psync")))
        result.depths.append(number(str(options.get("iodepth", "1"))) or 1)
        direct = str(options.get("direct", (options.get("buffered") == "0" and "1") or "0"))
        result.direct = (result.direct is not False) and direct == "1"
        size = scaled(str(options.get("size", "")), binary=True)
        result.sizes += [size] if size is not None else []
        for name, sides in (("read", result.read), ("write", result.write)):
            if (figure(job, name, "total_ios") or figure(job, name, "io_bytes") or 0) > 0:
                sides.append(_json_side(job, name))


def _json_side(job: dict[str, Any], name: str) -> Side:
    rate = figure(job, name, "bw_bytes")
    kib = figure(job, name, "bw")
    mean = figure(job, name, "clat_ns", "mean")
    p99 = figure(job, name, "clat_ns", "percentile", "99.000000")
    return Side(
        iops=figure(job, name, "iops") or 0,
        bytes_s=rate if rate is not None else (kib or 0) * 1024,
        runtime_ms=figure(job, name, "runtime") or 0,
        clat_us=mean / 1000 if mean is not None else None,
        p99_us=p99 / 1000 if p99 is not None else None,
    )


def _from_terse(text: str, result: Result) -> None:
    """Terse version 3: error, then KiB, KiB/s, IOPS, ms of reads; the writes begin 41 fields later."""
    for line in text.split("\n"):
        cells = line.strip().split(";")
        if len(cells) < 2**5 or not cells[1].startswith("fio-"):
            continue
        error = number(cells[4])
        result.errors += [error] if error is not None else []
        result.kinds.append(cells[2])
        for at, sides in ((slice(5, 9), result.read), (slice(46, 50), result.write)):
            figures = [number(cell) for cell in cells[at]]
            if all(one is not None for one in figures) and figures and figures[0]:
                _, rate, iops, runtime = (one or 0.0 for one in figures)
                sides.append(Side(iops, rate * 1024, runtime, *_terse_latency(cells, at.start)))


def _terse_latency(cells: list[str], start: int) -> tuple[float | None, float | None]:
    mean = number(cells[start:][10]) if len(cells) > start + 10 else None
    p99 = next(
        (number(cell.split("=")[1]) for cell in cells[start : start + 100] if cell.startswith("99.000000%=")), None
    )
    return mean, p99


def _fill(reading: Reading, result: Result) -> None:
    for name, sides in (("read", result.read), ("write", result.write)):
        if not sides:
            continue
        iops, speed = sum(one.iops for one in sides), sum(one.bytes_s for one in sides)
        latency, p99 = most(one.clat_us for one in sides), most(one.p99_us for one in sides)
        reading.show(
            **{
                f"{name}_iops": round(iops, 1),
                f"{name}_bw_mib_s": reading.values.get(f"{name}_bw_mib_s", round(speed / 2**20, 1)),
                f"{name}_bw_mb_s": reading.values.get(f"{name}_bw_mb_s", round(speed / 10**6, 1)),
                f"{name}_clat_mean_us": round(latency, 1) if latency is not None else None,
                f"{name}_clat_p99_us": round(p99, 1) if p99 is not None else None,
            }
        )
    every = [*result.read, *result.write]
    runtime = least(one.runtime_ms for one in every)
    reading.show(runtime_s=round(runtime / 1000, 1) if runtime is not None else None)
    reading.show(rw=together(kind for kind in result.kinds if kind), ioengine=together(result.engines))
    reading.measure("s", fio_runtime=runtime / 1000 if runtime is not None else None)
    if result.sizes:
        reading.measure("MB", fio_size=min(result.sizes) / 10**6)
    shallow = [depth <= 1 or engine in _SYNC for depth, engine in zip(result.depths, result.engines, strict=False)]
    reading.say(
        fio_direct=result.direct,
        engine_sync=any(engine in _SYNC for engine in result.engines) if result.engines else None,
    )
    if "null" in result.engines:
        # This engine writes nothing anywhere.
        reading.ran = False
    stats = "device_share" in reading.facts
    reading.say(fio_shown=result.direct is True or stats)
    if shallow:
        reading.say(fio_shallow=all(shallow))
    _facts(reading, result)


def _facts(reading: Reading, result: Result) -> None:
    """Random and sequential jobs are judged by different figures."""
    kinds = [kind for kind in result.kinds if kind]
    random = bool(kinds) and all("rand" in kind for kind in kinds)
    sequential = bool(kinds) and all("rand" not in kind for kind in kinds)
    reads, writes = result.read, result.write
    if random and reads:
        reading.measure("IOPS", random_read=sum(one.iops for one in reads))
        reading.measure("ms", read_p99=(p99 / 1000 if (p99 := most(one.p99_us for one in reads)) is not None else None))
    if sequential and reads:
        reading.measure("MB/s", sequential_read=sum(one.bytes_s for one in reads) / 10**6)
    if sequential and writes:
        reading.measure("MB/s", sequential_write=sum(one.bytes_s for one in writes) / 10**6)
