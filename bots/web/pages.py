"""The page of one language: its frame, its tabs, and what happens when it is opened or reloaded."""

from __future__ import annotations

from typing import Any

from advisor.consult import form
from advisor.consult.pool import Pool
from advisor.core.text import LANGS, Lang
from bots.telemetry.metrics import Metrics
from bots.web import api, wizard, work
from bots.web import chat as chat_
from bots.web.catalogue import catalogue
from bots.web.claims import claims
from bots.web.delivery import delivery
from bots.web.guard import guarded
from bots.web.markup import block, gr, panel, text
from bots.web.offers import offers
from bots.web.wizard import Wizard, filled_in, kept
from bots.web.words import HTML, SELF, filled, word

# Not a secret: it only has to stay the same, so that a restart of the server does not lose what browsers keep.
SECRET = "hkgpu"
OPENED = block('<span data-opened="yes"></span>')
TABS = ("plan", "chat", "delivery", "offers", "claims", "catalogue")
_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "concurrency_limit": 2**6}


def page(lang: Lang, pool: Pool, metrics: Metrics) -> gr.Blocks:
    """The whole page in a language."""
    blocks: gr.Blocks
    with gr.Blocks(title=word("title", lang), analytics_enabled=False, delete_cache=(60 * 60, 60 * 60)) as blocks:
        _top(lang)
        # A part of a tab that is not open is not there when the page opens: what the browser keeps stands outside.
        saved = gr.BrowserState(wizard.EMPTY, storage_key=wizard.KEPT, secret=SECRET)
        at = gr.BrowserState(0, storage_key=wizard.KEPT_STEP, secret=SECRET)
        said = gr.BrowserState(chat_.EMPTY, storage_key=chat_.KEPT, secret=SECRET)
        with gr.Tabs(selected=TABS[0], elem_id="tabs") as tabs:
            with gr.Tab(word("tab_plan", lang), id="plan", elem_id="tab-plan"):
                form_ = wizard.wizard(saved, at, lang, pool)
            with gr.Tab(word("tab_chat", lang), id="chat", elem_id="tab-chat"):
                talk = chat_.chat(said, lang, pool, metrics)
            with gr.Tab(word("tab_delivery", lang), id="delivery", elem_id="tab-delivery"):
                delivery(lang, pool, form_)
            with gr.Tab(word("tab_offers", lang), id="offers", elem_id="tab-offers"):
                offers(lang, pool, form_)
            with gr.Tab(word("tab_claims", lang), id="claims", elem_id="tab-claims"):
                claims(lang, pool)
            with gr.Tab(word("tab_catalogue", lang), id="catalogue", elem_id="tab-catalogue") as last:
                listed, inputs, result = catalogue(lang, pool)
        last.select(listed, inputs, [result], **_QUIET)
        panel(f'<p id="bottom">{text(filled("footer", lang, version=form.version()))}</p>')
        _on_opening(blocks, tabs, form_, talk, lang)
        api.publish(pool, lang, metrics)
    blocks.queue(max_size=api.WAITING, default_concurrency_limit=2**4, api_open=True)
    return blocks


def _top(lang: Lang) -> None:
    links = "".join(
        f'<a href="?lang={each}" lang="{HTML[each]}" hreflang="{HTML[each]}"'
        f"{' aria-current=true' if each == lang else ''}>{text(SELF[each])}</a>"
        for each in LANGS
    )
    panel(
        f'<header id="top"><h1>{text(word("title", lang))}</h1>'
        f'<nav aria-label="{text(word("language", lang))}">{links}</nav><p>{text(word("lead", lang))}</p></header>'
    )


def _on_opening(blocks: gr.Blocks, tabs: gr.Tabs, form_: Wizard, talk: chat_.Chat, lang: Lang) -> None:
    # Says to whoever looks at the page that what was kept or linked is filled in.
    done = panel(elem_id="opened")

    @guarded(lang)
    async def opened(saved: Any, at: Any, said: Any, request: gr.Request) -> list[Any]:
        params = {key: value for key, value in dict(request.query_params).items() if not key.startswith("__")}
        tab = gr.update(selected=params["tab"]) if params.get("tab") in TABS else gr.skip()
        told = chat_.restored(said)
        answers = {key: value for key, value in params.items() if key not in ("lang", "tab")}
        if answers:
            return [OPENED, tab, *await _copy(form_, params, lang), *told]
        now = {**kept(saved), "step": at if isinstance(at, int) else 0}
        if now == wizard.EMPTY:
            return [OPENED, tab, *(gr.skip() for _ in form_.everything), *told]
        return [OPENED, tab, *await filled_in(form_, now), *told]

    blocks.load(opened, [form_.saved, form_.at, talk.kept], [done, tabs, *form_.everything, *talk.shown], **_QUIET)

    @guarded(lang)
    async def planned(said: Any) -> list[Any]:
        session = said.get("session") if isinstance(said, dict) else ""
        raw = await form_.pool.run(work.established, session) if session else {}
        if not raw:
            note = block(f'<div class="note"><p>{text(word("chat_nothing", lang))}</p></div>')
            return [gr.skip(), note, *(gr.skip() for _ in form_.everything)]
        answers = {**wizard.EMPTY, "answers": raw, "step": len(form_.names) - 1}
        return [gr.update(selected="plan"), "", *await filled_in(form_, answers)]

    talk.to_plan.click(planned, [talk.kept], [tabs, talk.note, *form_.everything], **_QUIET)

    @guarded(lang)
    async def talked(given: Any, config: Any) -> list[Any]:
        return [gr.update(selected="chat"), *await chat_.begun(form_.pool, given, config, lang)]

    form_.to_chat.click(talked, [form_.view.given, form_.view.config], [tabs, *talk.shown], **_QUIET)


async def _copy(form_: Wizard, params: dict[str, str], lang: Lang) -> list[Any]:
    """Updates for an address that holds answers: the plan as a copy, with what could not be read."""
    found = await form_.pool.run(work.linked, params, lang)
    told = [word("copy", lang)]
    if found["older"]:
        told.append(word("link_older", lang))
    names = {one.field.fact: one.field.name for one in form_.asks}
    wrong = [f"{names.get(fact, fact)}: {error}" for fact, error in found["errors"].items()]
    if found["unread"]:
        wrong.append(filled("link_unread", lang, names=", ".join(found["unread"])))
    notes = "".join(f'<div class="note"><p>{text(each)}</p></div>' for each in told)
    notes += "".join(f'<div class="wrong"><p>{text(each)}</p></div>' for each in wrong)
    if not found["raw"] and not found["config"]:
        only = "".join(f'<div class="wrong"><p>{text(each)}</p></div>' for each in wrong)
        return await filled_in(form_, dict(wizard.EMPTY), block(only))
    answers = {**wizard.EMPTY, "answers": found["raw"], "config": found["config"], "step": len(form_.names) - 1}
    return await filled_in(form_, answers, block(f"<div>{notes}</div>"), copy=True)
