"""Health of disks: smartctl and nvme smart-log, as text or JSON, NVMe and ATA.

The keys that decide are named here; a report without them (a virtual disk, a controller in between) shows no health.
`num_err_log_entries` alone is no fault.
"""

from __future__ import annotations

import re
from typing import Any

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, most
from advisor.acceptance.structured import dig, figure, json_span

# The deciding keys of the NVMe health log -> as smartctl words them, as nvme-cli words them.
_NVME = {
    "critical_warning": ("Critical Warning", "critical_warning"),
    "percentage_used": ("Percentage Used", "percentage_used"),
    "media_errors": ("Media and Data Integrity Errors", "media_errors"),
    "spare": ("Available Spare", "available_spare"),
    "spare_threshold": ("Available Spare Threshold", "available_spare_threshold"),
    "poh": ("Power On Hours", "power_on_hours"),
    "temp": ("Temperature", "temperature"),
    "unsafe_shutdowns": ("Unsafe Shutdowns", "unsafe_shutdowns"),
    "err_log_entries": ("Error Information Log Entries", "num_err_log_entries"),
}
_OTHER = {
    "spare": ("available_spare", "avail_spare"),
    "spare_threshold": ("available_spare_threshold", "spare_thresh"),
    "percentage_used": ("percentage_used", "percent_used"),
    "temp": ("temperature",),
}
_ATA = re.compile(
    r"^[ \t]*(?P<id>\d+)\s+(?P<name>\w[\w-]+)\s+0x\w+\s+\d+\s+\d+\s+\S+\s+\S+\s+\S+\s+\S+\s+(?P<raw>\d+)", re.MULTILINE
)
# The short form (`-f brief`) has one column of flags and no type.
_BRIEF = re.compile(
    r"^[ \t]*(?P<id>\d+)\s+(?P<name>\w[\w-]+)\s+[A-Z-]{6}\s+\d+\s+\d+\s+\S+\s+\S+\s+(?P<raw>\d+)", re.MULTILINE
)
_PASSED = re.compile(r"(?:overall-health self-assessment test result|SMART Health Status):\s*(?P<word>\w+)")
_FAULTS = {"5": "reallocated", "197": "pending_sectors", "198": "uncorrectable"}
_KELVIN = 273


def read_smartctl(text: str) -> Reading:
    """smartctl -a, text or JSON."""
    return _read(text, "smartctl")


def read_nvme(text: str) -> Reading:
    """nvme smart-log, text or JSON."""
    return _read(text, "nvme-smart-log")


def _read(text: str, tool: str) -> Reading:
    reading = Reading(tool)
    span = json_span(text)
    if span and isinstance(span[0], dict):
        found = _from_json(reading, span[0])
    elif re.match(r"\s*\{", text):
        reading.complete = False
        return reading
    else:
        found = _from_text(reading, text)
    decided = {"critical_warning", "percentage_used", "media_errors"} <= found.keys()
    ata = "reallocated" in found or "passed" in found
    reading.complete = decided or ata
    reading.show(**{key: value for key, value in found.items() if key != "passed"})
    reading.count(
        disk_warning=found.get("critical_warning"),
        media_errors=found.get("media_errors"),
        bad_sectors=most([found.get(name) for name in _FAULTS.values()]),
    )
    reading.measure("%", disk_wear=found.get("percentage_used"), disk_spare=found.get("spare"))
    reading.measure("%", disk_spare_least=found.get("spare_threshold"))
    if "passed" in found:
        reading.say(smart_passed=found["passed"] == 1)
    reading.say(disk_readable=decided or ata)
    return reading


def _from_text(reading: Reading, text: str) -> dict[str, float]:
    head = re.search(r"smartctl (?P<version>[\d.]+)", text)
    reading.version = head["version"] if head else ""
    model = re.search(r"^(?:Device Model|Model Number|Product):\s*(?P<model>.+?)\s*$", text, re.MULTILINE)
    reading.show(model=model["model"] if model else None)
    found: dict[str, float] = {}
    for name, words in _NVME.items():
        for word in words:
            line = re.search(
                rf"^[ \t]*{re.escape(word)}\s*:\s*(?P<value>\S[^\n]*)$", text, re.MULTILINE | re.IGNORECASE
            )
            value = number(line["value"]) if line else None
            if value is not None and _whole(line["value"] if line else ""):
                found.setdefault(name, value)
    for row in [*_ATA.finditer(text), *_BRIEF.finditer(text)]:
        if row["id"] in _FAULTS:
            found[_FAULTS[row["id"]]] = float(row["raw"])
        elif row["name"] == "Power_On_Hours":
            found["poh"] = float(row["raw"])
    grown = re.search(r"Elements in grown defect list:\s*(?P<count>\d+)", text)
    if grown:
        found["reallocated"] = float(grown["count"])
    passed = _PASSED.search(text)
    if passed:
        found["passed"] = float(passed["word"] in ("PASSED", "OK"))
        reading.show(health=passed["word"])
    return found


def _whole(value: str) -> bool:
    return "\ufffd" not in value


def _from_json(reading: Reading, data: dict[str, Any]) -> dict[str, float]:
    version = dig(data, "smartctl", "version")
    if isinstance(version, list):
        reading.version = ".".join(str(part) for part in version)
    reading.show(model=_text(data, "model_name"), error=_text(data, "smartctl", "messages", 0, "string"))
    log = data.get("nvme_smart_health_information_log", data)
    found: dict[str, float] = {}
    for name, words in _NVME.items():
        for key in (words[1], *_OTHER.get(name, ())):
            value = _amount(log, key)
            if value is None and key == "critical_warning":
                value = figure(log, "critical_warning", "value")
            if value is not None:
                found.setdefault(name, value)
    if log is data and found.get("temp", 0) > _KELVIN:
        # nvme-cli's JSON gives kelvin.
        found["temp"] -= _KELVIN
    for row in dig(data, "ata_smart_attributes", "table") or []:
        fault = _FAULTS.get(str(dig(row, "id")))
        raw = figure(row, "raw", "value")
        if fault and raw is not None:
            found[fault] = raw
    hours = figure(data, "power_on_time", "hours")
    if hours is not None:
        found.setdefault("poh", hours)
    passed = dig(data, "smart_status", "passed")
    if isinstance(passed, bool):
        found["passed"] = float(passed)
    return found


def _amount(log: Any, key: str) -> float | None:
    """A figure; some versions of nvme-cli print large ones as texts."""
    value = dig(log, key)
    return number(value) if isinstance(value, str) else figure(log, key)


def _text(data: Any, *path: str | int) -> str | None:
    value = dig(data, *path)
    return value if isinstance(value, str) else None
