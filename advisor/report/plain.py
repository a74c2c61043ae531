"""An answer as plain text for a terminal: the verdict first, then the limiting figures, then what to do.

It shows the short form: risks, warnings and the next question in full, the checklist as titles, no notes. The whole of
it is in the Markdown and JSON forms.
"""

from __future__ import annotations

from typing import Any

from advisor.report import markdown, sentences
from advisor.report.wording import Wording

Json = dict[str, Any]


def render(reply: Json, wording: Wording) -> str:
    """The whole answer, without marks or colour."""
    blocks = [
        [reply["summary"], *reply["problems"], *filter(None, [reply["here"]])],
        _understood(reply, wording),
        _by_method(reply, wording),
    ]
    if reply["recommended"]:
        lines = markdown.configuration_lines(reply["recommended"], wording)
        blocks.append(_block("recommended", [wording.pair(name, value) for name, value in lines], wording))
    blocks.append(_block("options", [_option(plan, wording) for plan in reply["options"]], wording))
    blocks.append(_block("levers", [_lever(lever, wording) for lever in reply["levers"]], wording))
    blocks.append(_block("risks", [_risk(risk, wording) for risk in reply["risks"]], wording))
    blocks.append(_block("advice", [entry["text"] for entry in reply["advice"] if entry["level"] != "note"], wording))
    blocks.append(_checklist(reply["checklist"], wording))
    blocks.append(_question(reply["questions"], wording))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _block(key: str, lines: list[str], wording: Wording) -> list[str]:
    return [wording.fixed(sentences.HEADING, key), *(f"  {line}" for line in lines)] if lines else []


def _understood(reply: Json, wording: Wording) -> list[str]:
    lines = []
    for key in ("understood", "assumed"):
        pairs = markdown.facts_line(reply, key, wording)
        if pairs:
            lines.append(wording.pair(wording.fixed(sentences.HEADING, key), pairs))
    for entry in reply["rejected"]:
        head = wording.fixed(sentences.HEADING, "rejected")
        lines.append(wording.pair(head, f"{entry.get('text', '')} ({markdown.rejection(entry, wording)})"))
    return lines


def _by_method(reply: Json, wording: Wording) -> list[str]:
    lines = []
    for row in reply["by_method"]:
        verdict = wording.fixed(sentences.VERDICT, row["verdict"])
        head = wording.pair(wording.fixed(sentences.METHOD, row["method"]), verdict)
        figures = ""
        if row["gpu"] is not None:
            usable = (
                f", {wording.fixed(sentences.WORD, 'usable')} {row['usable_gib']:.1f} GiB" if row["usable_gib"] else ""
            )
            figures = f" · {markdown.hardware(row)} · {_split(row, wording)} · {markdown.peak(row)}{usable}"
        lines += [f"{head}{figures}", f"  {row['why']}"]
    return _block("by_method", lines, wording)


def _split(row: Json, wording: Wording) -> str:
    return markdown.split(row, wording)


def _option(plan: Json, wording: Wording) -> str:
    cost = f" · {markdown.money(plan['cost'], wording)}" if plan["cost"] else ""
    label = wording.fixed(sentences.LABEL, plan["label"])
    return wording.pair(
        label, f"{markdown.hardware(plan)} · {markdown.way(plan, wording)} · {markdown.peak(plan)}{cost}"
    )


def _lever(lever: Json, wording: Wording) -> str:
    after = wording.pair(wording.fixed(sentences.VERDICT, lever["verdict_after"]), lever["effect"])
    return f"{lever['change']} → {after}"


def _risk(risk: Json, wording: Wording) -> str:
    return f"[{wording.fixed(sentences.DEGREE, risk['severity'])}] {risk['text']} → {risk['mitigation']}"


def _checklist(items: list[Json], wording: Wording) -> list[str]:
    lines: list[str] = []
    moment = None
    for item in items:
        if item["moment"] != moment:
            moment = item["moment"]
            lines.append(wording.fixed(sentences.MOMENT, moment))
        lines.append(f"  [ ] {item['title']}")
    return _block("checklist", lines, wording)


def _question(questions: list[Json], wording: Wording) -> list[str]:
    if not questions:
        return []
    question = questions[0]
    choices = f" ({' / '.join(question['choices'])})" if question["choices"] else ""
    return _block("question", [f"{question['text']}{choices}", question["why"]], wording)
