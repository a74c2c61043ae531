"""The kernel's log: Xid and SXid, cards off the bus, AER, machine checks, the OOM killer, slow PCIe links.

Which Xid is a fault and which an application's own is knowledge (`knowledge/faults`), not decided here. A log without
any line of the NVIDIA driver shows nothing about cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.acceptance.reading import Reading, together

_XID = re.compile(r"NVRM: Xid \((?:PCI:)?(?P<bus>[0-9A-Fa-f:.]+)\): (?P<xid>\d{1,4})\b")
_XID_WORD = re.compile(r"NVRM: (?:GPU at [^\n]*?)?Xid\b")
_SXID = re.compile(r"SXid \((?:PCI:)?(?P<bus>[^)]*)\): (?P<sxid>\d+)[^\n]*")
_OOM = re.compile(r"oom-kill:|Out of memory: Kill|invoked oom-killer|Killed process \d+")
_SIGNS = {
    "fallen_off": re.compile(r"fallen off the bus", re.IGNORECASE),
    "rm_init": re.compile(
        r"rm_init_adapter failed|RmInitAdapter failed|No NVIDIA graphics adapter|failed to copy vbios", re.IGNORECASE
    ),
    "pcie_limited": re.compile(r"available PCIe bandwidth, limited by|limited by [^\n]*PCIe", re.IGNORECASE),
    "nccl_segfault": re.compile(r"segfault at [^\n]* in lib(?:nccl|cuda|cudart|torch)"),
    "aer_fatal": re.compile(
        r"AER:[^\n]*(?:Uncorrect(?:ed|able)|Fatal)|PCIe Bus Error: severity=Uncorrected|DPC: [^\n]*containment",
        re.IGNORECASE,
    ),
    "aer_corrected": re.compile(r"AER:[^\n]*Corrected error|PCIe Bus Error: severity=Corrected", re.IGNORECASE),
    "mce_fatal": re.compile(
        r"Machine check events logged[^\n]*UC|\[Hardware Error\][^\n]*(?:Uncorrected|Fatal|\bUC\b"
        r"|UE\b)|Kernel panic[^\n]*machine check|EDAC [^\n]*\bUE\b",
        re.IGNORECASE,
    ),
    "mce_corrected": re.compile(
        r"mce: \[Hardware Error\]|Machine check events logged|\[Hardware Error\][^\n]*Corrected|EDAC [^\n]*\bCE\b",
        re.IGNORECASE,
    ),
    "disk_error": re.compile(
        r"I/O error, dev |Medium Error|nvme\d+: (?:I/O \d+ .*timeout|controller is down)|EXT4-fs error|XFS .*corruption"
    ),
}
# What shows that the log goes back to the start of the driver: its loading, not just any line of it.
_DRIVER = re.compile(r"NVRM: loading|nvidia: loading out-of-tree|nvidia-modeset: Loading|\[nvidia-drm\][^\n]*Loading")
_LOG_LINE = re.compile(
    r"^(?:\[\s*[\d.]+\]|\[[A-Z][a-z]{2} [A-Z][a-z]{2}|kern\s*:|\S+\s+\S+ kernel:"
    r"|[A-Z][a-z]{2} +\d+ [\d:]+ \S+ kernel:|.*\bkernel: |NVRM:|\[\.\.\.\])",
    re.MULTILINE,
)


def read(text: str) -> Reading:
    """What the log tells of faults; counts are of lines."""
    reading = Reading("dmesg")
    xids = [int(found["xid"]) for found in _XID.finditer(text)]
    mentioned = len(_XID_WORD.findall(text))
    lines = len(_LOG_LINE.findall(text))
    counts = dict(_sorted_counts(xids))
    reading.show(
        xid=together(str(one) for one in xids) or "none",
        xid_count=len(xids) or None,
        gpu=together(found["bus"] for found in _XID.finditer(text)),
        lines=lines,
    )
    if len(counts) > 1:
        reading.show(xid_counts=",".join(f"{xid}x{count}" for xid, count in counts.items()))
    reading.say(**{name: bool(pattern.search(text)) for name, pattern in _SIGNS.items()})
    sxids = list(_SXID.finditer(text))
    reading.show(sxid=together(found["sxid"] for found in sxids) or None)
    reading.say(
        sxid_fatal=any("Non-fatal" not in found[0] and "Fatal" in found[0] for found in sxids),
        sxid=bool(sxids),
        oom=bool(_OOM.search(text)),
        xid_malformed=mentioned > len(xids),
        driver_seen=bool(_DRIVER.search(text)),
        # A last line without its end may have lost what decides.
        last_line_whole=text.endswith("\n"),
    )
    kills = len(re.findall(r"Out of memory: Kill|oom-kill:", text)) or len(re.findall("invoked oom-killer", text))
    reading.show(oom=1 if kills else None, oom_lines=kills or None)
    reading.count(log_lines=lines)
    reading.xids = tuple(counts)
    reading.complete = lines > 0
    return reading


def _sorted_counts(xids: list[int]) -> Iterator[tuple[int, int]]:
    for xid in dict.fromkeys(xids):
        yield xid, xids.count(xid) if len(xids) < 2**12 else 0
