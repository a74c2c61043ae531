"""An answer as Markdown (GitHub dialect), from the contract's JSON.

Whatever a person typed is escaped before it is put between our own marks; a cell never breaks its table.
"""

from __future__ import annotations

import re
from typing import Any

from advisor.core.units import number
from advisor.report import sentences
from advisor.report.wording import Wording

Json = dict[str, Any]
# Notes beyond these stand in the JSON form only: a page that nobody reads to its end helps nobody.
MOST_NOTES = 2 * 2 * 2
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~])")


def escape(text: object) -> str:
    """A text that stays what it is inside Markdown: marks are escaped, line breaks become spaces."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def render(reply: Json, wording: Wording) -> str:
    """The whole answer."""
    parts = [f"**{reply['summary']}**", *_paragraphs([*reply["problems"], *filter(None, [reply["here"]])])]
    parts += _understood(reply, wording)
    parts += _by_method(reply["by_method"], wording)
    if reply["recommended"]:
        parts += [heading("recommended", wording), configuration(reply["recommended"], wording)]
    parts += _options(reply["options"], wording)
    parts += _levers(reply["levers"], wording)
    parts += _risks(reply["risks"], wording)
    parts += _advice(reply["advice"], wording)
    if reply["checklist"]:
        parts += [heading("checklist", wording), task_list(reply["checklist"], wording)]
    parts += _question(reply["questions"], wording)
    parts += _sources(reply["sources"], wording)
    return "\n\n".join(part for part in parts if part) + "\n"


def heading(key: str, wording: Wording, level: int = 2) -> str:
    """A heading of the fixed ones."""
    return f"{'#' * level} {wording.fixed(sentences.HEADING, key)}"


def _paragraphs(lines: list[str]) -> list[str]:
    return [escape(line) for line in lines]


def _understood(reply: Json, wording: Wording) -> list[str]:
    lines = []
    for key in ("understood", "assumed"):
        pairs = facts_line(reply, key, wording)
        if pairs:
            lines.append(f"- {wording.pair(wording.fixed(sentences.HEADING, key), escape(pairs))}")
    for entry in reply["rejected"]:
        head = wording.fixed(sentences.HEADING, "rejected")
        said = f"{escape(entry.get('text', ''))} · {escape(rejection(entry, wording))}"
        lines.append(f"- {wording.pair(head, said)}")
    return ["\n".join(lines)]


def rejection(entry: Json, wording: Wording) -> str:
    """Why something was not taken, in words."""
    reason = str(entry.get("reason", ""))
    return wording.fixed(sentences.REJECTED, reason) if reason in sentences.REJECTED else reason


def facts_line(reply: Json, key: str, wording: Wording) -> str:
    """What was understood or assumed, in the words of its facts: `name value, name value`."""
    joint = ", " if wording.lang == "en" else "，"
    pairs = (
        reply["understood"].items() if key == "understood" else ((a["fact"], a["value"]) for a in reply["assumptions"])
    )
    return joint.join(f"{wording.slot(slot)} {wording.said(slot, value)}" for slot, value in pairs)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; every row as long as its head."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def peak(row: Json) -> str:
    """`61 (55–72) GiB`, or a dash where there is no figure."""
    figures = row["peak_gib"]
    return f"{_span(figures)} GiB" if figures else "–"


def _span(figures: Json) -> str:
    """`61.2 (55–72.4)`: three digits, as in the sentences."""
    low, likely, high = (number(figures[end]) for end in ("low", "likely", "high"))
    return f"{likely} ({low}–{high})"


def hardware(row: Json) -> str:
    """`4 × A100 80GB`, `2 × 8 × H100 80GB` for several servers, or a dash."""
    if row["gpu"] is None:
        return "–"
    servers = f"{row['nodes']} × " if row["nodes"] > 1 else ""
    return f"{servers}{row['gpu_count']} × {row['gpu']}"


def _by_method(rows: list[Json], wording: Wording) -> list[str]:
    if not rows:
        return []
    keys = ("method", "verdict", "hardware", "peak", "usable", "reason")
    head = [wording.fixed(sentences.WORD, key) for key in keys]
    cells = [
        [
            wording.fixed(sentences.METHOD, row["method"]),
            wording.fixed(sentences.VERDICT, row["verdict"]),
            hardware(row),
            peak(row),
            f"{row['usable_gib']:.1f} GiB" if row["usable_gib"] else "–",
            escape(row["why"]),
        ]
        for row in rows
    ]
    return [heading("by_method", wording), table(head, cells)]


def configuration(plan: Json, wording: Wording) -> str:
    """A configuration as a list."""
    return "\n".join(f"- {wording.pair(name, value)}" for name, value in configuration_lines(plan, wording))


def configuration_lines(plan: Json, wording: Wording) -> list[tuple[str, str]]:
    """A configuration as pairs of label and value; what is not known is left out."""
    word = sentences.WORD
    lines = [
        (wording.fixed(word, "hardware"), hardware(plan)),
        (wording.fixed(word, "method"), wording.fixed(sentences.METHOD, plan["method"])),
        (wording.fixed(word, "peak"), _of_usable(plan, wording)),
    ]
    if plan["method"] != "inference":
        state = wording.fixed(word, "on" if plan["grad_ckpt"] else "off")
        lines += [
            (wording.fixed(word, "sharding"), way(plan, wording)),
            (wording.fixed(word, "micro_batch"), f"{plan['micro_batch']} × {plan['seq_len']} {wording.unit('tokens')}"),
            (wording.fixed(word, "grad_ckpt"), state),
            (wording.fixed(word, "optimizer"), wording.value("plan.optimizer", str(plan["optimizer"]))),
        ]
    for key, label in (("cpu_cores", "cpu"), ("ram_gib", "ram")):
        if plan[key] is not None:
            lines.append((wording.fixed(word, label), f"{plan[key]}{' GiB' if key == 'ram_gib' else ''}"))
    if plan["storage"]:
        lines.append((wording.fixed(word, "storage"), storage(plan["storage"], wording)))
    for key, label in (("network", "network"), ("software", "software"), ("power_cooling", "power")):
        if plan[key]:
            lines.append((wording.fixed(word, label), _group(key, plan[key], wording)))
    if plan["time_h"]:
        hours = plan["time_h"]
        lines.append((wording.fixed(word, "time"), f"{_span(hours)} {wording.unit('h')}"))
    if plan["cost"]:
        lines.append((wording.fixed(word, "cost"), money(plan["cost"], wording)))
    return lines


def _of_usable(plan: Json, wording: Wording) -> str:
    """The peak, and what a card offers where that is known."""
    usable = plan["usable_gib"]
    return peak(plan) if usable is None else f"{peak(plan)}; {wording.fixed(sentences.WORD, 'usable')} {usable:.1f} GiB"


def storage(parts: list[Json], wording: Wording) -> str:
    """All disk parts and their sum."""
    first = parts[0]
    kinds = [wording.value(f"order.storage.{key}", first[key]) for key in ("kind", "raid") if first[key]]
    total = sum(part["gb"] for part in parts)
    uses = " + ".join(f"{wording.fixed(sentences.DISK, part['use'])} {part['gb']:,}" for part in parts)
    return f"{total:,} GB{' ' + ', '.join(kinds) if kinds else ''} ({uses})"


def money(cost: Json, wording: Wording) -> str:
    """A dated band of money, the run's where it is known, and what stands behind a price that is no list price here."""
    period = wording.fixed(sentences.PERIOD, cost["period"])
    as_of = f"{wording.fixed(sentences.WORD, 'as_of')} {cost['as_of']}"
    notes = [as_of, *behind(cost, wording)]
    between = "; " if wording.lang == "en" else "；"
    run = (
        f"{between}{_band(cost['run'])} {cost['currency']} {wording.fixed(sentences.WORD, 'run')}"
        if cost["run"]
        else ""
    )
    return f"{_band(cost)} {cost['currency']}/{period}{run}{wording.aside(*notes)}"


def _band(figures: Json) -> str:
    low, high = number(figures["low"]), number(figures["high"])
    return low if low == high else f"{low}–{high}"


def behind(cost: Json, wording: Wording) -> list[str]:
    """Where a price comes from, and how far to trust it."""
    notes = [escape(wording.place(cost["place"]))]
    if cost["estimated"]:
        key = "premium" if cost["premium"] else "elsewhere"
        words = {"place": notes[0], "premium": f"{cost['premium']:g}" if cost["premium"] else ""}
        notes = [wording.fixed(sentences.PRICE, key, **words)]
    if cost["confidence"] == "low":
        notes.append(wording.fixed(sentences.PRICE, "low"))
    return notes


def _group(group: str, values: Json, wording: Wording) -> str:
    def one(name: str, value: Any) -> str:
        if isinstance(value, dict):
            return f"{_span(value)} kW"
        items = value if isinstance(value, list) else [value]
        return ", ".join(wording.value(f"order.{group}.{name}", str(item)) for item in items)

    def called(name: str) -> str:
        return wording.fact(f"order.{group}.{name}", wording.fixed(sentences.WORD, name))

    named = ((called(name), one(name, value)) for name, value in values.items())
    return "; ".join(f"{name} {value}" for name, value in named)


def split(plan: Json, wording: Wording) -> str:
    """How an option is split over its cards, and how many copies of a served model stand side by side."""
    named = wording.value("plan.sharding", plan["sharding"])
    copies = plan.get("copies") or 1
    if copies == 1:
        return named
    each = wording.fixed(sentences.WORD, "copies", count=str(copies))
    return each if plan["sharding"] == "none" else f"{each} × {named}"


def way(plan: Json, wording: Wording) -> str:
    """How an option runs the job: how it is split, and what it does beyond the usual to fit."""
    parts = [split(plan, wording)]
    if plan["offload"]:
        parts.append(wording.fixed(sentences.WORD, "offload"))
    if plan["method"] != "inference" and plan["optimizer"] != "adamw":
        parts.append(wording.value("plan.optimizer", plan["optimizer"]))
    return " + ".join(parts)


def _options(options: list[Json], wording: Wording) -> list[str]:
    if not options:
        return []
    lines = []
    for plan in options:
        label = wording.fixed(sentences.LABEL, plan["label"])
        cost = f"; {money(plan['cost'], wording)}" if plan["cost"] else ""
        split = way(plan, wording)
        lines.append(f"- {label}: {hardware(plan)}, {split}, {peak(plan)}{cost}")
    return [heading("options", wording), "\n".join(lines)]


def _levers(levers: list[Json], wording: Wording) -> list[str]:
    if not levers:
        return []
    lines = []
    for lever in levers:
        after = wording.fixed(sentences.VERDICT, lever["verdict_after"])
        lines.append(f"- {escape(lever['change'])} → {after}: {escape(lever['effect'])}")
    return [heading("levers", wording), "\n".join(lines)]


def _risks(risks: list[Json], wording: Wording) -> list[str]:
    if not risks:
        return []
    lines = []
    for risk in risks:
        degree = wording.fixed(sentences.DEGREE, risk["severity"])
        action = wording.fixed(sentences.WORD, "mitigation")
        lines.append(f"- [{degree}] {escape(risk['text'])} {action}: {escape(risk['mitigation'])}")
    return [heading("risks", wording), "\n".join(lines)]


def _advice(advice: list[Json], wording: Wording) -> list[str]:
    if not advice:
        return []
    notes = [entry for entry in advice if entry["level"] == "note"]
    shown = [entry for entry in advice if entry["level"] != "note"] + notes[:MOST_NOTES]
    return [heading("advice", wording), "\n".join(f"- {escape(entry['text'])}" for entry in shown)]


def task_list(items: list[Json], wording: Wording, level: int = 3) -> str:
    """The checklist as a GitHub task list, grouped by moment, with room for the result and the name."""
    blocks: list[str] = []
    moment = None
    for item in items:
        if item["moment"] != moment:
            moment = item["moment"]
            blocks.append(f"{'#' * level} {wording.fixed(sentences.MOMENT, moment)}\n")
        blocks.append(_task(item, wording))
    return "\n".join(blocks)


def _task(item: Json, wording: Wording) -> str:
    word = sentences.WORD
    severity = wording.fixed(sentences.SEVERITY, item["severity"])
    lines = [f"- [ ] **{escape(item['title'])}** ({severity}, `{item['id']}`)"]
    lines.append(f"  - {wording.fixed(word, 'why')}: {escape(item['why'])}")
    if item["ask"]:
        lines.append(f"  - {wording.fixed(word, 'ask')}: {escape(item['ask'])}")
    if item["command"]:
        fence = "```"
        command = "\n".join(f"    {line}" for line in item["command"].strip().splitlines())
        lines.append(f"  - {wording.fixed(word, 'command')}:\n    {fence}sh\n{command}\n    {fence}")
    lines.append(f"  - {wording.fixed(word, 'pass_if')}: {escape(item['pass_if'])}")
    lines.append(f"  - {wording.fixed(word, 'source')}: {', '.join(f'`{source}`' for source in item['sources'])}")
    lines.append(f"  - {wording.fixed(word, 'result')}: ____  {wording.fixed(word, 'checked_by')}: ____\n")
    return "\n".join(lines)


def checklist_document(reply: Json, wording: Wording) -> str:
    """The checklist alone, as a document that names its plan; the same bytes from every face."""
    plan = reply["recommended"]
    name = f"{hardware(plan)} · {wording.fixed(sentences.METHOD, plan['method'])}" if plan else reply["plan"]
    title = wording.fixed(sentences.SUMMARY, "checklist_title", plan=name)
    frozen = wording.fixed(
        sentences.SUMMARY, "checklist_frozen", plan=reply["plan"], version=reply["data_version"], as_of=reply["as_of"]
    )
    parts = [f"# {title}", f"{reply['summary']}", frozen]
    if plan:
        parts += [heading("recommended", wording), configuration(plan, wording)]
    parts += [heading("checklist", wording), task_list(reply["checklist"], wording)]
    return "\n\n".join(parts) + "\n"


def _question(questions: list[Json], wording: Wording) -> list[str]:
    if not questions:
        return []
    question = questions[0]
    choices = f" ({' / '.join(question['choices'])})" if question["choices"] else ""
    return [heading("question", wording), f"{question['text']}{choices}\n\n*{question['why']}*"]


def _sources(sources: list[Json], wording: Wording) -> list[str]:
    if not sources:
        return []
    lines = [f"- `{source['id']}` {escape(source['title'])}, {source['date']}" for source in sources]
    return [heading("sources", wording), "\n".join(lines)]
