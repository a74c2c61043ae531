"""The Home tab: what we do, a way in, a person's recent plans, and what is kept about them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from advisor.consult import threads
from advisor.consult.inbox import Recent, retention_days
from advisor.core.text import Lang
from bots.slack import blocks as b
from bots.slack import names
from bots.slack.blocks import Block
from bots.slack.client import quiet
from bots.slack.safe import mrkdwn

MOST_PLANS = 5


def view(plans: Sequence[tuple[Recent, str]], lang: Lang) -> Block:
    """The tab; each plan with the address of its thread, or an empty one."""
    words = threads.words(lang)
    lines = []
    for plan, address in plans:
        link = f" · <{address}|{words['home_open']}>" if address.startswith("https://") else ""
        lines.append(f"• {mrkdwn(str(plan.title.get('title') or ''))}{link}")
    forget = {
        **b.button(words["home_forget"], "hk.forget", style="danger"),
        "confirm": {
            "title": b.words(words["forget_title"], 100),
            "text": b.words(words["forget_text"], b.SECTION // 10),
            "confirm": b.words(words["forget_yes"], 24),
            "deny": b.words(words["forget_no"], 24),
            "style": "danger",
        },
    }
    privacy = words["home_privacy"].replace("{days}", f"{retention_days():g}")
    return {
        "type": "home",
        "blocks": [
            b.header(words["home_head"]),
            b.section(words["help"]),
            *b.actions([b.button(words["home_start"], "hk.start", style="primary")]),
            {"type": "divider"},
            b.section("\n".join([f"*{words['home_recent']}*", *(lines or [words["home_none"]])])),
            {"type": "divider"},
            b.section(privacy),
            *b.actions([forget]),
        ],
    }


async def addresses(client: AsyncWebClient, plans: Sequence[Recent]) -> list[tuple[Recent, str]]:
    """The plans with the addresses of their threads; Slack gives them, and where it does not there is none."""

    async def one(plan: Recent) -> tuple[Recent, str]:
        channel, _, ts = plan.thread.partition(":")[2].partition(":")
        if not (names.is_id(channel) and names.is_ts(ts)):
            return plan, ""
        said: Any = await quiet(client.chat_getPermalink(channel=channel, message_ts=ts))
        return plan, str(said["permalink"]) if said is not None and said.get("ok") else ""

    return list(await asyncio.gather(*(one(plan) for plan in plans)))


def prompts(lang: Lang) -> tuple[str, list[dict[str, str]]]:
    """The title and the suggestions of a new conversation."""
    words = threads.words(lang)
    kinds = ("fit", "order", "serve", "claim")
    return words["prompts"], [
        {"title": words[f"prompt_{kind}"], "message": words[f"prompt_{kind}_say"]} for kind in kinds
    ]
