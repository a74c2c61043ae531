"""Compare offers: what vendors wrote, held against the plan of the wizard and against each other.

Vendors' words are strangers' words: each goes onto the page as text. Without a plan only the offers themselves speak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from advisor.consult.pool import Pool
from advisor.core.errors import HkgpuError
from advisor.core.text import Lang
from bots.web import work
from bots.web.guard import guarded
from bots.web.markup import block, gr, panel, text
from bots.web.table import badge, table
from bots.web.wizard import Wizard, kept
from bots.web.words import filled, word

# Room for so many pasted offers; more come as files.
PASTES = 2 + 1
LONGEST = 2**16
_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal", "concurrency_limit": 2**4}
VERDICT = {"yes": "good", "yes_if": "fair", "no": "poor"}
STATUS = {"met": "good", "weaker": "fair", "contradicts": "poor", "refused": "poor"}
KINDS = [".txt", ".md", ".csv", ".xlsx", ".json", ".yaml", ".yml", ".eml", ".html"]


def offers(lang: Lang, pool: Pool, wizard: Wizard) -> None:
    """Lay the page out here and wire it; call it inside a `gr.Blocks`."""
    panel(f"<p>{text(word('offers_lead', lang))}</p>", elem_classes=["lead"])
    with gr.Row():
        pastes = [
            gr.Textbox(
                label=filled("offers_text", lang, n=place + 1), placeholder=word("offers_hint", lang), lines=2**2,
                max_lines=2**4, max_length=LONGEST, elem_id=f"offer-{place + 1}", min_width=2**8,
            )
            for place in range(PASTES)
        ]  # fmt: skip
    files = gr.File(
        label=word("offers_file", lang), file_count="multiple", file_types=KINDS, type="filepath", height="9rem",
        elem_id="offer-files",
    )  # fmt: skip
    go = gr.Button(word("offers_compare", lang), variant="primary", elem_id="compare")
    result = panel(elem_id="compared", elem_classes=["hk"])

    @guarded(lang)
    async def compared(saved: Any, paths: list[str] | None, *words: str | None) -> str:
        named = [
            (filled("offers_text", lang, n=place), said) for place, said in enumerate(words, 1) if (said or "").strip()
        ]
        if not named and not paths:
            return _told(word("offers_nothing", lang))
        checked = await wizard.checked(kept(saved))
        given = checked["given"] or None
        try:
            offered = [(name, str(said).encode("utf-8")) for name, said in named]
            offered += [(Path(path).name, Path(path).read_bytes()) for path in paths or []]
            return page(await pool.run(work.compared, offered, given, lang), given is not None, lang)
        except HkgpuError as error:
            return _told(str(error))

    go.click(compared, [wizard.saved, files, *pastes], [result], **_QUIET)


def _told(words: str) -> str:
    return block(f'<div class="wrong"><p>{text(words)}</p></div>')


def page(found: Mapping[str, Any], planned: bool, lang: Lang) -> str:
    """Compared offers as our own HTML."""
    parts = [f'<p class="so-far">{text(found["summary"])}</p>']
    if not planned:
        parts.insert(0, f'<div class="note"><p>{text(word("offers_no_plan", lang))}</p></div>')
    if found.get("comparison"):
        parts.append(_side_by_side(found["comparison"], lang))
    cards = "".join(_offer(each, lang) for each in found["offers"])
    return block(f'<div>{"".join(parts)}<div class="cards">{cards}</div></div>')


def _side_by_side(comparison: Any, lang: Lang) -> str:
    """The table of all offers, where the desk gives one as head and rows."""
    if not isinstance(comparison, Mapping) or not {"columns", "rows"} <= comparison.keys():
        return ""
    known = ("yes", "yes_if", "no", "unknown")
    body = [
        [text(word(f"offer_{cell}", lang) if cell in known else cell) for cell in row] for row in comparison["rows"]
    ]
    return f"<h3>{text(word('offers_side', lang))}</h3>" + table(comparison["columns"], body)


def _offer(offer: Mapping[str, Any], lang: Lang) -> str:
    verdict = word(f"offer_{offer['verdict']}", lang)
    head = f"{badge(verdict, VERDICT.get(offer['verdict'], 'open'))} {text(offer['name'])}"
    told = [*offer["contradictions"], *offer["warnings"], *offer["notes"]]
    findings = "".join(f"<li><b>{text(each['level'])}</b> {text(each['text'])}</li>" for each in told)
    price = offer.get("price") or {}
    lines = "".join(f"<p>{text(each)}</p>" for each in price.get("text") or [])
    head_ = [word(each, lang) for each in ("verdict", "item", "offers_wanted", "offers_said")]
    rows: Sequence[Sequence[str]] = [
        [
            badge(each["word"], STATUS.get(each["status"], "open")),
            text(each["title"]),
            text(each["wanted"]),
            text(each["said"]),
        ]
        for each in offer["lines"]
    ]
    ask = f'<pre class="message" tabindex="0">{_lines(offer["ask_back"])}</pre>' if offer.get("ask_back") else ""
    return (
        f'<div class="card"><h3>{head}</h3><p>{text(offer["summary"])}</p>'
        f"{f'<ul>{findings}</ul>' if findings else ''}{lines}"
        f"{_folded('offers_lines', table(head_, rows), lang) if rows else ''}"
        f"{_folded('offers_ask', ask, lang) if ask else ''}</div>"
    )


def _folded(key: str, body: str, lang: Lang) -> str:
    return f"<details><summary>{text(word(key, lang))}</summary>{body}</details>"


def _lines(words: str) -> str:
    return "&#10;".join(text(line) for line in words.splitlines())
