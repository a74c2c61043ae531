"""Numbers that no slot took: named, so that nothing that was stated is dropped in silence.

A number that counts something we know (cards, people, tokens, money, time) and stands nowhere is set aside by name; so
is a bare one that belongs to no name or version. Measured figures of a complaint are left to the diagnosis.
"""

from __future__ import annotations

import re

from advisor.dialogue.tokens import Message, Token, tidy

REASON = "unread"
# A complaint is diagnosed from its figures, a law or a term explained without them.
_TOLD_ELSEWHERE = ("troubleshoot", "ask_compliance", "ask_explain", "ask_checklist", "ask_network")
_SLOTS = {
    "cards": "gpu_count", "nodes": "nodes", "GB": "storage_gb", "TB": "storage_gb", "PB": "storage_gb",
    "tokens": "dataset_tokens", "tokens/s": "total_tokens_per_s", "people": "concurrency", "rows": "dataset_rows",
    "qps": "qps", "concurrency": "concurrency", "seconds": "latency_ms", "ms": "latency_ms", "minutes": "time",
    "hours": "time", "days": "time", "weeks": "time", "months": "time", "years": "time", "watts": "power",
    "USD": "budget_amount", "CNY": "budget_amount", "HKD": "budget_amount", "money": "budget_amount",
    "Mbps": "bandwidth_mbps", "Gbps": "bandwidth_mbps", "params": "params_b", "cores": "cpu_cores",
    "percent": "percent", "files": "file_count", "steps": "steps", "MB": "storage_gb",
}  # fmt: skip
_FACTORS = {"seconds": 1e3}
# What makes a bare number part of a name: "CUDA 12.4", "step-3", "Python3".
_NAME_BEFORE = re.compile(r"[a-z_][ \-_=:./]?$|[.\-/_]$")
_NAME_AFTER = re.compile(r"^[.\-/_]?[a-z0-9]|^[.:/]\d")
# What a bare number counts: "300 widgets".
_COUNTED = re.compile(r" [a-z]{3,}s(?![a-z])(?<! this)(?<! plus)(?<! versus)")
_ORDINAL = re.compile(r"第\s?$|#\s?$|no\.?\s?$")


def leftovers(message: Message, intent: str) -> None:
    """Set aside, by name, the numbers that nothing read."""
    if intent in _TOLD_ELSEWHERE:
        return
    told = {row["text"] for row in message.rejected}
    for token in message.tokens:
        if token.kind != "number" or not token.free or _idle(message, token):
            continue
        slot = _SLOTS.get(token.unit, "" if token.unit else "number")
        if slot and message.raw[token.start : token.end] not in told:
            message.reject(slot, tidy(token.value * _FACTORS.get(token.unit, 1.0)), token, REASON)


def _idle(message: Message, token: Token) -> bool:
    """Whether the number says nothing: an article (一个, a month's price), an ordinal, a piece of a name."""
    if token.spelled and token.value <= 1:
        return True
    if token.value == 1 and token.unit in ("months", "days", "hours", "years", "weeks"):
        return True
    if _ORDINAL.search(message.text[: token.start]):
        return True
    if token.unit or (token.scale and token.scale not in ("m", "g", "t")):
        return False
    if token.spelled:
        return True
    head, tail = message.text[: token.start], message.text[token.end :]
    named = _NAME_BEFORE.search(head) is not None and _COUNTED.match(tail) is None
    return named or _NAME_AFTER.match(tail) is not None
