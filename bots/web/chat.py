"""The chat: a conversation with memory over the same engine.

The server keeps what was understood, the browser the words.

Words of a person come back as text only: pictures, raw HTML and links in them are stripped. Who forgets removes both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from advisor.consult.pool import Pool
from advisor.core.errors import HkgpuError
from advisor.core.text import Lang
from bots.telemetry.metrics import Metrics
from bots.web import work
from bots.web.guard import guarded
from bots.web.markup import block, gr, harmless, panel, text
from bots.web.words import word

VERSION = 1
KEPT = "hkgpu-chat"
PERSON = "web"
EMPTY: dict[str, Any] = {"v": VERSION, "session": "", "said": []}
# How many messages a browser keeps, and how many quick answers a question offers at most.
MESSAGES = 2**6
QUICK = 2 * 2 * 2
_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal", "concurrency_limit": 2**6}


@dataclass
class Chat:
    """The chat's components; `to_plan` hands what was established to the wizard."""

    kept: gr.BrowserState
    bot: gr.Chatbot
    quick: list[gr.Button]
    to_plan: gr.Button
    note: gr.Markdown

    @property
    def shown(self) -> list[Any]:
        """What a turn goes to, beside the box for typing."""
        return [self.kept, self.bot, self.note, *self.quick]


def _kept(saved: object) -> dict[str, Any]:
    """What the browser kept, or nothing where it is of another version or was tampered with."""
    if not isinstance(saved, dict) or saved.get("v") != VERSION or not isinstance(saved.get("said"), list):
        return dict(EMPTY)
    said = [
        {"role": str(each["role"]), "content": str(each["content"])}
        for each in saved["said"][-MESSAGES:]
        if isinstance(each, dict) and each.get("role") in ("user", "assistant") and "content" in each
    ]
    return {"v": VERSION, "session": str(saved.get("session") or ""), "said": said}


def chat(kept: gr.BrowserState, lang: Lang, pool: Pool, metrics: Metrics) -> Chat:
    """Lay the chat out here and wire it; call it inside a `gr.Blocks`. `kept` stands outside any tab."""
    panel(f"<p>{text(word('chat_lead', lang))}</p>", elem_classes=["lead"])
    bot = gr.Chatbot(
        label=word("chat", lang), buttons=["copy"], height="55vh", elem_id="talk", feedback_options=None,
        latex_delimiters=[], group_consecutive_messages=False, allow_tags=False, placeholder=word("chat_hint", lang),
    )  # fmt: skip
    note = panel(elem_id="chat-told")
    with gr.Row(elem_classes=["quick"]):
        quick = [gr.Button("", visible=False, size="sm", elem_id=f"quick-{place}") for place in range(QUICK)]
    with gr.Row():
        box = gr.Textbox(
            label=word("chat_say", lang), placeholder=word("chat_hint", lang), scale=2 + 2, max_length=2**14,
            elem_id="say", lines=1, max_lines=2**2,
        )  # fmt: skip
        send = gr.Button(word("chat_send", lang), variant="primary", elem_id="send", scale=1, min_width=100)
    with gr.Row():
        to_plan = gr.Button(word("chat_plan", lang), elem_id="chat-plan", size="sm")
        forget = gr.Button(word("chat_forget", lang), elem_id="chat-forget", size="sm")
    one = Chat(kept, bot, quick, to_plan, note)
    _wire(one, box, send, forget, lang, pool, metrics)
    return one


def _wire(
    one: Chat, box: gr.Textbox, send: gr.Button, forget: gr.Button, lang: Lang, pool: Pool, metrics: Metrics
) -> None:
    @guarded(lang)
    async def said(saved: Any, words: str | None) -> list[Any]:
        now = _kept(saved)
        if not (words or "").strip():
            return [words, *_shown(now, _note(word("chat_empty", lang), lang))]
        try:
            with metrics.message():
                turn = await pool.run(work.said, now["session"], str(words), uuid4().hex, PERSON, lang)
        except HkgpuError as error:
            return [words, *_shown(now, _note(str(error), lang))]
        metrics.answered(str(turn["parts"]["verdict"]))
        before = [] if turn["lost"] else now["said"]
        pair = [_said("user", str(words)), _said("assistant", turn["full"] or told(turn["parts"]))]
        after = {**now, "session": turn["session"], "said": [*before, *pair][-MESSAGES:]}
        note = _note(word("chat_lost", lang), lang) if turn["lost"] else ""
        return ["", *_shown(after, note, _choices(turn["parts"]))]

    outputs = [box, *one.shown]
    gr.on([send.click, box.submit], said, [one.kept, box], outputs, **_QUIET)
    for button in one.quick:
        button.click(said, [one.kept, button], outputs, **_QUIET)

    @guarded(lang)
    async def forgotten(saved: Any) -> list[Any]:
        now = _kept(saved)
        gone = await pool.run(work.forgotten, now["session"], PERSON, lang) if now["session"] else ""
        return ["", *_shown(dict(EMPTY), _note(gone, lang) if gone else "")]

    forget.click(forgotten, [one.kept], outputs, **_QUIET)


def _said(role: str, words: str) -> dict[str, str]:
    return {"role": role, "content": harmless(words)}


def told(parts: dict[str, Any]) -> str:
    """The parts of an answer as a message of a chat: the verdict first, the next question last."""
    lines = [f"**{parts['head']}**", *parts["notes"], *parts["changes"]]
    methods = parts["methods"] if len(parts["methods"]) > 1 else []
    if methods:
        lines.append("\n".join(_method(each) for each in methods))
    if parts["understood"]:
        named = ", ".join(f"{each['name']} {each['value']}" for each in parts["understood"]["items"])
        lines.append(f"{parts['understood']['label']}: {named}")
    if parts["assumed"]:
        lines.append(f"{parts['assumed']['label']}: {parts['assumed']['text']}")
    lines += ["\n".join(f"- {each['change']}: {each['effect']}" for each in parts["levers"])] if parts["levers"] else []
    lines += parts["choices"]
    if parts["question"]:
        asked = parts["question"]
        lines.append(f"**{asked['text']}**  \n{asked['why']} · {asked['left']}")
    return "\n\n".join(str(each) for each in lines if each)


def _method(row: dict[str, Any]) -> str:
    return f"- **{row['name']}** – {row['verdict_word']}: {row['hardware']}, {row['peak']}. {row['why']}"


async def begun(pool: Pool, given: Any, config: str | None, lang: Lang) -> list[Any]:
    """Updates of `Chat.shown` for a conversation that begins with a plan's answers."""
    turn = await pool.run(work.begun, dict(given or {}), config, uuid4().hex, PERSON, lang)
    now = {"v": VERSION, "session": turn["session"], "said": [_said("assistant", told(turn["parts"]))]}
    return _shown(now, "", _choices(turn["parts"]))


def restored(saved: object) -> list[Any]:
    """Updates of `Chat.shown` for what the browser kept."""
    return _shown(_kept(saved))


def _shown(now: dict[str, Any], note: str = "", choices: list[str] | None = None) -> list[Any]:
    offered = (choices or [])[:QUICK]
    quick = [gr.update(value=each, visible=True) for each in offered]
    quick += [gr.update(visible=False) for _ in range(QUICK - len(offered))]
    return [now, now["said"], note, *quick]


def _choices(parts: dict[str, Any]) -> list[str]:
    """The choices of the open question, as buttons."""
    return [str(each["text"]) for each in parts["question"]["choices"]] if parts["question"] else []


def _note(words: str, lang: Lang) -> str:
    return block(f'<div class="note" role="status"><p>{text(words)}</p></div>')
