"""From a plan to what an order asks of a vendor: exact lines, each with the figure, how it is proven, and why.

The plan comes as the answer's JSON (CONTRACT, `hkgpu ask`); the lines are records of knowledge/requests. A line whose
figure the plan does not hold is left out or asked for openly, never filled in by a guess.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.core.errors import BadData
from advisor.core.text import Lang, Text, fill, placeholders
from advisor.core.units import number
from advisor.knowledge.hant import to_hant
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.knowledge.records.requests import Condition, Request

Name = str | float | bool | Text
# The levels whose disks hold every block twice.
_MIRRORED = ("raid1", "raid10")
_RAID = {"raid0": "RAID 0", "raid1": "RAID 1", "raid5": "RAID 5", "raid6": "RAID 6", "raid10": "RAID 10"}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line for one plan. `wanted` is the figure, the words or the flag an offer is held against, None where any
    plain answer will do; `unit` is empty for words."""

    id: str
    group: str
    severity: str
    title: Text
    ask: Text
    relation: str
    wanted: float | bool | str | tuple[str, ...] | None
    unit: str
    reads: tuple[str, ...]
    item: str
    because: tuple[str, ...]
    record: Request


def requirements(plan: Mapping[str, Any], library: Library) -> list[Requirement]:
    """The lines of a plan in the order of the message; empty where the plan names no card."""
    names = scene(plan, library)
    if "gpu" not in names:
        return []
    records = sorted(library.requests.values(), key=lambda record: (record.order, record.id))
    return [made for record in records if (made := _made(record, names, library)) is not None]


def spoken(text: Text, lang: Lang, library: Library) -> str:
    """A text without placeholders in a language."""
    line = text.in_lang(lang)
    return to_hant(line, library) if lang == "zh-Hant" and text.zh_hant is None else line


def scene(plan: Mapping[str, Any], library: Library) -> dict[str, Name]:
    """What a request may take of a plan, by name; what the plan does not say is not there."""
    recommended = plan.get("recommended")
    said = plan.get("understood") or {}
    found: dict[str, Name] = {}
    if not isinstance(recommended, Mapping):
        recommended = _stated(said)
    label = recommended.get("gpu")
    cards = [card for card in library.gpus.values() if card.label == label]
    if not isinstance(label, str) or not cards:
        return found
    found |= _hardware(label, cards, recommended)
    found |= _disks(recommended.get("storage") or [])
    found |= _network(recommended.get("network") or {}, said, library)
    found |= _site(recommended.get("power_cooling") or {}, said, plan)
    for item in plan.get("checklist") or []:
        if isinstance(item, Mapping):
            found["item_" + str(item.get("id", "")).rpartition(".")[2]] = True
    return found


def _stated(said: Mapping[str, Any]) -> dict[str, Any]:
    """The hardware that was said, where the answer recommends none."""
    return {"gpu": said.get("gpu_model"), "gpu_count": said.get("gpu_count"), "nodes": said.get("nodes")}


def _hardware(label: str, cards: Sequence[Gpu], plan: Mapping[str, Any]) -> dict[str, Name]:
    each, nodes = _number(plan.get("gpu_count")), _number(plan.get("nodes")) or 1
    found: dict[str, Name] = {"gpu": label, "several_nodes": nodes > 1}
    memory = min((card.memory.value for card in cards if card.memory.value is not None), default=None)
    generations = [int(card.pcie.value[0]) for card in cards if card.pcie.value and card.pcie.value[0].isdigit()]
    found |= _known(card_memory=memory, gpu_count=each, nodes=nodes, pcie_gen=min(generations, default=None))
    found |= {"several_cards": bool(each and each > 1), "has_nvlink": any(c.nvlink_kind == "nvlink" for c in cards)}
    found["card_has_ecc"] = all(card.ecc.value in ("always", "on_by_default") for card in cards)
    return found | _known(cpu_cores=_number(plan.get("cpu_cores")), ram=_number(plan.get("ram_gib")))


def _disks(storage: Sequence[Any]) -> dict[str, Name]:
    rows = [row for row in storage if isinstance(row, Mapping) and row.get("kind") in (None, "nvme")]
    usable = sum(_number(row.get("gb")) or 0 for row in rows)
    levels = {str(row["raid"]) for row in rows if row.get("raid")}
    if not usable:
        return {}
    raw = usable * (2 if levels & set(_MIRRORED) else 1)
    found: dict[str, Name] = {"nvme": usable, "nvme_raw": raw}
    if len(levels) == 1:
        found |= {"raid": (level := levels.pop()), "raid_name": _RAID.get(level, level)}
    return found


def _network(order: Mapping[str, Any], said: Mapping[str, Any], library: Library) -> dict[str, Name]:
    line = order.get("line") or said.get("line_type")
    line = line[0] if isinstance(line, list | tuple) and line else line
    speed = _number(order.get("bandwidth")) or _number(said.get("bandwidth_mbps"))
    found = _known(bandwidth=speed, between_servers=order.get("between_servers"))
    if isinstance(line, str) and line in library.routes:
        found |= {"line": line, "line_name": library.routes[line].name.text}
    users = said.get("user_location")
    found["crosses_border"] = bool({"mainland"} & set(users if isinstance(users, list) else [users]))
    return found


def _site(order: Mapping[str, Any], said: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Name]:
    power = order.get("kw_per_node")
    kilowatts = _number(power.get("high")) if isinstance(power, Mapping) else None
    assumed = {entry.get("fact"): entry.get("value") for entry in plan.get("assumptions") or []}
    place = said.get("server_location") or assumed.get("server_location") or "hong_kong"
    spot = said.get("spot") or said.get("spot.used")
    return {**_known(kw=kilowatts, server_location=place), "spot": str(spot).lower() == "true"}


def _known(**values: float | str | None) -> dict[str, Name]:
    return {name: value for name, value in values.items() if value is not None}


def _number(value: object) -> float | None:
    """A finite number out of what a JSON or a command line says; the least of a range."""
    if isinstance(value, Mapping):
        value = value.get("min", value.get("max"))
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return found if math.isfinite(found) and found >= 0 else None


def _made(record: Request, names: Mapping[str, Name], library: Library) -> Requirement | None:
    if not all(_holds(condition, names) for condition in record.when):
        return None
    wanted = _wanted(record, names, library)
    shown = _shown(record, names, wanted)
    if any(name not in shown["en"] for name in placeholders(record.ask.en)):
        return None
    where = f"knowledge/requests/{record.id}.yaml"
    ask = Text(*(fill(record.ask.text.in_lang(lang), shown[lang], where) for lang in ("en", "zh")))
    unit = "" if isinstance(wanted, str | tuple | bool) else record.unit
    return Requirement(
        record.id, record.group, record.severity, record.title.text, ask, record.relation, wanted, unit,
        record.reads, record.proven_by, record.because, record,
    )  # fmt: skip


def _holds(condition: Condition, names: Mapping[str, Name]) -> bool:
    value = names.get(condition.name)
    if condition.known is not None:
        return (value is not None) == condition.known
    if condition.above is not None:
        return isinstance(value, float) and value > condition.above
    return any(type(one) is type(value) and one == value for one in condition.among or ())


def _wanted(
    record: Request, names: Mapping[str, Name], library: Library
) -> float | bool | str | tuple[str, ...] | None:
    if record.heuristic is not None:
        return library.heuristic(record.heuristic).to(record.unit).value
    if record.takes is not None:
        value = names.get(record.takes)
        if isinstance(value, Text):
            raise BadData(f'"{record.takes}" is a text', where=f"knowledge/requests/{record.id}.yaml")
        return (value,) if record.relation == "among" and isinstance(value, str) else value
    return record.value


def _shown(record: Request, names: Mapping[str, Name], wanted: object) -> dict[Lang, dict[str, str]]:
    units = {"card_memory": "GB", "ram": "GiB", "nvme": "GB", "nvme_raw": "GB", "bandwidth": "Mbps", "kw": "kW"}
    out: dict[Lang, dict[str, str]] = {"en": {}, "zh": {}}
    for lang, found in out.items():
        for name, value in names.items():
            if isinstance(value, Text):
                found[name] = value.in_lang(lang)
            elif not isinstance(value, bool):
                found[name] = figure(value, units.get(name, ""))
        if record.heuristic is not None and isinstance(wanted, float):
            found[record.id] = figure(wanted, record.unit)
    return out


def figure(value: str | float, unit: str = "") -> str:
    """A figure as a vendor reads it: whole numbers as they are, others to three digits."""
    if isinstance(value, str):
        return value
    text = f"{value:,.0f}" if value == int(value) else number(value)
    return f"{text} {unit}".strip() if unit != "count" else text


def by_group(lines: Sequence[Requirement]) -> Iterator[tuple[str, list[Requirement]]]:
    """The lines group by group, in the order in which the groups first come."""
    for group in dict.fromkeys(line.group for line in lines):
        yield group, [line for line in lines if line.group == group]
