"""Check a delivery: what the acceptance commands printed, judged item by item against what was ordered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from advisor.consult.pool import Pool
from advisor.core.errors import HkgpuError
from advisor.core.text import Lang
from bots.web import work
from bots.web.guard import guarded
from bots.web.markup import block, gr, panel, text
from bots.web.table import badge, table
from bots.web.wizard import Wizard, kept
from bots.web.words import word

# A paste longer than this is a file.
LONGEST = 2**19
_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal", "concurrency_limit": 2**4}
_COLOUR = {"pass": "good", "warn": "fair", "fail": "poor"}


def delivery(lang: Lang, pool: Pool, wizard: Wizard) -> None:
    """Lay the page out here and wire it; call it inside a `gr.Blocks`."""
    panel(f"<p>{text(word('delivery_lead', lang))}</p>", elem_classes=["lead"])
    files = gr.File(
        label=word("delivery_files", lang), file_count="multiple", type="filepath", elem_id="outputs", height="9rem"
    )
    paste = gr.Textbox(
        label=word("delivery_paste", lang), lines=2**2, max_lines=2**4, max_length=LONGEST, elem_id="paste"
    )
    choices = [(word(f"ordered_{each}", lang), each) for each in ("none", "plan", "file")]
    ordered = gr.Radio(choices, value="none", label=word("delivery_ordered", lang), elem_id="ordered")
    order = gr.File(
        label=word("delivery_order", lang), file_types=[".json", ".yaml", ".yml"], type="filepath", visible=False,
        elem_id="order", height="9rem",
    )  # fmt: skip
    ordered.change(lambda kind: gr.update(visible=kind == "file"), [ordered], [order], **_QUIET)
    go = gr.Button(word("delivery_judge", lang), variant="primary", elem_id="judge")
    result = panel(elem_id="judged", elem_classes=["hk"])

    @guarded(lang)
    async def judged(paths: list[str] | None, words: str | None, kind: str, path: str | None, saved: Any) -> str:
        if not paths and not (words or "").strip():
            return _told(word("delivery_nothing", lang))
        try:
            text_, where = await _order(kind, path, saved, wizard)
            found = await pool.run(work.judged, list(paths or []), str(words or ""), text_, where, lang)
        except HkgpuError as error:
            return _told(str(error))
        return page(found, lang)

    go.click(judged, [files, paste, ordered, order, wizard.saved], [result], **_QUIET)


async def _order(kind: str, path: str | None, saved: Any, wizard: Wizard) -> tuple[str, str]:
    """What was ordered, as text, and the name that messages give it."""
    if kind == "file" and path is not None:
        with open(path, "rb") as file:
            return file.read(2**20).decode("utf-8", "replace"), "order"
    if kind == "plan":
        checked = await wizard.checked(kept(saved))
        return json.dumps(checked["given"], ensure_ascii=False), "plan"
    return "", ""


def _told(words: str) -> str:
    return block(f'<div class="wrong"><p>{text(words)}</p></div>')


def page(found: Mapping[str, Any], lang: Lang) -> str:
    """A judged delivery as our own HTML; every word of a stranger's file goes through `text`."""
    rows: Sequence[Mapping[str, Any]] = found["rows"]
    items = [each for each in rows if "item" in each]
    files = [each for each in rows if "file" in each]
    parts = ["<div>"]
    if items:
        head = [word(each, lang) for each in ("verdict", "item", "figure", "limit", "source")]
        body = [
            [_badge(each), f"<b>{text(each['title'])}</b><br>{text(each['reason'])}", text(each["figure"]),
             text(each["limit"]), text(each["source"])]
            for each in items
        ]  # fmt: skip
        parts.append(table(head, body))
    head = [word("verdict", lang), word("outputs", lang)]
    body = [[_badge(each), f"<b>{text(each['file'])}</b> {text(each['tool'])}<br>{_reasons(each)}"] for each in files]
    parts.append(f"<h3>{text(word('outputs', lang))}</h3>" + table(head, body))
    if found["messages"]:
        parts.append(f"<h3>{text(word('delivery_message', lang))}</h3>")
        # The vendor may read another language than the visitor.
        parts += [
            f'<pre class="message" tabindex="0" lang="{each}">{_lines(words)}</pre>'
            for each, words in found["messages"].items()
        ]
    return block("".join([*parts, "</div>"]))


def _badge(row: Mapping[str, Any]) -> str:
    return badge(str(row["word"]), _COLOUR.get(str(row["verdict"]), "open"))


def _reasons(row: Mapping[str, Any]) -> str:
    return "<br>".join(text(each) for each in row["reasons"])


def _lines(words: str) -> str:
    return "&#10;".join(text(line) for line in words.splitlines())
