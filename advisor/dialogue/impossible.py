"""Numbers that cannot be what they stand for: no cards, half a card, a minus before a count, a length of nothing.

They are named as rejected and fill nothing; a plan for another number is never passed off as one for theirs.
"""

from __future__ import annotations

import re

from advisor.dialogue.around import after, before, left
from advisor.dialogue.quantities import gigabytes
from advisor.dialogue.tokens import Message, Token, tidy

REASON = "impossible"
_COUNTS = {
    "cards": "gpu_count",
    "nodes": "nodes",
    "qps": "qps",
    "concurrency": "concurrency",
    "epochs": "epochs",
    "rows": "dataset_rows",
    "tokens": "dataset_tokens",
    "tokens/s": "total_tokens_per_s",
    "days": "deadline_days",
    "weeks": "deadline_days",
    "months": "rental_months",
    "Mbps": "bandwidth_mbps",
    "Gbps": "bandwidth_mbps",
    "USD": "budget_amount",
    "CNY": "budget_amount",
    "HKD": "budget_amount",
    "money": "budget_amount",
}
_WHOLE = ("cards", "nodes", "concurrency")
_NONE_IS_SAID = ("rows", "tokens", "days", "weeks", "months", "USD", "CNY", "HKD", "money", "tokens/s")
_CUES = {"cue:ctx": "seq_len", "cue:batch": "micro_batch", "cue:rank": "lora_rank", "cue:vram": "gpu_mem_gb"}
_MINUS = re.compile(r"(?:^|[\s(（:：,，])(?:[-−–]|负|minus |negative )$|(?:负|minus |negative |(?:有|用|租|要|给)-)$")
_BRANDS = ("", "nvidia", "rtx", "geforce", "tesla", "amd", "of", "个", "张", "块", "x", "*")
_VERSIONED = re.compile(r"(?:cuda|driver|torch|python|ubuntu|rocm|version|v|llama|qwen|claude|gpt|zero|stage)[ -]?$")
_HALF = re.compile(r"(?:^|[^一多大前后])半(?:张|块|片|个)?\s?$")


def impossible(message: Message) -> None:
    """Reject the numbers that count something and cannot; what a slot took from such a number is taken back."""
    for token in message.tokens:
        slot = _slot(message, token) if token.kind == "number" and not token.dropped else ""
        if slot and _cannot_be(message, token, slot):
            _take_back(message, token, slot)


def _take_back(message: Message, token: Token, slot: str) -> None:
    said = tidy(_amount(token, slot))
    if message.slots.get(slot) == said or token.used == slot or _came_from(message, token, slot):
        message.slots.pop(slot, None)
    token.used = REASON
    message.reject(slot, -said if _negative(message, token) else said, token, REASON)


def _came_from(message: Message, token: Token, slot: str) -> bool:
    """`1.5 H100` may have been read as five cards: a count out of the middle of the number."""
    return slot == "gpu_count" and any(
        other.used == slot and other.start < token.end and other.end > token.start for other in message.tokens
    )


def _amount(token: Token, slot: str) -> float:
    if slot == "params_b":
        return token.value / 1e9
    return gigabytes(token) or token.value if slot == "gpu_mem_gb" else token.value


def _slot(message: Message, token: Token) -> str:
    """What the number counts, by its unit, by the card behind it or by the word before it."""
    if token.unit in _COUNTS:
        return _COUNTS[token.unit]
    if token.scale == "b" and token.unit in ("", "params"):
        return "params_b"
    if gigabytes(token) is not None:
        return "gpu_mem_gb" if token.used in ("", "gpu_mem_gb") or _negative(message, token) else ""
    if token.unit in ("", "times", "by", "pieces") and not token.scale and _counts_a_card(message, token):
        return "gpu_count"
    if token.unit:
        return ""
    return next((slot for cue, slot in _CUES.items() if left(message, token, cue, gap=2) is not None), "")


def _counts_a_card(message: Message, token: Token) -> bool:
    """`0 A100`, `1.5x H100`, `A100 x0`: a number that touches a card's name, and is no version of something else."""
    if token.unit == "by":
        previous = before(message, token, gap=1)
        return previous is not None and previous.kind == "card"
    following = after(message, token, gap=len(" nvidia rtx "))
    if following is None or following.kind != "card" or _VERSIONED.search(message.text[: token.start]):
        return False
    return message.text[token.end : following.start].strip(" -") in _BRANDS


def _cannot_be(message: Message, token: Token, slot: str) -> bool:
    if _negative(message, token):
        return True
    if token.value <= 0:
        return token.unit not in _NONE_IS_SAID
    if slot in ("gpu_count", "nodes") or token.unit in _WHOLE:
        whole = token.high is not None or token.value == int(token.value)
        if slot == "gpu_count" and token.used not in ("", slot):
            return False
        return not whole or (slot == "gpu_count" and token.value > message.limit("most_cards"))
    return slot == "params_b" and token.value / 1e9 > message.limit("largest_model_b")


def _negative(message: Message, token: Token) -> bool:
    if token.value <= 0 or _MINUS.search(message.text[: token.start]) is None:
        return False
    previous = before(message, token, gap=2)
    # "A100 -80G", "Qwen -7B": a stroke that joins a name to its size.
    joins = previous is not None and previous.kind in ("card", "model", "number")
    return not joins or message.text[: token.start].endswith(
        ("负", "minus ", "negative ", "有-", "用-", "租-", "要-", "给-")
    )
