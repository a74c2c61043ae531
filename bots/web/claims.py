"""Check a claim: is a vendor's sentence true?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.consult.pool import Pool
from advisor.core.errors import HkgpuError
from advisor.core.text import Lang
from bots.web import work
from bots.web.guard import guarded
from bots.web.markup import block, gr, panel, text
from bots.web.table import badge
from bots.web.words import word

COLOUR = {"yes": "good", "yes_if": "fair", "no": "poor"}
_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal", "concurrency_limit": 2**4}


def claims(lang: Lang, pool: Pool) -> None:
    """Lay the page out here and wire it; call it inside a `gr.Blocks`."""
    panel(f"<p>{text(word('claims_lead', lang))}</p>", elem_classes=["lead"])
    said = gr.Textbox(
        label=word("claims_text", lang), placeholder=word("claims_hint", lang), lines=2 + 1, max_length=2**14,
        elem_id="claim",
    )  # fmt: skip
    go = gr.Button(word("claims_check", lang), variant="primary", elem_id="check-claim")
    result = panel(elem_id="claim-result", elem_classes=["hk"])

    @guarded(lang)
    async def checked(words: str | None) -> str:
        if not (words or "").strip():
            return block(f'<div class="wrong"><p>{text(word("claims_nothing", lang))}</p></div>')
        try:
            return page(await pool.run(work.claim, str(words), lang), lang)
        except HkgpuError as error:
            return block(f'<div class="wrong"><p>{text(error)}</p></div>')

    go.click(checked, [said], [result], **_QUIET)


def page(found: Mapping[str, Any], lang: Lang) -> str:
    """The judged sentences as our own HTML."""
    each_ = found["claims"] or [{"verdict": found["verdict"], "text": found["text"], "word": found["word"]}]
    cards = "".join(
        f'<div class="card"><p>{badge(each["word"], COLOUR.get(each["verdict"], "open"))}</p>'
        f"<p>{text(each['text'])}</p></div>"
        for each in each_
    )
    sources = "".join(f"<li>{text(each['title'])} ({text(each['date'])})</li>" for each in found["sources"])
    told = f"<h3>{text(word('source', lang))}</h3><ul>{sources}</ul>" if sources else ""
    return block(f'<div><div class="cards">{cards}</div>{told}</div>')
