"""What to watch while it runs, and what to do when something looks wrong.

Every piece of advice is a rule's: the plan's own findings, and what the rules say when the plan shows a symptom. Limits
are checklist items and heuristics with their sources. Nothing is advised here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.core.units import Quantity
from advisor.pack import quoting
from advisor.pack.words import Wording, listed, text


@dataclass(frozen=True, slots=True)
class Symptom:
    """What somebody may see, and what the rules then say of this plan, in words."""

    name: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Watch:
    """What monitoring.md is made of: the answer's JSON, symptoms, sentences about saves, how often to save."""

    reply: Mapping[str, Any]
    symptoms: Sequence[Symptom]
    about_saves: Sequence[str]
    save_every: Quantity
    save_steps: int | None
    size: Quantity | None
    write: Quantity | None


def monitoring(watch: Watch, wording: Wording) -> bytes:
    """`monitoring.md`."""
    lines = [f"# {text(wording, 'monitoring_title')}", "", text(wording, "monitoring_head"), ""]
    for moment in ("first_run", "in_operation"):
        items = [item for item in watch.reply["checklist"] if item["moment"] == moment]
        if items:
            lines += [f"## {text(wording, f'watch_{moment}')}", ""]
        for item in items:
            lines += [f"### {item['title']}", "", item["why"], ""]
            lines += [quoting.fenced(item["command"], "sh"), ""] if item["command"] else []
            lines += [text(wording, "watch_pass", limit=item["pass_if"]), ""]
    lines += _limits(wording)
    lines += _saves(watch, wording)
    lines += [f"## {text(wording, 'symptoms_title')}", ""]
    for symptom in watch.symptoms:
        lines += [f"### {symptom.name}", "", *(f"- {each}" for each in symptom.said), ""]
    return ("\n".join(lines).rstrip() + "\n").encode()


def _limits(wording: Wording) -> list[str]:
    library = wording.library
    head = [text(wording, f"limit_{name}") for name in ("what", "figure", "source")]
    lines = [f"## {text(wording, 'limits_title')}", "", f"| {' | '.join(head)} |", "|---|---|---|"]
    for key in listed(wording, "limits"):
        record = library.heuristic_record(key)
        source = library.source(record.accepted.source)
        what = wording.text(record.meaning.text)
        lines.append(f"| {what} | {wording.quantity(record.quantity)} | {source.title} ({source.date}) |")
    return [*lines, ""]


def _saves(watch: Watch, wording: Wording) -> list[str]:
    lines = [f"## {text(wording, 'saves_title')}", ""]
    if watch.save_steps is not None:
        said = {"every": watch.save_every, "steps": Quantity(float(watch.save_steps), "count")}
        lines.append(f"- {text(wording, 'saves_every', **said)}")
    if watch.size is not None:
        lines.append(f"- {text(wording, 'saves_size', size=watch.size)}")
    if watch.write is not None:
        lines.append(f"- {text(wording, 'saves_write', write=watch.write)}")
    lines += [f"- {each}" for each in watch.about_saves]
    lines += [f"- {text(wording, key)}" for key in listed(wording, "saves_commands")]
    return [*lines, ""]
