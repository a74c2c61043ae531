"""Numbers that cannot be what they stand for: no cards, half a card, a minus before a count, a length of nothing.

They are named as rejected and fill nothing; a plan for another number is never passed off as one for theirs.
"""

from __future__ import annotations

import re

from advisor.dialogue.around import left
from advisor.dialogue.tokens import Message, Token, tidy

REASON = "impossible"
_COUNTS = {"cards": "gpu_count", "nodes": "nodes", "qps": "qps", "concurrency": "concurrency", "epochs": "epochs"}
_WHOLE = ("cards", "nodes", "concurrency")
_CUES = {"cue:ctx": "seq_len", "cue:batch": "micro_batch", "cue:rank": "lora_rank"}
_MINUS = re.compile(r"(?:^|[\s(（:：,，])[-−–]$")


def impossible(message: Message) -> None:
    """Reject the numbers that count something and cannot; what a slot took from such a number is taken back."""
    for token in message.tokens:
        if token.kind != "number" or token.dropped:
            continue
        slot = _slot(message, token)
        if slot and _cannot_be(message, token):
            if message.slots.get(slot) == tidy(token.value) or token.used == slot:
                message.slots.pop(slot, None)
            value = -tidy(token.value) if _negative(message, token) else tidy(token.value)
            message.reject(slot, value, token, REASON)


def _slot(message: Message, token: Token) -> str:
    """What the number counts, by its unit or by the word before it."""
    if token.unit in _COUNTS:
        return _COUNTS[token.unit]
    if token.unit:
        return ""
    return next((slot for cue, slot in _CUES.items() if left(message, token, cue, gap=2) is not None), "")


def _cannot_be(message: Message, token: Token) -> bool:
    if _negative(message, token) or token.value <= 0:
        return True
    if token.unit in _WHOLE and token.high is None and token.value != int(token.value):
        return True
    return token.unit == "cards" and token.value > message.limit("most_cards")


def _negative(message: Message, token: Token) -> bool:
    return token.value > 0 and _MINUS.search(message.text[: token.start]) is not None
