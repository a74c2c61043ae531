"""mtr as report, wide report with AS column, JSON, CSV, XML or raw, and WinMTR's export.

Routers answer probes to themselves rarely: loss in the middle that is gone at the end is no loss. Only the last hop is
judged, and only where it answered; a first hop that swings shows that the client's own link is bad.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, whole
from advisor.acceptance.structured import dig, figure, json_span

_ROW = re.compile(
    r"^[ \t]*(?P<hop>\d+)\.\s*(?:\|--\s*)?(?P<host>\S.*?)\s+(?P<loss>\d+(?:\.\d*)?)%?\s+(?P<snt>\d+)"
    r"\s+(?P<last>\d+\.?\d*)\s+(?P<avg>\d+\.?\d*)\s+(?P<best>\d+\.?\d*)\s+(?P<wrst>\d+\.?\d*)\s+(?P<stdev>\d+\.?\d*)\s*$",
    re.MULTILINE,
)
_BEGUN = re.compile(r"^[ \t]*\d+\.\s*(?:\|--|AS)", re.MULTILINE)
_HEADER = re.compile(r"HOST:.*Loss%")
# Columns can be chosen (`-o`), so a heading in another order is read by its names.
_COLUMNS = re.compile(r"^[ \t]*HOST:\s*\S*\s+(?P<names>Loss%.*?)\s*$", re.MULTILINE)
_USUAL = ("Loss%", "Snt", "Last", "Avg", "Best", "Wrst", "StDev")
_ANY_ROW = re.compile(
    r"^[ \t]*(?P<hop>\d+)\.\s*(?:\|--\s*)?(?P<host>\S+(?: \([^)]*\))?)\s+(?P<cells>[\d.%\s]+)$", re.MULTILINE
)
_WIN = re.compile(
    r"^\|\s*(?P<host>\S.*?)\s+-\s+(?P<loss>\d+)"
    r"\s+\|\s*(?P<snt>\d+)\s*\|\s*(?P<recv>\d+)\s*\|\s*(?P<best>\d+)\s*\|\s*(?P<avg>\d+)\s*\|"
    r"\s*(?P<wrst>\d+)\s*\|\s*(?P<last>\d+)\s*\|",
    re.MULTILINE,
)
_XML = re.compile(r'<HUB COUNT="(?P<hop>\d+)" HOST="(?P<host>[^"]*)">(?P<body>.*?)</HUB>', re.DOTALL)
_FAILED = re.compile(
    r"Failed to resolve host|mtr: (?:command )?not found|Failure to (?:open|start)"
    r"|Operation not permitted|unable to get",
    re.IGNORECASE,
)
_CUT = re.compile(r"^[ \t]*(?:…|\?|\.\.\.+|\[\.\.\.\])\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Hop:
    """One hop: loss in per cent, probes, average and deviation in ms."""

    host: str
    loss: float
    sent: float
    avg: float
    stdev: float | None


def read(text: str) -> Reading:
    """The last hop, the first hop and the line that the addresses on the way belong to."""
    reading = Reading("mtr")
    span = json_span(text)
    if span and dig(span[0], "report", "hubs") is not None:
        hops, whole_text = _from_json(reading, span[0])
    elif re.search(r'^[ \t]*\{|"hubs"|"report"', text):
        hops, whole_text = [], False
    elif "Mtr_Version" in text:
        hops, whole_text = _from_csv(reading, text)
    elif "<MTR" in text:
        hops, whole_text = _from_xml(reading, text)
    elif "WinMTR" in text:
        hops = [Hop(r["host"], float(r["loss"]), float(r["snt"]), float(r["avg"]), None) for r in _WIN.finditer(text)]
        table = [line for line in text.split("\n") if line.count("|") > 2 and re.search(r"\w", line.replace("_", ""))]
        rows = sum("Sent" not in line for line in table)
        whole_text = bool(re.search(r"^\|_{10,}", text, re.MULTILINE)) and len(hops) == rows > 0
    elif re.search(r"^h \d+ \S+$", text, re.MULTILINE):
        hops, whole_text = _from_raw(text)
    else:
        hops, whole_text = _from_report(text)
    if _FAILED.search(text) and not hops:
        reading.ran = False
        reading.show(error="did not run")
    reading.complete = whole_text or not reading.ran
    _fill(reading, hops)
    if hops and reading.ran:
        reading.complete = reading.complete and _arrives(hops, str(reading.values.get("target", "")))
    return reading


_ADDRESS = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f:]*:[0-9a-f:]+", re.IGNORECASE)


def _arrives(hops: list[Hop], target: str) -> bool:
    """Whether the last hop may be the end: the target where both are addresses, never just the tester's gateway."""
    last = hops[-1].host.split()[-1].strip("()")
    if not _ADDRESS.fullmatch(last):
        return True
    if _ADDRESS.fullmatch(target):
        return last == target
    try:
        end = ip_address(last)
    except ValueError:
        return False
    return len(hops) > 1 or end.is_loopback or not end.is_private


def _from_columns(text: str, names: list[str]) -> tuple[list[Hop], bool]:
    """A report whose columns were chosen: each row has a figure for each name."""
    hops, steady = [], True
    for row in _ANY_ROW.finditer(text):
        cells = dict(zip(names, row["cells"].split(), strict=False))
        loss, sent, avg = (number(cells.get(name)) for name in ("Loss%", "Snt", "Avg"))
        if len(row["cells"].split()) != len(names) or loss is None or sent is None or avg is None:
            steady = False
            continue
        hops.append(Hop(row["host"], loss, sent, avg, number(cells.get("StDev"))))
    return hops, steady and len(hops) == len(_BEGUN.findall(text)) and bool(hops)


def _from_report(text: str) -> tuple[list[Hop], bool]:
    heading = _COLUMNS.search(text)
    names = heading["names"].split() if heading else []
    if names and tuple(names) != _USUAL and {"Loss%", "Snt", "Avg"} <= set(names):
        return _from_columns(text, names)
    rows = list(_ROW.finditer(text))
    hops = [
        Hop(r["host"], float(r["loss"]), float(r["snt"]), float(r["avg"].rstrip(".")), float(r["stdev"])) for r in rows
    ]
    numbers = [int(row["hop"]) for row in rows]
    steady = numbers == list(range(1, len(rows) + 1))
    begun = len(_BEGUN.findall(text))
    # What follows the last row may be a prompt, never the beginning of another row.
    rest = text[rows[-1].end() :].strip() if rows else ""
    whole_rows = len(rows) == begun and steady and not re.match(r"\d+\b", rest)
    return hops, bool(_HEADER.search(text)) and whole_rows and not _CUT.search(text)


def _from_json(reading: Reading, data: Any) -> tuple[list[Hop], bool]:
    hubs = dig(data, "report", "hubs")
    hops, whole_hubs = [], True
    for hub in hubs if isinstance(hubs, list) else []:
        figures = [figure(hub, key) for key in ("Loss%", "Snt", "Avg")]
        if any(one is None for one in figures):
            whole_hubs = False
            continue
        loss, sent, avg = (one or 0.0 for one in figures)
        asn = dig(hub, "ASN")
        host = f"{asn} {dig(hub, 'host')}" if isinstance(asn, str) else str(dig(hub, "host"))
        hops.append(Hop(host, loss, sent, avg, figure(hub, "StDev")))
    target = dig(data, "report", "mtr", "dst")
    reading.show(target=target if isinstance(target, str) else None)
    return hops, whole_hubs


def _from_csv(reading: Reading, text: str) -> tuple[list[Hop], bool]:
    lines = text[text.index("Mtr_Version") :].split("\n")
    rows = list(csv.reader(line for line in lines if "," in line))
    names = [name.strip() for name in rows[0]] if rows else []
    hops, target, steady = [], "", bool(rows)
    for row in rows[1:]:
        cells = dict(zip(names, row, strict=False))
        figures = [number(cells.get(key)) for key in ("Loss%", "Snt", "Avg", "StDev")]
        if any(one is None for one in figures):
            steady = False
            continue
        loss, sent, avg, stdev = (one or 0.0 for one in figures)
        hops.append(Hop(f"{cells.get('Asn', '')} {cells.get('Ip', '')}".strip(), loss, sent, avg, stdev))
        target = cells.get("Host", "")
        reading.version = cells.get("Mtr_Version", "").removeprefix("MTR.")
    reading.show(target=target)
    return hops, steady


def _from_xml(reading: Reading, text: str) -> tuple[list[Hop], bool]:
    hops, steady = [], "</MTR>" in text
    for hub in _XML.finditer(text):
        cells = dict(re.findall(r"<(\w+)>\s*([\d.]+)%?\s*</", hub["body"]))
        figures = [number(cells.get(key)) for key in ("Loss", "Snt", "Avg", "StDev")]
        if any(one is None for one in figures):
            steady = False
            continue
        loss, sent, avg, stdev = (one or 0.0 for one in figures)
        hops.append(Hop(hub["host"], loss, sent, avg, stdev))
    target = re.search(r'DST="([^"]*)"', text)
    reading.show(target=target[1] if target else None)
    return hops, steady and len(hops) == text.count("<HUB ")


def _from_raw(text: str) -> tuple[list[Hop], bool]:
    """Raw lines: x = a probe went out, h = a host, p = a reply in microseconds."""
    hosts: dict[str, str] = {}
    times: dict[str, list[float]] = {}
    sent: dict[str, int] = {}
    for line in text.split("\n"):
        words = line.split()
        if len(words) < 2 or not words[1].isdigit():
            continue
        if words[0] == "x":
            sent[words[1]] = sent.get(words[1], 0) + 1
        elif words[0] == "h" and len(words) > 2:
            hosts[words[1]] = words[2]
        elif words[0] == "p" and len(words) > 2 and words[2].isdigit():
            times.setdefault(words[1], []).append(float(words[2]) / 1000)
    hops = []
    for key in sorted(hosts, key=int):
        got, out = times.get(key, []), max(sent.get(key, 0), len(times.get(key, [])))
        if out and got:
            hops.append(Hop(hosts[key], 100 * (out - len(got)) / out, out, sum(got) / len(got), None))
    return hops, bool(hops)


def _fill(reading: Reading, hops: list[Hop]) -> None:
    reading.show(hops=len(hops))
    if not hops:
        reading.say(path_seen=False)
        return
    first, last = hops[0], hops[-1]
    reading.hosts = [hop.host for hop in hops]
    answered = last.host.split()[-1:] != ["???"] and last.loss < 100
    reading.say(path_seen=True, reached=answered)
    reading.show(
        last_hop=last.host.split()[-1].strip("()"),
        last_hop_loss_pct=whole(last.loss),
        last_hop_avg_ms=whole(last.avg),
        last_hop_stdev_ms=last.stdev,
        snt=whole(last.sent),
        first_hop_stdev_ms=first.stdev,
    )
    reading.count(probes=last.sent, lost=round(last.sent * last.loss / 100))
    reading.measure("%", loss=last.loss)
    reading.measure("ms", rtt=last.avg, jitter=last.stdev)
    alone = len(hops) < 2 or first.host.split()[-1:] == ["???"]
    # Where the first hop shows no deviation, nothing speaks against the tester's own link.
    reading.measure("ms", first_hop_jitter=0.0 if alone or first.stdev is None else first.stdev)
