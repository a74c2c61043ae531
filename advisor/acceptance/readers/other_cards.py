"""Cards of other makers: rocm-smi of AMD, npu-smi of Huawei. Number, name, memory, health; no more is judged."""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, gapless, least, most, together

_ROW = re.compile(
    r"^(?P<gpu>\d+)\s+\d+\s+0x[0-9a-f]+,?\s+\d+\s+(?P<temp>[\d.]+|N/A)°?C?\s+(?P<rest>[^\n]*%)\s*$", re.MULTILINE
)
_OLD_ROW = re.compile(r"^(?P<gpu>\d+)\s+(?P<temp>[\d.]+)c\s+[\d.]+W\s+(?P<rest>[^\n]*%)\s*$", re.MULTILINE)
_FIELD = re.compile(r"^GPU\[(?P<gpu>\d+)\]\s*:\s*(?P<key>[^:\n]+?):\s*(?P<value>\S[^\n]*?)\s*$", re.MULTILINE)


def read_rocm(text: str) -> Reading:
    """rocm-smi's table or the lines of --showproductname and --showmeminfo vram."""
    reading = Reading("rocm-smi")
    rows = list(_ROW.finditer(text)) or list(_OLD_ROW.finditer(text))
    fields = [(one["gpu"], one["key"].strip().lower(), one["value"]) for one in _FIELD.finditer(text)]
    gpus = {row["gpu"] for row in rows} | {gpu for gpu, _, _ in fields}
    names = [value for _, key, value in fields if key == "card series"]
    names = names or [
        value for _, key, value in fields if key in ("card model", "market name") and not value.startswith("0x")
    ]
    total = [number(value) for _, key, value in fields if key.startswith("vram total memory")]
    reading.cards = [re.sub(r"^AMD ", "", name) for name in names]
    reading.complete = bool(gpus) and "End of ROCm SMI Log" in text
    steady = sorted(map(int, gpus)) == list(range(len(gpus)))
    reading.complete = reading.complete and steady and len(names) in (0, len(gpus))
    memory = least(total)
    reading.show(gpus=len(gpus) or None, name=together(reading.cards))
    reading.show(mem_total_mib=round(memory / 2**20) if memory is not None else None)
    reading.show(temp_c=most(number(row["temp"]) for row in rows))
    if re.search(r"rocm-smi: (?:command )?not found|No AMD GPUs|Driver not initialized", text) and not gpus:
        reading.say(driver_absent=True)
        reading.show(error="driver absent")
        return reading
    reading.count(gpus=len(gpus) or None)
    reading.measure("C", temperature=most(number(row["temp"]) for row in rows))
    reading.measure("MiB", memory_total=memory / 2**20 if memory is not None else None)
    reading.say(cards_differ=len(set(names)) > 1 if names else None)
    return reading


_NPU = re.compile(
    r"^\|\s*(?P<npu>\d+)\s+(?P<name>\d*[A-Za-z]\S*)\s*\|\s*(?P<health>\w+)\s*\|\s*(?P<power>\S+)\s+(?P<temp>\d+)",
    re.MULTILINE,
)
_HBM = re.compile(
    r"^\|\s*\d+(?:\s+\d+)?\s*\|\s*[0-9A-Fa-f]{4}:[^|]*\|\s*\d+\s+\d+\s*/\s*\d+\s+(?P<used>\d+)\s*/\s*(?P<total>\d+)\s*\|",
    re.MULTILINE,
)


_BIN = re.compile(r"(?<=910[A-C])\d$")


def read_npu(text: str) -> Reading:
    """npu-smi info: a row for each card with its health, one for each chip with its memory in MB."""
    reading = Reading("npu-smi")
    version = re.search(r"npu-smi\s+(?P<version>\S+)", text)
    reading.version = version["version"] if version else ""
    rows, chips = list(_NPU.finditer(text)), list(_HBM.finditer(text))
    healths = [row["health"] for row in rows]
    # The digit behind 910B tells the bin; orders name the card.
    reading.cards = ["Ascend " + _BIN.sub("", row["name"]) for row in rows]
    # The first chip of each card is numbered 0, so that a card's own row cannot be lost unseen.
    firsts = sum(re.match(r"\|\s*0\s", chip[0]) is not None for chip in chips)
    whole = gapless(row["npu"] for row in rows) and firsts == len(rows)
    reading.complete = bool(rows) and whole and text.rstrip().endswith("+")
    totals = [number(chip["total"]) for chip in chips]
    reading.show(
        gpus=len(rows) or None, name=together(f"Ascend {row['name']}" for row in rows), health=together(healths)
    )
    reading.show(hbm_total_mb=least(totals), temp_c=most(number(row["temp"]) for row in rows))
    if rows:
        reading.count(gpus=len(rows))
        reading.measure("C", temperature=most(number(row["temp"]) for row in rows))
        reading.say(card_unhealthy=any(health != "OK" for health in healths))
        reading.say(cards_differ=len(set(reading.cards)) > 1)
    return reading
