"""What a tool does, as top-level functions that a worker of the pool can run; plain values in and out."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from advisor.core.errors import BadInput
from advisor.core.text import LANGS, Lang

Json = dict[str, Any]
# A call's texts together may have so many characters, whichever way they come.
LONGEST_TEXT = 2**21


def lang_of(said: str) -> Lang | None:
    """A language of ours, None for an empty word. Raises `BadInput` for another."""
    if not said:
        return None
    if said not in LANGS:
        raise BadInput(f'"{said}" is no language of ours', where="lang", expected="en, zh or zh-Hant")
    return said


def bounded(text: str, where: str) -> str:
    """The text, if it is no longer than may be."""
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"has {len(text)} characters", where=where, expected=f"at most {LONGEST_TEXT}")
    return text


def ask(text: str, lang: str) -> tuple[Json, str]:
    """An answer and its text."""
    from advisor.consult import answer
    from advisor.consult.relay import relay

    reply = answer.ask(text, lang=lang_of(lang))
    return dict(reply.json), relay(reply)


def advise(facts: Mapping[str, Any], lang: str) -> tuple[Json, str]:
    """An answer from facts, and its text."""
    from advisor.consult import answer
    from advisor.consult.relay import relay

    reply = answer.advise(facts, lang=lang_of(lang) or "en")
    return dict(reply.json), relay(reply)


def checklist(facts: Mapping[str, Any], lang: str) -> str:
    """The checklist for facts, with the bytes of `hkgpu checklist`."""
    from advisor.consult import answer

    return answer.render_checklist(answer.advise(facts, lang=lang_of(lang) or "en"), "markdown")


def estimate(rows: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Memory a card for each row."""
    from advisor.consult import batch

    columns = list(dict.fromkeys(["id", *(key for row in rows for key in row)]))
    if len(columns) == 1:
        raise BadInput("there are no rows", where="rows", expected="objects with the columns of hkgpu estimate")
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    for number, row in enumerate(rows, 1):
        # A row without a name of its own goes by its place.
        writer.writerow({"id": number, **{key: _cell(value) for key, value in row.items()}})
    found = csv.DictReader(io.StringIO("".join(batch.estimate_csv(bounded(out.getvalue(), "rows")))))
    figures = ("low_gib", "likely_gib", "high_gib", "tokens_per_s_total")
    return [{key: _number(value) if key in figures else value for key, value in row.items()} for row in found]


def _cell(value: object) -> object:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else "" if value is None else value


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def judge(text: str, order: str, lang: str) -> Json:
    """A pasted delivery, judged; `order` is the JSON of an answer or YAML facts, empty for none."""
    from advisor.consult import judge as desk

    if not text.strip():
        raise BadInput("there is nothing to judge", where="outputs", expected="what the acceptance commands printed")
    ordered = desk.read_order(bounded(order, "order"), "order") if order.strip() else None
    delivery = desk.judge_text(bounded(text, "outputs"), ordered=ordered)
    spoken = lang_of(lang) or "en"
    told = json.loads(desk.render(delivery, "json", spoken))
    return {
        "failed": delivery.failed,
        "files": [each for each in told if "file" in each],
        "items": [each for each in told if "item" in each],
        "message": desk.message(delivery),
        "page": desk.render(delivery, "markdown", spoken),
    }


def quote(text: str, facts: Mapping[str, Any], lang: str) -> Json:
    """A pasted offer, held against facts where there are some."""
    from advisor.consult import quotes

    reply = quotes.compare(
        [("offer", bounded(text, "offer").encode("utf-8", "replace"))], dict(facts) or None, lang=lang_of(lang)
    )
    page = quotes.render(reply, "markdown")
    return {"contradicts": reply.exit_code == 1, "offers": list(reply.json["offers"]), "page": page}


def claim(text: str, lang: str) -> tuple[Json, str]:
    """What a vendor's sentence is worth, and the text."""
    from advisor.consult import claims

    reply = claims.ask(text, lang=lang_of(lang))
    return dict(reply.json), claims.render(reply, "text")


def listing(kind: str, find: str) -> str:
    """A part of the catalogue, the facts, the claims or the rules, as JSON text."""
    from advisor.consult import catalogue, rulebase

    if kind == "facts":
        return rulebase.list_facts("json", "en")
    if kind == "rules":
        return rulebase.explain(find, "en") if find else "\n".join(sorted(rulebase.documents()))
    if kind == "claims":
        return json.dumps(rulebase.list_claims(), ensure_ascii=False)
    return json.dumps(catalogue.listed(kind, find), ensure_ascii=False)
