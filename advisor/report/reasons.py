"""Why an answer came out as it did, for people: each rule that fired with the facts it saw, what it concluded and its
sources, in words; and what was understood and assumed. It adds nothing that the run does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from advisor.core.answer import Judged
from advisor.core.facts import Value
from advisor.core.findings import Firing, Outcome
from advisor.knowledge.library import Library
from advisor.report.wording import Wording

Json = dict[str, Any]


def reasons(runs: Iterable[Judged], library: Library, wording: Wording) -> list[Json]:
    """Every firing once, those that decided first: rule, sentence, facts, conclusions, sources."""
    lines: dict[tuple[str, str], Json] = {}
    for run in runs:
        sentences = _sentences(run.outcome, wording)
        for firing in run.outcome.firings:
            line = _line(firing, sentences.get(firing.rule, []), library, wording)
            line["decides"] = firing.rule in run.outcome.decided_by
            known = lines.setdefault((firing.rule, repr(line["facts"])), line)
            known["decides"] = known["decides"] or line["decides"]
    return sorted(lines.values(), key=lambda line: not line["decides"])


def _sentences(outcome: Outcome, wording: Wording) -> dict[str, list[str]]:
    """What each rule said, once."""
    found: dict[str, list[str]] = {}
    said = [(each.rule, each.say, each.values) for each in outcome.advice]
    said += [(each.rule, each.say, each.values) for each in outcome.risks]
    for rule, say, values in said:
        line = wording.filled(say, values)
        if line not in found.setdefault(rule, []):
            found[rule].append(line)
    return found


def _line(firing: Firing, says: list[str], library: Library, wording: Wording) -> Json:
    return {
        "rule": firing.rule,
        "says": says,
        "facts": pairs(firing.facts, wording),
        "concluded": pairs(firing.concluded, wording),
        "sources": [_source(id_, library) for id_ in firing.because],
    }


def pairs(values: Mapping[str, Value], wording: Wording) -> list[tuple[str, str]]:
    """Facts as name and value in words; a heuristic goes by what it means."""
    return [(_called(name, wording), wording.value(name, value)) for name, value in values.items()]


def _called(name: str, wording: Wording) -> str:
    key = name.removeprefix("heuristic.")
    if key != name and key in wording.library.heuristics:
        return wording.text(wording.library.heuristics[key].meaning.text)
    return wording.fact(name, name)


def _source(id: str, library: Library) -> str:
    """Title and date of a source; a claim goes by its own sentence's id."""
    source = library.sources.get(id)
    return f"{source.title} ({source.date})" if source is not None else id


def understood(reply: Mapping[str, Any], wording: Wording) -> list[tuple[str, str, str]]:
    """What was understood: slot, name and value in words."""
    return [(slot, wording.slot(slot), wording.said(slot, value)) for slot, value in reply["understood"].items()]


def assumed(reply: Mapping[str, Any], wording: Wording) -> list[tuple[str, str, str, str]]:
    """What was assumed: slot, name, value in words, and why."""
    return [
        (each["fact"], wording.slot(each["fact"]), wording.said(each["fact"], each["value"]), each["why"])
        for each in reply["assumptions"]
    ]
