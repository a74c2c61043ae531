"""A consultation in one language, as the contract's JSON shape.

Every sentence is a rule's own or a fixed one of `sentences`. Nothing is judged here: the order of risks and the choice
of which run's checklist stands in the answer follow from what the rules gave.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from advisor.core.answer import Consultation, Judged, Lever, Option
from advisor.core.findings import Advice
from advisor.core.units import Range
from advisor.knowledge.library import Library
from advisor.report import sentences
from advisor.report.findings import LEVELS, advice, checklist, explanation, plain, risks, sources
from advisor.report.levers import changed_slots, steps
from advisor.report.wording import Wording, youngest

Json = dict[str, Any]
# The levers that change one choice for another, and the fact that has the choice's name.
_CHOICE_OF_LEVER = {"sharding": "plan.sharding", "optimizer": "plan.optimizer", "precision": "tuning.precision"}
# What a diagnosis rests on: where it is known, what to do about it is the answer.
CAUSES = ("operations.cause", "operations.oom_moment", "observed.oom_in", "observed.oom_unused_share", "observed.xid")
EVASION = "asks.compliance_evasion"


def compose(consultation: Consultation, library: Library, wording: Wording) -> Json:
    """The answer's JSON, all texts in the wording's language."""
    runs = relevant_runs(consultation)
    chosen = consultation.chosen
    methods = [row for row in consultation.rows if row.method]
    cited = sources(runs, library)
    dates = [source["date"] for source in cited]
    return {
        "lang": wording.lang,
        "session": "",
        "plan": consultation.plan,
        "data_version": consultation.data_version,
        "as_of": youngest(dates, date.fromisoformat(consultation.as_of)),
        "intent": consultation.intent,
        "declined": consultation.intent == "out_of_scope" or bool(consultation.answers.value(EVASION)),
        "understood": dict(consultation.understood),
        "rejected": [dict(entry) for entry in consultation.rejected],
        "assumptions": [
            {"fact": entry.slot, "value": plain(entry.value), "why": wording.text(entry.why)}
            for entry in consultation.assumptions
        ],
        "verdict": consultation.verdict,
        "summary": summary(consultation, wording),
        "here": here(consultation, wording),
        "problems": [wording.text(problem) for problem in consultation.problems],
        "by_method": [method_row(row, wording, _first_question(consultation, wording)) for row in methods],
        "recommended": configuration(chosen, wording) if chosen and chosen.option else None,
        "options": [{"label": label, **configuration(judged, wording)} for label, judged in consultation.options],
        "levers": [
            {
                "change": change(lever, wording),
                "effect": effect(lever, wording),
                "verdict_after": lever.judged.verdict,
                "speed_factor": None if lever.speed_factor is None else round(lever.speed_factor, 2),
                "set": changed_slots(lever),
                "steps": steps(lever, wording),
            }
            for lever in consultation.levers
        ],
        "changes": [],
        "advice": advice([chosen] if chosen else runs, wording),
        "risks": risks(runs, wording),
        "checklist": checklist([chosen] if chosen else runs, library, wording),
        "claims": [],
        "questions": [
            {
                "fact": question.slot,
                "text": wording.text(question.text),
                "choices": [wording.text(text) for _, text in question.choices],
                "values": [value for value, _ in question.choices],
                "why": wording.text(question.why),
            }
            for question in consultation.questions
        ],
        "explanation": explanation(runs),
        "sources": cited,
    }


def here(consultation: Consultation, wording: Wording) -> str | None:
    """What "here" was taken for; None where the user named all the hardware, so that it does not matter."""
    if all(row.stated for row in consultation.rows):
        return None
    if consultation.place is not None:
        return wording.fixed(sentences.SUMMARY, "here_own", place=wording.text(consultation.place))
    return wording.fixed(sentences.SUMMARY, "here_market")


def change(lever: Lever, wording: Wording) -> str:
    """What a lever changes, in words; two changes that go together are joined."""
    steps = ((lever.kind, lever.before, lever.after), *lever.also)
    return wording.fixed(sentences.WORD, "joint").join(_step(*step, lever, wording) for step in steps)


def _step(kind: str, before: str, after: str, lever: Lever, wording: Wording) -> str:
    if kind in _CHOICE_OF_LEVER:
        before, after = (wording.value(_CHOICE_OF_LEVER[kind], word) for word in (before, after))
    before, after = (wording.fixed(sentences.METHOD, word) for word in (before, after))
    if kind in ("cards", "card") and lever.judged.option is not None:
        after = wording.hardware(lever.judged.option.hardware)
    return wording.fixed(sentences.LEVER, kind, before=before, after=after)


def effect(lever: Lever, wording: Wording) -> str:
    """What the rules say of the plan after a lever, and its price in speed where that is known."""
    said = without_opening(reason(lever.judged, wording), lever.judged.verdict)
    factor = lever.speed_factor
    if factor is None:
        return said
    space = " " if wording.lang == "en" else ""
    return said + space + wording.fixed(sentences.SUMMARY, "speed_after", factor=f"{factor:.2g}")


def relevant_runs(consultation: Consultation) -> list[Judged]:
    """The runs that the answer rests on: the rows, and the recommended plan where it is another one."""
    runs = list(consultation.rows)
    if consultation.chosen and consultation.chosen not in runs:
        runs.append(consultation.chosen)
    return runs


def reason(judged: Judged, wording: Wording, otherwise: str = "") -> str:
    """The sentence of the rule that decided the verdict; the estimator's reason where there is no figure."""
    deciding = set(judged.outcome.decided_by)

    def rank(entry: Advice) -> tuple[int, bool, bool]:
        # Whether the job fits comes before what else has to be settled; whether a service that fits carries its load
        # comes first of all.
        named = {name.partition(".")[0] for name in entry.values}
        return LEVELS.index(entry.level), "serving" not in named or entry.level == "blocker", "memory" not in named

    for entry in sorted(judged.outcome.advice, key=rank):
        if entry.rule in deciding:
            return wording.filled(entry.say, entry.values)
    if judged.option and judged.option.problem:
        return judged.option.problem
    if told := _behind(judged, deciding):
        return wording.filled(told.say, told.values)
    return otherwise or wording.fixed(sentences.SUMMARY, "no_rule")


def _behind(judged: Judged, deciding: set[str]) -> Advice | None:
    """Where the rule that decided has no words of its own: those of a rule that concluded what it read."""
    firings = judged.outcome.firings
    read = {fact for firing in firings if firing.rule in deciding for fact in firing.facts}
    sources = {firing.rule for firing in firings if not read.isdisjoint(firing.concluded)}
    return next((entry for entry in judged.outcome.advice if entry.rule in sources), None)


def summary(consultation: Consultation, wording: Wording) -> str:
    """One or two sentences: the verdict first, then the limiting figure of the deciding rows."""
    verdict = wording.fixed(sentences.VERDICT, consultation.verdict)
    if consultation.intent in ("out_of_scope", "smalltalk") and not consultation.understood:
        return wording.fixed(sentences.SUMMARY, "greeting" if consultation.intent == "smalltalk" else "declined")
    if cure := _cure(consultation, wording):
        return cure
    undecided = all(row.option is None and not row.outcome.decided_by for row in consultation.rows)
    if undecided and consultation.questions:
        return wording.fixed(
            sentences.SUMMARY, "topic", verdict=verdict, why=wording.text(consultation.questions[0].text)
        )
    if len(consultation.rows) == 1:
        row = consultation.rows[0]
        words = {"verdict": verdict, "why": without_opening(reason(row, wording), row.verdict)}
        if not row.method:
            told = words["why"].startswith(verdict)
            return words["why"] if told else wording.fixed(sentences.SUMMARY, "topic", **words)
        words["method"] = wording.fixed(sentences.METHOD, row.method)
        if row.option is None:
            return wording.fixed(sentences.SUMMARY, "row_unmeasured", **words)
        line = wording.fixed(sentences.SUMMARY, "row", **words, hardware=wording.hardware(row.option.hardware))
        return line + _asked_figure(consultation.intent, row.option, wording) + _load(row, wording)
    if not any(row.method for row in consultation.rows):
        space = " " if wording.lang == "en" else ""
        whys = dict.fromkeys(without_opening(reason(row, wording), row.verdict) for row in consultation.rows)
        return wording.fixed(sentences.SUMMARY, "topic", verdict=verdict, why=space.join(whys))
    joint, stop = ("; ", ".") if wording.lang == "en" else ("；", "。")
    rows = joint.join(
        _short(row, wording).rstrip(stop) + _asked_beside(consultation.intent, row.option, wording)
        for row in consultation.rows
        if row.method
    )
    return wording.fixed(sentences.SUMMARY, "several", verdict=verdict, rows=rows + stop)


def _cure(consultation: Consultation, wording: Wording) -> str:
    """Of a diagnosis without a plan: what the rules say that read the cause; empty where there is none."""
    if any(row.option is not None for row in consultation.rows):
        return ""
    space = " " if wording.lang == "en" else ""
    return space.join(
        dict.fromkeys(
            wording.filled(entry.say, entry.values)
            for row in consultation.rows
            for entry in row.outcome.advice
            if any(
                firing.rule == entry.rule and not firing.facts.keys().isdisjoint(CAUSES)
                for firing in row.outcome.firings
            )
        )
    )


def claim_summary(claim: str, decides: bool, reply: Mapping[str, Any]) -> str:
    """What a vendor's sentence is worth and what the plan came to, the one that decides the verdict first."""
    if reply["verdict"] == "unknown":
        return claim
    return f"{claim} {reply['summary']}" if decides else f"{reply['summary']} {claim}"


def _asked_figure(intent: str, option: Option, wording: Wording) -> str:
    """The time or the money that was asked for, as a sentence of its own."""
    if intent == "ask_time" and option.time is not None:
        return wording.fixed(sentences.SUMMARY, "time", figure=wording.range(option.time))
    if intent == "ask_cost" and option.price is not None:
        return wording.fixed(sentences.SUMMARY, "cost", figure=wording.price(option.price))
    return ""


def _asked_beside(intent: str, option: Option | None, wording: Wording) -> str:
    """The same beside one row of several."""
    figure = ""
    if option is not None and intent == "ask_time" and option.time is not None:
        figure = wording.range(option.time)
    if option is not None and intent == "ask_cost" and option.price is not None:
        figure = wording.price(option.price)
    return figure and (f", {figure}" if wording.lang == "en" else f"，{figure}")


def _load(row: Judged, wording: Wording) -> str:
    """Of a service: what its rule says of the load, where another rule decided the verdict."""
    for entry in row.outcome.advice:
        if "serving.tokens_needed" in entry.values and entry.rule not in row.outcome.decided_by:
            return (" " if wording.lang == "en" else "") + without_opening(
                wording.filled(entry.say, entry.values), "yes" if entry.level == "note" else row.verdict
            )
    return ""


# What joins a rule's sentence to the verdict at its beginning, and joins nothing once that is gone.
_JOINING = re.compile(r"^(?:and |but |而且|并且|但|不过)\s*")


def without_opening(line: str, verdict: str) -> str:
    """A rule's sentence without the verdict at its beginning, where the summary has said it already."""
    for opening in sentences.OPENINGS[verdict]:
        rest = line.removeprefix(opening)
        if rest != line and rest[:1] in (":", "：", ",", "，", "。", "."):
            rest = _JOINING.sub("", rest[1:].lstrip())
            return rest[:1].upper() + rest[1:]
    return line


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[。!?])|(?<=\.)\s", text, maxsplit=1)[0]


def _short(row: Judged, wording: Wording) -> str:
    method = wording.fixed(sentences.METHOD, row.method)
    if row.option is None and "options.count" in row.outcome.facts:
        return f"{method}: {wording.fixed(sentences.SUMMARY, 'no_option')}"
    if row.option is None or row.option.peak is None:
        return f"{method}: {_first_sentence(without_opening(reason(row, wording), row.verdict))}"
    key = {"yes": "fits_on", "yes_if": "works_if_on", "no": "not_on"}.get(row.verdict)
    if key is None:
        return f"{method}: {reason(row, wording)}"
    return wording.fixed(sentences.SUMMARY, key, method=method, hardware=wording.hardware(row.option.hardware))


def _first_question(consultation: Consultation, wording: Wording) -> str:
    return wording.text(consultation.questions[0].text) if consultation.questions else ""


def method_row(row: Judged, wording: Wording, question: str = "") -> Json:
    """One entry of `by_method`; where no rule decided, the question that is open says why."""
    option = row.option
    return {
        "method": row.method,
        "stage": row.stage,
        "verdict": row.verdict,
        "gpu": option.hardware.label if option else None,
        "gpu_count": option.hardware.per_node if option else None,
        "nodes": option.hardware.nodes if option else None,
        "sharding": option.sharding if option else None,
        "copies": option.copies if option else None,
        "peak_gib": range_json(option.peak) if option else None,
        "usable_gib": option.usable if option else None,
        "why": without_opening(reason(row, wording, question), row.verdict),
    }


def configuration(judged: Judged, wording: Wording) -> Json:
    """A configuration to order. What no rule and no estimator gave is left out or null."""
    option = judged.option
    assert option is not None, "only a plan with hardware is a configuration"
    order = ordered(judged)
    host = order.get("host", {})
    return {
        "method": option.method,
        "stage": option.stage,
        "verdict": judged.verdict,
        "gpu": option.hardware.label,
        "gpu_count": option.hardware.per_node,
        "nodes": option.hardware.nodes,
        "sharding": option.sharding,
        "copies": option.copies,
        "micro_batch": option.micro_batch,
        "seq_len": option.seq_len,
        "grad_ckpt": option.grad_ckpt,
        "optimizer": option.optimizer,
        "precision": option.precision,
        "offload": option.offload,
        "cpu_cores": host.get("cpu_cores"),
        "ram_gib": round(option.host_ram.to("GiB").likely) if option.host_ram else None,
        "storage": _storage(option, order.get("storage", {})),
        "network": order.get("network", {}),
        "software": order.get("software", {}),
        "power_cooling": _power(option, order.get("power_cooling", {})),
        "peak_gib": range_json(option.peak),
        "usable_gib": option.usable,
        "time_h": range_json(option.time),
        "cost": _cost(option),
        "parts_gib": {name: round(value, 1) for name, value in option.parts.items()},
        "derivation": list(option.derivation),
        "label_text": wording.hardware(option.hardware),
    }


def ordered(judged: Judged) -> dict[str, dict[str, Any]]:
    """What the rules concluded under `order.GROUP.NAME`, by group: the parts of an order beside the cards."""
    groups: dict[str, dict[str, Any]] = {}
    for fact in judged.outcome.facts.values():
        head, _, rest = fact.id.partition(".")
        group, _, name = rest.partition(".")
        if head == "order" and name:
            groups.setdefault(group, {})[name] = plain(fact.value)
    return groups


def _storage(option: Option, order: Mapping[str, Any]) -> list[Json]:
    return [
        {"use": use, "kind": order.get("kind"), "gb": round(need.likely), "raid": order.get("raid")}
        for use, need in option.storage
    ]


def _power(option: Option, order: Mapping[str, Any]) -> Json:
    return {**({"kw_per_node": range_json(option.power)} if option.power else {}), **order}


def _cost(option: Option) -> Json | None:
    price = option.price
    if price is None:
        return None
    return {
        **(range_json(price.range) or {}),
        "currency": price.currency,
        "period": price.period,
        "as_of": price.as_of,
        "source": price.source,
        "place": price.place,
        "estimated": price.estimated,
        "premium": price.premium,
        "confidence": price.confidence,
        "run": range_json(price.run),
    }


def range_json(range_: Range | None) -> Json | None:
    """A range as three rounded numbers."""
    if range_ is None:
        return None
    return {"low": round(range_.low, 1), "likely": round(range_.likely, 1), "high": round(range_.high, 1)}
