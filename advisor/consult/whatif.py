"""The desk of plans to play with: everything that a page shows of a plan, worked out anew for every change.

`show` answers like `answer.advise` and adds the pictures, the sliders and what each lever and each option makes of the
answers. There is no second way to compute: a moved slider is a changed answer, and a full consultation follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from advisor.consult import answer, form_config, moves, pictures
from advisor.consult.consultation import consult_at
from advisor.consult.desk import Asked, Desk
from advisor.core.answer import Consultation, Judged
from advisor.core.text import Lang
from advisor.dialogue.answers import answers_from
from advisor.knowledge.hub_config import read_config
from advisor.knowledge.library import open_library
from advisor.report import markdown, sentences
from advisor.report.charts import frontier, lengths, memory
from advisor.report.charts.figures import Figure, figure
from advisor.report.charts.words import PICTURE
from advisor.report.compose import compose, relevant_runs
from advisor.report.reasons import assumed, pairs, reasons, understood
from advisor.report.wording import Wording

Json = dict[str, Any]
# The advice that belongs to a part of the plan, by the folder of its rule.
_ABOUT = {"storage": ("storage",), "transfer": ("network", "transfer")}
_TRANSFER = ("line.megabytes", "line.needed", "transfer.time", "transfer.deadline_share")
LONGEST_STEP = 2**8


def show(given: Mapping[str, object], lang: Lang, *, config: str | None = None, day: date | None = None) -> Json:
    """A plan with all that a page shows of it. `config` is the text of a config.json. Raises `BadInput`."""
    library = open_library()
    sets = answers_from(given, library)
    shape = read_config(form_config.config_of(config).kept).architecture if config is not None else None
    asked = Asked(tuple(sets.answers), "ask_feasibility", dict(given), problems=tuple(sets.problems), config=shape)
    desk = Desk(library, answer.rules(library), answer.here(library), asked, day or answer.today())
    consultation = consult_at(desk)
    wording = Wording(library, lang)
    reply = compose(consultation, library, wording)
    plan = plan_shown(consultation)
    return {
        "reply": reply,
        "given": dict(given),
        "verdict": wording.fixed(sentences.VERDICT, consultation.verdict),
        "limit": _limit(plan, consultation, wording),
        "pinned": moves.pinned(given, desk, plan) if plan is not None else dict(given),
        "sliders": _sliders(desk, plan, wording) if plan is not None else [],
        "levers": _levers(given, desk, consultation, reply, wording),
        "options": _options(given, desk, consultation, reply, wording),
        "figures": {
            name: one.html(wording)
            for name, one in (figures(desk, consultation, plan, wording) if plan is not None else {}).items()
        },
        "understood": understood(reply, wording),
        "assumed": assumed(reply, wording),
        "configuration": markdown.configuration_lines(reply["recommended"], wording) if reply["recommended"] else [],
        "disk": _disk(reply, wording),
        "transfer": _transfer(consultation, reply, wording),
        "reasons": reasons(relevant_runs(consultation), library, wording),
    }


def moved(given: Mapping[str, object], changes: Mapping[str, object]) -> moves.Given:
    """The answers with sliders moved or an answer changed, by fact id; None takes one back."""
    return moves.changed(given, changes, open_library())


def plan_shown(consultation: Consultation) -> Judged | None:
    """The plan that the pictures are about: the plan asked about where there is one, else the recommended one.

    A refused plan is shown as it was asked for, since its picture shows why; what would do stands beside it.
    """
    rows = [row for row in consultation.rows if row.option is not None]
    if len(rows) == 1 and rows[0].verdict == "no":
        return rows[0]
    chosen = consultation.chosen
    if chosen is not None and chosen.option is not None and (consultation.verdict != "no" or not rows):
        return chosen
    return rows[0] if rows else None


def figures(desk: Desk, consultation: Consultation, plan: Judged, wording: Wording) -> dict[str, Figure]:
    """The pictures that there is something to draw for, by name."""
    found: dict[str, Figure] = {}
    bars = pictures.bars(consultation, plan, wording)
    if bars:
        title, note = (wording.fixed(PICTURE, key) for key in ("memory_title", "memory_note"))
        found["memory"] = figure(
            title, note, lambda lay: memory.memory(bars, wording, lay), memory.table(bars, wording)
        )
    grid = pictures.lengths(desk, plan, wording)
    if grid is not None:
        title = wording.fixed(PICTURE, "lengths_title_serving" if grid.serving else "lengths_title")
        note = wording.fixed(PICTURE, "lengths_note", hardware=grid.hardware, usable=f"{grid.usable:.1f}")
        ways = lengths.splits(grid)
        if len(ways) > 1:
            named = ", ".join(wording.value("plan.sharding", way) for way in ways)
            note += wording.fixed(PICTURE, "lengths_split", splits=named)
        found["lengths"] = figure(
            title, note, lambda lay: lengths.lengths(grid, wording, lay), lengths.table(grid, wording)
        )
    front = pictures.frontier(desk, consultation, plan, wording)
    if front is not None and len(front.points) > 1:
        title, note = (wording.fixed(PICTURE, key) for key in ("front_title", "front_note"))
        found["frontier"] = figure(
            title, note, lambda lay: frontier.frontier(front, wording, lay), frontier.table(front, wording)
        )
    return found


def _limit(plan: Judged | None, consultation: Consultation, wording: Wording) -> Json | None:
    """The resource that limits the plan shown: its memory a card, with what is left of it."""
    option = plan.option if plan is not None else None
    if plan is None or option is None or option.peak is None or option.usable is None:
        return None
    return {
        "hardware": wording.hardware(option.hardware),
        "method": wording.fixed(sentences.METHOD, option.method),
        "verdict": plan.verdict,
        "likely": option.peak.likely,
        "low": option.peak.low,
        "high": option.peak.high,
        "usable": option.usable,
        "free": option.usable - option.peak.likely,
    }


def _sliders(desk: Desk, plan: Judged, wording: Wording) -> list[Json]:
    """What can be moved: fact, name, value, least, most, step."""
    option = plan.option
    if option is None or id(plan) not in desk.tried:
        return []
    library, task = desk.library, desk.tried[id(plan)][2].task
    serving = not task.trains
    length = int(task.seq_len or option.seq_len)
    batch = int((task.concurrency if serving else option.micro_batch) or 1)
    # The largest power of two that the present length is a multiple of: a slider stands on its steps only.
    step = min(LONGEST_STEP, length & -length)
    most_cards = int(library.heuristic("links.cards_per_server").value)
    wanted = [
        (moves.LENGTH, length, step, pictures.length_most(task, length), step),
        (moves.AT_ONCE if serving else moves.BATCH, batch, 1, max(batch, pictures.batch_most()), 1),
        (moves.CARDS, option.hardware.per_node, 1, max(option.hardware.per_node, most_cards), 1),
    ]
    if option.hardware.nodes > 1:
        wanted.append(("gpu.nodes", option.hardware.nodes, 1, max(option.hardware.nodes, most_cards), 1))
    return [
        {"fact": fact, "name": wording.fact(fact, fact), "value": value, "least": least, "most": most, "step": step}
        for fact, value, least, most, step in wanted
        if value > 0
    ]


def _levers(
    given: Mapping[str, object], desk: Desk, consultation: Consultation, reply: Json, wording: Wording
) -> list[Json]:
    """Each lever in words, with the answers after it."""
    return [
        {
            **told,
            "word": wording.fixed(sentences.VERDICT, told["verdict_after"]),
            "given": moves.after_lever(given, desk, lever),
        }
        for lever, told in zip(consultation.levers, reply["levers"], strict=True)
    ]


def _options(
    given: Mapping[str, object], desk: Desk, consultation: Consultation, reply: Json, wording: Wording
) -> list[Json]:
    """The options as short cells, with the answers that make each the plan."""
    return [
        {
            "label": wording.fixed(sentences.LABEL, plan["label"]),
            "hardware": wording.hardware(judged.option.hardware) if judged.option else "–",
            "way": markdown.way(plan, wording),
            "method": wording.fixed(sentences.METHOD, plan["method"]),
            "memory": f"{markdown.peak(plan)} / {plan['usable_gib']:.0f}"
            if plan["usable_gib"]
            else markdown.peak(plan),
            "time": _hours(plan, wording),
            "cost": markdown.money(plan["cost"], wording) if plan["cost"] else "–",
            "verdict": plan["verdict"],
            "word": wording.fixed(sentences.VERDICT, plan["verdict"]),
            "shown": judged is consultation.chosen,
            "given": moves.pinned(given, desk, judged),
        }
        for (_, judged), plan in zip(consultation.options, reply["options"], strict=True)
    ]


def _memory(plan: Json) -> str:
    return f"{markdown.peak(plan)} / {plan['usable_gib']:.0f}" if plan["usable_gib"] else markdown.peak(plan)


def _hours(plan: Json, wording: Wording) -> str:
    hours = plan["time_h"]
    return f"{hours['likely']:g} ({hours['low']:g}–{hours['high']:g}) {wording.unit('h')}" if hours else "–"


def _advice(reply: Json, part: str) -> list[str]:
    """What the rules said about a part of the plan."""
    return [each["text"] for each in reply["advice"] if each["id"].split(".")[0] in _ABOUT[part]]


def _disk(reply: Json, wording: Wording) -> Json:
    """The disk plan: what each part takes, the whole, and what the rules say of it."""
    plan = reply["recommended"]
    parts = plan["storage"] if plan else []
    kinds = (
        [wording.value(f"order.storage.{key}", parts[0][key]) for key in ("kind", "raid") if parts[0][key]]
        if parts
        else []
    )
    return {
        "rows": [(wording.fixed(sentences.DISK, part["use"]), part["gb"]) for part in parts],
        "total": sum(part["gb"] for part in parts),
        "kind": ", ".join(kinds),
        "advice": _advice(reply, "storage"),
    }


def _transfer(consultation: Consultation, reply: Json, wording: Wording) -> Json:
    """The transfer plan: the figures of the line, what to order, and what the rules say of it."""
    run = consultation.chosen or (consultation.rows[0] if consultation.rows else None)
    facts = run.outcome.facts if run is not None else {}
    known = {name: facts[name].value for name in _TRANSFER if name in facts}
    plan = reply["recommended"]
    network = plan["network"] if plan else {}
    ordered = {
        f"order.network.{name}": str(value) for name, value in network.items() if not isinstance(value, list | dict)
    }
    return {"rows": pairs({**known, **ordered}, wording), "advice": _advice(reply, "transfer")}
