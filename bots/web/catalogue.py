"""The catalogue: cards, models and price lists, with source and date, to search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.consult.catalogue import KINDS
from advisor.consult.pool import Pool
from advisor.core.text import Lang
from bots.web import work
from bots.web.guard import guarded
from bots.web.markup import block, gr, panel, text
from bots.web.table import table
from bots.web.words import filled, word

_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "concurrency_limit": 2**4}


def catalogue(lang: Lang, pool: Pool) -> tuple[Any, list[Any], gr.Markdown]:
    """Lay the page out here; returns the handler, its inputs and its output, for when the page is opened."""
    panel(f"<p>{text(word('catalogue_lead', lang))}</p>", elem_classes=["lead"])
    with gr.Row():
        kind = gr.Radio(
            [(word(f"kind_{each}", lang), each) for each in KINDS], value=KINDS[0], label=word("catalogue_kind", lang),
            elem_id="kind",
        )  # fmt: skip
        find = gr.Textbox(
            label=word("catalogue_find", lang),
            placeholder=word("catalogue_hint", lang),
            max_length=2**8,
            elem_id="find",
        )
    result = panel(elem_id="catalogue", elem_classes=["hk"])

    @guarded(lang)
    async def listed(kind_: str, words: str | None) -> str:
        return page(await pool.run(work.listed, str(kind_), str(words or ""), lang), lang)

    gr.on([kind.change, find.change], listed, [kind, find], [result], trigger_mode="always_last", **_QUIET)
    return listed, [kind, find], result


def page(found: Mapping[str, Any], lang: Lang) -> str:
    """What was found as our own HTML."""
    count, rows = found["count"], found["rows"]
    if not count:
        return block(f"<p>{text(word('found_none', lang))}</p>")
    more = "found" if count == len(rows) else "found_first"
    told = filled(more, lang, count=count, **({"shown": len(rows)} if more == "found_first" else {}))
    body = table(found["columns"], [[text(cell) for cell in row] for row in rows])
    return block(f'<div><p class="soft" role="status">{text(told)}</p>{body}</div>')
