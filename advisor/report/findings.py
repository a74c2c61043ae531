"""Findings of the rules in one language: advice, risks, checklist items, the explanation, the sources.

Each stands once, in an order that follows from its own degree or moment. Nothing is judged and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from advisor.core.answer import Judged
from advisor.core.facts import Value
from advisor.core.findings import Advice, Check, Firing, Risk
from advisor.core.text import fill, placeholders
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.knowledge.records.items import Item
from advisor.report.wording import Wording

Json = dict[str, Any]
LEVELS = ("blocker", "warning", "note")
_DEGREES = ("high", "medium", "low")
_MOMENTS = ("before_order", "on_delivery", "first_run", "in_operation")
_SEVERITIES = ("must", "should", "nice")


def advice(runs: Iterable[Judged], wording: Wording) -> list[Json]:
    """Every sentence once, blockers first; what decided a verdict stands beside that verdict already."""
    seen: dict[str, tuple[Advice, str]] = {}
    for run in runs:
        for entry in run.outcome.advice:
            if entry.rule not in run.outcome.decided_by:
                line = wording.filled(entry.say, entry.values)
                seen.setdefault(line, (entry, line))
    ranked = sorted(seen.values(), key=lambda pair: LEVELS.index(pair[0].level))
    return [{"id": e.rule, "level": e.level, "text": line, "sources": list(e.because)} for e, line in ranked]


def risks(runs: Iterable[Judged], wording: Wording) -> list[Json]:
    """Every risk once, the gravest first."""
    seen: dict[str, Risk] = {}
    for run in runs:
        for risk in run.outcome.risks:
            seen.setdefault(risk.rule, risk)
    ranked = sorted(seen.values(), key=lambda risk: (_DEGREES.index(risk.severity), _DEGREES.index(risk.likelihood)))
    return [
        {
            "id": risk.rule,
            "severity": risk.severity,
            "likelihood": risk.likelihood,
            "text": wording.filled(risk.say, risk.values),
            "mitigation": wording.filled(risk.mitigation, risk.values),
            "sources": list(risk.because),
        }
        for risk in ranked
    ]


def checklist(runs: Iterable[Judged], library: Library, wording: Wording) -> list[Json]:
    """The items that the rules asked for, by moment and severity."""
    asked: dict[str, dict[str, Value]] = {}
    for run in runs:
        values = {fact.id: fact.value for fact in run.outcome.facts.values()}
        for check in run.outcome.checks:
            asked.setdefault(check.item, {**values, **check.values})
    suited = (library.items[item].suited(*_machine(values, library)) for item, values in asked.items())
    items = [item for item in suited if item is not None]
    items.sort(key=lambda item: (_MOMENTS.index(item.moment), _SEVERITIES.index(item.severity), item.id))
    return [item_in_words(item, asked[item.id], wording) for item in items]


def _machine(values: Mapping[str, Value], library: Library) -> tuple[str | None, str | None]:
    """Whose cards the plan has, and whether it trains or serves: by these an item may read otherwise."""
    card = values.get("gpu.id")
    vendor = library.gpus[card].vendor if isinstance(card, str) and card in library.gpus else None
    method = values.get("plan.method", values.get("tuning.method"))
    if not isinstance(method, str):
        return vendor, None
    return vendor, "serving" if method == "inference" else "training"


def item_in_words(item: Item, values: Mapping[str, Value], wording: Wording) -> Json:
    """A checklist item in one language, with the figures of a run and of the heuristics filled in."""
    words = _ItemWords(values, wording)
    return {
        "id": item.id,
        "moment": item.moment,
        "severity": item.severity,
        "title": words.line(item.title.text),
        "why": words.line(item.why.text),
        "ask": words.line(item.ask.text) if item.ask else None,
        "command": words.command(item.command) if item.command else None,
        "pass_if": words.line(item.pass_if.text),
        "sources": list(item.because),
    }


class _ItemWords:
    """Fills an item's texts; a fact that this run does not know stays visible as `<fact>` for a person to fill in."""

    def __init__(self, values: Mapping[str, Value], wording: Wording) -> None:
        self.values = values
        self.wording = wording

    def line(self, text: Any) -> str:
        known = dict(self.values)
        for name in placeholders(text.in_lang(self.wording.lang)):
            if name not in known:
                known[name] = self._heuristic(name)
        return self.wording.filled(text, known)

    def command(self, command: str) -> str:
        # A command's own braces (curl's `%{time_total}`) have no dot; facts and heuristics always have one.
        words = {name: f"{{{name}}}" for name in placeholders(command)}
        for name in filter(lambda name: "." in name, words):
            value = self.values.get(name)
            words[name] = self.wording.value(name, value if value is not None else self._heuristic(name))
        return fill(command, words)

    def _heuristic(self, name: str) -> Value:
        if name.startswith("heuristic."):
            return self.wording.library.heuristic(name.removeprefix("heuristic."))
        return f"<{name}>"


def explanation(runs: Iterable[Judged]) -> list[Json]:
    """Every firing once: the rule, its evidence, what it matched and concluded; those that decided come first."""
    lines: dict[tuple[str, str], Json] = {}
    for run in runs:
        for firing in run.outcome.firings:
            entry = {**_firing(firing), "decides": firing.rule in run.outcome.decided_by}
            known = lines.setdefault((firing.rule, repr(entry["facts"])), entry)
            known["decides"] = known["decides"] or entry["decides"]
    return sorted(lines.values(), key=lambda entry: not entry["decides"])


def _firing(firing: Firing) -> Json:
    return {
        "rule": firing.rule,
        "because": list(firing.because),
        "facts": {name: plain(value) for name, value in firing.facts.items()},
        "concluded": {name: plain(value) for name, value in firing.concluded.items()},
    }


def sources(runs: Iterable[Judged], library: Library) -> list[Json]:
    """The sources behind everything in the answer, once each."""
    ids: dict[str, None] = {}
    for run in runs:
        for firing in run.outcome.firings:
            ids.update(dict.fromkeys(firing.because))
        checks: tuple[Check, ...] = run.outcome.checks
        for check in checks:
            ids.update(dict.fromkeys(library.items[check.item].because))
        if run.option and run.option.price:
            ids[run.option.price.source] = None
    found = [library.sources[id_] for id_ in ids if id_ in library.sources]
    return [{"id": source.id, "title": source.title, "date": str(source.date)} for source in found]


def plain(value: object) -> Any:
    """A value as JSON takes it; a count as a whole number."""
    if isinstance(value, Quantity):
        return _whole(value.value) if value.unit in ("count", "") else str(value)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return _whole(value)
    return value


def _whole(value: float) -> float | int:
    return int(value) if value == int(value) else value
