"""An answer as a message in a thread: what a chat program shows, in parts, each worded, none laid out.

A face turns the parts into its own blocks, drops the last ones where its limits are reached, and puts the whole of it
into a file. Every sentence is a rule's own or a fixed one; the face adds no words but the names of its buttons.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.core.units import number
from advisor.report import markdown, sentences, talk
from advisor.report.chat_words import CHAT, LEVER_SHORT, PART
from advisor.report.wording import Wording

Json = dict[str, Any]
# Parts of a message: how many of each are worth a reader's eye before the file.
MOST_RISKS = 2 + 1
MOST_OPTIONS = 2 * 2
MOST_NOTES = 2 + 1
_TURNS = ("said", "compare", "show", "back", "skip", "unknown")
_NO_QUESTION = ("declined", "chat")


def message(reply: Json, wording: Wording) -> Json:
    """The parts of one answer."""
    act = reply["act"]
    whole = act in ("show", "compare") or (act in ("said", "back") and (reply["full"] or bool(reply["changes"])))
    body = act in _TURNS
    return {
        "lang": wording.lang,
        "session": reply["session"],
        "plan": reply["plan"],
        "act": act,
        "verdict": reply["verdict"] if body or act == "export" else None,
        "declined": bool(reply["declined"]),
        "head": _head(reply),
        "notes": _notes(reply, wording),
        "changes": _changes(reply, wording),
        "figures": _figures(reply, wording),
        "here": reply["here"] if body else None,
        "understood": _understood(reply, wording) if body else None,
        "assumed": _assumed(reply, wording) if body and whole else None,
        "methods": [_method(row, wording) for row in reply["by_method"]] if body else [],
        "recommended": _recommended(reply, wording) if body and whole else None,
        "memory": _memory(reply, wording) if body else None,
        "options": _options(reply, wording) if body and whole else None,
        "levers": [_lever(lever, wording) for lever in reply["levers"]] if body else [],
        "risks": _risks(reply, wording) if body and whole else None,
        "advice": _warnings(reply) if body and whole else [],
        "question": _question(reply, wording),
        "choices": list(reply["choices"]),
        "checklist": len(reply["checklist"]),
        "foot": wording.fixed(CHAT, "foot", plan=reply["plan"], as_of=reply["as_of"]) if body else "",
        "text": fallback(reply, wording),
        "title": title(reply, wording),
    }


def title(reply: Json, wording: Wording) -> str:
    """One line that a list of conversations shows."""
    named = [f"{wording.said(slot, value)}" for slot, value in list(reply["understood"].items())[: 2 * 2]]
    plan = reply["recommended"]
    what = " · ".join([*named, *([markdown.hardware(plan)] if plan else [])])
    return wording.pair(wording.fixed(sentences.VERDICT, reply["verdict"]), what) if what else ""


def fallback(reply: Json, wording: Wording) -> str:
    """The same without any layout, for a notification and for a program that refuses the rest."""
    if reply["act"] in _NO_QUESTION:
        return str(reply["summary"])
    lines = [_head(reply), *_notes(reply, wording), *_changes(reply, wording)]
    if reply["act"] in _TURNS:
        lines += [*_figures(reply, wording), reply["here"] or ""]
        if len(reply["by_method"]) > 1:
            lines += [f"• {_method_line(_method(row, wording), wording)}" for row in reply["by_method"]]
        lines += [f"• {lever['change']} → {lever['after']}" for lever in (_lever(e, wording) for e in reply["levers"])]
    question = _question(reply, wording)
    if question:
        lines.append(question["text"])
    return "\n".join(line for line in lines if line)


def _method_line(row: Json, wording: Wording) -> str:
    figures = f" · {row['hardware']} · {row['peak']}" if row["gpu"] else ""
    return wording.pair(row["name"], f"{row['verdict_word']}{figures}")


def _figures(reply: Json, wording: Wording) -> list[str]:
    """Time and money of the recommended plan, where they are known."""
    plan = reply["recommended"]
    # Of a plan that was refused, the recommendation is another one, and its time would mislead.
    if plan is None or reply["act"] not in _TURNS or not plan["time_h"] or reply["verdict"] == "no":
        return []
    named = {wording.fixed(sentences.WORD, key) for key in ("time", "cost")}
    return [wording.pair(name, value) for name, value in markdown.configuration_lines(plan, wording) if name in named]


def _head(reply: Json) -> str:
    """What stands first: the verdict, or where the turn gave none, what it says."""
    if reply["act"] in (*_TURNS, "export", *_NO_QUESTION):
        return str(reply["summary"])
    return str(reply["message"]).split("\n", 1)[0] or str(reply["summary"])


def _notes(reply: Json, wording: Wording) -> list[str]:
    notes = []
    if reply["act"] in (*_TURNS, "export"):
        notes += [reply["message"]] if reply["message"] and reply["act"] != "export" else []
    elif reply["act"] not in _NO_QUESTION:
        notes += str(reply["message"]).split("\n")[1:]
    notes += [*reply["problems"]]
    if reply["act"] in _TURNS:
        head = wording.fixed(sentences.HEADING, "rejected")
        for entry in reply["rejected"]:
            said = " · ".join(part for part in (entry.get("text", ""), markdown.rejection(entry, wording)) if part)
            notes += [wording.pair(head, said)] if said else []
    return [str(note) for note in notes if note and note != reply["summary"]]


def _changes(reply: Json, wording: Wording) -> list[str]:
    return talk.changed(reply, wording)


def _understood(reply: Json, wording: Wording) -> Json | None:
    items = [
        {"slot": slot, "name": wording.slot(slot), "value": wording.said(slot, value)}
        for slot, value in reply["understood"].items()
    ]
    return {"label": wording.fixed(sentences.HEADING, "understood"), "items": items} if items else None


def _assumed(reply: Json, wording: Wording) -> Json | None:
    items = [
        f"{wording.slot(entry['fact'])} {wording.said(entry['fact'], entry['value'])}" for entry in reply["assumptions"]
    ]
    joint = ", " if wording.lang == "en" else "，"
    return {"label": wording.fixed(sentences.HEADING, "assumed"), "text": joint.join(items)} if items else None


def _method(row: Json, wording: Wording) -> Json:
    usable = f"{wording.fixed(sentences.WORD, 'usable')} {row['usable_gib']:.1f} GiB" if row["usable_gib"] else ""
    return {
        "name": wording.fixed(sentences.METHOD, row["method"]),
        "verdict": row["verdict"],
        "verdict_word": wording.fixed(sentences.VERDICT, row["verdict"]),
        "gpu": row["gpu"],
        "hardware": markdown.hardware(row),
        "split": wording.value("plan.sharding", row["sharding"]) if row["sharding"] else "",
        "peak": markdown.peak(row),
        "usable": usable,
        "why": row["why"],
    }


def _recommended(reply: Json, wording: Wording) -> Json | None:
    plan = reply["recommended"]
    if plan is None:
        return None
    lines = markdown.configuration_lines(plan, wording)
    return {"label": wording.fixed(sentences.HEADING, "recommended"), "lines": [list(pair) for pair in lines]}


def _memory(reply: Json, wording: Wording) -> Json | None:
    """The parts of a card's memory, the largest first, with their share of the likely peak."""
    plan = reply["recommended"]
    if plan is None or not plan["peak_gib"]:
        return None
    parts = [(name, value) for name, value in plan["parts_gib"].items() if name in PART and value > 0]
    peak = plan["peak_gib"]["likely"]
    items = [
        {"name": wording.fixed(PART, name), "gib": number(value), "share": min(1.0, value / peak) if peak else 0.0}
        for name, value in sorted(parts, key=lambda part: -part[1])
    ]
    figures = {"hardware": markdown.hardware(plan), "method": wording.fixed(sentences.METHOD, plan["method"])}
    usable = plan["usable_gib"]
    peak_line = markdown.peak(plan) if usable is None else f"{markdown.peak(plan)} / {usable:.1f} GiB"
    return {"label": wording.fixed(CHAT, "memory", **figures), "items": items, "peak": peak_line} if items else None


def _options(reply: Json, wording: Wording) -> Json | None:
    plans = reply["options"][:MOST_OPTIONS]
    if len(plans) < 2:
        return None
    keys = ("plan", "hardware", "way", "peak", "cost")
    rows = [
        [
            wording.fixed(sentences.LABEL, plan["label"]),
            f"{markdown.hardware(plan)}, {wording.fixed(sentences.METHOD, plan['method'])}",
            markdown.way(plan, wording),
            markdown.peak(plan),
            _money(plan, wording),
        ]
        for plan in plans
    ]
    return {
        "label": wording.fixed(sentences.HEADING, "options"),
        "head": [wording.fixed(CHAT, f"option_{key}") for key in keys],
        "rows": rows,
        "takes": [
            {
                "text": wording.fixed(
                    CHAT, "take", plan=f"{wording.fixed(sentences.LABEL, plan['label'])}: {markdown.hardware(plan)}"
                ),
                "set": {"gpu_model": plan["gpu"], "gpu_count": plan["gpu_count"], "nodes": plan["nodes"]},
            }
            for plan in plans
        ],
    }


def _money(plan: Json, wording: Wording) -> str:
    cost = plan["cost"]
    if not cost:
        return "–"
    low, high = number(cost["low"]), number(cost["high"])
    band = low if low == high else f"{low}–{high}"
    place = "" if not cost["estimated"] else f" ({wording.fixed(CHAT, 'estimate')})"
    return f"{band} {cost['currency']}/{wording.fixed(sentences.PERIOD, cost['period'])}{place}"


def _lever(lever: Json, wording: Wording) -> Json:
    step = lever.get("steps") or [{}]
    short = " + ".join(_short(each, wording) for each in step) if all(step) else lever["change"]
    return {
        "change": lever["change"],
        "after": wording.fixed(sentences.VERDICT, lever["verdict_after"]),
        "verdict": lever["verdict_after"],
        "effect": lever["effect"],
        "button": short,
        "set": lever.get("set") or {},
    }


def _short(step: Mapping[str, str], wording: Wording) -> str:
    return wording.fixed(LEVER_SHORT, step["kind"], after=step["after"])


def _risks(reply: Json, wording: Wording) -> Json | None:
    items = [
        {
            "degree": wording.fixed(sentences.DEGREE, risk["severity"]),
            "severity": risk["severity"],
            "text": risk["text"],
            "mitigation": risk["mitigation"],
        }
        for risk in reply["risks"][:MOST_RISKS]
    ]
    more = len(reply["risks"]) - len(items)
    return {
        "label": wording.fixed(sentences.HEADING, "risks"),
        "items": items,
        "more": wording.fixed(CHAT, "more_risks", count=str(more)) if more else "",
    } if items else None  # fmt: skip


def _warnings(reply: Json) -> list[str]:
    return [entry["text"] for entry in reply["advice"] if entry["level"] != "note"][:MOST_NOTES]


def _question(reply: Json, wording: Wording) -> Json | None:
    if not reply["questions"] or reply["act"] in (*_NO_QUESTION, "export", "explain"):
        return None
    question = reply["questions"][0]
    left = reply["questions_left"] - 1
    choices = zip(question["choices"], question["values"], strict=True)
    return {
        "label": wording.fixed(sentences.HEADING, "question"),
        "slot": question["fact"],
        "text": question["text"],
        "why": question["why"],
        "left": wording.fixed(talk.TALK, "left", count=str(left)) if left else wording.text(talk.TALK["last"]),
        "choices": [{"text": text, "value": value} for text, value in choices],
    }
