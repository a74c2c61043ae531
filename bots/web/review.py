"""The review before the plan: what was answered, what is assumed in place of an answer, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from advisor.core.text import Lang
from bots.web.ask import Ask
from bots.web.markup import block, text
from bots.web.table import table
from bots.web.words import word

Json = Mapping[str, Any]


def page(asks: Sequence[Ask], saved: Json, checked: Json, reply: Json, lang: Lang) -> str:
    """The review as our own HTML. `checked` is what `work.checked` found, `reply` the answer so far."""
    answered = [
        (one.field.name, checked["told"].get(one.field.fact, str(saved["answers"][one.field.fact])))
        for one in asks
        if one.field.fact in saved["answers"] and one.field.fact in checked["open"]
    ]
    if saved["config"]:
        answered.insert(0, (word("step_model", lang), saved["told"]))
    head = [word("question", lang), word("answer", lang)]
    body = _rows(head, answered) if answered else f"<p>{text(word('none_yet', lang))}</p>"
    so_far = (
        f'<p class="so-far"><b>{text(word("so_far", lang))}</b><br>{text(reply["summary"])}</p>' if answered else ""
    )
    return block(
        f'<div class="hk">{so_far}<h3>{text(word("answered", lang))}</h3>{body}'
        f"<h3>{text(word('assumed', lang))}</h3>{_assumed(asks, saved, checked, reply, lang)}</div>"
    )


def _assumed(asks: Sequence[Ask], saved: Json, checked: Json, reply: Json, lang: Lang) -> str:
    """Defaults that the answer took, then what somebody does not know and nothing is assumed for."""
    by_key = {one.field.key: one.field for one in asks}
    taken = [(by_key[each["fact"]], each["why"]) for each in reply["assumptions"] if each["fact"] in by_key]
    rows = [(field.name, field.assumed or "–", why) for field, why in taken]
    told = {field.fact for field, _ in taken}
    for one in asks:
        fact = one.field.fact
        if fact in saved["unknown"] and fact in checked["open"] and fact not in told:
            rows.append((one.field.name, word("stays_open", lang), word("stays_open_why", lang)))
    if not rows:
        return f"<p>{text(word('assumed_none', lang))}</p>"
    return _rows([word("question", lang), word("answer", lang), word("reason", lang)], rows)


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return table(head, [[text(each) for each in row] for row in rows])
