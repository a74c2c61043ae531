"""RAID: /proc/mdstat, mdadm --detail, and the tables of storcli, perccli and megacli.

An array counts as degraded where it says so or has fewer members up than it should have. A check that is running is no
rebuild. A list that ends before its closing line was cut, and then nothing is known of the arrays after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.acceptance.blocks import blocks
from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, together
from advisor.acceptance.structured import dig, json_span

# Levels of which one lost disk loses the data.
_BARE = ("raid0", "linear", "jbod", "raid00")


@dataclass(frozen=True)
class Array:
    """One array: its level in small letters, whether it is whole, being rebuilt, or off."""

    level: str
    degraded: bool = False
    rebuilding: bool = False
    failed: float = 0


_MD = re.compile(r"^(?P<name>md\S*)\s*:\s*(?P<state>active|inactive)(?: \([\w-]+\))?\s*(?P<rest>[^\n]*)$", re.MULTILINE)
_LEVEL = re.compile(r"\b(raid\d+|linear|multipath|faulty)\b")
_UP = re.compile(r"\[(?P<want>\d+)/(?P<have>\d+)\]\s*\[(?P<map>[U_]+)\]")
_REBUILD = re.compile(r"\b(?:recovery|resync|reshape)\s*=")


def read_mdstat(text: str) -> Reading:
    """Every array of the kernel's list, which ends with the line of unused devices."""
    reading = Reading("mdstat")
    found, steady = [], True
    for start, block in blocks(text, list(_MD.finditer(text))):
        level, up = _LEVEL.search(start["rest"]), _UP.search(block)
        name = level[1] if level else ""
        if start["state"] == "active" and name not in _BARE and up is None:
            steady = False
        short = up is not None and (float(up["have"]) < float(up["want"]) or "_" in up["map"])
        off = start["state"] == "inactive"
        found.append(Array(name, short or off, bool(_REBUILD.search(block)), float(start["rest"].count("(F)"))))
        steady = steady and ("blocks" in block or off)
    reading.complete = steady and bool(re.search(r"^unused devices:", text, re.MULTILINE))
    return _fill(reading, found)


_FIELD = re.compile(r"^[ \t]*(?P<key>[A-Z][A-Za-z ]+?)\s*:\s+(?P<value>\S[^\n]*?)\s*$", re.MULTILINE)
_DETAIL = re.compile(r"^(?P<name>/dev/md\S*):\s*$", re.MULTILINE)
_SCAN = re.compile(r"^ARRAY (?P<name>/dev/\S+)(?: level=(?P<level>\S+))?", re.MULTILINE)


def read_mdadm(text: str) -> Reading:
    """mdadm --detail of one array or several; --detail --scan names levels and tells no state."""
    reading = Reading("mdadm")
    starts = list(_DETAIL.finditer(text))
    found, steady = [], True
    for _, block in blocks(text, starts):
        fields = {one["key"]: one["value"] for one in _FIELD.finditer(block)}
        state, failed, want = fields.get("State"), number(fields.get("Failed Devices")), fields.get("Raid Devices")
        active = number(fields.get("Active Devices"))
        steady = (
            steady
            and state is not None
            and active is not None
            and bool(re.search(r"^[ \t]*Number\s+Major", block, re.M))
        )
        words = (state or "").lower()
        short = active is not None and (number(want) or 0) > active
        hurt = "degraded" in words or "failed" in words or "inactive" in words
        working = any(word in words for word in ("recovering", "resyncing", "reshaping"))
        found.append(Array((fields.get("Raid Level") or "").lower(), short or hurt, working, failed or 0))
    if not starts:
        listed = [one["level"] or "" for one in _SCAN.finditer(text)]
        reading.show(arrays=len(listed) or None, raid=together(listed))
        reading.complete = bool(listed)
        return reading
    reading.complete = steady and bool(found)
    return _fill(reading, found)


_VD = re.compile(
    r"^[ \t]*\d+/\d+\s+(?P<level>RAID\d+|JBOD)\s+(?P<state>\w+)\s+(?:RW|RO|B|HD|TR)\b[^\n]*$", re.MULTILINE
)
_PD = re.compile(
    r"^[ \t]*\d*:\d+\s+\d+\s+(?P<state>Onln|Offln|UGood|UBad|UGUnsp|Rbld|Cpybck"
    r"|GHS|DHS|JBOD|Failed|Msng|UGShld|Optimal)\s+[^\n]*$",
    re.MULTILINE,
)
_VD_HEAD = re.compile(r"^DG/VD\s+TYPE\s+State", re.MULTILINE)
_COUNT = re.compile(r"^Virtual Drives = (?P<count>\d+)", re.MULTILINE)
_VD_BEGUN = re.compile(r"\b(?:RAID|JBOD)\d*\s+[A-Z]\w*\s+(?:RW|RO|B|HD|TR)\b")
_PD_HEAD = re.compile(r"^EID:Slt\s+DID\s+State", re.MULTILINE)
_DISKS = re.compile(r"^Physical Drives = (?P<count>\d+)", re.MULTILINE)
_WHOLE, _WORKING = ("optl", "optimal"), ("rec", "rbld", "rebuild")
_LOST = ("ubad", "offln", "failed", "msng", "missing", "offline", "unconfigured(bad)")


def read_storcli(text: str) -> Reading:
    """storcli and perccli: the table of virtual drives, and that of the disks where it is printed."""
    reading = Reading("storcli")
    version = re.search(r"CLI Version = (?P<version>[\d.]+)", text)
    reading.version = version["version"] if version else ""
    span = json_span(text)
    if span is not None and dig(span[0], "Controllers") is not None:
        drives, disks = _from_json(span[0])
        reading.complete = bool(drives)
    elif '"Controllers"' in text:
        drives, disks, reading.complete = [], [], False
    else:
        drives = [(one["level"], one["state"]) for one in _VD.finditer(text)]
        disks = [one["state"] for one in _PD.finditer(text)]
        counted, head = _COUNT.search(text), _VD_HEAD.search(text)
        closed = bool(head) and text[head.end() :].count("\n---") > 1 if head else False
        listed, disk_count = _PD_HEAD.search(text), _DISKS.search(text)
        if len(_VD_BEGUN.findall(text)) != len(drives):
            closed = False
        if not listed and "PD LIST" in text:
            closed = False
        if listed and text[listed.end() :].count("\n---") < 2:
            closed = False
        if disk_count and int(disk_count["count"]) != len(disks):
            closed = False
        reading.complete = closed and (counted is None or int(counted["count"]) == len(drives))
    if re.search(r"Status = Failure|not found|No Controller found", text) and not drives:
        reading.ran, reading.complete = False, True
    bad = sum(state.lower() in _LOST for state in disks)
    reading.show(disks=len(disks) or None, disks_bad=bad if disks else None)
    rebuilt = any(state.lower() in _WORKING for state in disks)
    found = [
        Array(level.lower(), state.lower() not in (*_WHOLE, *_WORKING), state.lower() in _WORKING or rebuilt)
        for level, state in drives
    ]
    if found and bad:
        found[0] = Array(found[0].level, found[0].degraded, found[0].rebuilding, float(bad))
    return _fill(reading, found)


def _from_json(data: Any) -> tuple[list[tuple[str, str]], list[str]]:
    drives: list[tuple[str, str]] = []
    disks: list[str] = []
    for row in _rows(data):
        if "DG/VD" in row:
            drives.append((str(row.get("TYPE", "")), str(row.get("State", ""))))
        elif "EID:Slt" in row and "State" in row:
            disks.append(str(row["State"]))
    return drives, disks


def _rows(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        if "State" in data:
            yield data
        for one in data.values():
            yield from _rows(one)
    elif isinstance(data, list):
        for one in data:
            yield from _rows(one)


_LD = re.compile(r"^[ \t]*Virtual Drive\s*:\s*\d+", re.MULTILINE)
_STATE = re.compile(r"^[ \t]*State\s*:\s*(?P<state>\S[^\n]*?)\s*$", re.MULTILINE)
_PRIMARY = re.compile(r"^[ \t]*RAID Level\s*:\s*Primary-(?P<first>\d+), Secondary-(?P<second>\d+)", re.MULTILINE)
_DISK = re.compile(r"^[ \t]*Firmware state\s*:\s*(?P<state>\w+)", re.MULTILINE)
_FORETOLD = re.compile(r"^[ \t]*Predictive Failure Count\s*:\s*(?P<count>[1-9]\d*)", re.MULTILINE)


def read_megacli(text: str) -> Reading:
    """megacli -LDInfo and -PDList: the state of each drive, virtual or real."""
    reading = Reading("megacli")
    found = []
    for _, block in blocks(text, list(_LD.finditer(text))):
        state, level = _STATE.search(block), _PRIMARY.search(block)
        words = (state["state"] if state else "").lower()
        name = f"raid{level['first']}{'0' if level['second'] == '3' else ''}" if level else ""
        found.append(Array(name, words != "optimal", "rebuild" in words))
    disks = [one["state"] for one in _DISK.finditer(text)]
    bad = sum(state.lower() in ("failed", "offline", "unconfigured", "missing") for state in disks)
    rebuilt = any(state.lower() == "rebuild" for state in disks)
    reading.show(disks=len(disks) or None, disks_bad=bad if disks else None)
    reading.show(disks_failing=len(_FORETOLD.findall(text)) or None)
    if found and (bad or rebuilt):
        first = found[0]
        found[0] = Array(first.level, first.degraded, first.rebuilding or rebuilt, float(bad))
    reading.complete = bool(found) and "Exit Code" in text and text.count("State ") >= len(found)
    return _fill(reading, found)


def _fill(reading: Reading, arrays: list[Array]) -> Reading:
    """Counts over all arrays; none at all is a finding too."""
    reading.show(
        arrays=len(arrays),
        raid=together(array.level for array in arrays if array.level),
        degraded=sum(array.degraded for array in arrays),
        rebuilding=sum(array.rebuilding for array in arrays),
        failed_disks=sum(array.failed for array in arrays),
    )
    if not reading.ran or (not arrays and not reading.complete):
        return reading
    reading.count(raid_arrays=len(arrays))
    if arrays:
        reading.count(
            raid_degraded=sum(array.degraded for array in arrays),
            raid_rebuilding=sum(array.rebuilding for array in arrays),
            raid_failed=sum(array.failed for array in arrays),
        )
        reading.say(raid_redundant=all(array.level not in _BARE for array in arrays))
    return reading
