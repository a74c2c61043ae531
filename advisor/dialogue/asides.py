"""What stands aside of the subject: small talk, other subjects, and messages without a word of the trade.

A first message that asks for a thing unknown here is declined with what can be asked; in a conversation such words are
more likely a slip, and a short question (`够吗`, `how much per month`) always belongs to the subject.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.dialogue.tokens import Message

ASKS = (
    "ask_vram",
    "ask_time",
    "ask_cost",
    "ask_recommendation",
    "ask_feasibility",
    "ask_explain",
    "compare",
    "ask_network",
    "ask_storage",
)


def aside(message: Message, seen: Mapping[str, re.Match[str]], domain: bool, text: str, *, follows: bool) -> str:
    """`out_of_scope`, `smalltalk` or an empty string. `follows` = there is a conversation before."""
    if "instruction" in message.notes and not message.slots and not set(seen) - {"smalltalk", "out_of_scope"}:
        return "out_of_scope"  # nothing but an order to the assistant, which is followed nowhere
    if any(row["reason"] == "impossible" for row in message.rejected):
        return ""
    if "out_of_scope" in seen and not domain and not message.any("cue:latency") and "ask_checklist" not in seen:
        return "out_of_scope"
    asks = [name for name in ("ask_checklist", "ask_compliance", *ASKS) if name in seen and name != "ask_feasibility"]
    if "smalltalk" in seen and not domain and not asks and not in_trade(message):
        return "smalltalk"
    weak = {"ask_feasibility", "ask_recommendation", "ask_explain", "ellipsis", "correct_slot"}
    if not message.slots and set(seen) <= weak and not in_trade(message) and _requests(text):
        return "out_of_scope"
    if not follows and not message.slots and not in_trade(message) and _elsewhere(seen, text):
        return "out_of_scope"
    return ""


_POINTS = re.compile(
    r"\b(?:it|this|that|these|those|one|month|monthly|hour|hourly|year|week)\b|这|那|呢个|呢部|月|小时|钟|年|你们|你哋"
)


# What only this trade is asked, or what only makes sense in a conversation.
_OURS = frozenset(
    ("ask_vram", "ask_network", "ask_compliance", "ask_checklist", "evasion", "trouble", "smalltalk", "correct_slot")
)


def _elsewhere(seen: Mapping[str, re.Match[str]], text: str) -> bool:
    """A first message without a word of the trade: nothing asked, or something asked of a thing unknown here."""
    if set(seen) & _OURS:
        return False
    if not seen:
        return True
    if _POINTS.search(text) is not None:
        return False
    short = _SHORT / 2 if set(seen) <= {"ask_feasibility"} else _SHORT
    return _width(text) >= short - 1


# Words of the trade: a message without any of them, and without a slot, is about something else.
_TRADE = frozenset(
    {
        "cue:ctx",
        "cue:jargon",
        "cue:batch",
        "cue:accum",
        "cue:rank",
        "cue:ram",
        "cue:vram",
        "cue:disk",
        "cue:system_disk",
        "cue:data",
        "cue:weights",
        "cue:checkpoint",
        "cue:bandwidth",
        "cue:loss",
        "cue:util",
        "cue:latency",
        "cue:card",
        "cue:server",
        "cue:gen",
        "cue:xid",
        "cue:sensitive",
        "cue:fine_tune",
        "cue:nvlink",
        "cue:offload",
        "cue:grad_ckpt",
        "cue:measured_with",
        "cue:framework",
        "cue:rental",
        "cue:transfer",
        "cue:qps",
        "cue:concurrency",
        "cue:openai",
        "cue:model_noun",
        "cue:full",
    }
)
_KINDS = ("task:", "quant:", "precision:", "optimizer:", "sharding:", "line:", "form:", "rl:")
_REQUEST = re.compile(
    r"[?]|吗|么|帮|请|点|怎|什么|咩|乜|边|哪|几|多少|多大|多高|谁|推荐|介绍|告诉|讲|写|"
    r"can you|could you|please|tell me|write|recommend|"
    r"how|what|who|where|when|why|which"
)
_SHORT_EXAMPLE = "why not, tell me more"
_SHORT = len(_SHORT_EXAMPLE)


def in_trade(message: Message) -> bool:
    """Whether a message holds a word of the trade."""
    for token in message.tokens:
        if token.kind in ("card", "model", "size") or not token.tags.isdisjoint(_TRADE):
            return True
        if any(tag.startswith((*_KINDS, "scope:vendor", "scope:instruct")) for tag in token.tags):
            return True
    return False


def _requests(text: str) -> bool:
    """A request of some length; a bare `why?` belongs to the conversation."""
    return _width(text) > _SHORT / 2 and _REQUEST.search(text) is not None


def _width(text: str) -> int:
    """The length of a text, a Chinese character as two."""
    return sum(2 if ord(char) > ord("z") else 1 for char in text)
