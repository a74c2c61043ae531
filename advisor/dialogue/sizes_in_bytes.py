"""Gigabytes by role: memory of the host or of all cards, disks, data, transfers.

What is left unclaimed may be the memory of one card. A size that was measured, or that one checkpoint takes, is
rejected with the reason.
"""

from __future__ import annotations

import re

from advisor.dialogue.around import after, before, beside, left, numbers, right, within, within_sentence
from advisor.dialogue.quantities import amount_of, gigabytes, take
from advisor.dialogue.tokens import Message, Token, tidy

_TOUCHING = len("of 的 ")


def sizes_in_bytes(message: Message) -> None:
    """Memory of the host, disks, data, transfers; what is left may be the memory of a card."""
    for token in numbers(message):
        size = gigabytes(token)
        if size is None:
            if token.scale == "m" and token.unit == "" and beside(message, token, "cue:data"):
                take(message, token, "dataset_gb", amount_of(token, 1e-9))
            continue
        role = _role(message, token, size)
        if role is None:
            continue
        factor = size / token.value if token.value else 1.0
        if role.startswith("reject:"):
            token.used = role
            message.reject("gpu_mem_gb", tidy(size), token, role.removeprefix("reject:"))
            continue
        multiple = before(message, token, gap=1)
        count = multiple.value if multiple is not None and multiple.unit in ("times", "cards", "pieces") else 1.0
        if role == "storage_gb" and count > 1 and multiple is not None:
            multiple.used = role
            factor *= count
        take(message, token, role, amount_of(token, factor))


def _role(message: Message, token: Token, size: float) -> str | None:
    def near(*tags: str, gap: int = _TOUCHING) -> bool:
        return beside(message, token, *tags, gap=gap)

    touching = [other for other in (before(message, token), after(message, token)) if other is not None]
    by_card = any(
        other.kind == "card" or other.unit in ("cards", "times", "by") or "cue:card" in other.tags for other in touching
    )
    if _out_of(message, token):
        return None
    if left(message, token, "scope:consumes", gap=len(" 约 到")) and not any(
        other.kind == "card" for other in touching[:1]
    ):
        return "reject:measured"
    multiple = before(message, token, gap=1)
    if multiple is not None and multiple.unit == "times" and (token.unit == "TB" or token.scale == "t"):
        return "dataset_gb" if near("cue:data") else "storage_gb"
    next_one = after(message, token, gap=len(" of "))
    disk = next_one is not None and "cue:disk" in next_one.tags and next_one.start - token.end <= 1
    if disk and left(message, token, "cue:system_disk") is None:
        return "storage_gb"
    if next_one is not None and "cue:vram" in next_one.tags:
        return _video(message, token, size)
    if (next_one is not None and "cue:ram" in next_one.tags) or (
        left(message, token, "cue:ram", gap=len("有大概 ")) and not by_card
    ):
        return "host_ram_gb"
    if near("cue:vram"):
        return _video(message, token, size)
    if near("cue:system_disk", gap=len("给 ")):
        return "system_disk_gb"
    if next_one is not None and "cue:data" in next_one.tags and message.text[token.end : next_one.start] == " of ":
        return "dataset_gb"
    if near("cue:disk", gap=len(" of 本地 ")) and not any(other.kind == "card" for other in touching):
        return "storage_gb"
    if _summed(message, token) and within_sentence(message, token, "cue:per_card"):
        return None
    if re.search(r"(?:\bso|(?<![<>])=|共有?)\s*$", message.text[: token.start]) and not message.any("cue:data"):
        return "gpu_mem_total_gb"
    if _summed(message, token) and not within_sentence(message, token, "cue:data", "cue:disk"):
        return "gpu_mem_total_gb"
    return None if by_card or near("cue:per_card") else _by_context(message, token, size)


_OUT_OF = re.compile(r"\d\s?(?:g|gb|gib)?\s?(?:/|out of|of|共)\s?(?:the |a )?$")


def _out_of(message: Message, token: Token) -> bool:
    """`23.5G/24G`, `71 GB out of 80 GB`: what the card has, behind what was used of it."""
    return _OUT_OF.search(message.text[: token.start]) is not None and (gigabytes(token) or 0.0) in message.listed(
        "card_memory_gb"
    )


def _by_context(message: Message, token: Token, size: float) -> str | None:
    """The role of a size that touches no card: from what its clause and sentence speak of."""
    if within(message, token, "cue:daily") and within(message, token, "cue:transfer"):
        return "transfer_gb_per_day"
    each_day = left(message, token, "cue:daily", gap=len("增量大概 ")) or right(message, token, "cue:daily", gap=1)
    if each_day and within_sentence(message, token, "cue:transfer"):
        return "transfer_gb_per_day"
    if beside(message, token, "cue:weights", gap=len("of the 的模型 ")):
        return "transfer_gb"
    if within(message, token, "cue:checkpoint") and not within(message, token, "cue:data"):
        return "reject:checkpoint"
    if _timed(message, token):
        return "transfer_gb"
    if within(message, token, "cue:data") or _data_here(message, token, size) or _continues(message, token):
        return "dataset_gb"
    if within_sentence(message, token, "cue:transfer"):
        return "dataset_gb"
    if within(message, token, "scope:observed"):
        return "reject:measured"
    return None


def _continues(message: Message, token: Token) -> bool:
    """`数据在新加坡, 约 800 GB`: a clause of its own that only says how much of what the clause before named."""
    alone = all(
        t is token or t.kind in ("clause", "sentence") or "scope:observed" in t.tags
        for t in message.tokens
        if t.clause == token.clause
    )
    earlier = [t for t in message.tokens if t.clause == token.clause - 1 and t.sentence == token.sentence]
    return alone and any("cue:data" in t.tags for t in earlier)


def _summed(message: Message, token: Token) -> bool:
    """`共 320G`, `192 GB total`; a 共 behind a number belongs to the number after it."""
    if left(message, token, "cue:total", gap=len("of 的 ")) is not None:
        return True
    later = right(message, token, "cue:total", gap=len("of 的 "))
    following = after(message, later) if later is not None else None
    return later is not None and (following is None or following.kind != "number")


def _timed(message: Message, token: Token) -> bool:
    """`8 hours for 100GB`: a transfer that was measured."""
    clause = [t for t in message.tokens if t.clause == token.clause and t.unit == "hours"]
    if not clause or not within(message, token, "cue:transfer"):
        return False
    size = gigabytes(token) or 0.0
    if clause[0].value and "observed_throughput_mbps" not in message.slots:
        message.slots["observed_throughput_mbps"] = round(size * 8e3 / (clause[0].value * 3.6e3))
    return True


def _data_here(message: Message, token: Token, size: float) -> bool:
    files = any(other.used == "file_count" for other in message.tokens)
    to_somewhere = (
        re.match(r"\s?(?:数据|文本|语料|data|of data|of text|to |到|去|传|搬|过)", message.text[token.end :])
        is not None
    )
    return (files and size >= 1) or (to_somewhere and not message.any("cue:vram"))


def _video(message: Message, token: Token, size: float) -> str | None:
    card = any(other.kind == "card" for other in message.tokens)
    if _summed(message, token):
        return "gpu_mem_total_gb"
    return "gpu_mem_total_gb" if size > message.limit("largest_card_memory_gb") and not card else None
