"""The form in a modal: one step a view, the questions of `rules/facts`, each mistake told at its field.

Answers travel in the view's private metadata, so that no process has to remember a form. The plan at the end is shown
in the modal and sent as a direct message, where the conversation goes on.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from advisor.consult import form, form_open, form_taken, threads
from advisor.consult.form import Field
from advisor.core.text import LANGS, Lang
from bots.slack import blocks as b
from bots.slack import render
from bots.slack.blocks import Block

if TYPE_CHECKING:
    from bots.slack.work import Work

CALLBACK = "hk.form"
DONE = "hk.plan"
FIELD = "v"
MODEL = "model.id"
# Beside the questions of a conversation, these few of the refining ones are worth a line of the form.
_ALSO = (MODEL, "serving.concurrency", "serving.output_len", "quant.bits")
TITLE, LABEL, HINT, META, TYPED = 24, 2**7, 2**8, 3000, 60
# How long a step waits to learn which of its questions matter, in seconds; then it asks them all.
MATTERS_S = 1.2
_SUGGESTED = 2**5

log = logging.getLogger("hkgpu.slack")
Raw = dict[str, Any]


def questions(step: str, lang: Lang) -> list[Field]:
    """The questions of a step that a modal asks."""
    found = [each for each in form.fields(lang) if each.step == step and (each.main or each.fact in _ALSO)]
    return [each for each in found if each.kind != "ref" or each.choices]


def first(lang: Lang) -> Block:
    """The view of the first step."""
    return view(0, {}, lang, questions(form.steps()[0], lang))


def view(step: int, raw: Mapping[str, Any], lang: Lang, asked: Sequence[Field]) -> Block:
    """The view of a step with what was answered so far."""
    words, names = threads.words(lang), form.steps()
    said = {"step": str(step + 1), "steps": str(len(names)), "name": words[f"step_{names[step]}"]}
    line = words["form_step"]
    for name, value in said.items():
        line = line.replace(f"{{{name}}}", value)
    top = [b.context(f"*{line}*", words["form_note"])]
    back = b.actions([b.button(words["form_back"], "hk.form.back")]) if step else ()
    last = step + 1 == len(names)
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "title": b.words(words["form_title"], TITLE),
        "submit": b.words(words["form_plan" if last else "form_next"], TITLE),
        "close": b.words(words["form_close"], TITLE),
        "private_metadata": json.dumps({"step": step, "raw": dict(raw), "lang": lang}, ensure_ascii=False),
        "blocks": [*top, *(_input(each, raw.get(each.fact), words) for each in asked), *back],
    }


def _input(field: Field, value: Any, words: Mapping[str, str]) -> Block:
    hints = [field.why, f"({field.unit})" if field.unit else ""]
    return {
        "type": "input",
        "block_id": field.fact,
        "optional": True,
        "label": b.words(field.question, LABEL),
        "hint": b.words(" ".join(each for each in hints if each), HINT),
        "element": _element(field, value, words),
    }


def _element(field: Field, value: Any, words: Mapping[str, str]) -> Block:
    if field.fact == MODEL:
        kept: dict[str, Any] = {"initial_option": _option(str(value), str(value))} if value else {}
        return {
            "type": "external_select", "action_id": FIELD, "min_query_length": 2,
            "placeholder": b.words(words["form_type"], b.PLACEHOLDER), **kept,
        }  # fmt: skip
    if field.choices:
        options = [_option(label, said) for said, label in field.choices][: b.OPTIONS]
        listed = value if isinstance(value, list) else [value]
        known = [option for option in options if option["value"] in listed]
        kind = "multi_static_select" if field.many else "static_select"
        chosen: dict[str, Any] = {}
        if known:
            chosen = {"initial_options": known} if field.many else {"initial_option": known[0]}
        pick = b.words(words["form_pick"], b.PLACEHOLDER)
        return {"type": kind, "action_id": FIELD, "options": options, "placeholder": pick, **chosen}
    typed = {"initial_value": str(value)} if value else {}
    return {"type": "plain_text_input", "action_id": FIELD, "max_length": TYPED, **typed}


def _option(label: str, value: str) -> Block:
    return {"text": b.words(label, b.OPTION), "value": value[: b.OPTION_VALUE]}


def models(typed: str, lang: Lang) -> list[Block]:
    """The models of the catalogue whose names contain what was typed."""
    field = next(each for each in form.fields(lang) if each.fact == MODEL)
    wanted = _core(typed)
    found = [(value, label) for value, label in field.choices if wanted in _core(value)]
    found.sort(key=lambda each: (not _core(each[0]).startswith(wanted), len(each[0])))
    return [_option(label, value) for value, label in found[:_SUGGESTED]]


def _core(name: str) -> str:
    """A name as people type it: with or without spaces and hyphens."""
    return "".join(char for char in name.lower() if char.isalnum() or char == ".")


def carried(shown: Mapping[str, Any]) -> tuple[int, Raw, Lang]:
    """Step, answers and language of a view that came back, with what stands in its fields now."""
    try:
        kept = json.loads(shown.get("private_metadata") or "{}")
    except ValueError:
        kept = {}
    said = kept.get("lang")
    lang = cast("Lang", said) if said in LANGS else "en"
    raw: Raw = dict(kept.get("raw") or {})
    for fact, elements in ((shown.get("state") or {}).get("values") or {}).items():
        value = _typed(elements.get(FIELD) or {})
        if value in (None, "", []):
            raw.pop(fact, None)
        else:
            raw[fact] = value
    step = kept.get("step")
    return (step if isinstance(step, int) and 0 <= step < len(form.steps()) else 0), raw, lang


def _typed(state: Mapping[str, Any]) -> Any:
    if state.get("selected_options") is not None:
        return [each["value"] for each in state["selected_options"]]
    if state.get("selected_option") is not None:
        return state["selected_option"]["value"]
    return str(state.get("value") or "").strip()


def mistakes(shown: Mapping[str, Any], raw: Raw, lang: Lang) -> dict[str, str]:
    """What is wrong, by the field of this view that holds it."""
    fields = [block["block_id"] for block in shown.get("blocks") or () if block.get("type") == "input"]
    here = {fact: raw[fact] for fact in fields if fact in raw}
    wrong = {fact: line[: b.SECTION] for fact, line in form_taken.taken(here, lang).errors.items() if fact in fields}
    if not wrong and fields and len(json.dumps(raw, ensure_ascii=False)) > META - 2**6:
        return {fields[-1]: threads.words(lang)["form_long"]}
    return wrong


async def following(work: Work, step: int, raw: Raw, lang: Lang) -> Block | None:
    """The next view with a question that matters, None where the form is done."""
    names = form.steps()
    given = form_taken.taken(raw, lang).given
    for place in range(step + 1, len(names)):
        asked = questions(names[place], lang)
        facts = [each.fact for each in asked]
        try:
            matter = await asyncio.wait_for(work.pool.run(form_open.open_facts, given, facts), MATTERS_S)
        except (TimeoutError, asyncio.CancelledError):
            matter = tuple(facts)
        shown = [each for each in asked if each.fact in matter or each.fact in raw]
        if shown:
            return view(place, raw, lang, shown)
    return None


def previous(step: int, raw: Raw, lang: Lang) -> Block:
    """The view of the step before."""
    place = max(0, step - 1)
    return view(place, raw, lang, questions(form.steps()[place], lang))


def working(lang: Lang) -> Block:
    """The view while the plan is made."""
    return _closing([b.section(f":hourglass_flowing_sand: {threads.words(lang)['form_working']}")], lang)


def plan(parts: Mapping[str, Any]) -> Block:
    """The plan as a view."""
    lang: Lang = parts["lang"]
    words = threads.words(lang)
    shown = (
        [b.section(render.safe_text(str(parts["error"])))] if parts.get("error") else render.plan_blocks(parts, words)
    )
    return _closing([*shown, b.context(words["form_sent"])], lang)


def _closing(shown: list[Block], lang: Lang) -> Block:
    words = threads.words(lang)
    return {
        "type": "modal",
        "callback_id": DONE,
        "title": b.words(words["form_title"], TITLE),
        "close": b.words(words["form_close"], TITLE),
        "blocks": shown,
    }
