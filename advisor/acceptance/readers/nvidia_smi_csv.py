"""nvidia-smi --query-gpu as CSV, with header and units or without.

Without a header a column is named only where its content can be nothing else: a card's name, a memory total that goes
with it, a driver version. The first row is never taken for a header, and a column that nobody can name is left alone.
"""

from __future__ import annotations

import csv
import re

from advisor.acceptance.numerals import number
from advisor.acceptance.readers.nvidia_smi import branch, errors
from advisor.acceptance.reading import Reading, gapless, least, most, together

_NAMES = re.compile(r"\b(?:NVIDIA|Tesla|GeForce|Quadro|TITAN|A100|A800|H100|H800|H200|H20|RTX|L40S?|L20)\b")
_UNIT = re.compile(r"\s*\[[^\]]*\]\s*$")
_DRIVER = re.compile(r"\d{3}\.\d+(?:\.\d+)?")
_COLUMN = re.compile(r"[a-z][a-z0-9_.]*(?:\s*\[[^\]]*\])?")
_NOTHING = (
    "[N/A]",
    "N/A",
    "[Not Supported]",
    "[Unknown Error]",
    "[GPU requires reset]",
    "[Insufficient Permissions]",
    "",
)
_ERRORS = ("[Unknown Error]", "[GPU requires reset]", "[GPU is lost]", "ERR!")
_FIGURE = re.compile(r"\d+(?:\.\d+)?(?: (?:MiB|%|W|C|MHz))?")
_WORDS = ("index", "name", "uuid", "driver", "pstate", "compute_mode", "fabric_state", "fabric_status", "compute_cap")
_ORDER = ("mem_total_mib", "mem_used_mib", "util_pct", "pcie_gen")
# Column -> name of the value.
_VALUES = {
    "index": "index",
    "name": "name",
    "gpu_name": "name",
    "uuid": "uuid",
    "driver_version": "driver",
    "memory.total": "mem_total_mib",
    "memory.used": "mem_used_mib",
    "memory.free": "mem_free_mib",
    "utilization.gpu": "util_pct",
    "temperature.gpu": "temp_c",
    "power.limit": "power_limit_w",
    "power.max_limit": "power_max_limit_w",
    "power.default_limit": "power_default_limit_w",
    "power.draw": "power_draw_w",
    "pstate": "pstate",
    "persistence_mode": "persist",
    "compute_mode": "compute_mode",
    "pcie.link.gen.current": "pcie_gen",
    "pcie.link.gen.gpucurrent": "pcie_gen",
    "pcie.link.gen.max": "pcie_gen_max",
    "pcie.link.width.current": "pcie_width",
    "pcie.link.width.max": "pcie_width_max",
    "mig.mode.current": "mig",
    "ecc.mode.current": "ecc",
    "ecc.errors.uncorrected.volatile.total": "ecc_uncorr",
    "ecc.errors.uncorrected.volatile.dram": "dram_unc_vol",
    "ecc.errors.uncorrected.volatile.sram": "sram_unc_vol",
    "ecc.errors.uncorrected.aggregate.total": "ecc_uncorr_agg",
    "ecc.errors.uncorrected.aggregate.sram": "sram_unc_agg",
    "ecc.errors.corrected.volatile.total": "ecc_corr",
    "remapped_rows.pending": "pending",
    "remapped_rows.failure": "failure",
    "remapped_rows.uncorrectable": "remapped_unc",
    "remapped_rows.correctable": "remapped_corr",
    "retired_pages.pending": "retired_pending",
    "clocks_event_reasons.hw_thermal_slowdown": "hw_thermal",
    "clocks_throttle_reasons.hw_thermal_slowdown": "hw_thermal",
    "clocks_event_reasons.hw_slowdown": "hw_slowdown",
    "clocks_throttle_reasons.hw_slowdown": "hw_slowdown",
    "clocks_event_reasons.hw_power_brake_slowdown": "hw_power_brake",
    "clocks_throttle_reasons.hw_power_brake_slowdown": "hw_power_brake",
    "clocks_event_reasons.sw_thermal_slowdown": "sw_thermal",
    "clocks_throttle_reasons.sw_thermal_slowdown": "sw_thermal",
    "fabric.state": "fabric_state",
    "fabric.status": "fabric_status",
    "compute_cap": "compute_cap",
}


def read(text: str) -> Reading:
    """The rows by column; columns that the query did not ask for are unknown, not fine."""
    reading = Reading("nvidia-smi-csv")
    errors(text, reading)
    lines = [line for line in text.split("\n") if "," in line or _NAMES.search(line)]
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, skipinitialspace=True) if row]
    header = next((index for index, row in enumerate(rows) if _is_header(row)), None)
    if header is None:
        columns, cards = _guessed(rows)
        # A row that names columns and is no header is a damaged one.
        whole = bool(cards) and not any(_UNIT.sub("", cell).strip().lower() in _VALUES for row in rows for cell in row)
    else:
        columns = [_UNIT.sub("", cell).strip().lower() for cell in rows[header]]
        cards = [row for row in rows[header + 1 :] if not _is_header(row)]
        whole = bool(cards) and all(len(row) == len(columns) for row in cards)
        cards = [row for row in cards if len(row) == len(columns)]
    table = {column: [row[index] for row in cards] for index, column in enumerate(columns)}
    if header is not None and any(
        "[" in cell and _lacks_unit(table[_UNIT.sub("", cell).strip().lower()]) for cell in rows[header]
    ):
        whole = False
    reading.complete = whole and all(_readable(column, cells) for column, cells in table.items())
    reading.complete = reading.complete and gapless(table.get("index", []))
    if header is None and not text.endswith("\n"):
        # Bare digits at the very end may have lost some.
        reading.complete = False
    if not reading.facts.keys() & {"no_device", "gpu_lost", "driver_absent"}:
        _fill(reading, {_VALUES.get(column, ""): cells for column, cells in table.items()}, len(cards))
    return reading


# Columns whose cells are words of a closed list.
_FLAGS = ("pending", "failure", "retired_pending", "hw_thermal", "hw_slowdown", "hw_power_brake", "sw_thermal")
_STATES = ("enabled", "disabled", "yes", "no", "active", "not active", "0", "1")


def _readable(column: str, cells: list[str]) -> bool:
    """Whether each cell of a column that we know is what such a column prints."""
    value = _VALUES.get(column)
    if any(cell == "" for cell in cells):
        return False
    if value == "driver":
        return all(cell in _NOTHING or _DRIVER.fullmatch(cell) for cell in cells)
    if value in ("mig", "ecc", "persist", *_FLAGS):
        return all(cell in _NOTHING or cell.lower() in _STATES for cell in cells)
    if value is None or value in _WORDS:
        return True
    return all(cell in _NOTHING or _FIGURE.fullmatch(cell) for cell in cells)


def _lacks_unit(cells: list[str]) -> bool:
    """A figure without its unit beside others that have it was cut."""
    figures = [cell for cell in cells if cell not in _NOTHING]
    with_unit = sum(" " in cell for cell in figures)
    return 0 < with_unit < len(figures) or (len(figures) == 1 and with_unit == 0)


def _is_header(row: list[str]) -> bool:
    return (
        len(row) > 0
        and all(_COLUMN.fullmatch(cell) for cell in row)
        and any(_UNIT.sub("", cell).strip().lower() in _VALUES for cell in row)
    )


def _guessed(rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Names of the columns of rows without a header, as far as the content leaves no doubt."""
    cards = [row for row in rows if any(_NAMES.search(cell) for cell in row)]
    widths = {len(row) for row in cards}
    if len(widths) != 1:
        return [], []
    back = {value: column for column, value in _VALUES.items() if column != "gpu_name"}
    names = [""] * widths.pop()
    plain = []
    for index in range(len(names)):
        cells = [row[index] for row in cards]
        if all(_NAMES.search(cell) for cell in cells):
            names[index] = "name"
        elif all(_DRIVER.fullmatch(cell) and len(cell.split(".")[0]) > 2 and "." in cell for cell in cells) and not all(
            cell.endswith(".00") for cell in cells
        ):
            names[index] = "driver_version"
        elif all(re.fullmatch(r"P\d+", cell) for cell in cells):
            names[index] = "pstate"
        elif index == 0 and [number(cell) for cell in cells] == list(range(len(cells))):
            names[index] = "index"
        elif all(re.fullmatch(r"\d+\.\d\d", cell) for cell in cells):
            names[index] = "power.limit"
        else:
            plain.append(index)
    # What is left in the order that the checklist's command asks for.
    for index, value in zip(plain, _ORDER, strict=False):
        names[index] = back[value]
    return names, cards


def _cells(table: dict[str, list[str]], name: str) -> list[float | None]:
    return [None if cell in _NOTHING else number(cell) for cell in table.get(name, [])]


def _fill(reading: Reading, table: dict[str, list[str]], count: int) -> None:
    reading.cards = table.get("name", [])
    reading.version = together(table.get("driver", []))
    reading.show(gpus=count or None)
    for name, cells in table.items():
        if name in ("", "index", "uuid"):
            continue
        figures = _cells(table, name)
        if any(figure is None for figure in figures) or name in ("driver", "name", "pstate", "compute_cap"):
            reading.show(**{name.removesuffix("_pct") if "[N/A]" in cells else name: together(cells)})
        elif figures:
            lowest = (
                least(figures)
                if name in ("mem_total_mib", "pcie_gen", "pcie_width", "power_limit_w")
                else most(figures)
            )
            reading.show(**{name: lowest})
    if not count:
        return
    reading.count(gpus=count)
    reading.measure("", driver_branch=branch(reading.version.split(",")[0]))
    reading.measure(
        "MiB", memory_total=least(_cells(table, "mem_total_mib")), memory_used=most(_cells(table, "mem_used_mib"))
    )
    reading.measure("%", util=most(_cells(table, "util_pct")))
    reading.measure("C", temperature=most(_cells(table, "temp_c")))
    for fact in ("pcie_gen", "pcie_gen_max", "pcie_width", "pcie_width_max"):
        reading.count(**{fact: least(_cells(table, fact))})
    reading.count(
        ecc_uncorrected=most(_cells(table, "ecc_uncorr")),
        sram_uncorrected=most([*_cells(table, "sram_unc_vol"), *_cells(table, "sram_unc_agg")]),
        remapped_rows=most(_cells(table, "remapped_unc")),
    )
    _words(reading, table)


def _flag(cells: list[str] | None, yes: tuple[str, ...], no: tuple[str, ...]) -> bool | None:
    """True where any card says yes, False where all say no, None where somebody says neither."""
    if not cells:
        return None
    words = [cell.lower() for cell in cells]
    if any(word in yes for word in words):
        return True
    return False if all(word in no for word in words) else None


def _words(reading: Reading, table: dict[str, list[str]]) -> None:
    limits = {one for one in _cells(table, "power_limit_w") if one is not None}
    known = table.get("pending"), table.get("failure")
    reading.say(
        error_shown=any(cell in _ERRORS for cells in table.values() for cell in cells) or None,
        mig=_flag(table.get("mig"), ("enabled",), ("disabled", "[n/a]", "n/a")),
        remap_pending=_flag(known[0], ("yes", "1"), ("no", "0")),
        remap_failure=_flag(known[1], ("yes", "1"), ("no", "0")),
        hw_slowdown=_flag(table.get("hw_thermal"), ("active",), ("not active",)),
        power_brake=_flag(table.get("hw_power_brake"), ("active",), ("not active",)),
        sw_thermal=_flag(table.get("sw_thermal"), ("active",), ("not active",)),
        power_caps_differ=len(limits) > 1 if "power_limit_w" in table else None,
        cards_differ=len(set(table["name"])) > 1 if "name" in table else None,
        fabric_done=_flag(table.get("fabric_state"), ("completed",), ("not started", "in progress")),
    )
    if any(cells is not None and any(cell in _NOTHING for cell in cells) for cells in known):
        reading.say(remap_unreadable=True)
    if any(cell in _NOTHING for cell in table.get("util_pct", [])):
        reading.say(util_unreadable=True)
