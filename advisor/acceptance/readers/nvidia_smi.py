"""nvidia-smi's default table: driver, one block of rows a card, processes; and its one-line errors.

A card counts only where its rows are whole. The table proves nothing about idle use where the list of processes is cut
away, and a name that the narrow column cut (`RTX 4080 ...`) is kept as it stands.
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, least, most, together

_HEAD = re.compile(r"NVIDIA-SMI\s+(?P<smi>[\d.]+\S*)")
_DRIVER = re.compile(r"(?:Driver|KMD) Version:\s*(?P<driver>[\d.]+)")
_CUDA = re.compile(r"CUDA(?: UMD)? Version:\s*(?P<cuda>[\d.]+|N/A|ERR!)")
_BRANCH = re.compile(r"\d{3}\.\d")
_FIRST = re.compile(
    r"^\|\s*(?P<index>\d+)\s{1,5}(?P<name>\S.*?)\s+(?P<mode>On|Off|WDDM|TCC"
    r"|MCDM)\s*\|\s*(?P<bus>[0-9A-Fa-f]+:[0-9A-Fa-f:.]+)"
    r"\s+(?P<display>On|Off|N/A)?\s*\|\s*(?P<ecc>\S+)\s*\|"
)
_SECOND = re.compile(
    r"^\|\s*(?P<fan>\S+)\s+(?P<temp>\S+?)C?\s+(?P<perf>P\d+|N/A|\S+)\s+(?P<draw>\S+?)W? */ *(?P<cap>\S+?)W?\s*\|"
    r"\s*(?P<used>[\d.]+|N/A)\s*(?:MiB)?\s*/\s*(?P<total>[\d.]+"
    r"|N/A)\s*(?:MiB)?\s*\|\s*(?P<util>\d+%|N/A|ERR!)\s+(?P<compute>\S.*?)\s*\|"
)
_THIRD = re.compile(r"^\|\s*\|\s*\|\s*(?P<mig>Disabled\*?|Enabled\*?|N/A)\s*\|")
_ROW_BEGUN = re.compile(r"^\|\s*\d+\s+\S.*\b(?:On|Off|WDDM|TCC)\s*\|", re.MULTILINE)
_BORDER = re.compile(r"^\+[-=+]+\+?\s*$")
_PROCESS = re.compile(r"^\|\s*(?P<gpu>\d+)\s+(?:\S+\s+\S+\s+)?(?P<pid>\d+)\s+(?P<type>C\+G|C|G|M\+C)\s", re.MULTILINE)
_LOST = re.compile(r"Unable to determine the device handle for (?:GPU|gpu)\s*(?P<gpu>[0-9A-Fa-f:.]+)")
ERRORS = (
    ("no_device", re.compile(r"No devices were found", re.IGNORECASE)),
    ("gpu_lost", re.compile(r"Unable to determine the device handle|GPU is lost|GPU access blocked", re.IGNORECASE)),
    (
        "driver_absent",
        re.compile(
            r"couldn't communicate with the NVIDIA driver|Failed to initialize NVML|Driver/library version mismatch"
            r"|nvidia-smi: (?:command )?not found|nvidia-smi: (?:未找到命令|找不到命令)",
            re.IGNORECASE,
        ),
    ),
)


def errors(text: str, reading: Reading) -> None:
    """The errors that nvidia-smi prints instead of a result."""
    for name, pattern in ERRORS:
        if pattern.search(text):
            reading.say(**{name: True})
            reading.show(error=name.replace("_", " "))
    if lost := _LOST.search(text):
        reading.show(gpu=lost["gpu"].rstrip(":."))
    if reading.facts.get("no_device"):
        reading.show(gpus=0)
    if reading.facts.get("driver_absent"):
        reading.show(driver="not loaded")


def branch(driver: str | None) -> float | None:
    """`590.48.01` -> 590, the branch that requirements name."""
    return number(driver.split(".")[0]) if driver else None


def read(text: str) -> Reading:
    """The table, or the error that stands in its place."""
    reading = Reading("nvidia-smi")
    driver, cuda, head = _DRIVER.search(text), _CUDA.search(text), _HEAD.search(text)
    reading.version = driver["driver"] if driver else head["smi"] if head else ""
    reading.show(driver=driver["driver"] if driver else None, cuda=cuda["cuda"] if cuda else None)
    reading.measure("", driver_branch=branch(driver["driver"] if driver else None))
    errors(text, reading)
    if reading.facts.keys() & {"no_device", "gpu_lost", "driver_absent"}:
        return reading
    lines = text.split("\n")
    rows = _rows(lines)
    # A second row without its first one is a card whose name was cut away.
    seconds = sum(_SECOND.match(line.strip()) is not None for line in lines)
    _cards(reading, rows, max(len(_ROW_BEGUN.findall(text)), seconds))
    _processes(reading, text, rows)
    return reading


def _rows(lines: list[str]) -> list[dict[str, str]]:
    rows = []
    for index, line in enumerate(lines):
        first = _FIRST.match(line.strip())
        if not first:
            continue
        row = dict(first.groupdict())
        following = [one.strip() for one in lines[index + 1 : index + 1 + 2]]
        second = _SECOND.match(following[0]) if following else None
        third = _THIRD.match(following[1]) if len(following) > 1 else None
        row |= second.groupdict() if second else {}
        row |= third.groupdict() if third else {}
        row["whole"] = "yes" if second else ""
        rows.append({key: value or "" for key, value in row.items()})
    return rows


def _cards(reading: Reading, rows: list[dict[str, str]], begun: int) -> None:
    whole = [row for row in rows if row["whole"]]
    reading.cards = [row["name"] for row in whole]
    seen = max(begun, len(rows))
    reading.complete = bool(whole) and len(whole) == seen and bool(_BRANCH.match(reading.version))
    reading.show(gpus=len(whole) or None, name=together(reading.cards))
    if seen > len(whole):
        reading.show(gpus_seen=seen)
    if not whole:
        return
    reading.count(gpus=len(whole))
    total, used = [number(row["total"]) for row in whole], [number(row["used"]) for row in whole]
    temp, util = [number(row["temp"]) for row in whole], [number(row["util"]) for row in whole]
    caps = [number(row["cap"]) for row in whole]
    modes = {row["mode"] for row in whole}
    windows = modes & {"WDDM", "TCC", "MCDM"}
    reading.show(
        mem_total_mib=least(total),
        mem_used_mib=most(used),
        temp_c=most(temp),
        util_pct=most(util),
        util=together(row["util"] for row in whole if row["util"] == "N/A"),
        power_cap_w=least(caps),
        ecc_uncorr=most(number(row["ecc"]) for row in whole),
        ecc="N/A" if all(row["ecc"] == "N/A" for row in whole) else None,
        mig=together(row.get("mig", "").rstrip("*") for row in whole if row.get("mig")),
        compute_mode=together(row["compute"] for row in whole),
        perf=together(row["perf"] for row in whole),
        persist=None if windows else together(sorted(modes)),
        driver_model=together(sorted(windows)),
    )
    if len(set(caps)) > 1:
        reading.show(caps_w=together(f"{cap:g}" for cap in caps if cap is not None))
    _facts(reading, whole)


def _facts(reading: Reading, whole: list[dict[str, str]]) -> None:
    """What rules judge of the rows that are whole; the worst card counts."""
    caps = {number(row["cap"]) for row in whole} - {None}
    totals, used = [number(row["total"]) for row in whole], [number(row["used"]) for row in whole]
    reading.measure("MiB", memory_total=least(totals), memory_used=most(used))
    reading.measure("C", temperature=most(number(row["temp"]) for row in whole))
    reading.measure("%", util=most(number(row["util"]) for row in whole))
    reading.count(ecc_uncorrected=most(number(row["ecc"]) for row in whole))
    reading.say(
        power_caps_differ=len(caps) > 1,
        mig=any(row.get("mig", "").startswith("Enabled") for row in whole),
        cards_differ=len({(row["name"], row["total"]) for row in whole}) > 1,
        error_shown=any("ERR!" in row.values() for row in whole) or None,
        ecc_readable=all(row["ecc"] != "N/A" for row in whole),
    )


def _processes(reading: Reading, text: str, rows: list[dict[str, str]]) -> None:
    _, heading, below = text.partition("Processes:")
    listed = bool(heading) and "=====" in below
    none = "No running processes found" in below
    count = len(_PROCESS.findall(below))
    closed = any(_BORDER.match(line.strip()) for line in below.split("\n")[-2:]) or _closes(below)
    whole = listed and (none or count > 0) and closed
    if rows:
        reading.say(table_cut=not whole)
    if whole:
        reading.show(procs=count)
        reading.count(processes=count)


def _closes(below: str) -> bool:
    lines = [line.strip() for line in below.split("\n") if line.strip().startswith(("+", "|"))]
    return bool(lines) and bool(_BORDER.match(lines[-1])) and lines[-1].endswith("+")
