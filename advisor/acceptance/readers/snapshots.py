"""Snapshots: lvs, zfs list -t snapshot, btrfs subvolume list -s, qemu-img snapshot -l, and lists of cloud tools.

Only that there are snapshots, how many can be used, and when the youngest was taken is read. Whether one can be
restored is another item: a list proves nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, most
from advisor.acceptance.structured import json_span

_DATE = re.compile(r"\b20\d\d-[01]\d-[0-3]\d(?:[T_ -][0-2]\d[:.h-]?[0-5]\d(?:[:.][0-5]\d)?)?")
_LV_HEAD = re.compile(r"^[ \t]*LV\s+VG\s+Attr\s", re.MULTILINE)
_LV = re.compile(r"^[ \t]*(?P<lv>\S+)\s+(?P<vg>\S+)\s+(?P<attr>[\w-]{9,10})\s+(?P<rest>[^\n]*)$", re.MULTILINE)


def read_lvs(text: str) -> Reading:
    """LVM: volumes of type s (S: merging), thin ones with an origin; an invalid one has lost its contents."""
    reading = Reading("lvs")
    rows = [row for row in _LV.finditer(text) if row["attr"] not in ("Attr",)]
    found, bad, fills = [], 0, []
    for row in rows:
        kind, state = row["attr"][0], row["attr"][4]
        words = row["rest"].split()
        named = [word for word in words[1:] if not re.fullmatch(r"[\d.]+", word)]
        if kind not in "sS" and not (kind == "V" and len(named) > 1):
            continue
        found.append(row["lv"])
        bad += state in "IMX"
        filled = [number(word) for word in words[1:] if re.fullmatch(r"\d+\.\d+", word)]
        fills += filled[:1] if kind in "sS" else []
    reading.complete = bool(_LV_HEAD.search(text)) and bool(rows)
    reading.show(fullest_pct=most(fills))
    reading.measure("%", snapshot_full=most(fills))
    return _fill(reading, len(found), bad, text)


# A row has sizes behind the name; without them `root@host:~# command` would be a snapshot.
_ZFS = re.compile(r"^(?P<name>[\w./:-]+@\S+)\s+(?:\d[\d.]*[BKMGTP]?|-)\s+\S", re.MULTILINE)


def read_zfs(text: str) -> Reading:
    """zfs list -t snapshot: a name with @ a line."""
    reading = Reading("zfs-snapshots")
    found = [row["name"] for row in _ZFS.finditer(text)]
    reading.complete = bool(found) or "no datasets available" in text
    return _fill(reading, len(found), 0, text)


_BTRFS = re.compile(r"^ID \d+ gen \d+ (?:cgen \d+ )?top level \d+ (?:otime [\d-]+ [\d:]+ )?path \S+", re.MULTILINE)


def read_btrfs(text: str) -> Reading:
    """btrfs subvolume list -s: each line is a snapshot; without -s there is no time of making, and nothing is known."""
    reading = Reading("btrfs-snapshots")
    found = _BTRFS.findall(text)
    reading.complete = bool(found) and all("otime" in line for line in found)
    return _fill(reading, len(found), 0, text)


_QEMU = re.compile(r"^(?P<id>\d+)\s+(?P<tag>\S+)\s+.*?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.MULTILINE)
_TABLE = re.compile(r"^\|(?P<cells>[^\n]*)\|\s*$", re.MULTILINE)
_GOOD = (
    "available",
    "completed",
    "accomplished",
    "normal",
    "success",
    "ready",
    "active",
    "in-use",
    "可用",
    "正常",
    "成功",
)
_BAD = ("error", "failed", "unavailable", "deleted", "error_deleting", "失败", "错误")


def read_listed(text: str) -> Reading:
    """qemu-img's list, a table of OpenStack, or the JSON of a cloud's command line."""
    reading = Reading("snapshots")
    span = json_span(text)
    if span is not None:
        states = list(_states(span[0]))
        reading.complete = bool(states) or bool(re.search(r'"(?:Snapshots?|SnapshotSet)"\s*:\s*(?:\[\s*\]|\{)', text))
    elif "Snapshot list:" in text:
        states = ["available" for _ in _QEMU.finditer(text)]
        reading.complete = bool(states)
    elif text.lstrip().startswith(("{", "[")):
        states, reading.complete = [], False
    else:
        rows = [[cell.strip() for cell in row["cells"].split("|")] for row in _TABLE.finditer(text)]
        at = (
            next((index for index, cell in enumerate(rows[0]) if cell in ("Status", "状态", "狀態")), -1)
            if rows
            else -1
        )
        states = [row[at] for row in rows[1:] if at >= 0 and len(row) > at]
        reading.complete = at >= 0 and text.count("+--") > 2
    bad = sum(state.lower() in _BAD for state in states)
    return _fill(reading, len(states) - sum(state.lower() not in (*_GOOD, *_BAD) for state in states), bad, text)


def _states(data: Any) -> Iterator[str]:
    """The state of each object that has a snapshot's id."""
    if isinstance(data, list):
        for one in data:
            yield from _states(one)
    elif isinstance(data, dict):
        keys = {key.lower().replace("_", ""): key for key in data}
        if "snapshotid" in keys:
            state = next((data[keys[name]] for name in ("status", "state", "snapshotstate") if name in keys), "")
            yield str(state)
            return
        for one in data.values():
            yield from _states(one)


def _fill(reading: Reading, count: int, bad: int, text: str) -> Reading:
    dates = sorted(found[0] for found in _DATE.finditer(text))
    reading.show(snapshots=count, unusable=bad, youngest=dates[-1] if dates and count else None)
    if reading.complete:
        reading.count(snapshots=count, snapshot_bad=bad)
    return reading
