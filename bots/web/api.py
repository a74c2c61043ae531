"""The typed functions that programs may call: `/ask`, `/advise`, `/checklist`. Everything else of the pages is private.

Annotations of Gradio are not enforced, so each function looks at its arguments itself; the desks check once more. A
wrong argument comes back as one clear line.
"""

from __future__ import annotations

from typing import Any

from advisor.consult.pool import Pool
from advisor.core.errors import BadInput
from advisor.core.text import Lang
from bots.telemetry.metrics import Metrics
from bots.web import work
from bots.web.guard import guarded
from bots.web.markup import gr, published

Reply = dict[str, Any]
# So many calls may wait in the pool; more wait in the queue.
AT_ONCE = 2**6
WAITING = 2**10


def functions(pool: Pool, metrics: Metrics) -> gr.Blocks:
    """The functions alone: what a program reads of a server when it connects."""
    blocks: gr.Blocks
    with gr.Blocks(title="hkgpu", analytics_enabled=False) as blocks:
        publish(pool, "en", metrics)
    blocks.queue(max_size=WAITING, api_open=True)
    return blocks


def publish(pool: Pool, lang: Lang, metrics: Metrics) -> None:
    """Publish the functions; call it inside a `gr.Blocks`. Without `lang`, `ask` answers in the question's."""

    @guarded(lang)
    async def ask(text: str, lang: str = "") -> Reply:
        """One question, one answer, in the shape of `hkgpu ask --format json`."""
        spoken = work.lang_of(_text("lang", lang))
        with metrics.message():
            reply = await pool.run(work.asked, _text("text", text), spoken)
        metrics.answered(reply["verdict"])
        return reply

    @guarded(lang)
    async def advise(facts: Reply, lang: str = "en") -> Reply:
        """The same answer from facts: a mapping of slot or fact id to value."""
        spoken = work.lang_of(_text("lang", lang), "en")
        with metrics.message():
            reply = await pool.run(work.advised, _facts(facts), spoken or "en")
        metrics.answered(reply["verdict"])
        return reply

    @guarded(lang)
    async def checklist(facts: Reply, lang: str = "en", format: str = "markdown") -> str:
        """The acceptance checklist for facts, with the bytes of `hkgpu checklist`."""
        spoken = work.lang_of(_text("lang", lang), "en")
        if format not in ("markdown", "json"):
            raise BadInput("unknown format", where="format", expected="markdown or json")
        with metrics.message():
            return await pool.run(work.checklist, _facts(facts), spoken or "en", format)

    for function in (ask, advise, checklist):
        published(function, api_name=function.__name__, concurrency_limit=AT_ONCE)


def _text(name: str, value: object) -> str:
    if value is not None and not isinstance(value, str):
        raise BadInput("is no text", where=name, expected="a text")
    return value or ""


def _facts(value: object) -> Reply:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise BadInput("are no facts", where="facts", expected="a mapping of facts to values")
    return value
